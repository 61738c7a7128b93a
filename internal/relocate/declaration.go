package relocate

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// byHead follows the first line of the comments and annotations of a
// declaration through the line that names it: however the comment was edited,
// the place is still where the declaration begins.
func (m *Mapper) byHead(f *changed, o int) (place, bool) {
	olds, news := m.declared(f.old), m.declared(f.new)
	k, ok := olds.headed[o]
	if !ok {
		return place{}, false
	}
	h := f.follow(olds.nameLines[k])
	t, ok := news.named[h.line]
	if !ok || h.sim < likelyFloor {
		return place{}, false
	}
	return place{
		file: f, line: f.new.headOf(&news.list[t]), how: Rewritten, sim: h.sim,
		reason: "the head of its declaration was edited",
	}, true
}

// byDeclaration follows the line that names a declaration to the line that
// names it in the new version, when the file holds that declaration once
// before and once after.
func (m *Mapper) byDeclaration(f *changed, o int) (place, bool) {
	olds, news := m.declared(f.old), m.declared(f.new)
	k, ok := olds.named[o]
	if !ok || olds.once(olds.list[k].Name) != k {
		return place{}, false
	}
	t := news.once(olds.list[k].Name)
	if t < 0 {
		return place{}, false
	}
	n := news.nameLines[t]
	sim := likeness(f.old, o, f.new, n)
	if f.newSpanAt(n) < 0 || sim < likelyFloor {
		return place{}, false
	}
	return place{file: f, line: n, how: Rewritten, sim: sim, reason: "the declaration was edited"}, true
}

// atHead keeps a place that was the first line of a type at its first line: a
// comment or an annotation that was added above the line that names the type
// belongs to it.
func (m *Mapper) atHead(f *changed, o int, p place) place {
	if p.file == nil || p.how == Gone {
		return p
	}
	olds, news := m.declared(f.old), m.declared(p.file.new)
	k, was := olds.named[o]
	t, is := news.named[p.line]
	if !was || !is || olds.list[k].Kind != "type" || f.old.headOf(&olds.list[k]) != o {
		return p
	}
	head := p.file.new.headOf(&news.list[t])
	if head >= p.line || p.file.newSpanAt(head) < 0 {
		return p
	}
	p.line = head
	if p.how == Shifted {
		p.how = Rewritten
	}
	p.reason = "its type begins with what was added above it"
	return p
}

// inSignature answers for a place of one line, the signature of a function, that
// the change spread over several lines: the part that was edited, when it is the
// only one that does not stand word for word in the old line.
func (m *Mapper) inSignature(f *changed, o, end int, p place) place {
	if p.file == nil || p.how != Rewritten || end > o {
		return p
	}
	olds := m.declared(f.old)
	k, was := olds.named[o]
	t := p.file.new
	n := t.shapeAt(p.line).goes
	if !was || olds.list[k].Kind != "func" || f.old.shapeAt(o).goes != 1 || n < 2 {
		return p
	}
	edited := -1
	for i := p.line; i < p.line+n; i++ {
		if strings.Contains(f.old.norm[o], strings.Trim(t.norm[i], ",(){};:")) {
			continue
		}
		if edited >= 0 {
			return p
		}
		edited = i
	}
	if edited >= 0 {
		p.line, p.reason = edited, "the signature was spread over several lines; this one was edited"
	}
	return p
}

// memberFloor is the least likeness of a field or constant found by its name.
const memberFloor = 0.55

// byName looks for a field or constant whose declaration left its place: an
// added line that declares the same name in the body of a type or outside all
// declarations. In its own file the name must be declared once among the added
// lines; in another file a neighbouring declaration must have come along.
func (m *Mapper) byName(f *changed, o int) (place, bool) {
	name, ok := m.member(f.old, o)
	if !ok {
		return place{}, false
	}
	if f.new != nil {
		if found := m.members(f, o, f, name); len(found) == 1 {
			found[0].reason = "the declaration stands elsewhere in the file"
			return found[0], true
		}
	}
	var all []place
	for _, g := range m.files {
		if g == f || g.new == nil || g.blind() || path.Ext(g.NewPath) != path.Ext(f.OldPath) {
			continue
		}
		for _, p := range m.members(f, o, g, name) {
			if m.together(f, o, g, p.line) {
				p.score = contextSimilarity(f.old, o, g.new, p.line)
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(b.score, a.score) })
	if len(all) == 0 {
		return m.alone(f, o, name)
	}
	if len(all) > 1 && all[0].score-all[1].score < 0.1 {
		return place{}, false
	}
	all[0].reason = "the declaration and its neighbours were moved"
	return all[0], true
}

// minAlone is how many letters and digits the declaration of a field needs to
// be followed into another file without a neighbour.
const minAlone = 20

// alone looks for a field or constant in the other files by its whole text,
// which must be there once. Where the old text of that file is not known, the
// declaration may always have been there, so that the place is a guess.
func (m *Mapper) alone(f *changed, o int, name string) (place, bool) {
	if f.old.alnum[o] < minAlone {
		return place{}, false
	}
	var found []place
	for _, g := range m.files {
		if g == f || g.new == nil || path.Ext(g.NewPath) != path.Ext(f.OldPath) {
			continue
		}
		for _, p := range m.members(f, o, g, name) {
			if p.sim < 1 {
				continue
			}
			if g.blind() {
				p.how = Candidate
			}
			p.reason = "the same declaration stands in another file"
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return place{}, false
	}
	return found[0], true
}

// member returns the name that line i declares outside all functions.
func (m *Mapper) member(t *text, i int) (string, bool) {
	s := t.shapeAt(i)
	if s.name == "" || s.through || s.goes == 0 || s.lead != "" {
		return "", false
	}
	if _, _, inside := m.declared(t).function(i); inside {
		return "", false
	}
	return s.name, true
}

// members lists the added lines of g that declare the name.
func (m *Mapper) members(f *changed, o int, g *changed, name string) []place {
	var found []place
	for _, s := range g.spans {
		for n := s.newStart; n < s.newEnd; n++ {
			if !strings.EqualFold(g.new.shapeAt(n).name, name) {
				continue
			}
			if _, ok := m.member(g.new, n); !ok {
				continue
			}
			if sim := likeness(f.old, o, g.new, n); sim >= memberFloor {
				found = append(found, place{file: g, line: n, how: Moved, sim: sim})
			}
		}
	}
	return found
}

// together reports whether a declaration within three significant lines of o
// stands within three significant lines of n too.
func (m *Mapper) together(f *changed, o int, g *changed, n int) bool {
	for _, i := range near(f.old, o) {
		name, ok := m.member(f.old, i)
		if !ok {
			continue
		}
		for _, j := range near(g.new, n) {
			got, ok := m.member(g.new, j)
			if ok && got == name && likeness(f.old, i, g.new, j) >= memberFloor {
				return true
			}
		}
	}
	return false
}

// near lists up to three significant lines on each side of line i.
func near(t *text, i int) []int {
	var out []int
	for _, step := range []int{-1, 1} {
		left := 3
		for k := i + step; k >= 0 && k < t.len() && left > 0; k += step {
			if t.alnum[k] > 0 {
				out = append(out, k)
				left--
			}
		}
	}
	return out
}
