package git

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/diff"
)

// changed returns the diff of the last two commits.
func (f *fixture) changed(o DiffOptions) []diff.File {
	f.t.Helper()
	files, err := f.open().Diff(f.t.Context(), f.git("rev-parse", "HEAD^"), f.git("rev-parse", "HEAD"), o)
	if err != nil {
		f.t.Fatal(err)
	}
	return files
}

// only returns the one changed file.
func only(t *testing.T, files []diff.File) diff.File {
	t.Helper()
	if len(files) != 1 {
		t.Fatalf("%d files changed, want 1: %+v", len(files), files)
	}
	return files[0]
}

// describe returns what a file is in one line.
func describe(f diff.File) string {
	s := fmt.Sprintf("%s %s %q", f.Status, f.Kind, f.Path())
	if f.OldPath != f.Path() && f.OldPath != "" {
		s += fmt.Sprintf(" from %q", f.OldPath)
	}
	return s + fmt.Sprintf(" +%d -%d", count(f, diff.Add), count(f, diff.Remove))
}

// count returns how many lines of a file are of one kind.
func count(f diff.File, op diff.Op) int {
	n := 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == op {
				n++
			}
		}
	}
	return n
}

func describeAll(files []diff.File) []string {
	var list []string
	for _, f := range files {
		list = append(list, describe(f))
	}
	return list
}

// L01: GitHub's API gives no diff of this size; git does.
func TestDiffManyFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("empty")
	for i := range 301 {
		f.write(fmt.Sprintf("d%d/f%d.txt", i%7, i), "x\n")
	}
	f.commit("301 files")
	if files := f.changed(DiffOptions{}); len(files) != 301 {
		t.Errorf("%d files, want 301", len(files))
	}
}

// L01: 20,001 changed lines in three files.
func TestDiffManyLines(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("empty")
	for i, n := range []int{10_000, 10_000, 1} {
		f.write(fmt.Sprintf("f%d.txt", i), strings.Repeat("line\n", n))
	}
	f.commit("20,001 lines")
	total := 0
	for _, file := range f.changed(DiffOptions{}) {
		total += file.ChangedLines()
	}
	if total != 20_001 {
		t.Errorf("%d changed lines, want 20001", total)
	}
}

// L03: hunk headers without counts.
func TestDiffOneLine(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "1\n2\n3\n")
	f.commit("one")
	f.write("VERSION", "1.0\n")
	f.write("a.txt", "1\ntwo\n3\n")
	f.commit("two")
	want := []string{`added text "VERSION" +1 -0`, `modified text "a.txt" +1 -1`}
	for _, o := range []DiffOptions{{}, {Context: NoContext}} {
		if d := cmp.Diff(want, describeAll(f.changed(o))); d != "" {
			t.Errorf("Diff(%+v) (-want +got):\n%s", o, d)
		}
	}
}

