package diff

// Range is a run of lines, 1-based and inclusive.
type Range struct{ Start, End int }

// ChangedLines returns how many lines the file gains and loses together: the size
// of the change.
func (f *File) ChangedLines() int {
	n := 0
	for i := range f.Hunks {
		n += f.Hunks[i].ChangedLines()
	}
	return n
}

// ChangedLines returns how many lines of the hunk are added or removed.
func (h *Hunk) ChangedLines() int {
	n := 0
	for i := range h.Lines {
		if h.Lines[i].Op != Context {
			n++
		}
	}
	return n
}

// ChangedNew returns the runs of added lines, by their numbers in the new file.
func (f *File) ChangedNew() []Range { return f.runs(Add) }

// ChangedOld returns the runs of removed lines, by their numbers in the old
// file.
func (f *File) ChangedOld() []Range { return f.runs(Remove) }

func (f *File) runs(op Op) []Range {
	var runs []Range
	for i := range f.Hunks {
		for j := range f.Hunks[i].Lines {
			l := &f.Hunks[i].Lines[j]
			if l.Op != op {
				continue
			}
			n := l.number(op == Add)
			if last := len(runs) - 1; last >= 0 && runs[last].End == n-1 {
				runs[last].End = n
				continue
			}
			runs = append(runs, Range{n, n})
		}
	}
	return runs
}

// number returns the line's number on one side, 0 where it does not exist.
func (l *Line) number(newSide bool) int {
	if newSide {
		return l.New
	}
	return l.Old
}

// Span returns the lines the hunk shows on one side; ok is false when it shows
// none there.
func (h *Hunk) Span(newSide bool) (r Range, ok bool) {
	start, n := h.OldStart, h.OldLines
	if newSide {
		start, n = h.NewStart, h.NewLines
	}
	return Range{start, start + n - 1}, n > 0
}

// LineAt returns the line with number n on the new or the old side and the
// hunk that shows it, or nil, nil when no hunk does.
func (f *File) LineAt(newSide bool, n int) (*Hunk, *Line) {
	if n <= 0 {
		return nil, nil
	}
	for i := range f.Hunks {
		h := &f.Hunks[i]
		if r, ok := h.Span(newSide); !ok || n < r.Start || n > r.End {
			continue
		}
		for j := range h.Lines {
			if h.Lines[j].number(newSide) == n {
				return h, &h.Lines[j]
			}
		}
	}
	return nil, nil
}

// ClipToHunk turns a claimed range into one that GitHub accepts: both ends in
// one hunk, in order, and no start when it is a single line. The returned
// start is 0 for a single line.
//
// Swapped ends are put in order. The hunk is that of the last line; when no
// hunk shows it, the last hunk that shows any line of the range. ok is false
// when there is none.
func (f *File) ClipToHunk(start, end int, newSide bool) (clippedStart, clippedEnd int, ok bool) {
	if start <= 0 {
		start = end
	}
	if end <= 0 {
		end = start
	}
	if start > end {
		start, end = end, start
	}
	if end <= 0 {
		return 0, 0, false
	}
	for i := len(f.Hunks) - 1; i >= 0; i-- {
		r, shown := f.Hunks[i].Span(newSide)
		if !shown || r.End < start || r.Start > end {
			continue
		}
		start, end = max(start, r.Start), min(end, r.End)
		if start == end {
			start = 0
		}
		return start, end, true
	}
	return 0, 0, false
}
