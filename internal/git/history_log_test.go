package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// logged is a LogCommit to compare, with its id left out.
type logged struct {
	Name, Email string
	People      []string
	Changes     []string // "path" or "from → path"
}

// readHistory returns what History tells, newest first, and the times.
func readHistory(t *testing.T, r *Repo, o LogOptions) (commits []logged, complete bool) {
	t.Helper()
	complete, err := r.History(t.Context(), o, func(c *LogCommit) error {
		if !IsFullID(string(c.ID)) || c.Time <= 0 {
			t.Errorf("commit %q at %d", c.ID, c.Time)
		}
		commits = append(commits, plain(c))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return commits, complete
}

func plain(c *LogCommit) logged {
	l := logged{Name: string(c.Name), Email: string(c.Email)}
	for _, p := range c.People {
		l.People = append(l.People, string(p))
	}
	for _, ch := range c.Changes {
		s := string(ch.Path)
		if len(ch.From) > 0 {
			s = string(ch.From) + " → " + s
		}
		l.Changes = append(l.Changes, s)
	}
	return l
}

// commitAt commits everything at a time, as somebody.
func (f *fixture) commitAt(at int64, name, email, message string) string {
	f.t.Helper()
	f.git("add", "-A")
	cmd := f.command("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "-F", "-")
	cmd.Stdin = strings.NewReader(message)
	cmd.Env = append(cmd.Env,
		"GIT_AUTHOR_NAME="+name, "GIT_AUTHOR_EMAIL="+email,
		fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", at))
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("commit: %v\n%s", err, out)
	}
	return f.git("rev-parse", "HEAD")
}

// rewriteHead replaces text in the raw bytes of the newest commit: git commit
// itself makes what it writes UTF-8.
func (f *fixture) rewriteHead(old, with string) {
	f.t.Helper()
	raw, err := f.command("cat-file", "commit", "HEAD").Output()
	if err != nil {
		f.t.Fatal(err)
	}
	cmd := f.command("hash-object", "-t", "commit", "-w", "--stdin")
	cmd.Stdin = bytes.NewReader(bytes.ReplaceAll(raw, []byte(old), []byte(with)))
	id, err := cmd.Output()
	if err != nil {
		f.t.Fatal(err)
	}
	f.git("reset", "--quiet", "--soft", strings.TrimSpace(string(id)))
}

func TestHistory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "one\n")
	f.write("dir/b.txt", "two\n")
	first := f.commitAt(1700000000, "Ann", "ann@example.com", "first\n")
	f.write("new\nline \xff\t\"q\".txt", "bytes\n")
	f.commitAt(1700000100, "Jose \x01 <x", "", "bytes\n\nM\x01a.txt\n")
	f.rewriteHead("Jose", "Jos\xe9")
	f.git("mv", "a.txt", "dir/c.txt")
	f.write("dir/b.txt", "three\n")
	f.commitAt(1700000200, "Bo", "bo@example.com",
		"move\n\nco-authored-by: Cy Cole <cy@example.com>\nReviewed-by: Di\n Dorn <di@example.com>\nSigned-off-by: Ed <ed@example.com>\n")
	f.commitAt(1700000300, "Ann", "ann@example.com", "empty\n")
	f.git("checkout", "--quiet", "-b", "x", first)
	f.write("x.txt", "x\n")
	f.commitAt(1700000310, "X", "x@example.com", "x\n")
	f.git("checkout", "--quiet", "-b", "y", first)
	f.write("y.txt", "y\n")
	f.commitAt(1700000320, "Y", "y@example.com", "y\n")
	f.git("checkout", "--quiet", "main")
	f.git("merge", "--quiet", "--no-commit", "x", "y")
	f.commitAt(1700000400, "Ann", "ann@example.com", "three at once\n")
	f.git("rm", "--quiet", "y.txt")
	head := f.commitAt(1700000500, "Ann", "ann@example.com", "gone\n")

	// Everything that could change what git log prints, or run something.
	marker := filepath.Join(f.dir, "ran")
	for key, value := range map[string]string{
		"log.showRoot": "false", "log.showSignature": "true", "gpg.program": "touch " + marker,
		"diff.orderFile": "/nonexistent", "diff.renames": "false", "color.ui": "always", "diff.relative": "true",
		"log.diffMerges": "first-parent", "format.pretty": "raw", "log.date": "raw", "diff.external": "touch " + marker,
		"i18n.logOutputEncoding": "latin1", "notes.displayRef": "*", "diff.ignoreSubmodules": "all",
	} {
		f.git("config", key, value)
	}

	r := f.open()
	ann := func(changes ...string) logged { return logged{"Ann", "ann@example.com", nil, changes} }
	want := []logged{
		ann("y.txt"),
		{"Y", "y@example.com", nil, []string{"y.txt"}},
		{"X", "x@example.com", nil, []string{"x.txt"}},
		ann(),
		{"Bo", "bo@example.com", []string{"Cy Cole <cy@example.com>", "Di Dorn <di@example.com>"}, []string{"dir/b.txt", "a.txt → dir/c.txt"}},
		// git itself takes < out of names.
		{"Jos\xe9 \x01 x", "", nil, []string{"new\nline \xff\t\"q\".txt"}},
		ann("a.txt", "dir/b.txt"),
	}
	got, complete := readHistory(t, r, LogOptions{Head: head})
	if diff := cmp.Diff(want, got); diff != "" || !complete {
		t.Errorf("History, complete %v (-want +got):\n%s", complete, diff)
	}
	got, _ = readHistory(t, r, LogOptions{Head: head, Since: time.Unix(1700000300, 0)})
	if diff := cmp.Diff(want[:4], got); diff != "" {
		t.Errorf("History since (-want +got):\n%s", diff)
	}
	got, _ = readHistory(t, r, LogOptions{Head: head, After: first})
	if diff := cmp.Diff(want[:6], got); diff != "" {
		t.Errorf("History after the first (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the repository's configuration ran a program")
	}
	paths, err := r.Paths(t.Context(), head)
	if diff := cmp.Diff([]string{"dir/b.txt", "dir/c.txt", "new\nline \xff\t\"q\".txt", "x.txt"}, paths); diff != "" || err != nil {
		t.Errorf("Paths: %v (-want +got):\n%s", err, diff)
	}
}

func TestHistoryEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 40 {
		f.write("a.txt", strings.Repeat("x", i+1))
		f.commit("one more")
	}
	r, head := f.open(), f.git("rev-parse", "HEAD")
	enough, seen := errors.New("enough"), 0
	_, err := r.History(t.Context(), LogOptions{Head: head}, func(*LogCommit) error {
		if seen++; seen == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || seen != 3 {
		t.Errorf("History ended after %d commits with %v, want 3 and the reader's error", seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = r.History(ctx, LogOptions{Head: head}, func(*LogCommit) error { cancel(); return nil })
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("History with an ended context: %v", err)
	}
	cancel()
	none := strings.Repeat("d", 40)
	if _, err := r.History(t.Context(), LogOptions{Head: none}, func(*LogCommit) error { return nil }); !errors.Is(err, ErrNoObject) {
		t.Errorf("History of a commit that is not there: %v, want ErrNoObject", err)
	}
	if _, err := r.History(t.Context(), LogOptions{Head: "HEAD"}, func(*LogCommit) error { return nil }); err == nil {
		t.Error("History took a name for an id")
	}
}

// clone makes another clone of the fixture, as a server would serve it.
func (f *fixture) clone(flags ...string) *fixture {
	f.t.Helper()
	f.git("config", "uploadpack.allowFilter", "true")
	f.git("config", "uploadpack.allowAnySHA1InWant", "true")
	c := &fixture{t: f.t, dir: filepath.Join(f.t.TempDir(), "clone")}
	args := append([]string{"clone", "--quiet", "--no-checkout"}, flags...)
	f.git(append(args, "file://"+f.dir, c.dir)...)
	return c
}

func TestHistoryOfClones(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", strings.Repeat("some text\n", 20))
	f.commitAt(1700000000, "Ann", "ann@example.com", "first\n")
	f.git("mv", "a.txt", "b.txt")
	f.commitAt(1700000100, "Bo", "bo@example.com", "move\n")
	f.write("b.txt", "short\n")
	head := f.commitAt(1700000200, "Cy", "cy@example.com", "edit\n")
	want, _ := readHistory(t, f.open(), LogOptions{Head: head})

	t.Run("blobless", func(t *testing.T) {
		c := f.clone("--filter=blob:none")
		// The remote is gone: nothing can be fetched.
		c.git("config", "remote.origin.url", "file:///nonexistent")
		got, complete := readHistory(t, c.open(), LogOptions{Head: head})
		if diff := cmp.Diff(want, got); diff != "" || !complete {
			t.Errorf("History, complete %v (-want +got):\n%s", complete, diff)
		}
	})
	t.Run("treeless", func(t *testing.T) {
		c := f.clone("--filter=tree:0")
		_, err := c.open().History(t.Context(), LogOptions{Head: head}, func(*LogCommit) error { return nil })
		if !errors.Is(err, ErrNoObject) {
			t.Errorf("History without trees: %v, want ErrNoObject", err)
		}
	})
	t.Run("shallow", func(t *testing.T) {
		c := f.clone("--depth=2")
		got, complete := readHistory(t, c.open(), LogOptions{Head: head})
		if diff := cmp.Diff(want[:1], got); diff != "" || complete {
			t.Errorf("History, complete %v (-want +got):\n%s", complete, diff)
		}
		got, complete = readHistory(t, c.open(), LogOptions{Head: head, Since: time.Unix(1700000150, 0)})
		if diff := cmp.Diff(want[:1], got); diff != "" || !complete {
			t.Errorf("History since a moment within the clone, complete %v (-want +got):\n%s", complete, diff)
		}
		if err := c.open().Unshallow(t.Context(), "origin", []string{head}, Auth{}); err != nil {
			t.Fatal(err)
		}
		got, complete = readHistory(t, c.open(), LogOptions{Head: head})
		if diff := cmp.Diff(want, got); diff != "" || !complete {
			t.Errorf("History after Unshallow, complete %v (-want +got):\n%s", complete, diff)
		}
	})
	t.Run("full", func(t *testing.T) {
		c := f.clone()
		before := c.git("config", "--list", "--local")
		if err := c.open().Unshallow(t.Context(), "origin", []string{head}, Auth{}); err != nil {
			t.Fatal(err)
		}
		if after := c.git("config", "--list", "--local"); after != before {
			t.Errorf("Unshallow changed a full clone:\n%s", cmp.Diff(before, after))
		}
	})
}

func TestCommonDir(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("one")
	linked := &fixture{t: t, dir: filepath.Join(t.TempDir(), "linked")}
	f.git("worktree", "add", "--quiet", "-b", "other", linked.dir)
	want, err := f.open().CommonDir()
	if err != nil || filepath.Base(want) != ".git" {
		t.Errorf("CommonDir = %q, %v", want, err)
	}
	if got, err := linked.open().CommonDir(); err != nil || got != want {
		t.Errorf("CommonDir of a linked work tree = %q, %v, want %q", got, err, want)
	}
}

// render writes commits as git log does, the opposite of readLog.
func render(w *bytes.Buffer, c *LogCommit) {
	fmt.Fprintf(w, "%s\x00%d\x00%s\x00%s\x00%s\x00", c.ID, c.Time, c.Name, c.Email, bytes.Join(c.People, []byte{1}))
	for i, ch := range c.Changes {
		if i == 0 {
			w.WriteByte('\n')
		}
		if len(ch.From) > 0 {
			fmt.Fprintf(w, "R100\x00%s\x00%s\x00", ch.From, ch.Path)
		} else {
			fmt.Fprintf(w, "M\x00%s\x00", ch.Path)
		}
	}
}

func FuzzReadLog(f *testing.F) {
	id := strings.Repeat("0123456789", 4)
	head := id + "\x001700000000\x00Ann\x00ann@example.com\x00"
	for _, seed := range []string{
		"",
		head + "\x00",
		head + "Bo <bo@example.com>\x01Cy\x00\nM\x00a.txt\x00R100\x00b\x00c\x00" + head + "\x00",
		head + "\x00\nA\x00a\nb\xff\x00D\x00M\x00T\x00x\x00" + id + id[:24] + "\x001\x00\x00\x00\x00",
		head + "\x00\nC100\x00from\x00to\x00",
		head + "\x00\nR100\x00from\x00",
		"no id\x001\x00\x00\x00\x00",
		id + "\x00never\x00\x00\x00\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		var again bytes.Buffer
		var want []logged
		err := readLog(bufio.NewReaderSize(bytes.NewReader(answer), 16), func(c *LogCommit) error {
			render(&again, c)
			want = append(want, plain(c))
			return nil
		})
		if err != nil {
			return
		}
		var got []logged
		if err := readLog(bufio.NewReader(bytes.NewReader(again.Bytes())), func(c *LogCommit) error {
			got = append(got, plain(c))
			return nil
		}); err != nil {
			t.Fatalf("readLog of what it read: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("readLog of what it read (-want +got):\n%s", diff)
		}
	})
}

func TestReadLogBounds(t *testing.T) {
	t.Parallel()
	head := strings.Repeat("a", 40) + "\x001\x00Ann\x00a@b\x00"
	long := strings.Repeat("y", maxLogField+5)
	answer := head + strings.Repeat("P <p@q>\x01", maxLogPeople+7) + "\x00\nM\x00" + long + "\x00M\x00b\x00"
	var people, size, files int
	if err := readLog(bufio.NewReader(strings.NewReader(answer)), func(c *LogCommit) error {
		people, size, files = len(c.People), len(c.Changes[0].Path), len(c.Changes)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if people != maxLogPeople || size != maxLogField || files != 2 {
		t.Errorf("kept %d people and %d bytes of the first of %d paths, want %d, %d, 2", people, size, files, maxLogPeople, maxLogField)
	}
	for name, cut := range map[string]string{"in the head": head, "in a path": head + "\x00\nM\x00a", "in a rename": head + "\x00\nR100\x00a\x00"} {
		if err := readLog(bufio.NewReader(strings.NewReader(cut)), func(*LogCommit) error { return nil }); !errors.Is(err, errCutLog) {
			t.Errorf("readLog cut %s: %v, want errCutLog", name, err)
		}
	}
	broken := io.MultiReader(strings.NewReader(head), &failing{})
	if err := readLog(bufio.NewReader(broken), func(*LogCommit) error { return nil }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("readLog of a broken pipe: %v, want its error", err)
	}
}

// failing is a reader that fails.
type failing struct{}

func (*failing) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
