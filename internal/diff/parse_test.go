package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	idA    = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	idB    = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	idC    = "cccccccccccccccccccccccccccccccccccccccc"
	idNone = "0000000000000000000000000000000000000000"
)

// record is a raw record as git prints it.
func record(oldMode, newMode, oldID, newID, status string, paths ...string) string {
	return ":" + oldMode + " " + newMode + " " + oldID + " " + newID + " " + status + "\x00" +
		strings.Join(paths, "\x00") + "\x00"
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want []File
	}{
		"nothing": {"", nil},
		"L03: a new file of one line, counts left out": {
			record("000000", "100644", idNone, idA, "A", "VERSION") + "\x00" +
				"diff --git a/VERSION b/VERSION\nnew file mode 100644\nindex " + idNone + ".." + idA + "\n" +
				"--- /dev/null\n+++ b/VERSION\n@@ -0,0 +1 @@\n+1.0\n",
			[]File{{NewPath: "VERSION", Status: Added, Kind: Text, NewMode: "100644", NewBlob: idA,
				Hunks: []Hunk{{NewStart: 1, NewLines: 1, Lines: []Line{{Op: Add, Text: "1.0", New: 1}}}}}},
		},
		"L03: one line changed without context": {
			record("100644", "100644", idA, idB, "M", "a.go") + "\x00" +
				"diff --git a/a.go b/a.go\nindex " + idA + ".." + idB + " 100644\n" +
				"--- a/a.go\n+++ b/a.go\n@@ -7 +7 @@ func f() {\n-a\n+b\n@@ -9,0 +10,2 @@\n+c\n+d\n@@ -20,1 +22,0 @@\n-e\n",
			[]File{{OldPath: "a.go", NewPath: "a.go", Status: Modified, Kind: Text,
				OldMode: "100644", NewMode: "100644", OldBlob: idA, NewBlob: idB,
				Hunks: []Hunk{
					{OldStart: 7, OldLines: 1, NewStart: 7, NewLines: 1, Section: "func f() {",
						Lines: []Line{{Op: Remove, Text: "a", Old: 7}, {Op: Add, Text: "b", New: 7}}},
					{OldStart: 9, OldLines: 0, NewStart: 10, NewLines: 2,
						Lines: []Line{{Op: Add, Text: "c", New: 10}, {Op: Add, Text: "d", New: 11}}},
					{OldStart: 20, OldLines: 1, NewStart: 22, NewLines: 0,
						Lines: []Line{{Op: Remove, Text: "e", Old: 20}}},
				}}},
		},
		"lines that look like headers": {
			record("100644", "100644", idA, idB, "M", "x.sql") + "\x00" +
				"diff --git a/x.sql b/x.sql\nindex " + idA + ".." + idB + " 100644\n--- a/x.sql\n+++ b/x.sql\n" +
				"@@ -1,3 +1,4 @@\n--- old comment\n+++ b/x\n @@ -1 +1 @@\n \n+diff --git a/x b/x\n",
			[]File{{OldPath: "x.sql", NewPath: "x.sql", Status: Modified, Kind: Text,
				OldMode: "100644", NewMode: "100644", OldBlob: idA, NewBlob: idB,
				Hunks: []Hunk{{OldStart: 1, OldLines: 3, NewStart: 1, NewLines: 4, Lines: []Line{
					{Op: Remove, Text: "-- old comment", Old: 1},
					{Op: Add, Text: "++ b/x", New: 1},
					{Op: Context, Text: "@@ -1 +1 @@", Old: 2, New: 2},
					{Op: Context, Text: "", Old: 3, New: 3},
					{Op: Add, Text: "diff --git a/x b/x", New: 4},
				}}}}},
		},
		"L10: no newline at the end, on each side": {
			record("100644", "100644", idA, idB, "M", "a") + "\x00" +
				"diff --git a/a b/a\nindex " + idA + ".." + idB + " 100644\n--- a/a\n+++ b/a\n" +
				"@@ -1 +1,2 @@\n-x\n\\ No newline at end of file\n+x\n+y\n\\ No newline at end of file\n",
			[]File{{OldPath: "a", NewPath: "a", Status: Modified, Kind: Text,
				OldMode: "100644", NewMode: "100644", OldBlob: idA, NewBlob: idB,
				Hunks: []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 2, Lines: []Line{
					{Op: Remove, Text: "x", Old: 1, NoEOL: true},
					{Op: Add, Text: "x", New: 1},
					{Op: Add, Text: "y", New: 2, NoEOL: true},
				}}}}},
		},
		"L09: only line ends": {
			record("100644", "100644", idA, idB, "M", "a") + "\x00" +
				"diff --git a/a b/a\nindex " + idA + ".." + idB + " 100644\n--- a/a\n+++ b/a\n" +
				"@@ -1,2 +1,2 @@\n-x\r\n-y\r\n+x\n+y\n",
			[]File{{OldPath: "a", NewPath: "a", Status: Modified, Kind: Text, EOLOnly: true,
				OldMode: "100644", NewMode: "100644", OldBlob: idA, NewBlob: idB,
				Hunks: []Hunk{{OldStart: 1, OldLines: 2, NewStart: 1, NewLines: 2, Lines: []Line{
					{Op: Remove, Text: "x\r", Old: 1}, {Op: Remove, Text: "y\r", Old: 2},
					{Op: Add, Text: "x", New: 1}, {Op: Add, Text: "y", New: 2},
				}}}}},
		},
		"L06: a pure rename, then a rename with an edit": {
			record("100644", "100644", idA, idA, "R100", "a\tb", "c") +
				record("100644", "100755", idA, idB, "R090", "d", "e\nf") + "\x00" +
				"diff --git \"a/a\\tb\" b/c\nsimilarity index 100%\nrename from \"a\\tb\"\nrename to c\n" +
				"diff --git a/d \"b/e\\nf\"\nold mode 100644\nnew mode 100755\nsimilarity index 90%\n" +
				"rename from d\nrename to \"e\\nf\"\nindex " + idA + ".." + idB + "\n--- a/d\n+++ \"b/e\\nf\"\t\n@@ -1 +1 @@\n-x\n+y\n",
			[]File{
				{OldPath: "a\tb", NewPath: "c", Status: Renamed, Kind: Text, Similarity: 100,
					OldMode: "100644", NewMode: "100644", OldBlob: idA, NewBlob: idA},
				{OldPath: "d", NewPath: "e\nf", Status: Renamed, Kind: Text, Similarity: 90,
					OldMode: "100644", NewMode: "100755", OldBlob: idA, NewBlob: idB,
					Hunks: []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []Line{
						{Op: Remove, Text: "x", Old: 1}, {Op: Add, Text: "y", New: 1}}}}},
			},
		},
		"L12: only the mode": {
			record("100644", "100755", idA, idA, "M", "run.sh") + "\x00" +
				"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n",
			[]File{{OldPath: "run.sh", NewPath: "run.sh", Status: Modified, Kind: Text,
				OldMode: "100644", NewMode: "100755", OldBlob: idA, NewBlob: idA}},
		},
		"binary and an empty file": {
			record("100644", "000000", idA, idNone, "D", "a.png") + record("000000", "100644", idNone, idB, "A", "empty") + "\x00" +
				"diff --git a/a.png b/a.png\ndeleted file mode 100644\nindex " + idA + ".." + idNone + "\nBinary files a/a.png and /dev/null differ\n" +
				"diff --git a/empty b/empty\nnew file mode 100644\nindex " + idNone + ".." + idB + "\n",
			[]File{
				{OldPath: "a.png", Status: Deleted, Kind: Binary, OldMode: "100644", OldBlob: idA},
				{NewPath: "empty", Status: Added, Kind: Text, NewMode: "100644", NewBlob: idB},
			},
		},
		"a file becomes a link": {
			record("100644", "120000", idA, idB, "T", "a") + "\x00" +
				"diff --git a/a b/a\ndeleted file mode 100644\nindex " + idA + ".." + idNone + "\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n" +
				"diff --git a/a b/a\nnew file mode 120000\nindex " + idNone + ".." + idB + "\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
			[]File{{OldPath: "a", NewPath: "a", Status: TypeChanged, Kind: Symlink,
				OldMode: "100644", NewMode: "120000", OldBlob: idA, NewBlob: idB,
				Hunks: []Hunk{
					{OldStart: 1, OldLines: 1, Lines: []Line{{Op: Remove, Text: "x", Old: 1}}},
					{NewStart: 1, NewLines: 1, Lines: []Line{{Op: Add, Text: "/etc/passwd", New: 1, NoEOL: true}}},
				}}},
		},
		"with -w, files whose patch is missing stay without hunks": {
			record("100644", "100644", idA, idB, "M", "1") + record("100644", "100755", idA, idB, "M", "2") +
				record("100644", "100644", idB, idC, "M", "3") + record("100644", "100644", idC, idA, "M", "4") + "\x00" +
				"diff --git a/2 b/2\nold mode 100644\nnew mode 100755\nindex " + idA + ".." + idB + "\n" +
				"diff --git a/3 b/3\nindex " + idB + ".." + idC + " 100644\n--- a/3\n+++ b/3\n@@ -1 +1 @@\n-x\n+y\n",
			[]File{
				{OldPath: "1", NewPath: "1", Status: Modified, Kind: Text, OldMode: "100644", NewMode: "100644", OldBlob: idA, NewBlob: idB},
				{OldPath: "2", NewPath: "2", Status: Modified, Kind: Text, OldMode: "100644", NewMode: "100755", OldBlob: idA, NewBlob: idB},
				{OldPath: "3", NewPath: "3", Status: Modified, Kind: Text, OldMode: "100644", NewMode: "100644", OldBlob: idB, NewBlob: idC,
					Hunks: []Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []Line{
						{Op: Remove, Text: "x", Old: 1}, {Op: Add, Text: "y", New: 1}}}}},
				{OldPath: "4", NewPath: "4", Status: Modified, Kind: Text, OldMode: "100644", NewMode: "100644", OldBlob: idC, NewBlob: idA},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Parse (-want +got):\n%s", d)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	modified := record("100644", "100644", idA, idB, "M", "a") + "\x00"
	head := "diff --git a/a b/a\nindex " + idA + ".." + idB + " 100644\n--- a/a\n+++ b/a\n"
	tests := map[string]struct{ in, want string }{
		"a record that is cut off":          {":100644 100644 " + idA, "cut off"},
		"a record without a path":           {":100644 100644 " + idA + " " + idB + " M\x00", "has no path"},
		"a rename without its second path":  {":100644 100644 " + idA + " " + idB + " R100\x00a\x00", "has no path"},
		"a short object id":                 {record("100644", "100644", "abc", idB, "M", "a"), "want two modes"},
		"an unmerged file":                  {record("000000", "000000", idNone, idNone, "U", "a"), "want two modes"},
		"an added file with an old mode":    {record("100644", "100644", idA, idB, "A", "a"), "want two modes"},
		"a combined diff":                   {"::100644 100644 100644 " + idA + " " + idB + " " + idC + " MM\x00a\x00", "want two modes"},
		"a new file without its patch":      {record("000000", "100644", idNone, idA, "A", "a") + "\x00", `no patch for "a"`},
		"a patch of another file":           {modified + "diff --git a/b b/b\nold mode 100644\nnew mode 100755\n", "belongs to no changed file"},
		"a patch before any record":         {"diff --git a/b b/b\n", "belongs to no changed file"},
		"text that is no patch":             {modified + "error: something\n", `want "diff --git"`},
		"an unknown header":                 {modified + "diff --git a/a b/a\nindex " + idA + ".." + idB + "\nGIT binary patch\n", "unknown header"},
		"a short id in the index line":      {modified + "diff --git a/a b/a\nindex abc..def\n", "want two full object ids"},
		"a hunk that is cut off":            {modified + head + "@@ -1,2 +1,2 @@\n x\n", "1 old and 1 new lines are missing"},
		"a hunk with too many lines":        {modified + head + "@@ -1 +1 @@\n-x\n-y\n", "more lines than its header says"},
		"a hunk header without numbers":     {modified + head + "@@ -x +1 @@\n", "want a hunk header"},
		"a hunk header with a minus":        {modified + head + "@@ -1,-1 +1 @@\n", "want a hunk header"},
		"a hunk line with an unknown mark":  {modified + head + "@@ -1 +1 @@\n*x\n", "a hunk line begins with '*'"},
		"a missing newline of no line":      {modified + head + "@@ -0,0 +0,0 @@\n\\ No newline\n", "has no line before it"},
		"a type change without second part": {record("100644", "120000", idA, idB, "T", "a") + "\x00diff --git a/a b/a\ndeleted file mode 100644\nindex " + idA + ".." + idNone + "\n", `want "diff --git"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%q) = %v, %v, want an error with %q", tt.in, got, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %q", err)
			}
		})
	}
}

// L08: a line may be of any length, and what follows is intact.
func TestParseLongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	hunks, err := parseHunks("@@ -1,2 +1,2 @@\n-" + long + "\n+" + long + "y\n z\n@@ -9 +9 @@\n-a\n+b")
	if err != nil {
		t.Fatal(err)
	}
	if len(hunks) != 2 || len(hunks[0].Lines[1].Text) != 1<<20+1 || hunks[1].Lines[1].Text != "b" {
		t.Errorf("parseHunks lost lines around a long one: %d hunks", len(hunks))
	}
	var b strings.Builder
	if err := WriteNumbered(&b, hunks); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 3*MaxShownLine || !strings.Contains(b.String(), " … [1047577 more bytes]\n") {
		t.Errorf("WriteNumbered wrote %d bytes, want a cut line with a note", b.Len())
	}
}

// parseHunks reads a patch body that begins at its first "@@" line.
func parseHunks(patch string) ([]Hunk, error) {
	p := &parser{text: patch}
	hunks, err := p.hunks(nil)
	if err != nil {
		return nil, err
	}
	if !p.done() {
		return nil, p.errorf("want a line that begins with %q", "@@ ")
	}
	return hunks, nil
}

// unified renders hunks as git prints them.
func unified(hunks []Hunk) string {
	var b strings.Builder
	for i := range hunks {
		b.WriteString(hunks[i].String())
	}
	return b.String()
}

func FuzzParseHunks(f *testing.F) {
	f.Add("@@ -0,0 +1 @@\n+1.0\n")
	f.Add("@@ -1,3 +1,4 @@ func f() {\n--- old\n+++ b/x\n @@ -1 +1 @@\n\n+y\r\n\\ No newline at end of file\n")
	f.Add("@@ -7 +7 @@\n-a\n+b\n@@ -9,0 +10,2 @@\n+c\n+d\n@@ -20,1 +22,0 @@\n-e\n")
	f.Fuzz(func(t *testing.T, patch string) {
		hunks, err := parseHunks(patch)
		if err != nil {
			return
		}
		checkHunks(t, hunks)
		again, err := parseHunks(unified(hunks))
		if err != nil {
			t.Fatalf("parse what was rendered: %v", err)
		}
		if d := cmp.Diff(hunks, again); d != "" {
			t.Fatalf("rendered and parsed (-first +second):\n%s", d)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(record("100644", "100644", idA, idB, "M", "a") + "\x00diff --git a/a b/a\nindex " + idA + ".." + idB +
		" 100644\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-x\n\\ No newline at end of file\n+x\n+y\n"))
	f.Add([]byte(record("100644", "100755", idA, idA, "R100", "a\tb", "\xff") + "\x00diff --git a b\nold mode 100644\nnew mode 100755\n"))
	for _, seed := range realDiffs(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		files, err := Parse(out)
		if err != nil {
			return
		}
		for i := range files {
			if files[i].Path() == "" {
				t.Fatalf("file %d has no path", i)
			}
			checkHunks(t, files[i].Hunks)
		}
	})
}

// checkHunks checks what holds for every parsed hunk.
func checkHunks(t *testing.T, hunks []Hunk) {
	t.Helper()
	for i := range hunks {
		h := &hunks[i]
		oldAt, newAt := h.OldStart, h.NewStart
		for _, l := range h.Lines {
			if l.Old != 0 && l.Old != oldAt || l.New != 0 && l.New != newAt {
				t.Fatalf("hunk %d: line %+v, want numbers %d and %d", i, l, oldAt, newAt)
			}
			if l.Op != Add {
				oldAt++
			}
			if l.Op != Remove {
				newAt++
			}
			if strings.Contains(l.Text, "\n") {
				t.Fatalf("hunk %d: a line holds a line end: %q", i, l.Text)
			}
		}
		if oldAt-h.OldStart != h.OldLines || newAt-h.NewStart != h.NewLines {
			t.Fatalf("hunk %d has other counts than its header", i)
		}
	}
}
