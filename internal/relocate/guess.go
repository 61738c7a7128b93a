package relocate

import "path"

const (
	// guessFloor is the least score of a guess, guessMargin by how much it
	// must beat the next one.
	guessFloor  = 0.75
	guessMargin = 0.1
)

// guess scores the added lines inside declarations with the old one's name. It
// is shown, never carried.
func (m *Mapper) guess(f *changed, o int) (place, bool) {
	name := m.declared(f.old).nameAt(o)
	if name == "" {
		return place{}, false
	}
	var best place
	second := 0.0
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
				score := .6*sim + .4*contextSimilarity(f.old, o, g.new, n)
				if score > best.score {
					second = best.score
					best = place{file: g, line: n, how: Candidate, sim: sim, score: score, reason: "the most similar line of the same symbol"}
				} else {
					second = max(second, score)
				}
			}
		}
	}
	return best, best.score >= guessFloor && best.score-second >= guessMargin
}
