package bench

import "strings"

// markedLine is a line of a file and the planted site it is the place of, 0 for
// none. The mark travels with the line, so the truth needs no search.
type markedLine struct {
	text string
	site int
}

// sheet is a file with its marks. Its lines end in "\n", but for the last one
// of a file that does not.
type sheet []markedLine

func sheetOf(content []byte) sheet {
	var s sheet
	for l := range strings.Lines(string(content)) {
		s = append(s, markedLine{text: l})
	}
	return s
}

func (s sheet) bytes() []byte {
	var b strings.Builder
	for _, l := range s {
		b.WriteString(l.text)
	}
	return []byte(b.String())
}

func (s sheet) texts() []string {
	out := make([]string, len(s))
	for i, l := range s {
		out[i] = l.text
	}
	return out
}

// find returns the index of a site's line, -1 when it is not in this file.
func (s sheet) find(site int) int {
	for i, l := range s {
		if l.site == site {
			return i
		}
	}
	return -1
}

// splice returns the sheet with lines [from,to) replaced.
func (s sheet) splice(from, to int, lines ...markedLine) sheet {
	out := make(sheet, 0, len(s)-(to-from)+len(lines))
	out = append(out, s[:from]...)
	out = append(out, lines...)
	return append(out, s[to:]...)
}

// lineHunk says that lines [a0,a1) became lines [b0,b1).
type lineHunk struct{ a0, a1, b0, b1 int }

// maxEdits bounds the search for a smallest difference; beyond it everything
// between the common beginning and the common end counts as changed.
const maxEdits = 1500

// lineHunks compares two texts line by line and returns the smallest set of
// changes, found by the greedy walk of Myers (1986).
func lineHunks(a, b []string) []lineHunk {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x)+len(y) == 0 {
		return nil
	}
	hunks, ok := walk(x, y)
	if !ok {
		hunks = []lineHunk{{0, len(x), 0, len(y)}}
	}
	for i := range hunks {
		h := &hunks[i]
		h.a0, h.a1, h.b0, h.b1 = h.a0+head, h.a1+head, h.b0+head, h.b1+head
	}
	return hunks
}

// walk finds the smallest edit script; false when it has more than maxEdits
// lines. far[k] is how far the best path on diagonal k came.
func walk(a, b []string) ([]lineHunk, bool) {
	limit := min(len(a)+len(b), maxEdits)
	far := make([]int, 2*limit+2)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), far[limit-d:min(limit+d+2, len(far))]...))
		for k := -d; k <= d; k += 2 {
			at := limit + k
			x := 0
			switch {
			case d == 0:
			case k == -d || k != d && far[at-1] < far[at+1]:
				x = far[at+1]
			default:
				x = far[at-1] + 1
			}
			for x < len(a) && x-k < len(b) && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			far[at] = x
			if x >= len(a) && x-k >= len(b) {
				return retrace(trace, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// retrace reads the steps back from the end and joins neighbours to hunks.
func retrace(trace [][]int, x, y int) []lineHunk {
	var out []lineHunk
	for d := len(trace) - 1; d > 0; d-- {
		// The slice of round d begins at diagonal -d.
		far := func(k int) int { return trace[d][k+d] }
		k := x - y
		down := k == -d || k != d && far(k-1) < far(k+1)
		px := 0
		if down {
			px = far(k + 1)
		} else {
			px = far(k-1) + 1
		}
		py := px - k
		step := lineHunk{px, px, py - 1, py}
		if !down {
			step = lineHunk{px - 1, px, py, py}
		}
		if n := len(out); n > 0 && out[n-1].a0 == step.a1 && out[n-1].b0 == step.b1 {
			out[n-1].a0, out[n-1].b0 = step.a0, step.b0
		} else {
			out = append(out, step)
		}
		x, y = step.a0, step.b0
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// merge applies what changed from base to theirs to ours, as a three-way merge
// does. It reports false for a conflict: the two changes overlap or touch.
func merge(base []string, ours sheet, theirs []string) (sheet, bool) {
	mine, other := lineHunks(base, ours.texts()), lineHunks(base, theirs)
	var out sheet
	at, i := 0, 0 // at counts in ours
	for _, h := range other {
		for i < len(mine) && mine[i].a1 < h.a0 {
			i++
		}
		if i < len(mine) && mine[i].a0 <= h.a1 {
			return nil, false
		}
		offset := 0
		if i > 0 {
			offset = mine[i-1].b1 - mine[i-1].a1
		}
		out = append(out, ours[at:h.a0+offset]...)
		for _, t := range theirs[h.b0:h.b1] {
			out = append(out, markedLine{text: t})
		}
		for _, l := range ours[h.a0+offset : h.a1+offset] {
			if l.site != 0 {
				return nil, false
			}
		}
		at = h.a1 + offset
	}
	return append(out, ours[at:]...), true
}
