package batch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/diff"
)

// file has hunks of the given sizes, all of added lines.
func file(path string, hunks ...int) *diff.File {
	f := &diff.File{NewPath: path, Status: diff.Added, Kind: diff.Text}
	at := 1
	for _, n := range hunks {
		h := diff.Hunk{NewStart: at, NewLines: n}
		for i := range n {
			h.Lines = append(h.Lines, diff.Line{Op: diff.Add, Text: "x", New: at + i})
		}
		f.Hunks = append(f.Hunks, h)
		at += n + 10
	}
	return f
}

func paths(p Plan) [][]string {
	var out [][]string
	for _, b := range p.Batches {
		out = append(out, b.Paths())
	}
	return out
}

func TestCut(t *testing.T) {
	t.Parallel()
	l := Limits{MinLines: 8, MaxLines: 12, SameDir: .8, CrossDir: .6}
	noJoin := Limits{MaxLines: 12, SameDir: .8, CrossDir: .6}
	for name, c := range map[string]struct {
		limits Limits
		files  []*diff.File
		want   [][]string
	}{
		"no files": {l, nil, nil},
		"a file without hunks lands nowhere": {l,
			[]*diff.File{{NewPath: "a.go", OldPath: "a.go"}}, nil},
		"files of one directory and type share a batch": {noJoin,
			[]*diff.File{file("a/y.go", 4), file("a/x.go", 3)}, [][]string{{"a/x.go", "a/y.go"}}},
		"a test goes with its code": {noJoin,
			[]*diff.File{file("a/x_test.go", 3), file("a/x.go", 4)}, [][]string{{"a/x.go", "a/x_test.go"}}},
		"unlike types of one directory stay apart": {noJoin,
			[]*diff.File{file("a/x.go", 3), file("a/x.sql", 4)}, [][]string{{"a/x.go"}, {"a/x.sql"}}},
		"pages and components stay apart": {noJoin,
			[]*diff.File{file("pages/user/Profile.tsx", 3), file("components/Button.tsx", 3)},
			[][]string{{"components/Button.tsx"}, {"pages/user/Profile.tsx"}}},
		"near directories are merged where one is a fragment": {Limits{MinLines: 4, MaxLines: 12, SameDir: .8, CrossDir: .6},
			[]*diff.File{file("src/api/v1/a.go", 3), file("src/api/v2/a.go", 5), file("src/api/v3/a.go", 6)},
			[][]string{{"src/api/v1/a.go", "src/api/v2/a.go"}, {"src/api/v3/a.go"}}},
		"a mirrored tree of tests is near": {Limits{MinLines: 4, MaxLines: 12, SameDir: .8, CrossDir: .6},
			[]*diff.File{file("src/main/java/shop/A.java", 5), file("src/main/sql/a.sql", 5), file("src/test/java/shop/ATest.java", 3)},
			[][]string{{"src/main/java/shop/A.java", "src/test/java/shop/ATest.java"}, {"src/main/sql/a.sql"}}},
		"what does not fit is not merged": {noJoin,
			[]*diff.File{file("a/x.go", 8), file("a/x_test.go", 8)}, [][]string{{"a/x.go"}, {"a/x_test.go"}}},
		"a group above the limit is split by file": {noJoin,
			[]*diff.File{file("a/x.go", 8), file("a/y.go", 8)}, [][]string{{"a/x.go"}, {"a/y.go"}}},
		"a long file is cut by hunk": {l,
			[]*diff.File{file("a/x.go", 8, 8)}, [][]string{{"a/x.go"}, {"a/x.go"}}},
		"a long hunk is cut by lines": {l,
			[]*diff.File{file("a/x.go", 30)}, [][]string{{"a/x.go"}, {"a/x.go"}, {"a/x.go"}}},
		"a short batch is joined with a neighbour": {l,
			[]*diff.File{file("a/x.go", 4), file("b/y.sql", 5)}, [][]string{{"a/x.go", "b/y.sql"}}},
		"the neighbour that is more alike wins": {l,
			[]*diff.File{file("a/x.sql", 8), file("b/y.go", 3), file("b/z.sh", 9)}, [][]string{{"a/x.sql"}, {"b/y.go", "b/z.sh"}}},
		"then the one with fewer lines": {l,
			[]*diff.File{file("a/x.go", 9), file("b/y.go", 3), file("c/z.go", 8)}, [][]string{{"a/x.go"}, {"b/y.go", "c/z.go"}}},
		"then the one that makes three files": {l,
			[]*diff.File{file("a/x.go", 8), file("b/y.go", 4), file("c/z.go", 4), file("c/w.go", 4)},
			[][]string{{"a/x.go"}, {"b/y.go", "c/w.go", "c/z.go"}}},
		"a short batch without room beside it stays": {l,
			[]*diff.File{file("a/x.go", 11), file("b/y.go", 3), file("c/z.go", 12)}, [][]string{{"a/x.go"}, {"b/y.go"}, {"c/z.go"}}},
		"the end of a long file takes a neighbour in": {l,
			[]*diff.File{file("a/x.go", 12, 3), file("b/y.go", 3)}, [][]string{{"a/x.go"}, {"a/x.go", "b/y.go"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := Cut(c.files, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, paths(plan)); d != "" {
				t.Errorf("-want +got\n%s\n%v", d, plan.Trail)
			}
		})
	}
}

func TestTrailAndCounts(t *testing.T) {
	t.Parallel()
	plan, err := Cut([]*diff.File{
		file("a/x.go", 8, 8), file("a/y.go", 2), file("a/y_test.go", 10), file("b/c/d/e.py", 3), file("b/c/f/g.py", 1), file("z/z.md", 12),
	}, Limits{MinLines: 8, MaxLines: 12, SameDir: .8, CrossDir: .6})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Reuse([]ReusedFile{{"n.go", 2}, {"m.go", 1}}); err != nil {
		t.Fatal(err)
	}
	want := []Placement{
		{"a/x.go", []string{"1", "2"}, "16 diff lines in a (go); split in 2, because 16 lines are more than 12"},
		{"a/y.go", []string{"2"}, "2 diff lines in a (go); split from its group, because 18 lines are more than 12; " +
			"needs merge, because 2 lines are less than 8: joined with a (go)"},
		{"a/y_test.go", []string{"3"}, "10 diff lines in a (go tests)"},
		{"b/c/d/e.py", []string{"1"}, "3 diff lines in b/c/d (py); needs merge, because 4 lines are less than 8: joined with a (go)"},
		{"b/c/f/g.py", []string{"1"}, "1 diff lines in b/c/f (py); merged with b/c/d (py), similarity 0.67; " +
			"needs merge, because 4 lines are less than 8: joined with a (go)"},
		{"m.go", []string{ReusedID}, "same content and prompts as in an earlier review"},
		{"n.go", []string{ReusedID}, "same content and prompts as in an earlier review"},
		{"z/z.md", []string{"4"}, "12 diff lines in z (md)"},
	}
	if d := cmp.Diff(want, plan.Trail); d != "" {
		t.Errorf("Trail -want +got\n%s", d)
	}
	if d := cmp.Diff(Counts{Files: 6, Lines: 44, Grouped: 5, MergedInDirectory: 5, MergedAcross: 4, Split: 6, Joined: 4}, plan.Counts); d != "" {
		t.Errorf("Counts -want +got\n%s", d)
	}
	if d := cmp.Diff(Reused{Paths: []string{"m.go", "n.go"}, Reviews: 3}, plan.Reused); d != "" {
		t.Errorf("Reused -want +got\n%s", d)
	}
	if got := batchesOf(plan, "a/x.go"); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("a/x.go is in %v", got)
	}
	if got := batchesOf(plan, "gone.go"); got != nil {
		t.Errorf("gone.go is in %v", got)
	}
	if err := plan.Reuse([]ReusedFile{{"a/x.go", 0}}); err == nil || !strings.Contains(err.Error(), "batch 1, 2") {
		t.Errorf("Reuse of a file that is in a batch: %v", err)
	}
}

