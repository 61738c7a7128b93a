package relocate

import (
	"github.com/crev-ratchet/crev/internal/diff"
)

// span is a changed stretch: old lines [oldStart,oldEnd) became new lines
// [newStart,newEnd). Lines count from 0; either side may be empty.
type span struct {
	oldStart, oldEnd int
	newStart, newEnd int
}

// spansOf turns git's hunks into spans. Hunks with context are cut at it.
func spansOf(hunks []diff.Hunk) []span {
	spans := make([]span, 0, len(hunks))
	for _, h := range hunks {
		// A count of 0 means that the start is the line before.
		s := span{oldStart: h.OldStart, newStart: h.NewStart}
		if h.OldLines > 0 {
			s.oldStart--
		}
		if h.NewLines > 0 {
			s.newStart--
		}
		s.oldEnd, s.newEnd = s.oldStart+h.OldLines, s.newStart+h.NewLines
		spans = appendHunk(spans, s, h.Lines)
	}
	return spans
}

func appendHunk(spans []span, whole span, lines []diff.Line) []span {
	context := false
	for _, l := range lines {
		context = context || l.Op == diff.Context
	}
	if !context {
		return append(spans, whole)
	}
	s := span{whole.oldStart, whole.oldStart, whole.newStart, whole.newStart}
	flush := func() {
		if s.oldEnd > s.oldStart || s.newEnd > s.newStart {
			spans = append(spans, s)
		}
	}
	for _, l := range lines {
		switch l.Op {
		case diff.Remove:
			s.oldEnd++
		case diff.Add:
			s.newEnd++
		default:
			flush()
			s = span{s.oldEnd + 1, s.oldEnd + 1, s.newEnd + 1, s.newEnd + 1}
		}
	}
	flush()
	return spans
}

// A histogram diff looks for the rarest common line. Lines more frequent than
// maxChain never anchor a match, and a difference that costs more than
// maxDiffWork steps is reported as one replaced stretch.
const (
	maxChain    = 64
	maxDiffWork = 20_000_000
)

// diffLines compares two versions by their normalised lines, as
// git diff -U0 -w --histogram does, and returns the changed spans in order.
func diffLines(a, b *text) []span {
	d := differ{work: maxDiffWork}
	ids := make(map[string]int32, a.len())
	d.a, d.b = intern(ids, a.norm), intern(ids, b.norm)
	d.last = make([]int32, len(ids))
	d.count = make([]int32, len(ids))
	d.prev = make([]int32, len(d.a))
	d.diff(0, len(d.a), 0, len(d.b))
	slide(d.spans, a, b)
	return d.spans
}

func intern(ids map[string]int32, lines []string) []int32 {
	out := make([]int32, len(lines))
	for i, l := range lines {
		id, ok := ids[l]
		if !ok {
			id = int32(len(ids))
			ids[l] = id
		}
		out[i] = id
	}
	return out
}

type differ struct {
	a, b  []int32
	spans []span
	work  int
	// last is the last place in the old range where an id occurs, plus one;
	// prev chains to the place before it. count is the chain's length.
	last, count, prev []int32
}

func (d *differ) diff(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && d.a[a0] == d.b[b0] {
		a0++
		b0++
	}
	for a0 < a1 && b0 < b1 && d.a[a1-1] == d.b[b1-1] {
		a1--
		b1--
	}
	if a0 == a1 && b0 == b1 {
		return
	}
	if a0 == a1 || b0 == b1 {
		d.add(span{a0, a1, b0, b1})
		return
	}
	s, ok := d.rarest(a0, a1, b0, b1)
	if !ok {
		d.add(span{a0, a1, b0, b1})
		return
	}
	d.diff(a0, s.oldStart, b0, s.newStart)
	d.diff(s.oldEnd, a1, s.newEnd, b1)
}

func (d *differ) add(s span) {
	if n := len(d.spans); n > 0 {
		if p := &d.spans[n-1]; p.oldEnd == s.oldStart && p.newEnd == s.newStart {
			p.oldEnd, p.newEnd = s.oldEnd, s.newEnd
			return
		}
	}
	d.spans = append(d.spans, s)
}