// L04, L05: any name git can hold.
func TestDiffNames(t *testing.T) {
	t.Parallel()
	names := []string{"tab\tname.go", "Ávila/支払い.py", `q"uote.go`, "😀.ts", "line\nend.go", `back\slash.go`,
		"latin-\xe9.c", "app/(auth)/[id]/page.tsx", "--help", "a b/ b", "=> x", ":(top)x"}
	f := newFixture(t)
	for _, name := range names {
		f.write(name, "1\n")
	}
	f.commit("one")
	for _, name := range names {
		f.write(name, "2\n")
	}
	f.commit("two")
	r := f.open()
	base, head := f.git("rev-parse", "HEAD^"), f.git("rev-parse", "HEAD")
	files, err := r.Diff(t.Context(), base, head, DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range files {
		got = append(got, file.NewPath)
		if file.ChangedLines() != 2 || file.OldPath != file.NewPath {
			t.Errorf("%s, want one line changed", describe(file))
		}
	}
	listed := strings.Split(strings.TrimSuffix(f.git("diff", "--name-only", "-z", base, head), "\x00"), "\x00")
	if d := cmp.Diff(listed, got); d != "" {
		t.Errorf("names (-git diff --name-only +Diff):\n%s", d)
	}
	for _, name := range names {
		content, err := r.ReadFile(t.Context(), head, name)
		if err != nil || string(content) != "2\n" {
			t.Errorf("ReadFile(%q) = %q, %v", name, content, err)
		}
		limited, err := r.Diff(t.Context(), base, head, DiffOptions{Paths: []string{name}})
		if err != nil || len(limited) != 1 || limited[0].NewPath != name {
			t.Errorf("Diff of %q alone = %v, %v", name, describeAll(limited), err)
		}
	}
}

// L04, L06: renames, also where one name is quoted by git.
func TestDiffRenames(t *testing.T) {
	t.Parallel()
	body := func(of string) string { return strings.Repeat("a line of "+of+"\n", 20) }
	f := newFixture(t)
	f.write("pure.go", body("pure")+"end\n")
	f.write("edited.go", body("edited")+"end\n")
	f.write("copied.go", body("copied")+"end\n")
	f.commit("one")
	f.git("mv", "pure.go", "tab\tpure.go")
	f.git("mv", "edited.go", "moved.go")
	f.write("moved.go", body("edited")+"changed\n")
	f.write("copied.go", body("copied")+"changed\n")
	f.write("copy.go", body("copied")+"end\n")
	f.commit("two")
	tests := map[string]struct {
		o    DiffOptions
		want []string
	}{
		"renames": {DiffOptions{}, []string{
			`modified text "copied.go" +1 -1`,
			`added text "copy.go" +21 -0`,
			`renamed text "moved.go" from "edited.go" +1 -1`,
			"renamed text \"tab\\tpure.go\" from \"pure.go\" +0 -0",
		}},
		"copies": {DiffOptions{Copies: true}, []string{
			`modified text "copied.go" +1 -1`,
			`copied text "copy.go" from "copied.go" +0 -0`,
			`renamed text "moved.go" from "edited.go" +1 -1`,
			"renamed text \"tab\\tpure.go\" from \"pure.go\" +0 -0",
		}},
		"neither": {DiffOptions{NoRenames: true}, []string{
			`modified text "copied.go" +1 -1`,
			`added text "copy.go" +21 -0`,
			`deleted text "edited.go" +0 -21`,
			`added text "moved.go" +21 -0`,
			`deleted text "pure.go" +0 -21`,
			"added text \"tab\\tpure.go\" +21 -0",
		}},
	}
	for name, tt := range tests {
		if d := cmp.Diff(tt.want, describeAll(f.changed(tt.o))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// L07: content decides what is binary, and a bad file spoils no other.
func TestDiffNotUTF8(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("empty")
	f.write("a-latin1.c", "caf\xe9\n")
	f.write("b.tgz", "\x1f\x8b\x00\x00\xff")
	f.write("c-utf16.txt", "\xff\xfeh\x00i\x00\n\x00")
	f.write("d.go", "package d\n")
	f.write("e.png", "no picture at all\n")
	f.commit("files")
	want := []string{
		`added text "a-latin1.c" +1 -0`, `added binary "b.tgz" +0 -0`, `added binary "c-utf16.txt" +0 -0`,
		`added text "d.go" +1 -0`, `added text "e.png" +1 -0`,
	}
	files := f.changed(DiffOptions{})
	if d := cmp.Diff(want, describeAll(files)); d != "" {
		t.Errorf("Diff (-want +got):\n%s", d)
	}
	if got := files[0].Hunks[0].Lines[0].Text; got != "caf\xe9" {
		t.Errorf("the line is %q, want its own bytes", got)
	}
}

// L08: a line of 1 MiB, and the file after it.
func TestDiffLongLine(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("app.min.js", strings.Repeat("a", 1<<20))
	f.write("b.go", "1\n")
	f.commit("one")
	f.write("app.min.js", strings.Repeat("b", 1<<20))
	f.write("b.go", "2\n")
	f.commit("two")
	files := f.changed(DiffOptions{})
	if d := cmp.Diff([]string{`modified text "app.min.js" +1 -1`, `modified text "b.go" +1 -1`}, describeAll(files)); d != "" {
		t.Fatalf("Diff (-want +got):\n%s", d)
	}
	if n := len(files[0].Hunks[0].Lines[1].Text); n != 1<<20 {
		t.Errorf("the line has %d bytes, want 1 MiB", n)
	}
}

// L09, L10: line ends and the missing last one.
func TestDiffLineEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before, after string
		eolOnly       bool
		lines         []diff.Line
	}{
		"CRLF to LF": {"a\r\nb\r\n", "a\nb\n", true, []diff.Line{
			{Op: diff.Remove, Text: "a\r", Old: 1}, {Op: diff.Remove, Text: "b\r", Old: 2},
			{Op: diff.Add, Text: "a", New: 1}, {Op: diff.Add, Text: "b", New: 2}}},
		"a change in a CRLF file": {"a\r\nb\r\n", "a\r\nc\r\n", false, []diff.Line{
			{Op: diff.Context, Text: "a\r", Old: 1, New: 1},
			{Op: diff.Remove, Text: "b\r", Old: 2}, {Op: diff.Add, Text: "c\r", New: 2}}},
		"a newline is added at the end": {"a", "a\n", true, []diff.Line{
			{Op: diff.Remove, Text: "a", Old: 1, NoEOL: true}, {Op: diff.Add, Text: "a", New: 1}}},
		"the last line changes, no newline": {"a\nb", "a\nc", false, []diff.Line{
			{Op: diff.Context, Text: "a", Old: 1, New: 1},
			{Op: diff.Remove, Text: "b", Old: 2, NoEOL: true}, {Op: diff.Add, Text: "c", New: 2, NoEOL: true}}},
		"line ends and one word": {"a\r\nb\r\n", "a\nc\n", false, []diff.Line{
			{Op: diff.Remove, Text: "a\r", Old: 1}, {Op: diff.Remove, Text: "b\r", Old: 2},
			{Op: diff.Add, Text: "a", New: 1}, {Op: diff.Add, Text: "c", New: 2}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.write("a", tt.before)
			f.commit("one")
			f.write("a", tt.after)
			f.commit("two")
			file := only(t, f.changed(DiffOptions{}))
			if file.EOLOnly != tt.eolOnly {
				t.Errorf("EOLOnly = %v, want %v", file.EOLOnly, tt.eolOnly)
			}
			if d := cmp.Diff(tt.lines, file.Hunks[0].Lines); d != "" {
				t.Errorf("lines (-want +got):\n%s", d)
			}
		})
	}
}

// L11: a submodule is its two commits, whatever its history holds.
func TestDiffSubmodule(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	f := newFixture(t)
	f.git("update-index", "--add", "--cacheinfo", "160000,"+one+",sub")
	f.git("commit", "--quiet", "-m", "one")
	f.git("update-index", "--cacheinfo", "160000,"+two+",sub")
	f.git("commit", "--quiet", "-m", "two")
	f.git("config", "diff.submodule", "log")
	f.git("config", "diff.ignoreSubmodules", "all")
	file := only(t, f.changed(DiffOptions{}))
	want := diff.File{OldPath: "sub", NewPath: "sub", Status: diff.Modified, Kind: diff.Submodule,
		OldMode: "160000", NewMode: "160000", OldBlob: one, NewBlob: two,
		Hunks: []diff.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []diff.Line{
			{Op: diff.Remove, Text: "Subproject commit " + one, Old: 1},
			{Op: diff.Add, Text: "Subproject commit " + two, New: 1}}}}}
	if d := cmp.Diff(want, file); d != "" {
		t.Errorf("Diff (-want +got):\n%s", d)
	}
}

