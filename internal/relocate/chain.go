package relocate

import "github.com/crev-ratchet/crev/internal/finding"

// MaxSteps is how many commits are worth following one by one; over a longer
// stretch one change from the first to the last version is nearly as good.
const MaxSteps = 50

// Through follows a place over several changes in order, for example the
// first-parent commits between two heads, and combines the answers: the least
// sure way and the least confidence of all steps count, and Changed and
// Ambiguous hold if they held at any step. It stops where the place is gone.
func Through(loc finding.Location, steps []*Mapper) (Answer, error) {
	total := Answer{Location: loc, How: Same, Confidence: 1, Reason: "nothing changed"}
	for _, m := range steps {
		a, err := m.Locate(total.Location)
		if err != nil {
			return Answer{}, err
		}
		total = total.then(a)
		if a.How == Gone {
			break
		}
	}
	return total, nil
}

// then combines an answer with the one of the next step.
func (a Answer) then(next Answer) Answer {
	out := next
	if next.How != Gone && a.How.rank() > next.How.rank() {
		out.How, out.Reason = a.How, a.Reason
	}
	out.Confidence = min(a.Confidence, next.Confidence)
	out.Changed = a.Changed || next.Changed
	out.Ambiguous = a.Ambiguous || next.Ambiguous
	return out
}

// rank orders the layers from the surest to none.
func (h How) rank() int {
	for i, k := range []How{Same, Shifted, Rewritten, Moved, Candidate, Suspect, Gone} {
		if h == k {
			return i
		}
	}
	return -1
}
