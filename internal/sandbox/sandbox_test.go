package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const testPath = "/usr/local/bin:/usr/bin:/bin"

// levels are the levels to test, each with what keeps New from a better one. L2
// is for users who are not root: see TestAsOrdinaryUser.
var levels = map[string]Level{"L3+": 0, "L3": L3Plus, "L2": L3}

// TestAsOrdinaryUser runs the tests of the levels again as a user who is not
// root, when root runs them.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("the tests run as an ordinary user already")
	}
	temp, err := os.MkdirTemp("", "crev-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	if err := os.Chmod(temp, 0o777); err != nil {
		t.Fatal(err)
	}
	out, err := runAs(54321, temp, "-test.run=^(TestProbesOfEveryLevel|TestRun|TestReachOfAScript|TestBounds|TestNoProcessIsLeft|TestCancel|TestSetupFailureRunsNothing|TestInterpreters|TestTmpOfTheCaller|TestNoBoxIsLeft)$", "-test.v")
	if err != nil || !strings.Contains(out, "--- PASS: TestRun/L2") {
		t.Errorf("%v\n%s", err, out)
	}
}

// atLevels runs a test at each level that this machine can reach.
func atLevels(t *testing.T, test func(t *testing.T, r *Runner)) {
	t.Helper()
	for name, avoid := range levels {
		t.Run(name, func(t *testing.T) {
			r := runnerBelow(avoid)
			if got := r.Report().Level.String(); got != name {
				t.Skipf("level %s here: %s", got, r.Report().Reason)
			}
			test(t, r)
		})
	}
}

// runnerBelow probes once for each level.
var runnerBelow = func() func(Level) *Runner {
	probe := map[Level]func() *Runner{}
	for _, avoid := range levels {
		probe[avoid] = sync.OnceValue(func() *Runner {
			return New(context.Background(), Options{Path: testPath, Avoid: avoid})
		})
	}
	return func(avoid Level) *Runner { return probe[avoid]() }
}()

func sh(script string, args ...string) []string {
	return append([]string{"sh", "-c", script, "sh"}, args...)
}

func TestProbesOfEveryLevel(t *testing.T) {
	t.Parallel()
	atLevels(t, func(t *testing.T, r *Runner) {
		rep := r.Report()
		if open := rep.Open(); len(open) > 0 {
			t.Errorf("open: %v", open)
		}
		if len(rep.Probes) < 40 {
			t.Errorf("%d probes, want at least 40", len(rep.Probes))
		}
	})
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec   Spec
		exit   int
		stdout string
		stderr string
	}{
		"exit status and both streams": {
			spec: Spec{Argv: sh(`echo out; echo err >&2; exit 3`)},
			exit: 3, stdout: "out\n", stderr: "err\n",
		},
		"a signal is 128 and its number": {
			spec: Spec{Argv: sh(`kill -TERM $$`)}, exit: 128 + 15,
		},
		"files of the folder": {
			spec: Spec{
				Argv:  []string{"./check.sh", "./check.sh", "./none", "a b"},
				Files: fstest.MapFS{"check.sh": {Data: []byte("#!/bin/sh\necho \"$@\"; cat \"$1\" | wc -l; . \"$(dirname \"$0\")/lib/x.sh\"")}, "lib/x.sh": {Data: []byte("echo lib")}},
			},
			stdout: "$CREV_BOX/script/check.sh ./none a b\n1\nlib\n",
		},
		"the environment is only what the specification says": {
			spec:   Spec{Argv: []string{"env"}, Env: map[string]string{"CREV_X": "1"}},
			stdout: "CREV_X=1\nHOME=$CREV_BOX/tmp\nLANG=C.UTF-8\nPATH=$PATH\nTMPDIR=$CREV_BOX/tmp\n",
		},
		"the temporary directory is the script's": {
			spec:   Spec{Argv: sh(`mkdir -p $TMPDIR/a $TMPDIR/b && echo x > $TMPDIR/a/x && mv $TMPDIR/a/x $TMPDIR/b && cat $HOME/b/x; chmod 000 $TMPDIR/a; true`)},
			stdout: "x\n",
		},
		"the devices that scripts use": {
			spec:   Spec{Argv: sh(`echo no > /dev/null; echo out > /dev/stdout; echo err > /dev/stderr; head -c 2 /dev/urandom | wc -c; cat /dev/stdin | wc -c`)},
			stdout: "out\n2\n0\n", stderr: "err\n",
		},
		"a shell that starts others": {
			spec:   Spec{Argv: sh(`for i in 1 2 3; do (echo $i) & done; wait; echo done | tr a-z A-Z`)},
			stdout: "DONE", // the numbers come in any order
		},
	}
	atLevels(t, func(t *testing.T, r *Runner) {
		for name, tc := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got := r.Run(t.Context(), tc.spec)
				if got.Err != nil {
					t.Fatal(got.Err)
				}
				want := strings.ReplaceAll(tc.stdout, "$PATH", strings.Join(reachableDirs(r.path, true), ":"))
				stderr := string(got.Output[len(got.Stdout):])
				if name == "a shell that starts others" {
					if !strings.HasSuffix(string(got.Stdout), "DONE\n") {
						t.Errorf("stdout %q", got.Stdout)
					}
					return
				}
				if name == "the temporary directory is the script's" {
					stderr = "" // chmod by name is refused at L2
				}
				if got.Exit != tc.exit || string(got.Stdout) != want || stderr != tc.stderr {
					t.Errorf("exit %d, stdout %q, stderr %q; want %d, %q, %q", got.Exit, got.Stdout, stderr, tc.exit, want, tc.stderr)
				}
			})
		}
	})
}

