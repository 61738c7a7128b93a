package relocate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/finding"
)

// lineGen draws lines from few words, so that equal and similar ones occur.
var lineGen = rapid.OneOf(
	rapid.SampledFrom([]string{"", "}", "{", "\t}", "return nil", "func a() {", "func b() {", "// note", "x := 1;"}),
	rapid.Custom(func(t *rapid.T) string {
		word := rapid.SampledFrom([]string{"order", "price", "total", "store", "label"})
		return fmt.Sprintf("\t%s := %s.%s(%d)", word.Draw(t, "lhs"), word.Draw(t, "on"), word.Draw(t, "call"), rapid.IntRange(0, 3).Draw(t, "n"))
	}),
)

func textGen(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(lineGen, 0, 40).Draw(t, label), "\n")
}

// changeGen draws a change of one file, with others that are added or deleted.
func changeGen(t *rapid.T) (change Change, sizes map[string]int) {
	sizes = make(map[string]int)
	add := func(oldPath, newPath string) {
		f := File{OldPath: oldPath, NewPath: newPath}
		if oldPath != "" {
			f.Old = Bytes([]byte(textGen(t, "old "+oldPath)))
		}
		if newPath != "" {
			text := textGen(t, "new "+newPath)
			f.New = Bytes([]byte(text))
			sizes[newPath] = newText("", []byte(text)).len()
		}
		change.Files = append(change.Files, f)
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		add("a.go", "a.go")
	case 1:
		add("a.go", "b.go")
	default:
		add("a.go", "")
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "others") {
		add("", fmt.Sprintf("c%d.go", i))
	}
	return change, sizes
}

func placeGen(t *rapid.T, path string) finding.Location {
	start := rapid.IntRange(0, 50).Draw(t, "start")
	return finding.Location{Path: path, Start: start, End: start + rapid.IntRange(-2, 9).Draw(t, "height")}
}

func TestLocateStaysInsideTheFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		change, sizes := changeGen(t)
		loc := placeGen(t, "a.go")
		a, err := New(change, Options{}).Locate(loc)
		if err != nil {
			t.Fatal(err)
		}
		if a.How == Gone {
			if a.Location.Path != "" || a.Loss == "" || a.Confidence != 0 {
				t.Fatalf("Locate(%+v) = %+v; gone has no place, a loss and no confidence", loc, a)
			}
			return
		}
		size, ok := sizes[a.Location.Path]
		lines := a.Location.Start == 0 && loc.Start == 0 ||
			1 <= a.Location.Start && a.Location.Start <= a.Location.End && a.Location.End <= size
		if !ok || !lines {
			t.Fatalf("Locate(%+v) = %+v, outside %v", loc, a, sizes)
		}
		if a.Confidence <= 0 || a.Confidence > 1 || a.Loss != "" {
			t.Fatalf("Locate(%+v) = %+v; want a confidence above 0 and no loss", loc, a)
		}
	})
}

func TestLocateRepeats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		change, _ := changeGen(t)
		m := New(change, Options{})
		for range 4 {
			loc := placeGen(t, "a.go")
			a, err := m.Locate(loc)
			if err != nil {
				t.Fatal(err)
			}
			// A mapper that answered other questions before says the same.
			b, err := New(change, Options{}).Locate(loc)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(a, b); d != "" {
				t.Fatalf("Locate(%+v) differs:\n%s", loc, d)
			}
		}
	})
}

func TestLocateLinesAddedAbove(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := textGen(t, "text")
		n := newText("", []byte(text)).len()
		if n == 0 {
			return
		}
		more := rapid.IntRange(1, 9).Draw(t, "more")
		longer := strings.Repeat("unheard of before\n", more) + text
		start := rapid.IntRange(1, n).Draw(t, "line")
		a, err := New(Change{Files: []File{{
			OldPath: "a.txt", NewPath: "a.txt", Old: Bytes([]byte(text)), New: Bytes([]byte(longer)),
		}}}, Options{}).Locate(finding.Location{Path: "a.txt", Start: start})
		if err != nil {
			t.Fatal(err)
		}
		if a.How != Shifted || a.Location.Start != start+more {
			t.Fatalf("Locate(line %d) = %s line %d, want shifted by %d", start, a.How, a.Location.Start, more)
		}
	})
}

func TestLocateUntouchedFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		change, _ := changeGen(t)
		loc := placeGen(t, "untouched.go")
		a, err := New(change, Options{}).Locate(loc)
		if err != nil {
			t.Fatal(err)
		}
		if a.How != Same || a.Changed || cmp.Diff(a.Location, loc) != "" {
			t.Fatalf("Locate(%+v) = %+v, want the same place", loc, a)
		}
	})
}
