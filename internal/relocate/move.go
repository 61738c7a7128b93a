package relocate

import (
	"cmp"
	"path"
	"slices"
)

// spot is a new line of a changed file.
type spot struct{ file, line int }

const (
	// minVote is how many letters and digits a line needs to say anything
	// about where its block went.
	minVote = 6
	// maxSpots is how often a text may occur among the added lines before
	// it says nothing.
	maxSpots = 40
	// minVotes is how many letters and digits must vote for a place.
	minVotes = 30
	// maxWindow bounds how much of a long function takes part in a vote.
	maxWindow = 80
)

// index reads the new version of every file and lists the added lines by text.
func (m *Mapper) index() error {
	if m.added != nil {
		return nil
	}
	if err := m.pair(); err != nil {
		return err
	}
	added := make(map[string][]spot)
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
					added[f.new.norm[n]] = append(added[f.new.norm[n]], spot{f.index, n})
				}
			}
		}
	}
	m.added = added
	m.blocks = make(map[block]move)
	return nil
}

// block is a stretch of an old file that is expected to move as one.
type block struct{ file, start, end int }

// window is the block around an old line: its function, or some lines on each
// side.
func (m *Mapper) window(f *changed, o int) (start, end int) {
	if start, end, ok := m.declared(f.old).function(o); ok {
		return max(start, o-maxWindow), min(end, o+maxWindow)
	}
	return max(0, o-15), min(f.old.len(), o+16)
}

// target is where a block may have gone: the added lines of one function or,
// outside functions, of one span.
type target struct{ file, start, end int }

func (m *Mapper) targetOf(s spot) target {
	f := m.files[s.file]
	sp := f.spans[f.newSpanAt(s.line)]
	t := target{s.file, sp.newStart, sp.newEnd}
	if start, end, ok := m.declared(f.new).function(s.line); ok {
		t.start, t.end = max(t.start, start), min(t.end, end)
	}
	return t
}

// move is where the lines of a block went.
type move struct {
	file  *changed // nil for nowhere
	pairs []match  // of the block's lines
	// share is how much of the block, by letters and digits, voted for it.
	share float64
	// intact is true for a whole function that was moved without an edit.
	intact bool
}

// elect lets the lines of a block say where the block went. The winner needs
// twice the votes of the next one.
func (m *Mapper) elect(f *changed, b block) move {
	votes := make(map[target]int)
	var seen []target
	weight := 0
	for i := b.start; i < b.end; i++ {
		if f.old.alnum[i] < minVote {
			continue
		}
		weight += f.old.alnum[i]
		spots := m.added[f.old.norm[i]]
		if len(spots) > maxSpots {
			continue
		}
		seen = seen[:0]
		for _, s := range spots {
			if path.Ext(m.files[s.file].NewPath) != path.Ext(f.OldPath) {
				continue
			}
			if t := m.targetOf(s); !slices.Contains(seen, t) {
				seen = append(seen, t)
				votes[t] += f.old.alnum[i]
			}
		}
	}
	best, first, second := m.tally(votes)
	g := m.files[best.file]
	if first < minVotes || 2*second > first || g.blind() && f.new == nil {
		return move{}
	}
	v := move{
		file:  g,
		pairs: align(f.old, b.start, b.end, g.new, best.start, best.end),
		share: float64(first) / float64(weight),
	}
	v.intact = m.intact(f, b, v.pairs, best)
	return v
}

// intact reports whether the block is a whole function, and the target holds
// its lines word for word and no others, blanks aside.
func (m *Mapper) intact(f *changed, b block, pairs []match, t target) bool {
	start, end, ok := m.declared(f.old).function(b.start)
	if !ok || start != b.start || end != b.end {
		return false
	}
	olds, news := lines(f.old, b.start, b.end), lines(m.files[t.file].new, t.start, t.end)
	for _, o := range olds {
		if pairs[o-b.start].sim < 1 {
			return false
		}
	}
	return len(olds) == len(news)
}

// tally returns the target with the most votes, its votes and those of the
// next one. Of equal ones the first by path and line wins.
func (m *Mapper) tally(votes map[target]int) (best target, first, second int) {
	all := make([]target, 0, len(votes))
	for t := range votes {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b target) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]),
			cmp.Compare(m.files[a.file].NewPath, m.files[b.file].NewPath), cmp.Compare(a.start, b.start))
	})
	if len(all) > 0 {
		best, first = all[0], votes[all[0]]
	}
	if len(all) > 1 {
		second = votes[all[1]]
	}
	return best, first, second
}

