package relocate

// minCopy is how many letters and digits a run of equal lines needs to be taken
// for a copy of the same code.
const minCopy = 20

// copyAbove looks for the case in which the same code was inserted above the
// original, so that the diff took the copy for it: the line has left its
// declaration, and the declaration stands elsewhere with the same code in it.
func (m *Mapper) copyAbove(f *changed, o int, p place) (place, bool) {
	name := m.declared(f.old).nameAt(o)
	news := m.declared(f.new)
	if name == "" || news.nameAt(p.line) == name {
		return p, false
	}
	best, bestRun := p, 0
	for _, k := range news.byName[name] {
		for n := news.list[k].Start - 1; n < news.list[k].End; n++ {
			if f.new.norm[n] != f.old.norm[o] {
				continue
			}
			if run := commonRun(f.old, o, f.new, n); run >= minCopy && run > bestRun {
				bestRun = run
				best = place{
					file: f, line: n, how: Shifted, sim: 1, ambiguous: true, others: []place{p},
					reason: "the same code was added beside it; the enclosing symbol tells which is the original",
				}
			}
		}
	}
	return best, bestRun > 0
}

// minTwin is how many letters and digits must be the same around an added line
// for it to be a second place for an unchanged one.
const minTwin = 60

// twin looks among the added lines of the file for the same code again, where
// no declaration tells which is the original. The answer stays the same, but it
// is no longer the only place that fits.
func (m *Mapper) twin(f *changed, o int, p place) place {
	name := m.declared(f.old).nameAt(o)
	if f.old.alnum[o] < minVote || name != "" && name == m.declared(f.new).nameAt(p.line) {
		return p
	}
	best, bestRun := -1, 0
	for _, n := range f.addedLines()[f.old.norm[o]] {
		if run := commonRun(f.old, o, f.new, n); n != p.line && run > bestRun {
			best, bestRun = n, run
		}
	}
	if bestRun < minTwin {
		return p
	}
	// Outside declarations the one before the place says which is the original.
	other := place{file: f, line: best}
	was := m.declared(f.old).before(o)
	news := m.declared(f.new)
	if name == "" && news.nameAt(p.line) == "" && was != "" && news.before(p.line) != was && news.before(best) == was {
		other = p
		p.line = best
		p.reason = "the same code was added beside it; the declaration before tells which is the original"
	}
	p.ambiguous = true
	p.others = append(p.others, other)
	return p
}

// commonRun counts the letters and digits of the equal lines around a pair.
func commonRun(a *text, i int, b *text, j int) int {
	n := a.alnum[i]
	for k := 1; i-k >= 0 && j-k >= 0 && a.norm[i-k] == b.norm[j-k]; k++ {
		n += a.alnum[i-k]
	}
	for k := 1; i+k < a.len() && j+k < b.len() && a.norm[i+k] == b.norm[j+k]; k++ {
		n += a.alnum[i+k]
	}
	return n
}
