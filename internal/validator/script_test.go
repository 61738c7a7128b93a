package validator

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/sandbox"
)

func script(t testing.TB, yaml, sh string) Validator {
	t.Helper()
	return loadOne(t, map[string]string{
		"validator.yaml": "says: Say it.\nscope: '**/*.ts'\n" + yaml,
		"check.sh":       "#!/bin/sh\n" + sh,
	})
}

func TestRunScript(t *testing.T) {
	t.Parallel()
	sarif, err := os.ReadFile("testdata/suppressed.sarif")
	if err != nil {
		t.Fatal(err)
	}
	const own = "kind: script\nrun: [./check.sh]\n"
	many := map[string]string{}
	for i := range 3000 {
		many[fmt.Sprintf("dir/%04d-%s.ts", i, strings.Repeat("x", 200))] = "x"
	}
	tests := map[string]struct {
		yaml, sh string
		files    map[string]string
		changed  map[string][]Range
		status   Status
		want     []string
		reason   string
		note     string
	}{
		"clean": {yaml: own, sh: "exit 0", status: Clean},
		"found": {
			yaml: own, sh: `grep -nH bad "$@" | sed 's/:bad.*/: it is bad/'; exit 1`,
			files:  map[string]string{"a.ts": "bad\n", "b.ts": "ok\nbad\n", "c.go": "bad"},
			status: Found, want: []string{"a.ts:1: it is bad", "b.ts:2: it is bad"},
		},
		"a name with a dash at its start is no option": {
			yaml: own, sh: `[ "$1" = ./-rf.ts ] && cat "$1" && echo "$1:1: no" && exit 1; exit 9`,
			files: map[string]string{"-rf.ts": "x\n"}, status: Found, want: []string{"-rf.ts:1: no"},
		},
		"names with blanks, quotes and dollars are whole": {
			yaml: own, sh: `for f; do [ -f "$f" ] || exit 9; done; echo "$1:1: no"; exit 1`,
			files: map[string]string{"a b/$(id)'\".ts": "x\n"}, status: Found, want: []string{"a b/$(id)'\".ts:1: no"},
		},
		"a list longer than the kernel takes": {yaml: own, sh: `for f; do [ -f "$f" ] || exit 9; done`, files: many, status: Clean},
		"sixty failures are sixty": {
			yaml: own, sh: `i=1; while [ $i -le 60 ]; do echo "a.ts:$i: no"; i=$((i+1)); done; exit 1`,
			status: Found, want: numbered(60),
		},
		"changed lines only": {
			yaml: own + "in: changed_lines\n", sh: `echo "a.ts:1: old"; echo "a.ts:2: new"; echo "b.ts:1: other"; echo "gone.ts:1: lost"; exit 1`,
			files:   map[string]string{"a.ts": "", "b.ts": ""},
			changed: map[string][]Range{"a.ts": {{2, 2}}},
			status:  Found, want: []string{"lost (at gone.ts:1, which is no file of the tree)", "a.ts:2: new"},
			note: "results on lines that did not change: 2",
		},
		"found nothing on changed lines": {
			yaml: own + "in: changed_lines\n", sh: `echo "a.ts:1: old"; exit 1`,
			changed: map[string][]Range{"a.ts": {{2, 2}}}, status: Clean,
		},

		"exit 1 without a place":    {yaml: own, sh: "echo it is bad; exit 1", status: Broken, reason: "exit status 1 without a line of the form"},
		"exit 1 without a word":     {yaml: own, sh: "exit 1", status: Broken, reason: "it printed nothing"},
		"exit 2":                    {yaml: own, sh: "echo usage >&2; exit 2", status: Broken, reason: `exit status 2, where 0 is clean and 1 is found: it printed "usage"`},
		"a missing program":         {yaml: own, sh: "no-such-linter \"$@\"", status: Broken, reason: "exit status 127: a program that it needs is missing"},
		"a signal":                  {yaml: own, sh: "kill -SEGV $$", status: Broken, reason: "it was ended by signal 11"},
		"a deadline":                {yaml: own + "timeout: 1s\n", sh: "sleep 1000", status: Broken, reason: "it took longer than 1s"},
		"SARIF that is cut":         {yaml: own, sh: `printf '{"version":"2.1.0"'; exit 1`, status: Broken, reason: "read SARIF"},
		"SARIF of a failed tool":    {yaml: own, sh: `printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}}}]}'; exit 1`, status: Broken, reason: "SARIF log that has no result"},
		"a linter without a format": {yaml: "kind: command\nrun: [sh, -c, 'echo problems; exit 1']\n", status: Found, want: []string{"Say it. (sh -c echo problems; exit 1 ended with status 1; see its output)"}},
		"a linter that is missing":  {yaml: "kind: command\nrun: [no-such-linter]\n", status: Broken, reason: "no-such-linter cannot be executed: it is not on PATH"},
		"the status alone":          {yaml: "kind: command\nrun: ['false']\noutput: exit\n", status: Found, want: []string{"Say it. (false ended with status 1; see its output)"}},
		"without a sandbox":         {yaml: "kind: command\nrun: ['true']\nsandbox: off\n", status: Broken, reason: "sandbox: off, and that is refused here"},
	}
	r := runner(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.files == nil {
				tc.files = map[string]string{"a.ts": strings.Repeat("x\n", 99)}
			}
			in := input(tc.files)
			in.Runner, in.Changed = r, tc.changed
			got := Run(t.Context(), script(t, tc.yaml, tc.sh), in)
			if got.Status != tc.status || !strings.Contains(got.Reason, tc.reason) {
				t.Errorf("status %s, reason %q; want %s, %q", got.Status, got.Reason, tc.status, tc.reason)
			}
			if diff := cmp.Diff(tc.want, texts(got.Failures)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
			if !strings.Contains(strings.Join(got.Notes, "\n"), tc.note) {
				t.Errorf("notes %q, want %q", got.Notes, tc.note)
			}
		})
	}

	t.Run("SARIF in a directory, with suppressions", func(t *testing.T) {
		t.Parallel()
		v := loadOne(t, map[string]string{"validator.yaml": "says: s\nkind: command\nscope: web/**/*.js\nrun: [sh, -c, 'test \"$1\" = main.js && cat log.sarif; exit 1', sh]\nworking_directory: web\n"})
		in := input(map[string]string{"web/main.js": "1\n2\n", "web/log.sarif": string(sarif)})
		in.Runner = r
		got := Run(t.Context(), v, in)
		if diff := cmp.Diff([]string{"web/main.js:2: [no-eval] eval is evil"}, texts(got.Failures)); got.Status != Found || diff != "" {
			t.Errorf("status %s (%s), failures (-want +got):\n%s", got.Status, got.Reason, diff)
		}
		if diff := cmp.Diff([]string{"results suppressed in the code: 1"}, got.Notes); diff != "" {
			t.Errorf("notes (-want +got):\n%s", diff)
		}
	})
}

