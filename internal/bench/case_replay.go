package bench

import (
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/rule"
)

// RuleReplay is what a rule would have done on the cases, at the most: where its
// scope and its category fit, the model that applies it decides.
type RuleReplay struct {
	Rule  string    `json:"rule"`
	Kind  rule.Kind `json:"kind"`
	Cases int       `json:"cases"`
	// Hidden are the findings that it could keep from being posted, Asked
	// those that it asks for.
	Hidden []Replayed `json:"hidden"`
	Asked  []Replayed `json:"asked"`
	// Shielded are those that it would hide and no rule may.
	Shielded []Replayed `json:"shielded"`
}

// Replayed is a finding of a case.
type Replayed struct {
	Case     string           `json:"case"`
	Path     string           `json:"path"`
	Category string           `json:"category"`
	Severity finding.Severity `json:"severity"`
	Claim    string           `json:"claim"`
	Real     bool             `json:"real"`
}

// HidesReal counts the real findings that the rule would hide: one is enough to
// refuse it.
func (r RuleReplay) HidesReal() int {
	n := 0
	for _, h := range r.Hidden {
		if h.Real {
			n++
		}
	}
	return n
}

// ReplayRule tries a rule on the cases, as if it were active.
func ReplayRule(r rule.Rule, cases []*Case) RuleReplay {
	out := RuleReplay{Rule: r.ID, Kind: r.Kind, Cases: len(cases), Hidden: []Replayed{}, Asked: []Replayed{}, Shielded: []Replayed{}}
	r.Status = rule.Active
	for _, c := range cases {
		for _, e := range c.Findings {
			f := e.Finding()
			one := Replayed{c.Name, e.Path, e.Category, e.Severity, e.Claim, e.IsReal()}
			ok, _ := r.MayHide(f, rule.Judged{}, c.Author)
			inReach := r.Applies(e.Path, c.Author) && (r.Category == "" || finding.Label(r.Category) == finding.Label(e.Category))
			switch {
			case ok:
				out.Hidden = append(out.Hidden, one)
			case inReach && r.Kind == rule.Silence && rule.Shielded(f, rule.Judged{}):
				out.Shielded = append(out.Shielded, one)
			case inReach && r.Kind == rule.Always:
				out.Asked = append(out.Asked, one)
			}
		}
	}
	return out
}