// byVote follows a line to where its block was moved.
func (m *Mapper) byVote(f *changed, o int) (place, bool) {
	start, end := m.window(f, o)
	b := block{f.index, start, end}
	v, ok := m.blocks[b]
	if !ok {
		v = m.elect(f, b)
		m.blocks[b] = v
	}
	if v.file == nil {
		return place{}, false
	}
	h := v.pairs[o-start]
	if h.line < 0 || h.sim < 0.5 || h.sim < 0.9 && !beside(v.pairs, o-start, h.line) || !supported(v.pairs, o-start, h.line) {
		return place{}, false
	}
	rel := m.relate(f, o, v.file, h.line)
	switch {
	case rel == crossed, rel == otherSymbol && v.share < 0.5, v.file.blind() && rel != sameSymbol:
		return place{}, false
	}
	p := place{file: v.file, line: h.line, how: Moved, sim: h.sim, reason: "its block was moved"}
	if v.intact && rel == sameSymbol {
		p.intact, p.reason = true, "its function was moved as it was"
	}
	return p, true
}

// beside reports whether a neighbour within three lines is paired beside line n.
func beside(pairs []match, i, n int) bool {
	for d := 1; d <= 3; d++ {
		if k := i - d; k >= 0 && pairs[k].line >= 0 && n-pairs[k].line > 0 && n-pairs[k].line <= 3 {
			return true
		}
		if k := i + d; k < len(pairs) && pairs[k].line >= 0 && pairs[k].line-n > 0 && pairs[k].line-n <= 3 {
			return true
		}
	}
	return false
}

// supported reports whether one of the five lines on each side of i hardly
// changed and stands near line n. A licence header that occurs in two files
// must not carry the lines far below it.
func supported(pairs []match, i, n int) bool {
	for k := max(0, i-5); k <= min(len(pairs)-1, i+5); k++ {
		if d := pairs[k].line - n; k != i && pairs[k].line >= 0 && pairs[k].sim >= 0.85 && -8 <= d && d <= 8 {
			return true
		}
	}
	return false
}

const (
	// A line found word for word needs this many letters and digits in the
	// equal run around it, more so in another file, as in git blame -M and -C.
	verbatimHere  = 20
	verbatimThere = 40
)

// verbatim looks for the same text among the added lines, in a declaration
// that is not another one. The next best place must fit half as well at most.
func (m *Mapper) verbatim(f *changed, o int) (place, bool) {
	spots := m.added[f.old.norm[o]]
	if f.old.alnum[o] < minVote || len(spots) > maxSpots {
		return place{}, false
	}
	var best place
	first, second := 0, 0
	for _, s := range spots {
		g := m.files[s.file]
		if path.Ext(g.NewPath) != path.Ext(f.OldPath) {
			continue
		}
		need := verbatimThere
		if g == f {
			need = verbatimHere
		}
		run := commonRun(f.old, o, g.new, s.line)
		rel := m.relate(f, o, g, s.line)
		if run < need || !rel.agrees() || g.blind() && (f.new == nil || rel != sameSymbol) {
			continue
		}
		if run > first {
			best, first, second = place{file: g, line: s.line, how: Moved, sim: 1, reason: "the line stands elsewhere"}, run, first
		} else {
			second = max(second, run)
		}
	}
	return best, first > 0 && 2*second <= first
}

// maxElsewhere is how many places are shown for a line that is gone.
const maxElsewhere = 5

// elsewhere lists added lines with the text of one that is gone, the longest
// common runs first, in whatever declaration they stand: code that was extracted
// into a new function is among them, but so is code that only looks the same.
func (m *Mapper) elsewhere(f *changed, o int) []place {
	var found []place
	for _, s := range m.added[f.old.norm[o]] {
		g := m.files[s.file]
		if g.blind() || path.Ext(g.NewPath) != path.Ext(f.OldPath) {
			continue
		}
		if run := commonRun(f.old, o, g.new, s.line); run >= verbatimHere {
			found = append(found, place{file: g, line: s.line, score: float64(run)})
		}
	}
	slices.SortStableFunc(found, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.file.NewPath, b.file.NewPath), cmp.Compare(a.line, b.line))
	})
	return found[:min(len(found), maxElsewhere)]
}