func numbered(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("a.ts:%d: no", i+1))
	}
	return out
}

// T02, T42: the judged tree decides nothing about its judge and stays as it is.
func TestScriptOfTheBaseJudgesTheTree(t *testing.T) {
	t.Parallel()
	v := script(t, "kind: script\nrun: [./check.sh]\n", `echo x >> a.ts; echo x > .crev/validators/v/check.sh; grep -q bad a.ts && { echo "a.ts:1: no"; exit 1; }; exit 0`)
	in := input(map[string]string{"a.ts": "bad\n", ".crev/validators/v/check.sh": "#!/bin/sh\nexit 0\n"})
	in.Runner = runner(t)
	got := Run(t.Context(), v, in)
	if got.Status != Found {
		t.Errorf("status %s (%s)", got.Status, got.Reason)
	}
	if strings.Count(got.Output, "a.ts:1: no") != 1 || !strings.Contains(got.Output, "denied") && !strings.Contains(got.Output, "cannot create") {
		t.Errorf("output %q, want two writes refused", got.Output)
	}
}

func TestScriptWithoutARunnerIsBroken(t *testing.T) {
	t.Parallel()
	v := script(t, "kind: script\nrun: [./check.sh]\n", "exit 0")
	in := input(map[string]string{"a.ts": "x"})
	if got := Run(t.Context(), v, in); got.Status != Broken || got.Passed() {
		t.Errorf("without a Runner: %+v", got)
	}
	in.Runner = sandbox.New(t.Context(), sandbox.Options{Avoid: sandbox.L2})
	if got := Run(t.Context(), v, in); got.Status != Broken || !strings.Contains(got.Reason, "no sandbox on this machine") {
		t.Errorf("without a level: %+v", got)
	}
	if got := Run(t.Context(), Validator{Name: "zero"}, in); got.Status != Broken {
		t.Errorf("a zero Validator: %+v", got)
	}
}

