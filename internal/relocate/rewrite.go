package relocate

import "slices"

const (
	// pairedFloor is the likeness from which two lines that name declarations
	// are taken for one that was renamed.
	pairedFloor = 0.5
	// likelyFloor is the least likeness of a line found through the
	// declaration it belongs to.
	likelyFloor = 0.4
)

// verdict says how far an aligned line is to be trusted.
type verdict int

const (
	doubtful verdict = iota // not used
	likely                  // used when no move explains more
	sure                    // used at once
)

// inHunk answers with the line that the alignment of the changed stretch pairs
// with o. What is asked of their likeness depends on the lines next to them:
// the more of those are paired beside each other, the less.
func (m *Mapper) inHunk(f *changed, o int) (place, verdict) {
	g := f.follow(o)
	if g.line < 0 || !m.relate(f, o, f, g.line).agrees() {
		return place{}, doubtful
	}
	k := f.regionAt(o)
	r := f.regions[k]
	beside := neighbours(f.old, r.oldStart, r.oldEnd, f.alignment(k), o, f.new, r.newStart, r.newEnd)
	p := place{file: f, line: g.line, how: Rewritten, sim: g.sim, beside: beside, reason: "the line was edited where it stood"}
	cut := cutCondition(f.old, o, f.new, g.line)
	if !cut && f.rivalled(k, o, g) {
		return place{}, doubtful
	}
	around := contextSimilarity(f.old, o, f.new, g.line) >= 0.6
	switch {
	case beside == 2 && g.sim >= 0.6, beside == 1 && g.sim >= 0.8 && around, g.sim >= 0.9 && around:
		return p, sure
	case beside == 2, beside == 1 && g.sim >= 0.6, g.sim >= 0.8:
		return p, likely
	case beside == 1 && g.sim >= 0.4 && similarity(f.old, o, f.new, g.line, 0) >= 0.4:
		return p, likely
	case cut:
		p.reason = "its condition was cut into several"
		return p, likely
	}
	return p, doubtful
}

const (
	// rivalMargin is how near in likeness another line makes a pair doubtful,
	// certainFloor the likeness from which none does, and maxRival how many
	// lines away it may stand.
	rivalMargin  = 0.03
	certainFloor = 0.95
	maxRival     = 50
)

// rivalled reports whether region k holds a new line near by without a partner that is
// as much like o as its own: one declaration that became two, for example.
func (c *changed) rivalled(k, o int, partner match) bool {
	if partner.sim >= certainFloor {
		return false
	}
	free := c.freeLines(k)
	from, _ := slices.BinarySearch(free, partner.line-maxRival)
	for _, n := range free[from:] {
		if n > partner.line+maxRival {
			break
		}
		if likeness(c.old, o, c.new, n) >= partner.sim-rivalMargin {
			return true
		}
	}
	return false
}

// neighbours counts on how many sides, 0 to 2, the next significant line of an
// aligned stretch is paired with the significant line next to o's partner. The
// border of the stretch counts when both sides reach it.
func neighbours(a *text, o0, o1 int, pairs []match, o int, b *text, n0, n1 int) int {
	count := 0
	n := pairs[o-o0].line
	for _, step := range []int{-1, 1} {
		i, j := o+step, n+step
		for i >= o0 && i < o1 && a.alnum[i] == 0 {
			i += step
		}
		for j >= n0 && j < n1 && b.alnum[j] == 0 {
			j += step
		}
		oldInside, newInside := i >= o0 && i < o1, j >= n0 && j < n1
		if !oldInside && !newInside || oldInside && newInside && pairs[i-o0].line == j {
			count++
		}
	}
	return count
}

// inSymbol aligns a function with itself when the diff did not: with much of
// its body moved out, its lines may be paired with those of another function.
func (m *Mapper) inSymbol(f *changed, o int) (place, bool) {
	olds, news := m.declared(f.old), m.declared(f.new)
	k := olds.around(o)
	if k < 0 || olds.list[k].Kind != "func" || olds.once(olds.list[k].Name) < 0 {
		return place{}, false
	}
	t := news.once(olds.list[k].Name)
	if t < 0 {
		return place{}, false
	}
	w0, w1 := m.window(f, o)
	n0, n1 := news.list[t].Start-1, news.list[t].End
	pairs := align(f.old, w0, w1, f.new, n0, n1)
	h := pairs[o-w0]
	if h.line < 0 || h.sim < likelyFloor || neighbours(f.old, w0, w1, pairs, o, f.new, n0, n1) < 2 {
		return place{}, false
	}
	return place{file: f, line: h.line, how: Rewritten, sim: h.sim, beside: 2, reason: "the line was edited inside its function"}, true
}
