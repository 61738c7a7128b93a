package relocate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
)

func TestThrough(t *testing.T) {
	t.Parallel()
	step := func(from, to string) *Mapper {
		return New(Change{Files: []File{{OldPath: "a.go", NewPath: "a.go", Old: Bytes([]byte(from)), New: Bytes([]byte(to))}}}, Options{})
	}
	above := "// first\n" + shopGo
	edited := strings.Replace(above, "store.Payment(o.ID)", "store.Payment(o.ID, o.Shop)", 1)
	below := edited + "\n// last\n"
	without := strings.Replace(above, refundGo, "", 1)
	line := lineOf(t, shopGo, anchorGo)
	tests := map[string]struct {
		steps []*Mapper
		how   How
		line  int
	}{
		"no step":                          {nil, Same, line},
		"one step":                         {[]*Mapper{step(shopGo, above)}, Shifted, line + 1},
		"the least sure step counts":       {[]*Mapper{step(shopGo, above), step(above, edited), step(edited, below)}, Rewritten, line + 1},
		"gone ends it":                     {[]*Mapper{step(shopGo, above), step(above, without), step(without, above)}, Gone, 0},
		"a file untouched by a later step": {[]*Mapper{step(shopGo, above), New(Change{}, Options{})}, Shifted, line + 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := Through(finding.Location{Path: "a.go", Start: line}, tc.steps)
			if err != nil {
				t.Fatal(err)
			}
			if a.How != tc.how || a.Location.Start != tc.line {
				t.Errorf("Through = %s at line %d, want %s at line %d", a.How, a.Location.Start, tc.how, tc.line)
			}
		})
	}
}

// git's hunks with and without context lead to the same answer as none.
func TestSpansOf(t *testing.T) {
	t.Parallel()
	line := func(op diff.Op, text string) diff.Line { return diff.Line{Op: op, Text: text} }
	tests := map[string]struct {
		hunks []diff.Hunk
		want  []span
	}{
		"changed lines": {
			[]diff.Hunk{{OldStart: 3, OldLines: 2, NewStart: 4, NewLines: 1}},
			[]span{{2, 4, 3, 4}},
		},
		"only added, after line 3": {
			[]diff.Hunk{{OldStart: 3, OldLines: 0, NewStart: 4, NewLines: 2}},
			[]span{{3, 3, 3, 5}},
		},
		"only removed, after new line 3": {
			[]diff.Hunk{{OldStart: 4, OldLines: 2, NewStart: 3, NewLines: 0}},
			[]span{{3, 5, 3, 3}},
		},
		"a new file": {
			[]diff.Hunk{{OldStart: 0, OldLines: 0, NewStart: 1, NewLines: 5}},
			[]span{{0, 0, 0, 5}},
		},
		"context is cut away": {
			[]diff.Hunk{{OldStart: 1, OldLines: 4, NewStart: 1, NewLines: 4, Lines: []diff.Line{
				line(diff.Context, "a"), line(diff.Remove, "b"), line(diff.Context, "c"),
				line(diff.Add, "x"), line(diff.Context, "d"),
			}}},
			[]span{{1, 2, 1, 1}, {3, 3, 2, 3}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := spansOf(tc.hunks); fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("spansOf = %v, want %v", got, tc.want)
			}
		})
	}
}

// BenchmarkLocate follows 10,000 defects over a change of 300 files, as after a
// large pull request.
func BenchmarkLocate(b *testing.B) {
	const files, places = 300, 10_000
	change := Change{}
	for i := range files {
		var old strings.Builder
		fmt.Fprintf(&old, "package p%d\n\n", i)
		for f := range 10 {
			fmt.Fprintf(&old, "func handle%d_%d(w Writer, r *Request) error {\n", i, f)
			for s := range 12 {
				fmt.Fprintf(&old, "\tvalue%d, err := store.Load(r.Context(), %d, r.Header(\"X-%d\"))\n\tif err != nil {\n\t\treturn fail(w, %d, err)\n\t}\n", s, f*s, i, s)
			}
			old.WriteString("\treturn nil\n}\n\n")
		}
		text := old.String()
		// A function in ten is edited, one moves to the end of the file.
		moved := between(text, fmt.Sprintf("func handle%d_7", i), fmt.Sprintf("func handle%d_8", i))
		now := strings.Replace(text, moved, "", 1) + moved
		for f := 0; f < 10; f += 5 {
			now = strings.Replace(now, fmt.Sprintf("store.Load(r.Context(), %d,", f*3), fmt.Sprintf("store.LoadAll(r.Context(), now, %d,", f*3), 1)
		}
		path := fmt.Sprintf("p%d/handle.go", i)
		change.Files = append(change.Files, File{OldPath: path, NewPath: path, Old: Bytes([]byte(text)), New: Bytes([]byte(now))})
	}
	b.ReportAllocs()
	for b.Loop() {
		m := New(change, Options{})
		gone := 0
		for k := range places {
			f := change.Files[k%files]
			a, err := m.Locate(finding.Location{Path: f.OldPath, Start: 3 + (k/files)*37%480})
			if err != nil {
				b.Fatal(err)
			}
			if a.How == Gone {
				gone++
			}
		}
		b.ReportMetric(float64(gone), "gone")
	}
}
