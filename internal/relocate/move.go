package relocate

import (
	"cmp"
	"path"
	"slices"
)

// spot is a new line of a changed file.
type spot struct{ file, line int }

// lineIndex finds the added lines of all files by their text.
type lineIndex struct {
	byText map[string][]spot
}

const (
	// minVote is how many letters and digits a line needs to say anything
	// about where its block went.
	minVote = 6
	// maxSpots is how often a text may occur among the added lines before
	// it says nothing.
	maxSpots = 40
)

// index reads the new version of every file and lists its added lines.
func (m *Mapper) index() error {
	if m.added != nil {
		return nil
	}
	if err := m.pair(); err != nil {
		return err
	}
	x := &lineIndex{byText: make(map[string][]spot)}
	for _, f := range m.files {
		if err := f.load(); err != nil {
			return err
		}
		if f.new == nil {
			continue
		}
		for _, s := range f.spans {
			for n := s.newStart; n < s.newEnd; n++ {
				if f.new.alnum[n] >= minVote {
					x.byText[f.new.norm[n]] = append(x.byText[f.new.norm[n]], spot{f.index, n})
				}
			}
		}
	}
	m.added = x
	return nil
}

// target is where a deleted block may have gone: the added lines of one symbol
// or, outside symbols, of one span.
type target struct {
	file       int
	start, end int
}

func (m *Mapper) targetOf(s spot) target {
	f := m.files[s.file]
	k := f.newSpanAt(s.line)
	sp := f.spans[k]
	t := target{s.file, sp.newStart, sp.newEnd}
	if sym := f.new.symbolAt(s.line, m.symbols); sym != nil && sym.Kind == "func" {
		t.start, t.end = max(t.start, sym.Start-1), min(t.end, sym.End)
	}
	return t
}

// window is the part of the old line's span that belongs to its symbol.
func (m *Mapper) window(f *changed, o int) (start, end int) {
	k, _ := f.spanAt(o)
	start, end = 0, f.old.len()
	if k >= 0 {
		start, end = f.spans[k].oldStart, f.spans[k].oldEnd
	}
	if sym := f.old.symbolAt(o, m.symbols); sym != nil && sym.Kind == "func" {
		return max(start, sym.Start-1), min(end, sym.End)
	}
	return max(start, o-15), min(end, o+16)
}

// byVote lets the lines of the deleted block say where the block went.
func (m *Mapper) byVote(f *changed, o int) (place, bool) {
	w0, w1 := m.window(f, o)
	ext := path.Ext(f.OldPath)
	votes := make(map[target]int)
	var seen []target
	for i := w0; i < w1; i++ {
		spots := m.added.byText[f.old.norm[i]]
		if f.old.alnum[i] < minVote || len(spots) > maxSpots {
			continue
		}
		seen = seen[:0]
		for _, s := range spots {
			if path.Ext(m.files[s.file].NewPath) != ext {
				continue
			}
			t := m.targetOf(s)
			if !slices.Contains(seen, t) {
				seen = append(seen, t)
				votes[t] += f.old.alnum[i]
			}
		}
	}
	type tally struct {
		target
		votes int
	}
	var all []tally
	for t, v := range votes {
		all = append(all, tally{t, v})
	}
	slices.SortFunc(all, func(a, b tally) int {
		return cmp.Or(cmp.Compare(b.votes, a.votes), cmp.Compare(m.files[a.file].NewPath, m.files[b.file].NewPath), cmp.Compare(a.start, b.start))
	})
	if len(all) == 0 || all[0].votes < 30 {
		return place{}, false
	}
	best := all[0]
	if len(all) > 1 && all[1].votes*2 > best.votes {
		return place{}, false
	}
	g := m.files[best.file]
	a := align(f.old, w0, w1, g.new, best.start, best.end)
	h := a[o-w0]
	if h.line < 0 || h.sim < 0.5 {
		return place{}, false
	}
	if h.sim < 0.9 && !beside(a, o-w0, h.line) {
		return place{}, false
	}
	return place{file: g, line: h.line, how: Moved, sim: h.sim, reason: "its block was moved"}, true
}

// beside reports whether a neighbour within three lines maps beside line n.
func beside(a []match, i, n int) bool {
	for d := 1; d <= 3; d++ {
		if i-d >= 0 && a[i-d].line >= 0 && n-a[i-d].line > 0 && n-a[i-d].line <= 3 {
			return true
		}
		if i+d < len(a) && a[i+d].line >= 0 && a[i+d].line-n > 0 && a[i+d].line-n <= 3 {
			return true
		}
	}
	return false
}

// verbatim looks for the same text among the added lines.
func (m *Mapper) verbatim(f *changed, o int) (place, bool) {
	spots := m.added.byText[f.old.norm[o]]
	if f.old.alnum[o] < minVote || len(spots) > maxSpots {
		return place{}, false
	}
	ext := path.Ext(f.OldPath)
	best, runner := place{}, 0
	bestRun := 0
	for _, s := range spots {
		g := m.files[s.file]
		if path.Ext(g.NewPath) != ext {
			continue
		}
		run := commonRun(f.old, o, g.new, s.line)
		need := 40
		if g == f {
			need = 20
		}
		if run < need || m.relate(f, o, g, s.line) == otherSymbol {
			continue
		}
		if run > bestRun {
			best, runner, bestRun = place{file: g, line: s.line, how: Moved, sim: 1, reason: "the line stands elsewhere"}, bestRun, run
		} else {
			runner = max(runner, run)
		}
	}
	if bestRun == 0 || runner*2 > bestRun {
		return place{}, false
	}
	return best, true
}
