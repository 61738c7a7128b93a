package relocate

import (
	"fmt"
	"path"
	"sort"
	"strings"
)

// changed is a file of the change with what was read and computed of it.
type changed struct {
	File
	index  int
	loaded bool
	old    *text // nil where there is none
	new    *text
	// spans are the changed stretches; one that covers all of new when the
	// old text is not there.
	spans []span
	// regions are the spans joined over gaps that say too little to be sure
	// that the diff paired the right lines; they are what is aligned.
	regions []span
	aligned map[int][]match
	free    map[int][]int
	added   map[string][]int
}

// blind reports that there was an old version whose text is not known, so that
// nothing can be said about which lines are new.
func (c *changed) blind() bool { return c.OldPath != "" && c.old == nil && c.new != nil }

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
	c.compare()
	c.loaded = true
	return nil
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

// compare finds the spans and the regions. Hunks that do not fit the contents,
// because they belong to other versions, are not used.
func (c *changed) compare() {
	c.renameStem()
	c.spans = nil
	switch {
	case c.old != nil && c.new != nil:
		if c.spans = spansOf(c.Hunks); c.Hunks == nil || !fit(c.spans, c.old.len(), c.new.len()) {
			c.spans = diffLines(c.old, c.new)
		}
	case c.old != nil && c.old.len() > 0:
		c.spans = []span{{oldEnd: c.old.len()}}
	case c.new != nil && c.new.len() > 0:
		c.spans = []span{{newEnd: c.new.len()}}
	}
	c.join()
}

// fit reports whether spans are in order, lie inside both versions, and leave
// as many lines between them on one side as on the other.
func fit(spans []span, olds, news int) bool {
	o, n := 0, 0
	for _, s := range append(spans[:len(spans):len(spans)], span{olds, olds, news, news}) {
		if s.oldStart < o || s.newStart < n || s.oldStart-o != s.newStart-n || s.oldEnd < s.oldStart || s.newEnd < s.newStart {
			return false
		}
		o, n = s.oldEnd, s.newEnd
	}
	return o == olds && n == news
}

// renameStem lets a file whose name is also the name of what it declares, as in
// Java, be compared as if that had been renamed with the file.
func (c *changed) renameStem() {
	if c.old == nil || c.new == nil {
		return
	}
	was, is := stem(c.OldPath), stem(c.NewPath)
	if len(was) < minStem || len(is) < minStem || was == is {
		return
	}
	c.old.stem, c.new.stem = was, is
}

// minStem is how long a file's name must be to be looked for in its text.
const minStem = 4

func stem(name string) string {
	name = path.Base(name)
	return strings.TrimSuffix(name, path.Ext(name))
}

// weakGap is how many letters and digits the unchanged lines between two spans
// need to hold them apart: a blank line or a bracket proves nothing.
const weakGap = 8

// join computes the regions.
func (c *changed) join() {
	c.aligned = make(map[int][]match)
	c.free = make(map[int][]int)
	c.regions = nil
	for _, s := range c.spans {
		if n := len(c.regions); n > 0 {
			last := &c.regions[n-1]
			weight := 0
			for o := last.oldEnd; o < s.oldStart && weight < weakGap; o++ {
				weight += c.old.alnum[o]
			}
			if weight < weakGap {
				last.oldEnd, last.newEnd = s.oldEnd, s.newEnd
				continue
			}
		}
		c.regions = append(c.regions, s)
	}
}

// regionAt returns the index of the region that holds old line o, or -1.
func (c *changed) regionAt(o int) int {
	k := sort.Search(len(c.regions), func(k int) bool { return c.regions[k].oldEnd > o })
	if k < len(c.regions) && c.regions[k].oldStart <= o {
		return k
	}
	return -1
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

// unshift is the old number of an untouched new line.
func (c *changed) unshift(n int) int {
	k := sort.Search(len(c.spans), func(k int) bool { return c.spans[k].newEnd > n })
	if k == 0 {
		return n
	}
	return n + c.spans[k-1].oldEnd - c.spans[k-1].newEnd
}

// alignment pairs the old and the new lines of one region.
func (c *changed) alignment(k int) []match {
	a, ok := c.aligned[k]
	if !ok {
		s := c.regions[k]
		a = align(c.old, s.oldStart, s.oldEnd, c.new, s.newStart, s.newEnd)
		c.aligned[k] = a
	}
	return a
}

// freeLines lists the significant new lines of one region that its alignment
// leaves without a partner, in order.
func (c *changed) freeLines(k int) []int {
	free, ok := c.free[k]
	if !ok {
		r := c.regions[k]
		taken := make([]bool, r.newEnd-r.newStart)
		for _, h := range c.alignment(k) {
			if h.line >= 0 {
				taken[h.line-r.newStart] = true
			}
		}
		for i, t := range taken {
			if n := r.newStart + i; !t && c.new.alnum[n] > 0 {
				free = append(free, n)
			}
		}
		c.free[k] = free
	}
	return free
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
	r := c.regionAt(o)
	return c.alignment(r)[o-c.regions[r].oldStart]
}

// before maps a new line back inside its file, -1 when it was added.
func (c *changed) before(n int) int {
	if c.newSpanAt(n) < 0 {
		return c.unshift(n)
	}
	r := sort.Search(len(c.regions), func(k int) bool { return c.regions[k].newEnd > n })
	for i, h := range c.alignment(r) {
		if h.line == n && h.sim >= pairedFloor {
			return c.regions[r].oldStart + i
		}
	}
	return -1
}

// addedLines lists the added lines of the file by their text.
func (c *changed) addedLines() map[string][]int {
	if c.added == nil {
		c.added = make(map[string][]int)
		for _, s := range c.spans {
			for n := s.newStart; n < s.newEnd; n++ {
				c.added[c.new.norm[n]] = append(c.added[c.new.norm[n]], n)
			}
		}
	}
	return c.added
}

// touched reports whether a span meets old lines [from,to] or adds lines
// between them.
func (c *changed) touched(from, to int) bool {
	for _, s := range c.spans {
		if s.oldStart == s.oldEnd && from < s.oldStart && s.oldStart <= to {
			return true
		}
		if s.oldStart < s.oldEnd && s.oldStart <= to && from < s.oldEnd {
			return true
		}
	}
	return false
}
