package expertise

import (
	"cmp"
	"slices"
	"strings"
)

// maxAsked is how many people are asked: naming one or two gets an answer,
// naming a team does not.
const maxAsked = 2

// Dispute is a rule that somebody wants changed.
type Dispute struct {
	// Scope reports whether the rule is about a file.
	Scope func(path string) bool
	// Challengers want the change: whoever replied, and whoever has agreed
	// with them since.
	Challengers []Person
	// Setters taught the rule or confirmed it.
	Setters []Person
}

// Outcome is what becomes of a rule in a dispute.
type Outcome uint8

const (
	// Keep: the rule stays as it is, and nobody is there to ask.
	Keep Outcome = iota
	// Ask: the rule stays as it is, and Decision.Ask are asked, once for a
	// rule and a pull request.
	Ask
	// Wins: the challengers have it, the rule changes.
	Wins
)

// Reason is why a dispute ended as it did. It tells nobody's points.
type Reason string

// The reasons.
const (
	// OwnRule: a challenger is one of the setters.
	OwnRule Reason = "own_rule"
	// KnowsBetter: the challengers' best is ahead by the margin.
	KnowsBetter Reason = "knows_better"
	// SettersLeft: everybody who set the rule has left.
	SettersLeft Reason = "setters_left"
	// SettersKnowBetter: the setters' best is ahead, or not far enough
	// behind.
	SettersKnowBetter Reason = "setters_know_better"
	// Unproven: neither side has enough points there. A look at the whole
	// history may decide.
	Unproven Reason = "unproven"
	// NoHistory: there is nothing to decide by, so the setters are taken to
	// know better.
	NoHistory Reason = "no_history"
)

// Decision is the answer to a dispute.
type Decision struct {
	Outcome Outcome
	Reason  Reason
	// Ask are the logins to ask when the outcome is Ask, the one who knows
	// the files best first; one or two.
	Ask []string
}

// Decide says which side of a dispute knows the files better. A side is its
// best person and not the sum of them, so that numbers win nothing. Setters
// who have left do not defend their rule. Without a history, which is a nil
// Graph, the setters are taken to know better.
func (g *Graph) Decide(d Dispute) Decision {
	if slices.ContainsFunc(d.Challengers, func(p Person) bool { return isAmong(p.Login, d.Setters) }) {
		return Decision{Outcome: Wins, Reason: OwnRule}
	}
	all := g.standings(slices.Concat(d.Challengers, d.Setters), d.Scope)
	challengers, setters := all[:len(d.Challengers)], all[len(d.Challengers):]
	if g == nil {
		return stays(NoHistory, setters)
	}
	staying := slices.DeleteFunc(slices.Clone(setters), func(s standing) bool { return s.state == Left })
	wanting, against := best(challengers), best(staying)
	switch {
	case wanting < EnoughPoints && against < EnoughPoints:
		return stays(Unproven, staying)
	case wanting < EnoughPoints || wanting < against+Margin && len(staying) > 0:
		return stays(SettersKnowBetter, staying)
	case len(staying) == 0 && len(setters) > 0:
		return Decision{Outcome: Wins, Reason: SettersLeft}
	}
	return Decision{Outcome: Wins, Reason: KnowsBetter}
}

// isAmong reports whether a login is one of the persons'.
func isAmong(login string, persons []Person) bool {
	return slices.ContainsFunc(persons, func(p Person) bool { return strings.EqualFold(p.Login, login) })
}

// best returns the most points on a side, 0 for an empty one.
func best(side []standing) int {
	most := 0
	for _, s := range side {
		most = max(most, s.points)
	}
	return most
}

// stays is the decision that a rule stays, with whom to ask: those who are
// there, and those who are away only when nobody else is.
func stays(why Reason, setters []standing) Decision {
	asked := slices.DeleteFunc(slices.Clone(setters), func(s standing) bool {
		return s.state == Left || isBotLogin(s.Login)
	})
	slices.SortStableFunc(asked, func(a, b standing) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(b.points, a.points))
	})
	if len(asked) == 0 {
		return Decision{Outcome: Keep, Reason: why}
	}
	first := asked[0].state
	decision := Decision{Outcome: Ask, Reason: why}
	for _, s := range asked {
		if s.state == first && len(decision.Ask) < maxAsked && !slices.Contains(decision.Ask, s.Login) {
			decision.Ask = append(decision.Ask, s.Login)
		}
	}
	return decision
}
