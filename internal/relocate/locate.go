package relocate

import (
	"github.com/crev-ratchet/crev/internal/finding"
)

// place is a line of a new file and what speaks for it.
type place struct {
	file   *changed
	line   int // from 0
	how    How
	sim    float64 // of the line's text
	reason string
	conf   float64

	ambiguous bool
	others    []place
}

func (m *Mapper) locateIn(f *changed, loc finding.Location) (Answer, error) {
	if f.NewPath == "" {
		if err := m.pair(); err != nil {
			return Answer{}, err
		}
		f = m.byOld[loc.Path]
	}
	if loc.Start <= 0 {
		return m.wholeFile(f, loc), nil
	}
	if err := f.load(); err != nil {
		return Answer{}, err
	}
	if f.old == nil || f.old.len() == 0 {
		return m.unreadable(f, loc), nil
	}
	o := min(loc.Start, f.old.len()) - 1
	end := min(max(loc.End, loc.Start), f.old.len()) - 1
	p, err := m.line(f, o, end)
	if err != nil {
		return Answer{}, err
	}
	return m.finish(f, loc, o, end, p), nil
}

// line runs the layers for the first line of a place.
func (m *Mapper) line(f *changed, o, end int) (place, error) {
	if f.new != nil {
		if k, n := f.spanAt(o); k < 0 && n < f.new.len() {
			return m.untouched(f, o, n), nil
		}
		if p, ok := m.inHunk(f, o, 0.9, true); ok {
			return p, nil
		}
	}
	if err := m.index(); err != nil {
		return place{}, err
	}
	if p, ok := m.byVote(f, o); ok {
		return p, nil
	}
	if f.new != nil {
		if p, ok := m.inHunk(f, o, 0.6, false); ok {
			return p, nil
		}
	}
	if p, ok := m.verbatim(f, o); ok {
		return p, nil
	}
	if p, ok := m.guess(f, o); ok {
		return p, nil
	}
	return place{how: Gone, reason: m.whyGone(f, o)}, nil
}

// untouched answers for a line outside every span.
func (m *Mapper) untouched(f *changed, o, n int) place {
	p := place{file: f, line: n, how: Shifted, sim: 1, reason: "the line is unchanged"}
	return m.copyAbove(f, o, p)
}

// copyAbove looks for the case in which the same code was inserted above the
// original, so that the diff took the copy for it.
func (m *Mapper) copyAbove(f *changed, o int, p place) place {
	oldSym := f.old.symbolAt(o, m.symbols)
	newSym := f.new.symbolAt(p.line, m.symbols)
	if oldSym == nil || newSym == nil || relate(oldSym.Name, newSym.Name) != otherSymbol {
		return p
	}
	for _, s := range f.new.symbolsBy(m.symbols) {
		if relate(s.Name, oldSym.Name) != sameSymbol {
			continue
		}
		for n := s.Start - 1; n < s.End; n++ {
			if f.new.norm[n] == f.old.norm[o] && commonRun(f.old, o, f.new, n) >= 20 {
				other := p
				return place{file: f, line: n, how: Shifted, sim: 1, reason: "the same code was added above; the symbol tells which is the original", ambiguous: true, others: []place{other}}
			}
		}
	}
	return p
}

// inHunk answers with the aligned line of the same span.
func (m *Mapper) inHunk(f *changed, o int, floor float64, strict bool) (place, bool) {
	g := f.follow(o)
	if g.line < 0 || g.sim < floor {
		return place{}, false
	}
	if strict && contextSimilarity(f.old, o, f.new, g.line) < 0.6 {
		return place{}, false
	}
	if !strict && m.relate(f, o, f, g.line) == otherSymbol {
		return place{}, false
	}
	return place{file: f, line: g.line, how: Rewritten, sim: g.sim, reason: "the line was edited where it stood"}, true
}

// relate compares the symbols around an old and a new line. Symbols whose first
// lines the diff pairs are the same, whatever their names.
func (m *Mapper) relate(f *changed, o int, g *changed, n int) relation {
	a, b := f.old.symbolAt(o, m.symbols), g.new.symbolAt(n, m.symbols)
	if a == nil || b == nil {
		return unknownSymbol
	}
	r := relate(a.Name, b.Name)
	if r == otherSymbol && f == g {
		for l := a.Start - 1; l < min(a.End, a.Start+3); l++ {
			if h := f.follow(l); h.line >= b.Start-1 && h.line < min(b.End, b.Start+3) && h.sim >= 0.5 {
				return sameSymbol
			}
		}
	}
	return r
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

func (m *Mapper) whyGone(f *changed, o int) string {
	if f.new == nil {
		return "the file was deleted"
	}
	if s := f.old.symbolAt(o, m.symbols); s != nil {
		gone := true
		for l := s.Start - 1; l < s.End && gone; l++ {
			if k, _ := f.spanAt(l); k < 0 && f.old.alnum[l] > 0 {
				gone = false
			}
		}
		if gone {
			return "the " + s.Kind + " " + s.Name + " was deleted"
		}
	}
	return "the line was deleted"
}
