package relocate

import "github.com/crev-ratchet/crev/internal/finding"

// untouchedFile answers for a file that the change does not list.
func (m *Mapper) untouchedFile(loc finding.Location) Answer {
	loc.Commit = m.commit(loc)
	return Answer{Location: loc, How: Same, Confidence: 1, Reason: "the file is untouched"}
}

// commit is the commit that a location in the new version is valid at.
func (m *Mapper) commit(loc finding.Location) string {
	if m.change.To != "" {
		return m.change.To
	}
	return loc.Commit
}

// wholeFile answers for a place without lines.
func (m *Mapper) wholeFile(f *changed, loc finding.Location) Answer {
	if f.NewPath == "" {
		return lost(DeletedFile, "the file was deleted")
	}
	loc.Path, loc.Commit = f.NewPath, m.commit(loc)
	return Answer{
		Location: loc, How: Shifted, Confidence: 1, Reason: "the place is the whole file",
		Changed: len(f.spans) > 0 || f.old == nil || f.new == nil,
	}
}

// unreadable answers when a version that is needed has no text: with git's
// hunks for a line outside them, with the stored anchor otherwise.
func (m *Mapper) unreadable(f *changed, loc finding.Location) Answer {
	if f.NewPath == "" {
		return lost(DeletedFile, "the file was deleted")
	}
	none := lost(Unknown, "the text of the file is not available")
	if f.new == nil {
		return none
	}
	if f.Hunks != nil {
		c := changed{spans: spansOf(f.Hunks)}
		if k, n := c.spanAt(loc.Start - 1); k < 0 && n >= 0 && n < f.new.len() {
			return Answer{
				Location: m.at(f.new, loc, n), How: Shifted, Confidence: confidenceBlind, Changed: true,
				Reason: "the line is outside every hunk; the old text is not available",
			}
		}
	}
	if loc.Anchor == nil {
		return none
	}
	loc.Path, loc.Commit = f.NewPath, m.commit(loc)
	return FromAnchor(loc, f.new.contents(), Options{Symbols: m.symbols, Redact: m.redact})
}

// lost is the answer without a place.
func lost(why Loss, reason string) Answer {
	return Answer{How: Gone, Loss: why, Reason: reason, Changed: true}
}

// at is the location at line n of t that keeps what loc says besides where.
func (m *Mapper) at(t *text, loc finding.Location, n int) finding.Location {
	height := max(loc.End-loc.Start, 0)
	loc.Path = t.path
	loc.Start = n + 1
	loc.End = min(n+1+height, t.len())
	loc.Symbol = m.declared(t).nameAt(n)
	loc.Commit = m.commit(loc)
	loc.Anchor = nil
	if m.redact != nil {
		loc.Anchor = t.anchor(n, m.redact)
	}
	return loc
}

// finish turns the place of the first line into an answer: the last line is
// mapped by itself, and the rest of the location is brought up to date.
func (m *Mapper) finish(f *changed, loc finding.Location, o, end int, p place) Answer {
	a := Answer{How: p.how, Loss: p.loss, Reason: p.reason, Confidence: p.confidence(), Ambiguous: p.ambiguous}
	for _, other := range p.others {
		a.Candidates = append(a.Candidates, m.at(other.file.new, loc, other.line))
	}
	if p.how == Gone {
		a.Changed = true
		return a
	}
	a.Location = m.at(p.file.new, loc, p.line)
	if n, ok := m.lastLine(f, o, end, p); ok {
		a.Location.End = n + 1
	}
	a.Changed = !p.intact && (p.how != Shifted || p.ambiguous || m.changedAround(f, o, end))
	return a
}

// lastLine maps the end of a place. It reports false when the end cannot be
// mapped, would stand before the start, or the place would grow threefold.
func (m *Mapper) lastLine(f *changed, o, end int, p place) (int, bool) {
	if end == o || p.file != f {
		return 0, false
	}
	g := f.follow(end)
	if g.line < p.line || g.line-p.line+1 > 3*(end-o+1) {
		return 0, false
	}
	return g.line, true
}

// changedAround reports whether a span touches the place or its symbol; outside
// all symbols, whether one touches the file.
func (m *Mapper) changedAround(f *changed, o, end int) bool {
	from, to := 0, f.old.len()-1
	if d := m.declared(f.old); d.around(o) >= 0 {
		s := d.list[d.around(o)]
		from, to = min(s.Start-1, o), max(s.End-1, end)
	}
	return f.touched(from, to)
}