// batchesOf returns the batches in which the trail has a file.
func batchesOf(p Plan, path string) []string {
	for _, pl := range p.Trail {
		if pl.Path == path {
			return pl.Batches
		}
	}
	return nil
}

// Pieces of a cut hunk are hunks themselves: they count lines as git does.
func TestPiecesOfAHunk(t *testing.T) {
	t.Parallel()
	f := file("a.go")
	h := diff.Hunk{OldStart: 10, OldLines: 2, NewStart: 10, NewLines: 3}
	h.Lines = []diff.Line{{Op: diff.Remove, Old: 10}, {Op: diff.Add, New: 10}, {Op: diff.Add, New: 11}, {Op: diff.Context, Old: 11, New: 12}}
	f.Hunks = []diff.Hunk{h}
	plan, err := Cut([]*diff.File{f}, Limits{MaxLines: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range plan.Batches {
		for _, h := range b.Parts[0].Hunks {
			got = append(got, fmt.Sprintf("-%d,%d +%d,%d", h.OldStart, h.OldLines, h.NewStart, h.NewLines))
		}
	}
	if d := cmp.Diff([]string{"-10,1 +9,0", "-10,0 +10,1", "-10,0 +11,1", "-11,1 +12,1"}, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// anyFiles draws a diff of distinct paths.
func anyFiles(t *rapid.T) []*diff.File {
	var files []*diff.File
	for i := range rapid.IntRange(0, 25).Draw(t, "files") {
		hunks := rapid.SliceOfN(rapid.IntRange(1, 120), 0, 3).Draw(t, "hunks")
		dir := rapid.SampledFrom([]string{"", "a/", "b/", "a/c/", "a/c/d/e/", "a/c/f/e/", "x/a/c/d/"}).Draw(t, "dir")
		ext := rapid.SampledFrom([]string{".go", "_test.go", ".c", ".h", ".tsx", ".css", ".md", ""}).Draw(t, "ext")
		files = append(files, file(fmt.Sprintf("%sf%d%s", dir, i, ext), hunks...))
	}
	return files
}

// TestEveryLineIsInOneBatch holds for any diff and any limits, and a batch is
// over the limit in no case. The order of the files changes nothing.
func TestEveryLineIsInOneBatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		files := anyFiles(t)
		l := Limits{
			MinLines: rapid.IntRange(0, 300).Draw(t, "min"),
			MaxLines: rapid.IntRange(1, 300).Draw(t, "max"),
			SameDir:  rapid.Float64Range(0, 1).Draw(t, "same"),
			CrossDir: rapid.Float64Range(0, 1).Draw(t, "cross"),
		}
		plan, err := Cut(files, l)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, files, plan, l)
		shuffled := rapid.Permutation(files).Draw(t, "order")
		again, err := Cut(shuffled, l)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(plan.Trail, again.Trail); d != "" {
			t.Errorf("the order of the files matters:\n%s", d)
		}
		for i, b := range plan.Batches {
			if o := again.Batches[i]; !slices.EqualFunc(b.Parts, o.Parts, func(p, q Part) bool {
				return p.File == q.File && p.Lines() == q.Lines() && start(p) == start(q)
			}) {
				t.Errorf("the order of the files matters in batch %s", b.ID)
			}
		}
	})
}

