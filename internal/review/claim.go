package review

import (
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/rule"
)

// claim is a finding that the runtime has placed, on its way through the
// checkers.
type claim struct {
	finding.Finding
	batch string
	// how says how the quote was found, "" when the finding is about the
	// whole file.
	how string
	// rejected is why the runtime refuses it: a path outside the batch.
	rejected string
	// dropped is the judge's reason, "" when the claim stands.
	dropped string
	// judged is what the judge calls it, for the shield.
	judged rule.Judged
	// checked says that the judge has seen it, or that it needs no judge.
	checked bool
	// reproduced is the run of its artifact that showed it, nil when none did.
	reproduced *finding.Reproduction
	// rules are those that had to do with it, each once.
	rules []touch
	// repeats is the claim that says the same in this run, nil for none.
	repeats *claim
}

// touch is a rule's effect on a claim.
type touch struct {
	rule string
	// effect is silenced or added, or refused where the shield or the rule's
	// own bounds forbid it.
	effect string
	why    string
}

// silenced is the rule that hides the claim, "" for none.
func (c *claim) silenced() (id, why string) {
	for _, t := range c.rules {
		if t.effect == "silenced" {
			return t.rule, t.why
		}
	}
	return "", ""
}

// stands reports whether nothing hides the claim so far.
func (c *claim) stands() bool {
	id, _ := c.silenced()
	return c.rejected == "" && c.dropped == "" && id == "" && c.repeats == nil
}
