package session

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func specification(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/session.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The table of transitions in the specification is the one in the code.
func TestDocumentedTransitions(t *testing.T) {
	t.Parallel()
	columns := []Status{Pending, Reviewing, Completed, Done}
	found := 0
	for line := range strings.Lines(specification(t)) {
		cells := strings.Split(line, "|")
		if len(cells) != len(columns)+3 {
			continue
		}
		tr, ok := transitions[Kind(strings.Trim(cells[1], " `"))]
		if !ok {
			continue
		}
		found++
		for i, from := range columns {
			legal := slices.Contains(tr.from, from)
			if documented := strings.TrimSpace(cells[i+2]) != "illegal"; documented != legal {
				t.Errorf("docs/session.md: %s in %s is %q, the code says legal is %v", cells[1], from, cells[i+2], legal)
			}
		}
	}
	if want := len(transitions) - 1; found != want { // began is told in words
		t.Errorf("docs/session.md has %d of the %d rows", found, want)
	}
}

// The lines that the specification shows are read as they stand.
func TestDocumentedLines(t *testing.T) {
	t.Parallel()
	var text string
	for _, part := range strings.Split(specification(t), "```jsonl\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		text += block
	}
	lines, begun, err := parseFile([]byte(text), "3f6b0c…", "1")
	if err != nil || !begun || len(lines) != 3 {
		t.Fatalf("docs/session.md shows %d lines: %v", len(lines), err)
	}
	var entries []Entry
	for _, l := range lines {
		if l.Entry != nil {
			entries = append(entries, *l.Entry)
		}
	}
	s, err := Restore(small(1), DefaultLimits, nil, entries, noon)
	if err != nil || s.Snapshot().Batches[0].Gate != Passed {
		t.Errorf("the entries that docs/session.md shows: %v", err)
	}
}
