package projection

import (
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
)

// Due is what came back often enough for people to decide about it.
type Due struct {
	Classes []ledger.Due
	Rules   []ledger.RuleDue
}

// maxDue bounds how many classes are shown, maxPhrases how many wordings of one.
const (
	maxDue     = 20
	maxPhrases = 3
)

// Triage renders what is due, as the one comment of the ledger's pull request.
func Triage(d Due) string {
	var b strings.Builder
	b.WriteString("### What keeps coming back\n\nEach of these was said in several pull requests. Make a check of what is real, and retire the rest.\n")
	for _, line := range dueLines(d) {
		b.WriteString("\n" + line + "\n")
	}
	return clip(b.String(), maxBody) + "\n" + SummaryMarker
}

func writeDue(b *strings.Builder, r *Report) {
	if n := len(r.Due.Classes); n > 0 {
		fold(b, fmt.Sprintf("Said before, and due for a decision (%d)", n), dueLines(r.Due))
	}
}

// dueLines is one Markdown list item for each class and rule.
func dueLines(d Due) []string {
	var out []string
	for i, c := range d.Classes {
		if i == maxDue {
			out = append(out, fmt.Sprintf("- and %d more; `crev ledger triage` lists them", len(d.Classes)-i))
			break
		}
		out = append(out, dueClass(c))
	}
	for _, r := range d.Rules {
		out = append(out, fmt.Sprintf("- Rule %s was hit %d times in %d pull requests. What keeps being said can be checked: write a validator, and disable the rule.",
			Code(r.Rule), r.Hits, r.Recurrence))
	}
	return out
}

func dueClass(c ledger.Due) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s %d pull requests, %d runs, said by %s", Code(c.FP), c.PullRequests, c.Runs, Line(strings.Join(c.Sources, ", ")))
	for i, p := range c.Phrases {
		if i == maxPhrases {
			fmt.Fprintf(&b, "\n  - and %d other wordings", len(c.Phrases)-i)
			break
		}
		fmt.Fprintf(&b, "\n  - %d× %s", p.Count, Line(p.Claim))
	}
	if c.At.Path != "" {
		fmt.Fprintf(&b, "\n  - %s", Code(Place(c.At)))
		if c.Code != "" {
			fmt.Fprintf(&b, " %s", Code(strings.Join(strings.Fields(c.Code), " ")))
		}
	}
	fmt.Fprintf(&b, "\n  - %s, or %s", Code("crev ledger promote --scaffold "+c.FP), Code("crev ledger retire "+c.FP+" --reason WHY"))
	return b.String()
}
