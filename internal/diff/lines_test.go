package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoHunks shows lines 5-9 and 90-95 of the new file.
func twoHunks(t *testing.T) *File {
	t.Helper()
	hunks, err := parseHunks("@@ -5,4 +5,5 @@ func a()\n five\n-six\n+SIX\n+6b\n seven\n eight\n" +
		"@@ -89,5 +90,6 @@ func b()\n a\n b\n+c\n-d\n+D\n e\n f\n" +
		"@@ -200,2 +201,0 @@\n-x\n-y\n")
	if err != nil {
		t.Fatal(err)
	}
	return &File{OldPath: "a", NewPath: "a", Status: Modified, Kind: Text, Hunks: hunks}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	f := twoHunks(t)
	if f.ChangedLines() != 8 {
		t.Errorf("ChangedLines = %d, want 8", f.ChangedLines())
	}
	if d := cmp.Diff([]Range{{6, 7}, {92, 93}}, f.ChangedNew()); d != "" {
		t.Errorf("ChangedNew (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]Range{{6, 6}, {91, 91}, {200, 201}}, f.ChangedOld()); d != "" {
		t.Errorf("ChangedOld (-want +got):\n%s", d)
	}
}

func TestLineAt(t *testing.T) {
	t.Parallel()
	f := twoHunks(t)
	tests := map[string]struct {
		newSide bool
		n       int
		want    string
	}{
		"added":                      {true, 7, "6b"},
		"context, new side":          {true, 8, "seven"},
		"context, old side":          {false, 7, "seven"},
		"removed":                    {false, 91, "d"},
		"removed without context":    {false, 201, "y"},
		"between the hunks":          {true, 50, ""},
		"line 0":                     {true, 0, ""},
		"new side of a pure removal": {true, 201, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, l := f.LineAt(tt.newSide, tt.n)
			got := ""
			if l != nil {
				got = l.Text
			}
			if got != tt.want || (h != nil) != (tt.want != "") {
				t.Errorf("LineAt(%v, %d) = %q in %v, want %q", tt.newSide, tt.n, got, h, tt.want)
			}
		})
	}
}

// L19: what GitHub accepts as a range.
func TestClipToHunk(t *testing.T) {
	t.Parallel()
	f := twoHunks(t)
	tests := map[string]struct {
		start, end         int
		newSide            bool
		wantStart, wantEnd int
		ok                 bool
	}{
		"a single line has no start":             {7, 7, true, 0, 7, true},
		"no start given":                         {0, 7, true, 0, 7, true},
		"no end given":                           {7, 0, true, 0, 7, true},
		"in one hunk":                            {6, 8, true, 6, 8, true},
		"swapped":                                {9, 7, true, 7, 9, true},
		"across two hunks: the hunk of the end":  {6, 95, true, 90, 95, true},
		"starts between hunks":                   {40, 95, true, 90, 95, true},
		"ends between hunks":                     {7, 40, true, 7, 9, true},
		"one shown line of a range":              {1, 5, true, 0, 5, true},
		"old side":                               {1, 6, false, 5, 6, true},
		"nothing shown":                          {40, 50, true, 0, 0, false},
		"no line at all":                         {0, 0, true, 0, 0, false},
		"new side of a pure removal":             {201, 201, true, 0, 0, false},
		"a negative start, as a model may write": {-3, 6, true, 0, 6, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start, end, ok := f.ClipToHunk(tt.start, tt.end, tt.newSide)
			if start != tt.wantStart || end != tt.wantEnd || ok != tt.ok {
				t.Errorf("ClipToHunk(%d, %d, %v) = %d, %d, %v, want %d, %d, %v",
					tt.start, tt.end, tt.newSide, start, end, ok, tt.wantStart, tt.wantEnd, tt.ok)
			}
		})
	}
}

