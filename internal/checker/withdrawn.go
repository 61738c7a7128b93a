package checker

import (
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Withdrawal is why a finding that a reviewer made and did not repeat is dropped
// until the judge has decided about it.
const Withdrawal = "the reviewer left it out when it was asked again"

// Withdrawn returns the findings of a reviewer's earlier answer that its later
// one does not repeat, in their order. A reviewer that is asked for a complete
// list sometimes gives a shorter one; what it leaves out is for the judge to
// restore (Candidate.Dropped) and not lost.
//
// A finding is repeated by one of its class, and by one in the same file whose
// quote is part of its own or the other way round, in whatever words.
func Withdrawn(earlier, later []finding.Finding) []finding.Finding {
	var out []finding.Finding
	repeats := func(f finding.Finding) func(finding.Finding) bool {
		return func(g finding.Finding) bool {
			if f.Path != g.Path {
				return false
			}
			p, q := squeeze(f.Quote), squeeze(g.Quote)
			return classOf(f) == classOf(g) || p != "" && q != "" && (strings.Contains(p, q) || strings.Contains(q, p))
		}
	}
	for _, f := range earlier {
		if !slices.ContainsFunc(later, repeats(f)) && !slices.ContainsFunc(out, repeats(f)) {
			out = append(out, f)
		}
	}
	return out
}
