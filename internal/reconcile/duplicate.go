package reconcile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// Duplicate is a pair of known defects that may be one. Two short wordings can
// fail to meet; with every further sighting a defect is described better, and
// what was opened twice comes to light.
type Duplicate struct {
	A, B ledger.DefectID
	// Kind is Same for a pair that may be merged silently, MergeProposed for
	// a guarded one, PossibleDuplicate otherwise.
	Kind Kind
	// Score is the estimated probability that the two are one.
	Score float64
	// Likely is true when they are rather one than two.
	Likely bool
	Reason string
}

// Duplicates looks for known defects that are one, best first; each defect is
// in one pair at most. Only pairs with a touched defect are looked at: those
// that the run at hand observed, opened or relocated. Defects that one run
// reported side by side are two.
func Duplicates(known []Known, touched []ledger.DefectID, opts Options) []Duplicate {
	if opts.Bands == (Bands{}) {
		opts.Bands = DefaultBands()
	}
	known = byID(known)
	s := newScorer(nil, known)
	type pair struct {
		a, b        int
		score, said float64
	}
	var pairs []pair
	var askers []*profile
	var self []int
	for a := range known {
		if slices.Contains(touched, known[a].ID) {
			askers, self = append(askers, &s.known[a]), append(self, a)
		}
	}
	for n, matches := range s.matches(askers, self) {
		a := self[n]
		for _, m := range matches {
			if m.said >= opts.Bands.Unite && !sideBySide(&known[a], &known[m.known]) {
				pairs = append(pairs, pair{min(a, m.known), max(a, m.known), m.score, m.said})
			}
		}
	}
	slices.SortFunc(pairs, func(x, y pair) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	var out []Duplicate
	used := make([]bool, len(known))
	for _, p := range pairs {
		if used[p.a] || used[p.b] {
			continue
		}
		used[p.a], used[p.b] = true, true
		d := Duplicate{
			A: known[p.a].ID, B: known[p.b].ID, Kind: PossibleDuplicate,
			Score: p.score, Likely: true, Reason: fmt.Sprintf("likeness %.2f", p.score),
		}
		if g := guardPair(&known[p.a], &known[p.b]); g != "" {
			d.Kind, d.Reason = MergeProposed, g
		} else if p.said >= opts.Bands.Silent && !otherCode(&known[p.a], &known[p.b]) {
			d.Kind = Same
		}
		out = append(out, d)
	}
	return out
}

// otherCode holds when both quote code, and neither quote is part of the other.
func otherCode(a, b *Known) bool {
	p, q := squeeze(a.Quote), squeeze(b.Quote)
	return p != "" && q != "" && !overlap(p, q)
}

// sideBySide holds when one run reported both.
func sideBySide(a, b *Known) bool {
	return slices.ContainsFunc(a.Runs, func(r string) bool { return r != "" && slices.Contains(b.Runs, r) })
}

// guardPair is guard for two known defects, which nothing but words brings
// together.
func guardPair(a, b *Known) string {
	switch {
	case a.Artifact != nil && b.Artifact != nil && !a.Artifact.Same(b.Artifact):
		return "both bring an artifact, and the artifacts differ"
	case (a.Status == ledger.Waived) != (b.Status == ledger.Waived):
		return "one of the two was dismissed, and a dismissal is not inherited"
	case grave(a.Category, a.Wordings...) || grave(b.Category, b.Wordings...):
		return "security and crash defects are merged on evidence only"
	case a.Severity.Rank() >= finding.High.Rank() && b.Severity.Rank() >= finding.High.Rank():
		return "two defects of high severity are merged on evidence only"
	}
	return ""
}
