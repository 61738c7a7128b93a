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
	alignFloor = 0.4
)

// align pairs old lines [o0,o1) with new lines [n0,n1), in order, so that the
// summed similarity, weighted by length, is the greatest.
func align(a *text, o0, o1 int, b *text, n0, n1 int) []match {
	out := make([]match, o1-o0)
	for i := range out {
		out[i].line = -1
	}
	alignInto(out, o0, a, o0, o1, b, n0, n1)
	return out
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
	width := cols + 1
	best := make([]float32, (rows+1)*width)
	sims := make([]float32, rows*cols)
	for i := rows - 1; i >= 0; i-- {
		for j := cols - 1; j >= 0; j-- {
			at := i*width + j
			best[at] = max(best[at+width], best[at+1])
			sim := similarity(a, o0+i, b, n0+j, alignFloor)
			if sim < alignFloor {
				continue
			}
			sims[i*cols+j] = float32(sim)
			best[at] = max(best[at], best[at+width+1]+gain(a, o0+i, b, n0+j, sim))
		}
	}
	for i, j := 0, 0; i < rows && j < cols; {
		at := i*width + j
		sim := float64(sims[i*cols+j])
		switch {
		case sim > 0 && best[at] == best[at+width+1]+gain(a, o0+i, b, n0+j, sim):
			out[o0+i-base] = match{n0 + j, sim}
			i++
			j++
		case best[at] == best[at+width]:
			i++
		default:
			j++
		}
	}
}

// gain is what pairing two lines is worth.
func gain(a *text, i int, b *text, j int, sim float64) float32 {
	length := min(len(a.norm[i])+len(b.norm[j]), 2*maxLine)
	return float32(sim * (1 + float64(length)))
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
