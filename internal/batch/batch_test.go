package batch

import (
	"fmt"
	"slices"
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

func TestCut(t *testing.T) {
	t.Parallel()
	l := Limits{MaxLines: 12}
	for name, c := range map[string]struct {
		files []*diff.File
		want  [][]string
	}{
		"no files": {nil, nil},
		"a file without hunks lands nowhere": {
			[]*diff.File{{NewPath: "a.go", OldPath: "a.go"}}, nil},
		"small files share a batch": {
			[]*diff.File{file("a/x.go", 3), file("a/y.go", 4)}, [][]string{{"a/x.go", "a/y.go"}}},
		"a directory stays together, by type": {
			[]*diff.File{file("b/x.go", 3), file("a/y.ts", 3), file("a/x.go", 3)}, [][]string{{"a/x.go", "a/y.ts", "b/x.go"}}},
		"the limit is kept": {
			[]*diff.File{file("a/x.go", 8), file("a/y.go", 8)}, [][]string{{"a/x.go"}, {"a/y.go"}}},
		"a long file is cut by hunk": {
			[]*diff.File{file("a/x.go", 8, 8)}, [][]string{{"a/x.go"}, {"a/x.go"}}},
		"a long hunk is cut by lines": {
			[]*diff.File{file("a/x.go", 30)}, [][]string{{"a/x.go"}, {"a/x.go"}, {"a/x.go"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := Cut(c.files, l)
			if err != nil {
				t.Fatal(err)
			}
			var got [][]string
			for _, b := range plan.Batches {
				got = append(got, b.Paths())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestTrailNamesEveryBatch(t *testing.T) {
	t.Parallel()
	plan, err := Cut([]*diff.File{file("a/x.go", 8, 8), file("a/y.go", 2)}, Limits{MaxLines: 12})
	if err != nil {
		t.Fatal(err)
	}
	want := []Placement{
		{Path: "a/x.go", Batches: []string{"1", "2"}, Why: "16 diff lines alone, split by hunk"},
		{Path: "a/y.go", Batches: []string{"3"}, Why: "2 diff lines, first of its batch"},
	}
	if d := cmp.Diff(want, plan.Trail); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestEveryLineIsInOneBatch holds for any diff and any limits, and a batch is
// over the limit in no case.
func TestEveryLineIsInOneBatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var files []*diff.File
		for i := range rapid.IntRange(0, 12).Draw(t, "files") {
			hunks := rapid.SliceOfN(rapid.IntRange(1, 300), 0, 5).Draw(t, "hunks")
			dir := rapid.SampledFrom([]string{"a", "b", "a/c"}).Draw(t, "dir")
			files = append(files, file(fmt.Sprintf("%s/f%d.go", dir, i), hunks...))
		}
		l := Limits{MaxLines: rapid.IntRange(1, 400).Draw(t, "max")}
		plan, err := Cut(files, l)
		if err != nil {
			t.Fatal(err)
		}
		want, got := 0, 0
		for _, f := range files {
			want += f.Added()
		}
		for _, b := range plan.Batches {
			got += b.Lines()
			if b.Lines() > l.MaxLines {
				t.Errorf("batch %s has %d lines, the limit is %d", b.ID, b.Lines(), l.MaxLines)
			}
		}
		if got != want {
			t.Errorf("the batches hold %d lines of %d", got, want)
		}
		slices.Reverse(files)
		again, err := Cut(files, l)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(plan.Trail, again.Trail); d != "" {
			t.Errorf("the order of the files matters:\n%s", d)
		}
	})
}
