package relocate

import "path"

const (
	// guessFloor is the least score of a guess, guessMargin by how much it
	// must beat the next one.
	guessFloor  = 0.75
	guessMargin = 0.1
	// Without its surroundings a line must be more like the old one, and no
	// other line nearly as much.
	loneFloor  = 0.75
	loneMargin = 0.2
)

// guess scores the added lines inside declarations with the old one's name, by
// their text and their surroundings, or by a text that no other line comes near.
// It is shown, never carried.
func (m *Mapper) guess(f *changed, o int) (place, bool) {
	name := m.declared(f.old).nameAt(o)
	if name == "" {
		return place{}, false
	}
	var byScore, bySim ranking
	for _, g := range m.files {
		if g.new == nil || g.blind() || path.Ext(g.NewPath) != path.Ext(f.OldPath) {
			continue
		}
		d := m.declared(g.new)
		for _, s := range g.spans {
			for n := s.newStart; n < s.newEnd; n++ {
				if !sameName(d.nameAt(n), name) {
					continue
				}
				sim := likeness(f.old, o, g.new, n)
				if sim < 0.5 {
					continue
				}
				p := place{file: g, line: n, how: Candidate, sim: sim, reason: "the most similar line of the same symbol"}
				byScore.add(p, .6*sim+.4*contextSimilarity(f.old, o, g.new, n))
				bySim.add(p, sim)
			}
		}
	}
	if byScore.clear(guessFloor, guessMargin) {
		return byScore.best, true
	}
	return bySim.best, bySim.clear(loneFloor, loneMargin)
}

// ranking keeps the best place and the score of the next one; of equal places
// the first.
type ranking struct {
	best   place
	second float64
}

func (r *ranking) add(p place, score float64) {
	if score > r.best.score {
		r.second = r.best.score
		r.best = p
		r.best.score = score
	} else {
		r.second = max(r.second, score)
	}
}

// clear reports whether the best place is good enough and far enough ahead.
func (r *ranking) clear(floor, margin float64) bool {
	return r.best.score >= floor && r.best.score-r.second >= margin
}