// checkPlan counts by itself what prove has proven, and checks what it has not.
func checkPlan(t interface {
	Helper()
	Errorf(string, ...any)
}, files []*diff.File, plan Plan, l Limits) {
	t.Helper()
	want, got := 0, 0
	for _, f := range files {
		want += Part{Hunks: f.Hunks}.Lines()
	}
	for i, b := range plan.Batches {
		got += b.Lines()
		if b.ID != fmt.Sprint(i+1) || len(b.Parts) == 0 {
			t.Errorf("batch %d is called %s and has %d parts", i+1, b.ID, len(b.Parts))
		}
		if b.Lines() > l.MaxLines {
			t.Errorf("batch %s has %d lines, the limit is %d", b.ID, b.Lines(), l.MaxLines)
		}
		if b.Short != (b.Lines() < l.MinLines) {
			t.Errorf("batch %s has %d lines and Short is %v", b.ID, b.Lines(), b.Short)
		}
		if !slices.IsSortedFunc(b.Parts, compareParts) {
			t.Errorf("batch %s is not in order", b.ID)
		}
		for _, p := range b.Paths() {
			if !slices.Contains(batchesOf(plan, p), b.ID) {
				t.Errorf("%s is in batch %s and the trail says %v", p, b.ID, batchesOf(plan, p))
			}
		}
	}
	// No two short batches are left that one request could hold.
	for i, b := range plan.Batches {
		for _, o := range plan.Batches[i+1:] {
			if b.Short && b.Lines()+o.Lines() <= l.MaxLines {
				t.Errorf("batches %s and %s have %d and %d lines and were not joined", b.ID, o.ID, b.Lines(), o.Lines())
			}
		}
	}
	if got != want || plan.Counts.Lines != want {
		t.Errorf("the batches hold %d lines of %d, counted are %d", got, want, plan.Counts.Lines)
	}
}

// FuzzCut cuts whatever a diff can be.
func FuzzCut(f *testing.F) {
	for _, name := range []string{"everything.diff", "everything-u0-w.diff", "no-renames.diff"} {
		seed, err := os.ReadFile("../diff/testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed, 3, 7)
		f.Add(seed, 800, 1200)
	}
	f.Fuzz(func(t *testing.T, out []byte, least, most int) {
		files, err := diff.Parse(out)
		if err != nil || most < 1 {
			return
		}
		list := make([]*diff.File, len(files))
		for i := range files {
			list[i] = &files[i]
		}
		l := Limits{MinLines: least, MaxLines: most, SameDir: .8, CrossDir: .6}
		plan, err := Cut(list, l)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, list, plan, l)
	})
}

// BenchmarkCut cuts 5,000 files of 40 lines in 1,250 directories, and the same
// number of one-line files in as many directories, where every pair is compared.
func BenchmarkCut(b *testing.B) {
	var usual, worst []*diff.File
	for i := range 5_000 {
		ext := []string{".go", "_test.go", ".ts", ".md"}[i%4]
		usual = append(usual, file(fmt.Sprintf("services/s%d/internal/p%d/f%d%s", i/200, i/4, i, ext), 20, 20))
		worst = append(worst, file(fmt.Sprintf("a%d/b/c%d/f.go", i%71, i), 1))
	}
	for name, files := range map[string][]*diff.File{"5000 files, 200000 lines": usual, "5000 directories": worst} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Cut(files, Default); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
