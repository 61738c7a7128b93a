package diff

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realDiffs are outputs of git diff-tree (testdata/README.md says how they were
// made).
func realDiffs(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.diff")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no testdata/*.diff: %v", err)
	}
	diffs := map[string][]byte{}
	for _, name := range files {
		if diffs[name], err = os.ReadFile(name); err != nil {
			tb.Fatal(err)
		}
	}
	return diffs
}

// What is parsed from git renders to the bytes git printed.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, out := range realDiffs(t) {
		files, err := Parse(out)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var rendered, printed strings.Builder
		for i := range files {
			rendered.WriteString(unified(files[i].Hunks))
		}
		_, patch, _ := bytes.Cut(out, []byte("\x00\x00"))
		// The headers of these diffs are known to hold no "@@".
		for _, section := range strings.Split(string(patch), "diff --git ") {
			if _, body, ok := strings.Cut(section, "\n@@ "); ok {
				printed.WriteString("@@ " + body)
			}
		}
		if rendered.String() != printed.String() {
			t.Errorf("%s: rendered hunks differ from git's", name)
		}
	}
}
