package relocate

import (
	"fmt"
	"sort"
)

// changed is a file of the change with what was read and computed of it.
type changed struct {
	File
	index  int
	m      *Mapper
	loaded bool
	old    *text // nil where there is none
	new    *text
	// spans are the changed stretches; one that covers all of new when the
	// old text is not there.
	spans   []span
	aligned map[int][]match
}

// load reads both versions and finds the spans.
func (c *changed) load() error {
	if c.loaded {
		return nil
	}
	var err error
	if c.old, err = readText(c.OldPath, c.Old); err != nil {
		return err
	}
	if c.new, err = readText(c.NewPath, c.New); err != nil {
		return err
	}
	switch {
	case c.Hunks != nil:
		c.spans = c.clip(spansOf(c.Hunks))
	case c.old != nil && c.new != nil:
		c.spans = diffLines(c.old, c.new)
	case c.old != nil && c.old.len() > 0:
		c.spans = []span{{oldEnd: c.old.len()}}
	case c.new != nil && c.new.len() > 0:
		c.spans = []span{{newEnd: c.new.len()}}
	}
	c.aligned = make(map[int][]match)
	c.loaded = true
	return nil
}

// clip keeps spans that do not fit the contents inside them, so that hunks of
// another version cannot lead outside the file.
func (c *changed) clip(spans []span) []span {
	for i := range spans {
		s := &spans[i]
		s.oldStart, s.oldEnd = max(s.oldStart, 0), max(s.oldEnd, 0)
		s.newStart, s.newEnd = max(s.newStart, 0), max(s.newEnd, 0)
		if c.old != nil {
			s.oldStart, s.oldEnd = min(s.oldStart, c.old.len()), min(s.oldEnd, c.old.len())
		}
		if c.new != nil {
			s.newStart, s.newEnd = min(s.newStart, c.new.len()), min(s.newEnd, c.new.len())
		}
	}
	return spans
}

func readText(path string, src Source) (*text, error) {
	if path == "" || src == nil {
		return nil, nil
	}
	b, err := src()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return newText(path, b), nil
}

// spanAt returns the index of the span that holds old line o, or -1 and the
// line's place in the new version.
func (c *changed) spanAt(o int) (index, line int) {
	k := sort.Search(len(c.spans), func(k int) bool { return c.spans[k].oldEnd > o })
	if k < len(c.spans) && c.spans[k].oldStart <= o {
		return k, -1
	}
	// A span that only adds lines at o stands before it.
	if k == 0 {
		return -1, o
	}
	return -1, o + c.spans[k-1].newEnd - c.spans[k-1].oldEnd
}

// newSpanAt returns the index of the span that holds new line n, or -1.
func (c *changed) newSpanAt(n int) int {
	k := sort.Search(len(c.spans), func(k int) bool { return c.spans[k].newEnd > n })
	if k < len(c.spans) && c.spans[k].newStart <= n {
		return k
	}
	return -1
}

// alignment pairs the old and the new lines of one span.
func (c *changed) alignment(k int) []match {
	a, ok := c.aligned[k]
	if !ok {
		s := c.spans[k]
		a = align(c.old, s.oldStart, s.oldEnd, c.new, s.newStart, s.newEnd)
		c.aligned[k] = a
	}
	return a
}

// follow maps an old line inside its file: untouched lines by offset, changed
// ones by alignment.
func (c *changed) follow(o int) match {
	if c.new == nil {
		return match{-1, 0}
	}
	k, n := c.spanAt(o)
	if k < 0 {
		return match{n, 1}
	}
	return c.alignment(k)[o-c.spans[k].oldStart]
}

// touched reports whether a span meets old lines [from,to] or adds lines
// between them.
func (c *changed) touched(from, to int) bool {
	k := sort.Search(len(c.spans), func(k int) bool {
		s := c.spans[k]
		if s.oldStart == s.oldEnd {
			return s.oldStart > from
		}
		return s.oldEnd > from
	})
	if k == len(c.spans) {
		return false
	}
	s := c.spans[k]
	return s.oldStart <= to
}
