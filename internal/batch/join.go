package batch

import (
	"cmp"
	"slices"
)

// join puts every bundle below MinLines together with a neighbour, so that no
// request is spent on a fragment. The neighbours are the nearest bundle before
// and the nearest one after it, in the order of the plan, that still have room.
// Nobody has room for some; they stay short.
func join(bundles []*bundle, l Limits, n notes) []*bundle {
	for i := 0; i < len(bundles); {
		b := bundles[i]
		if b.lines >= l.MinLines {
			i++
			continue
		}
		j := neighbour(bundles, i, l)
		if j < 0 {
			n.short(b, l)
			i++
			continue
		}
		keep, gone := larger(b, bundles[j])
		n.join(b, bundles[j], l)
		keep.absorb(gone)
		bundles[min(i, j)] = keep
		bundles = slices.Delete(bundles, max(i, j), max(i, j)+1)
		i = min(i, j)
	}
	slices.SortFunc(bundles, compareBundles)
	return bundles
}

// neighbour returns the index of the bundle that bundles[i] is joined with, -1
// for none.
func neighbour(bundles []*bundle, i int, l Limits) int {
	b := bundles[i]
	fits := func(j int) bool { return b.lines+bundles[j].lines <= l.MaxLines }
	before, after := i-1, i+1
	for before >= 0 && !fits(before) {
		before--
	}
	for after < len(bundles) && !fits(after) {
		after++
	}
	switch {
	case after == len(bundles):
		return before
	case before < 0:
		return after
	case better(b, bundles[after], bundles[before]):
		return after
	}
	return before
}

// better reports whether b goes better with x than with y: the more alike of the
// two, then the one with fewer lines, then the one that brings the number of
// files nearer to idealFiles.
func better(b, x, y *bundle) bool {
	offIdeal := func(o *bundle) int {
		d := b.files() + o.files() - idealFiles
		return max(d, -d)
	}
	if c := cmp.Or(cmp.Compare(affinity(b, x), affinity(b, y)), cmp.Compare(y.lines, x.lines)); c != 0 {
		return c > 0
	}
	return offIdeal(x) < offIdeal(y)
}

// affinity is how alike two bundles are, by where they are and what they hold.
func affinity(a, b *bundle) float64 {
	return a.dir.similarity(b.dir) * a.kind.similarity(b.kind)
}