func TestTreeOnDisk(t *testing.T) {
	t.Parallel()
	v := script(t, "kind: script\nrun: [./check.sh]\n", `echo "$1:1: no"; exit 1`)
	dir, err := os.MkdirTemp("", "crev-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(dir+"/a.ts", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := Run(t.Context(), v, Input{Dir: dir, Runner: runner(t)})
	if diff := cmp.Diff([]string{"a.ts:1: no"}, texts(got.Failures)); diff != "" {
		t.Errorf("%s: failures (-want +got):\n%s", got.Reason, diff)
	}
}

// T47: an export holds regular files of the tree and nothing else.
func TestExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/tree"
	from := fstest.MapFS{
		"a/b.sh": {Data: []byte("x"), Mode: 0o755},
		"link":   {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink | 0o777},
	}
	if err := Export(from, []string{"a/b.sh", "link", "gone"}, dir); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		got = append(got, p+" "+info.Mode().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{". drwxr-xr-x", "a drwxr-xr-x", "a/b.sh -r-xr-xr-x"}, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"../x", "/etc/x", "a/../../x"} {
		evil := evilFS{name: bad}
		if err := Export(evil, []string{bad}, t.TempDir()+"/tree"); err == nil {
			t.Errorf("Export wrote %q", bad)
		}
	}
}

// evilFS has a file under any name.
type evilFS struct{ name string }

func (e evilFS) Open(string) (fs.File, error) {
	return fstest.MapFS{"x": {Data: []byte("y")}}.Open("x")
}

func TestProve(t *testing.T) {
	t.Parallel()
	const own = "kind: script\nrun: [./check.sh]\n"
	tests := map[string]struct {
		yaml, sh  string
		bad, good map[string]string
		want      Verdict
		reason    string
	}{
		"proven":         {own, `grep -q bad "$1" || exit 0; echo "$1:1: no"; exit 1`, nil, nil, Proven, "red on the bad samples"},
		"proven pattern": {"kind: pattern\nmust_not: bad\n", "", nil, nil, Proven, "3 times"},
		"vacuous":        {own, `exit 0`, nil, nil, Vacuous, "finds nothing in the bad"},
		"overfit":        {own, `echo "$1:1: no"; exit 1`, nil, nil, Overfit, "also finds something in the good samples: a.ts:1: no"},
		"flaky":          {own, `grep -q bad "$1" || exit 0; echo "$1:1: no"; head -c 8 /dev/urandom | od -An -tx1; exit 1`, nil, nil, Flaky, "run 1 and run 2 differ"},
		"broken":         {own, `exit 7`, nil, nil, Unproven, "on the bad samples, run 1: exit status 7"},
		"no bad sample":  {own, `exit 0`, map[string]string{"a.go": "bad"}, nil, Unproven, "no bad sample is in its scope"},
		"no good sample": {"kind: pattern\nmust_not: bad\n", ``, nil, map[string]string{"a.go": "x"}, Unproven, "no good sample is in its scope"},
	}
	r := runner(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.bad == nil {
				tc.bad = map[string]string{"a.ts": "bad\n"}
			}
			if tc.good == nil {
				tc.good = map[string]string{"a.ts": "good\n"}
			}
			bad, good := input(tc.bad), input(tc.good)
			bad.Runner, good.Runner = r, r
			got := Prove(t.Context(), script(t, tc.yaml, tc.sh), bad, good)
			if got.Verdict != tc.want || !strings.Contains(got.Reason, tc.reason) {
				t.Errorf("Prove = %s: %s; want %s, %q", got.Verdict, got.Reason, tc.want, tc.reason)
			}
		})
	}
}

func TestSamples(t *testing.T) {
	t.Parallel()
	yaml := "says: s\nkind: pattern\nscope: src/*.ts\nmust_not: bad\n"
	v := loadOne(t, map[string]string{"validator.yaml": yaml, "bad/src/a.ts": "bad", "good/src/a.ts": "ok", "good/src/b.ts": "ok"})
	bad, good, err := v.Samples()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"src/a.ts"}, {"src/a.ts", "src/b.ts"}}, [][]string{bad.Files, good.Files}); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if p := Prove(t.Context(), v, bad, good); p.Verdict != Proven {
		t.Errorf("Prove = %s: %s", p.Verdict, p.Reason)
	}
	_, _, err = loadOne(t, map[string]string{"validator.yaml": yaml, "bad/src/a.ts": "bad"}).Samples()
	if err == nil || !strings.Contains(err.Error(), "no folder good/") {
		t.Errorf("without good/: %v", err)
	}
}
