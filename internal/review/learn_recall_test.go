package review

import (
	"testing"

	"github.com/crev-ratchet/crev/internal/diff"
)

// The bug is where the fix changed the most code that was there before.
func TestMostChanged(t *testing.T) {
	t.Parallel()
	file := func(p string, hunks ...diff.Hunk) diff.File {
		return diff.File{OldPath: p, NewPath: p, Status: diff.Modified, Kind: diff.Text, Hunks: hunks}
	}
	hunk := func(start, old, added int) diff.Hunk {
		return diff.Hunk{OldStart: start, OldLines: old, NewStart: start, NewLines: added}
	}
	for name, tt := range map[string]struct {
		files []diff.File
		path  string
		start int
	}{
		"nothing":                             {},
		"the larger hunk":                     {files: []diff.File{file("a.go", hunk(3, 1, 1), hunk(30, 2, 4))}, path: "a.go", start: 30},
		"the first of two alike":              {files: []diff.File{file("a.go", hunk(3, 1, 1)), file("b.go", hunk(9, 1, 1))}, path: "a.go", start: 3},
		"a test is larger":                    {files: []diff.File{file("a_test.go", hunk(1, 9, 90)), file("a.go", hunk(3, 1, 1))}, path: "a.go", start: 3},
		"tests of other languages":            {files: []diff.File{file("src/x.spec.ts", hunk(1, 9, 9)), file("test_x.py", hunk(1, 9, 9)), file("tests/x.rs", hunk(1, 9, 9))}},
		"documents and memory":                {files: []diff.File{file("README.md", hunk(1, 9, 9)), file(".crev/rules/a.yaml", hunk(1, 9, 9)), file(".github/workflows/ci.yml", hunk(1, 9, 9))}},
		"a new file":                          {files: []diff.File{{NewPath: "new.go", Kind: diff.Text, Hunks: []diff.Hunk{hunk(0, 0, 9)}}}},
		"a picture":                           {files: []diff.File{{OldPath: "a.png", NewPath: "a.png", Kind: diff.Binary}}},
		"a name that only begins like a test": {files: []diff.File{file("contest.go", hunk(7, 1, 0))}, path: "contest.go", start: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, h := mostChanged(tt.files)
			got := ""
			if f != nil {
				got = f.OldPath
			}
			if got != tt.path || h.OldStart != tt.start {
				t.Errorf("mostChanged = %q:%d, want %q:%d", got, h.OldStart, tt.path, tt.start)
			}
		})
	}
}