func TestWriteNumbered(t *testing.T) {
	t.Parallel()
	hunks, err := parseHunks("@@ -9,2 +9,3 @@ func t\xe9()\n a\r\n-b\n+caf\xe9\n+d\n\\ No newline at end of file\n")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteNumbered(&b, hunks); err != nil {
		t.Fatal(err)
	}
	const want = "@@ -9,2 +9,3 @@ func t\uFFFD()\n   9   a\n     - b\n  10 + caf\uFFFD\n  11 + d\n     \\ no newline at end of file\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("WriteNumbered (-want +got):\n%s", d)
	}
}

// L37: a rebase over other commits adds nothing to what has to be looked at.
func TestSince(t *testing.T) {
	t.Parallel()
	parse := func(text string) []Hunk {
		hunks, err := parseHunks(text)
		if err != nil {
			t.Fatal(err)
		}
		return hunks
	}
	file := func(path, oldBlob, newBlob string, hunks ...Hunk) File {
		return File{OldPath: path, NewPath: path, Status: Modified, Kind: Text,
			OldMode: "100644", NewMode: "100644", OldBlob: oldBlob, NewBlob: newBlob, Hunks: hunks}
	}
	one := parse("@@ -5,3 +5,4 @@ func a()\n a\n+b\n c\n d\n")
	oneShifted := parse("@@ -405,3 +405,4 @@ func other()\n a\n+b\n c\n d\n")
	two := parse("@@ -50,3 +51,3 @@\n x\n-y\n+Y\n z\n")
	undone := parse("@@ -5,3 +5,3 @@\n a\n-b\n+B\n c\n")
	tests := map[string]struct {
		before, after, want []File
	}{
		"only rebased": {
			[]File{file("a", idA, idB, one...)}, []File{file("a", idB, idC, oneShifted...)}, nil},
		"rebased with one more hunk": {
			[]File{file("a", idA, idB, one...)}, []File{file("a", idB, idC, append(oneShifted[:1:1], two...)...)},
			[]File{file("a", idB, idC, two...)}},
		"the same hunk twice, once before": {
			[]File{file("a", idA, idB, one...)}, []File{file("a", idA, idC, append(one[:1:1], oneShifted...)...)},
			[]File{file("a", idA, idC, oneShifted...)}},
		"the hunk changed": {
			[]File{file("a", idA, idB, one...)}, []File{file("a", idA, idC, undone...)},
			[]File{file("a", idA, idC, undone...)}},
		"a file of its own":   {nil, []File{file("a", idA, idB, one...)}, []File{file("a", idA, idB, one...)}},
		"a file no longer in": {[]File{file("a", idA, idB, one...)}, nil, nil},
		"a binary file that changed again": {
			[]File{{NewPath: "p", Status: Added, Kind: Binary, NewMode: "100644", NewBlob: idA}},
			[]File{{NewPath: "p", Status: Added, Kind: Binary, NewMode: "100644", NewBlob: idB}},
			[]File{{NewPath: "p", Status: Added, Kind: Binary, NewMode: "100644", NewBlob: idB}}},
		"a binary file that did not": {
			[]File{{NewPath: "p", Status: Added, Kind: Binary, NewMode: "100644", NewBlob: idA}},
			[]File{{NewPath: "p", Status: Added, Kind: Binary, NewMode: "100644", NewBlob: idA}}, nil},
		"a pure rename over a base that changed the file": {
			[]File{{OldPath: "a", NewPath: "b", Status: Renamed, Kind: Text, OldMode: "100644", NewMode: "100644", OldBlob: idA, NewBlob: idA, Similarity: 100}},
			[]File{{OldPath: "a", NewPath: "b", Status: Renamed, Kind: Text, OldMode: "100644", NewMode: "100644", OldBlob: idB, NewBlob: idB, Similarity: 100}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, Since(tt.before, tt.after)); d != "" {
				t.Errorf("Since (-want +got):\n%s", d)
			}
		})
	}
}
