package reconcile

import (
	"math"

	"github.com/crev-ratchet/crev/internal/finding"
)

// lineReach is the difference in lines at which nearness has fallen to 1/e.
const lineReach = 5

// nearness is 1 for equal ranges of lines in one file and falls to 1/e over five
// lines, the mean of what start and end differ by. It is 0 for two files and where
// a line is unknown. Two defects often touch; they seldom cover the very same
// lines.
func nearness(a, b *finding.Location) float64 {
	if a.Path != b.Path || a.Start <= 0 || b.Start <= 0 {
		return 0
	}
	starts := math.Abs(float64(a.Start - b.Start))
	ends := math.Abs(float64(max(a.Start, a.End) - max(b.Start, b.End)))
	return math.Exp(-(starts + ends) / 2 / lineReach)
}

// nearest is the nearness of the two places that are nearest. A place that was
// guessed, or that is one of two copies, counts half.
func (p *profile) nearest(q *profile) float64 {
	var best float64
	for i := range p.places {
		for j := range q.places {
			a, b := &p.places[i], &q.places[j]
			n := nearness(&a.Location, &b.Location)
			if !a.sure() || !b.sure() {
				n /= 2
			}
			best = max(best, n)
		}
	}
	return best
}

// standOut sets match.lead of every pair: how much nearer the two are to each
// other than either is to anybody else, the asker to another known defect or the
// known defect to another asker. Where two findings and two defects crowd on one
// line the place tells nobody apart; where both stand alone it does.
func (s *scorer) standOut(askers []*profile, all [][]match) {
	byPath := map[string][]*profile{}
	for _, a := range askers {
		if len(a.places) > 0 {
			byPath[a.places[0].Path] = append(byPath[a.places[0].Path], a)
		}
	}
	for i, a := range askers {
		for n := range all[i] {
			m := &all[i][n]
			if m.near == 0 {
				continue
			}
			var rival float64
			for _, other := range all[i] {
				if other.known != m.known {
					rival = max(rival, other.near)
				}
			}
			k := &s.known[m.known]
			for _, other := range byPath[a.places[0].Path] {
				if other != a && other != k {
					rival = max(rival, other.nearest(k))
				}
			}
			m.lead = max(0, m.near-rival)
		}
	}
}
