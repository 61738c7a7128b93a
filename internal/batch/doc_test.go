package batch

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The families in docs/batching.md are those in the code.
func TestDocumentedFamilies(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/batching.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		exts, ok := families[strings.TrimSpace(cells[1])]
		if !ok {
			continue
		}
		found++
		if want := strings.Fields(strings.ReplaceAll(strings.Join(exts, " "), ".", "")); !slices.Equal(want, strings.Fields(cells[2])) {
			t.Errorf("docs/batching.md: %s is %s, the code says %v", cells[1], cells[2], want)
		}
	}
	if found != len(families) {
		t.Errorf("docs/batching.md has %d of %d families", found, len(families))
	}
}
