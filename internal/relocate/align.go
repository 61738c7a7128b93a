package relocate

import (
	"slices"
)

// match is where one old line stands in an aligned stretch.
type match struct {
	line int // the new line, -1 for none
	sim  float64
}

const (
	// maxCells bounds the alignment table. Above it, lines whose text is
	// unique on both sides cut the stretch into smaller ones.
	maxCells = 400_000
	// alignFloor is the least similarity of two lines that are paired.
	alignFloor = 0.25
)

// align pairs old lines [o0,o1) with new lines [n0,n1), in order, so that the
// summed similarity, weighted by length, is the greatest.
func align(a *text, o0, o1 int, b *text, n0, n1 int) []match {
	out := make([]match, o1-o0)
	for i := range out {
		out[i].line = -1
	}
	alignInto(out, o0, a, o0, o1, b, n0, n1)
	fillGaps(out, a, o0, b, n0, n1)
	return out
}

// fillGaps pairs a line that is alone between two paired ones with the line
// that is alone between their partners, when both do the same kind of thing:
// there a line was replaced, however little of its text is left.
func fillGaps(out []match, a *text, o0 int, b *text, n0, n1 int) {
	next := n0 // the first new line after the last pair
	for i := 0; i < len(out); {
		if out[i].line >= 0 {
			next = out[i].line + 1
			i++
			continue
		}
		from := i
		for i < len(out) && out[i].line < 0 {
			i++
		}
		until := n1
		if i < len(out) {
			until = out[i].line
		}
		o, n := only(a, o0+from, o0+i), only(b, next, until)
		if o < 0 || n < 0 {
			continue
		}
		s, u := a.shapeAt(o), b.shapeAt(n)
		if s.lead == u.lead && s.lead != "//" && (s.goes > 0) == (u.goes > 0) && (s.name == "") == (u.name == "") && s.through == u.through {
			out[o-o0] = match{n, max(gapSimilarity, likeness(a, o, b, n))}
		}
	}
}

// gapSimilarity is what a pair counts for that only its place speaks for.
const gapSimilarity = 0.3

// only returns the one significant line of a stretch, -1 for none or several.
func only(t *text, from, to int) int {
	found := -1
	for i := from; i < to; i++ {
		if t.alnum[i] == 0 {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

func alignInto(out []match, base int, a *text, o0, o1 int, b *text, n0, n1 int) {
	rows, cols := o1-o0, n1-n0
	if rows == 0 || cols == 0 {
		return
	}
	if rows > maxCells/cols {
		cuts := uniqueMatches(a, o0, o1, b, n0, n1)
		i, j := o0, n0
		for _, c := range cuts {
			out[c.old-base] = match{c.new, 1}
			if (c.old-i)*(c.new-j) <= maxCells {
				alignInto(out, base, a, i, c.old, b, j, c.new)
			}
			i, j = c.old+1, c.new+1
		}
		if len(cuts) > 0 && (o1-i)*(n1-j) <= maxCells {
			alignInto(out, base, a, i, o1, b, j, n1)
		}
		return
	}
	table := newAlignment(a, lines(a, o0, o1), b, lines(b, n0, n1))
	table.trace(func(i, j int, sim int32) {
		out[i-base] = match{j, float64(sim) / simScale}
	})
}

// lines lists the lines of [from,to) that are not blank.
func lines(t *text, from, to int) []int {
	out := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		if t.norm[i] != "" {
			out = append(out, i)
		}
	}
	return out
}

// simScale turns a likeness into the whole numbers that the table adds up, so
// that the sums are the same on every machine.
const simScale = 1000

// adjacent is what a pair is worth more when the lines before are paired too.
const adjacent = 10

// alignment is the table of the best sums for each rest of both stretches.
type alignment struct {
	a, b       *text
	olds, news []int
	sims       []int32
	// apart is the best sum of the rests, next the same when the lines right
	// before them are paired.
	apart, next []int32
}

func newAlignment(a *text, olds []int, b *text, news []int) *alignment {
	rows, cols := len(olds), len(news)
	t := &alignment{
		a: a, b: b, olds: olds, news: news,
		sims:  make([]int32, rows*cols),
		apart: make([]int32, (rows+1)*(cols+1)),
		next:  make([]int32, (rows+1)*(cols+1)),
	}
	width := cols + 1
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			at := i*width + j
			skip := max(t.apart[at+width], t.apart[at+1])
			t.apart[at], t.next[at] = skip, skip
			sim := int32(simScale * likeness(a, olds[i], b, news[j]))
			if sim < simScale*alignFloor {
				continue
			}
			t.sims[i*cols+j] = sim
			sum := t.pair(i, j, sim)
			t.apart[at] = max(skip, sum)
			t.next[at] = max(skip, sum+adjacent*sim)
		}
	}
	return t
}

// pair is the best sum with lines i and j paired.
func (t *alignment) pair(i, j int, sim int32) int32 {
	return t.next[(i+1)*(len(t.news)+1)+j+1] + gain(t.a, t.olds[i], t.b, t.news[j], sim)
}

// trace walks the best path and reports its pairs.
func (t *alignment) trace(report func(i, j int, sim int32)) {
	width := len(t.news) + 1
	after := false // the lines right before are paired
	for i, j := 0, 0; i < len(t.olds) && j < len(t.news); {
		at := i*width + j
		sim := t.sims[i*len(t.news)+j]
		best, sum := t.apart[at], t.pair(i, j, sim)
		if after {
			best, sum = t.next[at], sum+adjacent*sim
		}
		switch {
		case sim > 0 && sum == best:
			report(t.olds[i], t.news[j], sim)
			i++
			j++
			after = true
			continue
		case t.apart[at+width] == best:
			i++
		default:
			j++
		}
		after = false
	}
}

// gain is what pairing two lines is worth.
func gain(a *text, i int, b *text, j int, sim int32) int32 {
	length := min(len(a.norm[i])+len(b.norm[j]), 2*maxLine)
	return sim * int32(1+length)
}

type pair struct{ old, new int }

// uniqueMatches returns the longest run, in order on both sides, of lines whose
// text occurs exactly once in each stretch.
func uniqueMatches(a *text, o0, o1 int, b *text, n0, n1 int) []pair {
	type seen struct{ count, line int }
	news := make(map[string]seen, n1-n0)
	for j := n0; j < n1; j++ {
		s := news[b.norm[j]]
		news[b.norm[j]] = seen{s.count + 1, j}
	}
	olds := make(map[string]int, o1-o0)
	for i := o0; i < o1; i++ {
		olds[a.norm[i]]++
	}
	var pairs []pair
	for i := o0; i < o1; i++ {
		if s := news[a.norm[i]]; s.count == 1 && olds[a.norm[i]] == 1 && a.alnum[i] > 0 {
			pairs = append(pairs, pair{i, s.line})
		}
	}
	return longestRising(pairs)
}

// longestRising returns the longest subsequence whose new lines rise; the old
// lines rise already.
func longestRising(pairs []pair) []pair {
	prev := make([]int, len(pairs))
	var tails []int // tails[k] ends the best subsequence of length k+1
	for i, p := range pairs {
		k, _ := slices.BinarySearchFunc(tails, p.new, func(t, line int) int {
			return pairs[t].new - line
		})
		prev[i] = -1
		if k > 0 {
			prev[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]pair, len(tails))
	for i, k := tails[len(tails)-1], len(tails)-1; k >= 0; i, k = prev[i], k-1 {
		out[k] = pairs[i]
	}
	return out
}
