package ledger

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// blocks returns the fenced blocks of a language in a Markdown text.
func blocks(text, language string) []string {
	var out []string
	for _, part := range strings.Split(text, "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		out = append(out, block)
	}
	return out
}

// specification returns the text that the program has to agree with.
func specification(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/ledger.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every example of the specification is an event that is read as it stands.
func TestDocumentedEventsAreReal(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, block := range blocks(specification(t), "jsonl") {
		for line := range strings.Lines(block) {
			seen++
			if _, err := Parse([]byte(line)); err != nil {
				t.Errorf("docs/ledger.md: %v in %s", err, line)
			}
		}
	}
	if seen < 5 {
		t.Errorf("docs/ledger.md shows %d events", seen)
	}
}

// The table of transitions in the specification is the one in the code.
func TestDocumentedTransitionsAreReal(t *testing.T) {
	t.Parallel()
	rows := map[string]trigger{
		"`possibly_fixed`": trigger(KindPossiblyFixed), "`verification` failed": verificationFailed,
		"`verified`²": trigger(KindVerified), "`dismissed`³": trigger(KindDismissed), "`reopened`⁴": trigger(KindReopened),
		"`obsoleted`": trigger(KindObsoleted), "`split`⁵": trigger(KindSplit),
	}
	columns := []Status{Open, Fixing, Closed, Waived, Back, Obsolete}
	found := 0
	for line := range strings.Lines(specification(t)) {
		cells := strings.Split(line, "|")
		if len(cells) != len(columns)+3 {
			continue
		}
		trig, ok := rows[strings.TrimSpace(cells[1])]
		if !ok {
			continue
		}
		found++
		for i, from := range columns {
			want, legal := next(from, trig)
			if !legal {
				want = "illegal"
			}
			if got, _, _ := strings.Cut(strings.TrimSpace(cells[i+2]), " or "); got != string(want) {
				t.Errorf("docs/ledger.md: %q from %s is %q, the code says %q", trig, from, got, want)
			}
		}
	}
	if found != len(rows) {
		t.Errorf("docs/ledger.md has %d of the %d rows", found, len(rows))
	}
}

func TestDocumentedKindsAreAll(t *testing.T) {
	t.Parallel()
	text := specification(t)
	for _, k := range everyKind() {
		if !strings.Contains(text, fmt.Sprintf("`%s`", k)) {
			t.Errorf("docs/ledger.md does not name `%s`", k)
		}
	}
}

// The newest program reads every format that was ever released. The files are
// never edited.
func TestReadsReleasedFormats(t *testing.T) {
	t.Parallel()
	released := os.DirFS("../../testdata/ledger/v1")
	events, problems := ReadAll(released)
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	kinds := map[Kind]bool{}
	for i := range events {
		kinds[events[i].Kind()] = true
	}
	for _, k := range everyKind() {
		if !kinds[k] {
			t.Errorf("testdata/ledger/v1 holds no %s event", k)
		}
	}
	s := Fold(events, View{})
	d := s.Defect("D-00000001")
	if len(s.Problems) > 0 || d == nil || d.Status != Closed || len(d.Wordings) != 2 || d.FixedIn != "7a7a7a7" {
		t.Errorf("problems %v, defect %+v", s.Problems, d)
	}
	classes, problems := Tally(released, Ratchet{})
	if len(problems) > 0 || len(classes) != 1 || classes[0].FP != classA || classes[0].Status != ClassPromoted {
		t.Errorf("classes %+v, problems %v", classes, problems)
	}
}