// L12: nothing but a mode, nothing at all, and a merge commit only.
func TestDiffWithoutHunks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("run.sh", "echo\n")
	base := f.commit("one")
	if err := os.Chmod(filepath.Join(f.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.commit("two")
	file := only(t, f.changed(DiffOptions{}))
	if file.OldMode != "100644" || file.NewMode != "100755" || len(file.Hunks) != 0 || file.Kind != diff.Text {
		t.Errorf("mode change = %+v", file)
	}
	f.git("commit", "--quiet", "--allow-empty", "-m", "nothing")
	if files := f.changed(DiffOptions{}); len(files) != 0 {
		t.Errorf("empty commit changes %v", describeAll(files))
	}
	f.git("checkout", "--quiet", "-b", "side", base)
	f.git("commit", "--quiet", "--allow-empty", "-m", "side")
	f.git("merge", "--quiet", "--no-ff", "--no-edit", "main")
	r := f.open()
	head := f.git("rev-parse", "HEAD")
	mergeBase, err := r.MergeBase(t.Context(), f.git("rev-parse", "main"), head)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := r.Diff(t.Context(), mergeBase, head, DiffOptions{}); err != nil || len(files) != 0 {
		t.Errorf("a merge of the base changes %v, %v", describeAll(files), err)
	}
}

// L13: a link is its target, and a file that becomes one is both.
func TestDiffLinks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.link("../AGENTS.md", "CLAUDE.md")
	f.write("state", "x\n")
	f.commit("one")
	if err := os.Remove(filepath.Join(f.dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(f.dir, "state")); err != nil {
		t.Fatal(err)
	}
	f.link("/etc/passwd", "CLAUDE.md")
	f.link("../../outside", "state")
	f.commit("two")
	want := []string{`modified symlink "CLAUDE.md" +1 -1`, `type changed symlink "state" +1 -1`}
	files := f.changed(DiffOptions{})
	if d := cmp.Diff(want, describeAll(files)); d != "" {
		t.Fatalf("Diff (-want +got):\n%s", d)
	}
	if got := files[0].Hunks[0].Lines[1]; got.Text != "/etc/passwd" || !got.NoEOL {
		t.Errorf("the new target is %+v", got)
	}
}

// L35: the same date, another tree: content is compared, not time.
func TestDiffAmended(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a", "1\n")
	f.commit("base")
	f.write("a", "2\n")
	before := f.commit("change")
	f.write("a", "3\n")
	f.git("add", "-A")
	f.git("commit", "--quiet", "--amend", "--no-edit")
	after := f.git("rev-parse", "HEAD")
	r := f.open()
	files, err := r.Diff(t.Context(), before, after, DiffOptions{})
	if err != nil || len(files) != 1 {
		t.Errorf("Diff of an amended commit = %v, %v", describeAll(files), err)
	}
	if _, err := r.FirstParents(t.Context(), before, after, 50); err == nil {
		t.Error("FirstParents found a chain to an amended commit")
	}
}

// L37: a pull request of 5 lines, rebased over 400 commits of the base.
func TestSurfaceAfterRebase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lines := func(n int) string { return strings.Repeat("base line\n", n) }
	f.write("a.go", lines(50)+"end\n")
	base := f.commit("base")
	f.git("checkout", "--quiet", "-b", "feature")
	f.write("a.go", lines(50)+"1\n2\n3\n4\n5\nend\n")
	oldHead := f.commit("feature")
	f.git("checkout", "--quiet", "main")
	var stream strings.Builder
	for i := range 400 {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n")
		if i == 0 {
			fmt.Fprintf(&stream, "from %s\n", base)
		}
		content := lines(51+i) + "end\n"
		fmt.Fprintf(&stream, "M 100644 inline a.go\ndata %d\n%s\n", len(content), content)
	}
	f.fastImport(stream.String())
	f.git("reset", "--quiet", "--hard")
	f.git("checkout", "--quiet", "feature")
	f.write("a.go", lines(450)+"1\n2\n3\n4\n5\nend\n")
	f.git("reset", "--quiet", "--soft", "main")
	f.git("add", "-A")
	f.git("commit", "--quiet", "-m", "feature")
	newHead := f.git("rev-parse", "HEAD")

	r := f.open()
	surface := func(head string) []diff.File {
		t.Helper()
		mergeBase, err := r.MergeBase(t.Context(), f.git("rev-parse", "main"), head)
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.Diff(t.Context(), mergeBase, head, DiffOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	before, after := surface(oldHead), surface(newHead)
	if only(t, after); after[0].ChangedLines() != 5 {
		t.Errorf("the rebased pull request changes %d lines, want 5", after[0].ChangedLines())
	}
	if news := diff.Since(before, after); len(news) != 0 {
		t.Errorf("after the rebase %v is new, want nothing", describeAll(news))
	}
}

// fastImport feeds a stream to git fast-import.
func (f *fixture) fastImport(stream string) {
	f.t.Helper()
	name := filepath.Join(f.t.TempDir(), "stream")
	if err := os.WriteFile(name, []byte(stream), 0o600); err != nil {
		f.t.Fatal(err)
	}
	in, err := os.Open(name)
	if err != nil {
		f.t.Fatal(err)
	}
	defer in.Close()
	cmd := f.command("fast-import", "--quiet", "--force")
	cmd.Stdin = in
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
}

func TestDiffIgnoringSpace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a", "  x\ny\n")
	f.write("b", "1\n2\n")
	f.commit("one")
	f.write("a", "x\ny \n")
	f.write("b", "1\n two\n")
	f.commit("two")
	got := describeAll(f.changed(DiffOptions{IgnoreSpace: true, Context: NoContext, Histogram: true}))
	if d := cmp.Diff([]string{`modified text "a" +0 -0`, `modified text "b" +1 -1`}, got); d != "" {
		t.Errorf("Diff ignoring white space (-want +got):\n%s", d)
	}
}

// emptyTree is the id of the tree without entries; git knows it without having it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

func TestDiffFirstCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a", "x\n")
	head := f.commit("one")
	files, err := f.open().Diff(t.Context(), emptyTree, head, DiffOptions{})
	if err != nil || !slices.Equal(describeAll(files), []string{`added text "a" +1 -0`}) {
		t.Errorf("Diff of the first commit = %v, %v", describeAll(files), err)
	}
}

