package checker

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The table of the documentation is the registry.
func TestDocumentedRegistry(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/checkers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "|---|---|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want strings.Builder
	for _, c := range All() {
		on := "off"
		if c.Default {
			on = "on"
		}
		fmt.Fprintf(&want, "| `%s` | %v | %s | %s | %d | %.0fm |\n", c.Name, c.Order, c.When, on, c.Retries, c.Timeout.Minutes())
	}
	if d := cmp.Diff(strings.TrimSpace(want.String()), table); d != "" {
		t.Errorf("docs/checkers.md, -registry +documented\n%s", d)
	}
}