// rarest returns the common run whose rarest line occurs least often in the old
// range; of equally rare ones the longest, then the first.
func (d *differ) rarest(a0, a1, b0, b1 int) (best span, ok bool) {
	for i := a0; i < a1; i++ {
		id := d.a[i]
		d.prev[i] = d.last[id]
		d.last[id] = int32(i + 1)
		d.count[id]++
	}
	defer func() {
		for i := a0; i < a1; i++ {
			d.last[d.a[i]] = 0
			d.count[d.a[i]] = 0
		}
	}()
	rare := int32(maxChain + 1)
	for j := b0; j < b1; {
		next := j + 1
		id := d.b[j]
		if n := d.count[id]; n == 0 || n > rare {
			j = next
			continue
		}
		for at := d.last[id]; at > 0; at = d.prev[at-1] {
			s, fewest := d.extend(int(at-1), j, a0, a1, b0, b1)
			if d.work -= s.oldEnd - s.oldStart + 1; d.work < 0 {
				return span{}, false
			}
			next = max(next, s.newEnd)
			longer := s.oldEnd-s.oldStart > best.oldEnd-best.oldStart
			if fewest < rare || fewest == rare && longer {
				best, rare, ok = s, fewest, true
			}
		}
		j = next
	}
	d.work -= a1 - a0 + b1 - b0
	return best, ok && d.work > 0
}

// extend grows a match at (i,j) both ways inside the ranges.
func (d *differ) extend(i, j, a0, a1, b0, b1 int) (s span, fewest int32) {
	s = span{i, i + 1, j, j + 1}
	fewest = d.count[d.a[i]]
	for s.oldStart > a0 && s.newStart > b0 && d.a[s.oldStart-1] == d.b[s.newStart-1] {
		s.oldStart--
		s.newStart--
		fewest = min(fewest, d.count[d.a[s.oldStart]])
	}
	for s.oldEnd < a1 && s.newEnd < b1 && d.a[s.oldEnd] == d.b[s.newEnd] {
		fewest = min(fewest, d.count[d.a[s.oldEnd]])
		s.oldEnd++
		s.newEnd++
	}
	return s, fewest
}

// slide moves stretches that are only added or only removed, and that could
// stand at several places, to where a reader would cut: before the line with
// the least indent, after a blank line.
func slide(spans []span, a, b *text) {
	for k := range spans {
		s := &spans[k]
		// A stretch may slide only as far as its neighbours.
		low, high := 0, a.len()-s.oldEnd
		if k > 0 {
			low = spans[k-1].oldEnd
		}
		if k+1 < len(spans) {
			high = spans[k+1].oldStart - s.oldEnd
		}
		up := s.oldStart - low
		switch {
		case s.oldStart == s.oldEnd:
			n := bestSlide(b, s.newStart, s.newEnd, up, high)
			s.oldStart, s.oldEnd = s.oldStart+n, s.oldEnd+n
			s.newStart, s.newEnd = s.newStart+n, s.newEnd+n
		case s.newStart == s.newEnd:
			n := bestSlide(a, s.oldStart, s.oldEnd, up, high)
			s.oldStart, s.oldEnd = s.oldStart+n, s.oldEnd+n
			s.newStart, s.newEnd = s.newStart+n, s.newEnd+n
		}
	}
}

// bestSlide returns by how much to shift [start,end) of t, at most up lines
// back or down lines on. Of equal places the last one wins, as in git.
func bestSlide(t *text, start, end, up, down int) int {
	from, to := 0, 0
	for -from < up && t.norm[start+from-1] == t.norm[end+from-1] {
		from--
	}
	for to < down && end+to < t.len() && t.norm[start+to] == t.norm[end+to] {
		to++
	}
	best, bestCost := 0, 1<<30
	for n := from; n <= to; n++ {
		if c := t.cutCost(start+n) + t.cutCost(end+n); c <= bestCost {
			best, bestCost = n, c
		}
	}
	return best
}

// cutCost is low where a cut before line i reads naturally.
func (t *text) cutCost(i int) int {
	cost := 0
	if i > 0 && t.norm[i-1] != "" {
		cost++
	}
	for i < t.len() && t.norm[i] == "" {
		cost += 2
		i++
	}
	if i < t.len() {
		cost += 4 * t.indent(i)
		if c := t.norm[i][0]; c == '}' || c == ')' || c == ']' {
			cost += 3
		}
	}
	return cost
}

// indent is the width of the blanks before line i, a tab counting as 4.
func (t *text) indent(i int) int {
	n := 0
	for k := range len(t.raw[i]) {
		switch t.raw[i][k] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}