// T40, T41, T42: no secret is in reach, and nothing outside can be written.
func TestReachOfAScript(t *testing.T) {
	secret := "s3cr3t-" + t.Name()
	t.Setenv("CREV_TEST_SECRET", secret)
	outside := t.TempDir()
	for d := outside; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	tree := filepath.Join(outside, "tree")
	for name, text := range map[string]string{
		"tree/.crev/ledger": "x", "tree/src/a.go": "package a", "runner_temp/token": secret,
		"file_commands/set_env": "", "home/.gitconfig": secret, "workflow/event.json": secret,
	} {
		file := filepath.Join(outside, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666), os.Chmod(file, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	script := `
cd "$1/tree" || exit 9
cat src/a.go > /dev/null || exit 8
for f in "$1"/runner_temp/token "$1"/home/.gitconfig "$1"/workflow/event.json /etc/shadow; do cat "$f" && echo "READ $f"; done
for f in tree/new tree/src/a.go tree/.crev/ledger file_commands/set_env new; do echo x > "$1/$f" && echo "WROTE $f"; done
rm -f "$1"/tree/src/a.go && echo "REMOVED"
mkdir "$1"/tree/dir && echo "MADE"
ln "$1"/tree/src/a.go "$TMPDIR"/hard && echo "LINKED"
ln -s "$1"/runner_temp/token "$TMPDIR"/soft; cat "$TMPDIR"/soft && echo "FOLLOWED"
for p in /proc/[0-9]*; do cat $p/environ && echo "ENVIRON $p"; done
env
exit 0`
	atLevels(t, func(t *testing.T, r *Runner) {
		got := r.Run(t.Context(), Spec{Argv: sh(script, outside), Dir: tree})
		if got.Err != nil || got.Exit != 0 {
			t.Fatalf("exit %d, %v: %s", got.Exit, got.Err, got.Output)
		}
		for _, word := range []string{"READ", "WROTE", "REMOVED", "MADE", "LINKED", "FOLLOWED", "ENVIRON", secret} {
			if strings.Contains(string(got.Stdout), word) {
				t.Errorf("%s:\n%s", word, got.Stdout)
			}
		}
	})
}

// T44: everything is bounded, and no process is left.
func TestBounds(t *testing.T) {
	tests := map[string]struct {
		script  string
		limits  Limits
		timeout time.Duration // 0 is the default, far more than is needed
		check   func(t *testing.T, got Result)
	}{
		"endless loop": {script: `while :; do :; done`, timeout: 500 * time.Millisecond, check: wantTimedOut},
		"endless sleep that ignores signals": {
			script: `trap '' TERM INT HUP; sleep 1000 & wait; sleep 1000`, timeout: 500 * time.Millisecond, check: wantTimedOut,
		},
		"stopped": {script: `kill -STOP $$; echo no`, timeout: 500 * time.Millisecond, check: wantTimedOut},
		"endless output": {
			script: `yes`, timeout: 500 * time.Millisecond,
			check: func(t *testing.T, got Result) {
				wantTimedOut(t, got)
				if !got.Cut || len(got.Stdout) != DefaultOutputCap+len(CutMarker) || !strings.HasSuffix(string(got.Stdout), CutMarker) {
					t.Errorf("cut %v, %d bytes", got.Cut, len(got.Stdout))
				}
			},
		},
		"file of 100 MB": {
			script: `head -c 100000000 /dev/zero > $TMPDIR/big; ls -l $TMPDIR/big | awk '{print $5}'`,
			check: func(t *testing.T, got Result) {
				if !strings.Contains(string(got.Stdout), "16777216") {
					t.Errorf("output %q, want a file of 16 MiB", got.Output)
				}
			},
		},
		"16 GB of memory": {
			script: `awk 'BEGIN{s="x"; while(length(s) < 17179869184) s = s s; print length(s)}'`,
			limits: Limits{Memory: 256 << 20},
			check: func(t *testing.T, got Result) {
				if got.Exit == 0 || strings.Contains(string(got.Stdout), "17179869184") {
					t.Errorf("exit %d, output %q", got.Exit, got.Output)
				}
			},
		},
		"fork bomb": {
			// Bounded to 512 processes: a limit that does not hold must
			// not take the machine along.
			script: `b() { [ $1 -gt 0 ] && b $(($1-1)) | b $(($1-1)) & }; b 8; while :; do :; done`,
			limits: Limits{Processes: 24}, timeout: 500 * time.Millisecond,
			check: wantTimedOut,
		},
		"many processes": {
			script: `i=0; while [ $i -lt 60 ]; do sleep 100 & i=$((i+1)); done; echo all`,
			limits: Limits{Processes: 24},
			check: func(t *testing.T, got Result) {
				if strings.Contains(string(got.Stdout), "all") {
					t.Errorf("60 processes with a limit of 24")
				}
			},
		},
	}
	atLevels(t, func(t *testing.T, r *Runner) {
		for name, tc := range tests {
			t.Run(name, func(t *testing.T) {
				got := r.Run(t.Context(), Spec{Argv: sh(tc.script), Limits: tc.limits, Timeout: tc.timeout})
				if got.Err != nil {
					t.Fatal(got.Err)
				}
				tc.check(t, got)
			})
		}
	})
}

func wantTimedOut(t *testing.T, got Result) {
	t.Helper()
	if !got.TimedOut {
		t.Errorf("exit %d, output %q; want a timeout", got.Exit, got.Output)
	}
}

// A daemon leaves its group, its session and its parents; it is found by who
// its children are given to.
func TestNoProcessIsLeft(t *testing.T) {
	script := `
(setsid sh -c '(sleep 987654 & echo $! > '$TMPDIR'/pid; sleep 987654) &' &)
while [ ! -s $TMPDIR/pid ]; do :; done
exit 0`
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	atLevels(t, func(t *testing.T, r *Runner) {
		got := r.Run(t.Context(), Spec{Argv: sh(script)})
		if got.Err != nil || got.Exit != 0 {
			t.Fatalf("exit %d, %v: %s", got.Exit, got.Err, got.Output)
		}
		cmdlines, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cmdlines {
			if text, err := os.ReadFile(c); err == nil && strings.Contains(string(text), "987654") {
				t.Errorf("left behind: %s %q", c, text)
			}
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	atLevels(t, func(t *testing.T, r *Runner) {
		fifo := t.TempDir()
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("enough")
		done := make(chan Result)
		go func() { done <- r.Run(ctx, Spec{Argv: sh("sleep 1000"), Dir: "/", ReadOnly: []string{fifo}}) }()
		cancel(stop)
		if got := <-done; !errors.Is(got.Err, stop) {
			t.Errorf("Err = %v, want %v", got.Err, stop)
		}
	})
}

// T51: a layer that cannot be put in place means that nothing is run.
func TestSetupFailureRunsNothing(t *testing.T) {
	t.Parallel()
	atLevels(t, func(t *testing.T, r *Runner) {
		ran := filepath.Join(t.TempDir(), "ran")
		b, err := r.newBox(Spec{Argv: sh("echo ran")}, r.mode)
		if err != nil {
			t.Fatal(err)
		}
		defer b.remove()
		b.plan.Dir = ran // no such directory
		got := b.run(t.Context(), Result{})
		if !errors.Is(got.Err, ErrSetup) || got.Exit != ExitSetup || len(got.Output) > 0 {
			t.Errorf("exit %d, output %q, err %v", got.Exit, got.Output, got.Err)
		}
		if !strings.Contains(fmt.Sprint(got.Err), "SANDBOX-SETUP-FAILED") {
			t.Errorf("err %v does not name the failure", got.Err)
		}
	})
}

func TestWithoutALevelNothingRuns(t *testing.T) {
	t.Parallel()
	r := New(t.Context(), Options{Path: testPath, Avoid: L2})
	if got := r.Run(t.Context(), Spec{Argv: sh("echo ran")}); !errors.Is(got.Err, ErrUnavailable) || len(got.Output) > 0 {
		t.Errorf("output %q, err %v", got.Output, got.Err)
	}
	unsafe := New(t.Context(), Options{Path: testPath, Avoid: L2, Unsafe: true})
	if got := unsafe.Run(t.Context(), Spec{Argv: sh("echo ran")}); got.Err != nil || string(got.Stdout) != "ran\n" || got.Level != L1 {
		t.Errorf("unsafe: level %s, output %q, err %v", got.Level, got.Output, got.Err)
	}
	inActions := New(t.Context(), Options{Path: testPath, Avoid: L2, Unsafe: true, InActions: true})
	if got := inActions.Run(t.Context(), Spec{Argv: sh("echo ran")}); !errors.Is(got.Err, ErrUnavailable) {
		t.Errorf("unsafe in a job: output %q, err %v", got.Output, got.Err)
	}
}

func TestOffRunsWithoutLayers(t *testing.T) {
	t.Parallel()
	r := New(t.Context(), Options{Path: testPath, Avoid: L2})
	got := r.Run(t.Context(), Spec{Argv: sh("ls /proc/self > /dev/null && env | grep -c ."), Off: true})
	if got.Err != nil || got.Exit != 0 || got.Level != L1 {
		t.Errorf("level %s, exit %d, output %q, err %v", got.Level, got.Exit, got.Output, got.Err)
	}
}

func TestSpecIsRefused(t *testing.T) {
	t.Parallel()
	file := func(text string) fs.FS { return fstest.MapFS{"x": {Data: []byte(text)}} }
	tests := map[string]struct {
		spec       Spec
		executable bool
		want       string
	}{
		"no program":      {spec: Spec{}, want: "no program given"},
		"unknown program": {spec: Spec{Argv: []string{"no-such-linter"}}, executable: true, want: "no-such-linter cannot be executed: it is not on PATH"},
		"relative path":   {spec: Spec{Argv: []string{"tools/lint"}}, executable: true, want: "name a file of the validator's folder"},
		"missing interpreter": {
			spec: Spec{Argv: []string{"./x"}, Files: file("#!/usr/bin/no-such-python\n")}, executable: true,
			want: "x cannot be executed: its interpreter /usr/bin/no-such-python does not exist",
		},
		"interpreter by env": {
			spec: Spec{Argv: []string{"./x"}, Files: file("#!/usr/bin/env no-such-node\n")}, executable: true,
			want: "x cannot be executed: its interpreter no-such-node is not on PATH",
		},
		"carriage return": {
			spec: Spec{Argv: []string{"./x"}, Files: file("#!/bin/sh\r\necho\r\n")}, executable: true,
			want: "ends in a carriage return",
		},
		"no interpreter": {
			spec: Spec{Argv: []string{"./x"}, Files: file("echo hi\n")}, executable: true,
			want: "its first line is not #! and an interpreter",
		},
		"foreign variable": {
			spec: Spec{Argv: sh(":"), Env: map[string]string{"GITHUB_TOKEN": "x"}}, want: "GITHUB_TOKEN",
		},
		"link in the folder": {
			spec: Spec{Argv: []string{"./x"}, Files: fstest.MapFS{"x": {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777}}},
			want: "is not a regular file",
		},
		"folder of 40 MB": {
			spec: Spec{Argv: []string{"./x"}, Files: fstest.MapFS{"x": {Data: make([]byte, 40<<20)}}},
			want: "the folder is larger than 32 MiB",
		},
	}
	r := New(t.Context(), Options{Path: testPath})
	if r.Report().Level < L2 {
		r = New(t.Context(), Options{Path: testPath, Unsafe: true})
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := r.Run(t.Context(), tc.spec)
			if got.Err == nil || !strings.Contains(got.Err.Error(), tc.want) {
				t.Errorf("Err = %v, want %q in it", got.Err, tc.want)
			}
			if errors.Is(got.Err, ErrNotExecutable) != tc.executable {
				t.Errorf("Err = %v, ErrNotExecutable %v", got.Err, !tc.executable)
			}
			if got.Exit != -1 || len(got.Output) > 0 {
				t.Errorf("exit %d, output %q", got.Exit, got.Output)
			}
		})
	}
}

// Interpreters that teams write checks in must work inside, where installed.
func TestInterpreters(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"bash":    `diff <(echo a) <(echo a) && echo ok`,
		"python3": "import threading, json, subprocess\nt = threading.Thread(target=lambda: subprocess.run(['echo', 'ok']))\nt.start(); t.join()",
		"node":    `require("child_process").exec("echo ok", (e, out) => process.stdout.write(e ? String(e) : out))`,
		"perl":    `print "ok\n"`,
		"awk":     `BEGIN { print "ok" }`,
	}
	flag := map[string]string{"node": "-e", "perl": "-e"}
	atLevels(t, func(t *testing.T, r *Runner) {
		for name, program := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if _, ok := lookPath(name, r.path); !ok {
					t.Skip("not installed")
				}
				argv := []string{name, "-c", program}
				if f := flag[name]; f != "" {
					argv[1] = f
				}
				if name == "awk" {
					argv = []string{name, program}
				}
				got := r.Run(t.Context(), Spec{Argv: argv, Dir: "/"})
				if got.Err != nil || got.Exit != 0 || string(got.Output) != "ok\n" {
					t.Errorf("exit %d, err %v, output %s", got.Exit, got.Err, got.Output)
				}
			})
		}
	})
}