func BenchmarkDiff(b *testing.B) {
	f := &fixture{t: nil, dir: b.TempDir()}
	base, head := bigChange(b, f)
	r, err := Open(b.Context(), f.dir)
	if err != nil {
		b.Fatal(err)
	}
	args := DiffOptions{}.args(base, head)
	b.Run("git alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.run(b.Context(), command{args: args}); err != nil {
				b.Fatal(err)
			}
		}
	})
	out, err := r.run(b.Context(), command{args: args})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Parse alone", func(b *testing.B) {
		b.SetBytes(int64(len(out)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := diff.Parse(out); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Diff", func(b *testing.B) {
		for b.Loop() {
			files, err := r.Diff(b.Context(), base, head, DiffOptions{})
			if err != nil || len(files) != 300 {
				b.Fatal(len(files), err)
			}
		}
	})
}

// bigChange commits 300 files of 200 lines and then replaces every sixth line:
// 34 of each file, 20,400 changed lines in all.
func bigChange(b *testing.B, f *fixture) (base, head string) {
	b.Helper()
	var stream bytes.Buffer
	content := func(version, file int) string {
		var s strings.Builder
		for i := range 200 {
			v := 1
			if i%6 == 0 {
				v = version
			}
			fmt.Fprintf(&s, "\tvalue%d_%d := compute(%d, \"some argument\")\n", file, i, v)
		}
		return s.String()
	}
	for version := 1; version <= 2; version++ {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n")
		for i := range 300 {
			c := content(version, i)
			fmt.Fprintf(&stream, "M 100644 inline d%d/f%d.go\ndata %d\n%s\n", i%20, i, len(c), c)
		}
	}
	run := func(stdin *bytes.Buffer, args ...string) string {
		cmd := f.command(args...)
		if stdin != nil {
			cmd.Stdin = stdin
		}
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	run(nil, "init", "--quiet", "--initial-branch=main")
	run(&stream, "fast-import", "--quiet")
	return run(nil, "rev-parse", "main^"), run(nil, "rev-parse", "main")
}
