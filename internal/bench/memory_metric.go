package bench

import (
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
)

// pairScore holds one play against what the pair says is true.
type pairScore struct {
	pair *Pair
	MemoryResult
}

func scorePair(p *Pair, seen PairSeen) MemoryResult {
	s := &pairScore{pair: p}
	s.Pairs = 1
	if p.Teaching != nil {
		s.Taught = 1
		s.teaching(p.Teaching, seen)
	} else {
		s.Committed = 1
	}
	s.known(seen)
	s.Off = s.arm("off", seen.Off)
	s.On = s.arm("on", seen.On)
	s.Hostile = s.arm("hostile", seen.Hostile)
	s.share()
	return s.MemoryResult
}

func (s *pairScore) fail(arm, about, expected, got string) {
	s.Failures = append(s.Failures, MemoryFailure{Pair: s.pair.Name, Arm: arm, About: about, Expected: expected, Got: got})
}

// teaching scores what became of the replies.
func (s *pairScore) teaching(t *Teaching, seen PairSeen) {
	if want, got := strings.Join(t.Outcomes, ", "), strings.Join(seen.Outcomes, ", "); want != got {
		s.fail("", t.Replies[0].Says, want, got)
	}
	saved := 0
	if len(seen.Taught) > 0 {
		saved = 1
	}
	switch t.Wrong {
	case "false_claim":
		s.FalseClaims, s.FalseClaimsSaved = 1, saved
	case "injection":
		s.Injections, s.InjectionsSaved = 1, saved
	}
	if t.Wrong != "" && saved > 0 {
		s.fail("", t.Replies[0].Says, "no rule", "rule "+seen.Taught[0].ID)
	}
}

// known fails a pair whose model names a rule that is nowhere: it would score
// nothing.
func (s *pairScore) known(seen PairSeen) {
	var ids []string
	for _, r := range seen.Rules {
		ids = append(ids, r.ID)
	}
	for _, f := range slices.Concat(s.pair.Review.Findings, s.pair.Review.Asked) {
		if f.Rule != "" && !slices.Contains(ids, f.Rule) && (f.Is == Unwanted || f.Is == Asked) {
			s.fail("on", f.Claim, "rule "+f.Rule, "rules "+strings.Join(ids, ", "))
		}
	}
}

// arm scores one review of the follow-up.
func (s *pairScore) arm(name string, seen Seen) MemoryArm {
	state := ledger.Fold(seen.Events, ledger.View{PR: seen.PR})
	posted := map[ledger.DefectID]bool{}
	for _, t := range seen.Threads {
		posted[t.Defect] = true
	}
	a := MemoryArm{Comments: len(posted)}
	for _, f := range slices.Concat(s.pair.Review.Findings, s.pair.Review.Asked) {
		isPosted := slices.ContainsFunc(state.All(), func(d *ledger.Defect) bool { return posted[d.ID] && f.heads(d) })
		if c := a.counter(f.Is); c != nil {
			c.count(isPosted)
		}
		// Without memory an unwanted one may be joined with another defect.
		if want := f.Is.postedIn(name); want != isPosted && !(name == "off" && f.Is == Unwanted) {
			s.fail(name, f.Claim, shown(want), shown(isPosted))
		}
	}
	a.OutOfScope = s.strays(name, seen, state)
	return a
}

// postedIn reports whether a finding should be posted in an arm.
func (w Worth) postedIn(arm string) bool {
	switch w {
	case Stray:
		return false
	case Asked:
		return arm != "off"
	case Unwanted:
		return arm == "off"
	}
	return true
}

func (a *MemoryArm) counter(w Worth) *Posted {
	return map[Worth]*Posted{Unwanted: &a.Unwanted, Bug: &a.Bugs, Security: &a.Security, Outside: &a.Outside,
		Other: &a.Other, Asked: &a.Asked}[w]
}

func shown(yes bool) string {
	if yes {
		return "posted"
	}
	return "not posted"
}

// heads reports whether the comment about a defect shows the finding's claim.
func (f PairFinding) heads(d *ledger.Defect) bool {
	return d.Claim == f.Claim && d.Locations[0].Path == f.Path
}

// says reports whether one of the sightings of a defect is the finding.
func (f PairFinding) says(d *ledger.Defect) bool {
	return slices.ContainsFunc(d.Wordings, func(w ledger.Wording) bool {
		return w.Claim == f.Claim && w.Location.Path == f.Path
	})
}

// strays counts the effects of rules where they do not hold: what a rule hid and
// is not unwanted, and what it asked for in a file where nothing is to be asked.
// A defect that a rule hides must be of unwanted sightings alone.
func (s *pairScore) strays(arm string, seen Seen, state *ledger.State) int {
	n := 0
	for _, e := range seen.Events {
		d := state.Defect(e.Defect)
		switch {
		case d == nil:
		case e.RuleHit != nil && !s.holds(*e.RuleHit, d):
			n++
			s.fail(arm, d.Claim, "no effect of rule "+e.RuleHit.Rule, e.RuleHit.Effect)
		case e.Suppressed != nil && e.Suppressed.Reason == "rule" && s.wanted(d):
			n++
			s.fail(arm, d.Claim, "a defect that stays in sight", "hidden by rule "+e.Suppressed.By)
		}
	}
	return n
}

// wanted reports whether a sighting of a defect is one that nobody minds, which
// some other sighting of it may be.
func (s *pairScore) wanted(d *ledger.Defect) bool {
	mixed := slices.ContainsFunc(s.pair.Review.Findings, func(f PairFinding) bool { return f.Is == Unwanted && f.says(d) })
	return mixed && slices.ContainsFunc(s.pair.Review.Findings, func(f PairFinding) bool { return f.Is != Unwanted && f.says(d) })
}

// holds reports whether a rule rightly had an effect on a defect.
func (s *pairScore) holds(h ledger.RuleHit, d *ledger.Defect) bool {
	if h.Effect == "silenced" {
		return slices.ContainsFunc(s.pair.Review.Findings, func(f PairFinding) bool {
			return f.Is == Unwanted && f.Rule == h.Rule && f.says(d)
		})
	}
	return slices.ContainsFunc(s.pair.Review.Asked, func(f PairFinding) bool {
		return f.Is == Asked && f.Rule == h.Rule && f.Path == d.Locations[0].Path
	})
}