func TestTmpOfTheCaller(t *testing.T) {
	t.Parallel()
	atLevels(t, func(t *testing.T, r *Runner) {
		dir, err := os.MkdirTemp("", "crev-test-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		got := r.Run(t.Context(), Spec{Argv: sh("echo kept > $TMPDIR/file"), Tmp: dir})
		if got.Err != nil || got.Exit != 0 {
			t.Fatalf("exit %d, %v: %s", got.Exit, got.Err, got.Output)
		}
		text, err := os.ReadFile(filepath.Join(dir, "file"))
		if err != nil || string(text) != "kept\n" {
			t.Errorf("file %q, %v", text, err)
		}
	})
}

func TestNoBoxIsLeft(t *testing.T) {
	t.Parallel()
	temp, err := os.MkdirTemp("", "crev-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	if err := os.Chmod(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	r := New(t.Context(), Options{Path: testPath, TempDir: temp})
	r.Run(t.Context(), Spec{Argv: sh("mkdir -p $TMPDIR/a/b; echo > $TMPDIR/a/b/c; chmod 000 $TMPDIR/a/b $TMPDIR/a")})
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestInstallRoot(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ dir, want string }{
		"hosted tool":         {"/opt/hostedtoolcache/node/20/x64/bin", "/opt/hostedtoolcache/node/20/x64"},
		"go":                  {"/usr/local/go/bin", "/usr/local/go"},
		"version manager":     {"/home/ann/.nvm/versions/node/v20/bin", "/home/ann/.nvm/versions/node/v20"},
		"cargo keeps a token": {"/home/ann/.cargo/bin", ""},
		"home itself":         {"/home/ann/bin", ""},
		"another home":        {"/home/bob/.local/bin", ""},
		"root's":              {"/root/go/bin", ""},
		"no bin":              {"/opt/tools", ""},
		"temporary":           {"/tmp/bin", ""},
		"the root":            {"/bin", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := installRoot(tc.dir, "/home/ann"); got != tc.want {
				t.Errorf("installRoot(%q) = %q, want %q", tc.dir, got, tc.want)
			}
		})
	}
}

// T45
func TestQuote(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"empty":               {"", ""},
		"workflow commands":   {"::set-output name=x::y\n##[add-mask]z\n", "  | ::set-output name=x::y\n  | ##[add-mask]z\n"},
		"after a return":      {"progress\r::error::x", "  | progress\n  | ::error::x\n"},
		"windows ends":        {"a\r\nb\r\n", "  | a\n  | b\n"},
		"escape sequences":    {"\x1b[31mred\x07", "  | <U+001B>[31mred<U+0007>\n"},
		"line separators":     {"a\u2028::error::\u0085::x\v::y", "  | a\n  | ::error::\n  | ::x\n  | ::y\n"},
		"reordered text":      {"a\u202eb\U000e0041", "  | a<U+202E>b<U+E0041>\n"},
		"bytes that are none": {"a\xffb", "  | a\\xffb\n"},
		"blank lines stay":    {"a\n\nb", "  | a\n  | \n  | b\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Quote(tc.in)); diff != "" {
				t.Errorf("Quote(%q) (-want +got):\n%s", tc.in, diff)
			}
		})
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"::error::x", "a\r::x", "\x1b[0m##[group]", "\u2028::x", "\xff\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Quote(s)
		if s == "" {
			return
		}
		if !strings.HasSuffix(got, "\n") {
			t.Fatalf("Quote(%q) = %q has no newline at its end", s, got)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(got, "\n"), "\n") {
			if !strings.HasPrefix(line, quotePrefix) || strings.ContainsAny(line, "\r\x1b\x00\u2028\u202e") {
				t.Fatalf("Quote(%q): line %q", s, line)
			}
		}
	})
}
