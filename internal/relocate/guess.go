package relocate

import "path"

// guess scores every added line of the files with the old file's extension.
func (m *Mapper) guess(f *changed, o int) (place, bool) {
	sym := f.old.symbolAt(o, m.symbols)
	if sym == nil {
		return place{}, false
	}
	ext := path.Ext(f.OldPath)
	best, second := place{}, 0.0
	bestScore := 0.0
	for _, g := range m.files {
		if g.new == nil || path.Ext(g.NewPath) != ext {
			continue
		}
		for _, s := range g.new.symbolsBy(m.symbols) {
			if relate(s.Name, sym.Name) != sameSymbol {
				continue
			}
			for n := s.Start - 1; n < min(s.End, g.new.len()); n++ {
				if g.newSpanAt(n) < 0 {
					continue
				}
				sim := similarity(f.old, o, g.new, n, 0.5)
				if sim < 0.5 {
					continue
				}
				score := .6*sim + .4*contextSimilarity(f.old, o, g.new, n)
				if score > bestScore {
					if best.file != g || best.line != n {
						second = bestScore
					}
					best, bestScore = place{file: g, line: n, how: Candidate, sim: sim, reason: "the most similar line of the same symbol"}, score
				} else if best.file != g || best.line != n {
					second = max(second, score)
				}
			}
		}
	}
	if bestScore < .75 || bestScore-second < .1 {
		return place{}, false
	}
	return best, true
}
