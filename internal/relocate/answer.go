package relocate

import "github.com/crev-ratchet/crev/internal/finding"

// Confidences are the measured shares of right answers; docs/relocation.md has
// the counts.
const (
	confidenceSuspect = 0.7
	confidenceReopen  = 0.97
)

// untouchedFile answers for a file that the change does not list.
func (m *Mapper) untouchedFile(loc finding.Location) Answer {
	loc.Commit = m.commit(loc)
	return Answer{Location: loc, How: Same, Confidence: 1, Reason: "the file is untouched"}
}

func (m *Mapper) commit(loc finding.Location) string {
	if m.change.To != "" {
		return m.change.To
	}
	return loc.Commit
}

// wholeFile answers for a place without lines.
func (m *Mapper) wholeFile(f *changed, loc finding.Location) Answer {
	if f.NewPath == "" {
		return Answer{How: Gone, Confidence: 1, Reason: "the file was deleted", Changed: true}
	}
	loc.Path, loc.Commit = f.NewPath, m.commit(loc)
	return Answer{Location: loc, How: Shifted, Confidence: 1, Reason: "the place is the whole file", Changed: true}
}

// unreadable answers when a version that is needed has no text.
func (m *Mapper) unreadable(f *changed, loc finding.Location) Answer {
	a := Answer{How: Gone, Reason: "the text of the file is not available", Changed: true}
	if loc.Anchor != nil && f.new != nil {
		loc.Path = f.NewPath
		a = FromAnchor(loc, f.new.contents(), Options{Symbols: m.symbols, Redact: m.redact})
	}
	return a
}

// place is a location at line n of t that keeps what loc says besides where.
func (t *text) place(loc finding.Location, n int, source SymbolSource, redact Redactor) finding.Location {
	height := max(loc.End-loc.Start, 0)
	loc.Path = t.path
	loc.Start = n + 1
	loc.End = min(n+1+height, t.len())
	loc.Symbol = t.symbolName(n, source)
	loc.Anchor = nil
	if redact != nil {
		loc.Anchor = t.anchor(n, redact)
	}
	return loc
}

// finish turns the place of the first line into an answer: the last line is
// mapped by itself, and the rest of the location is brought up to date.
func (m *Mapper) finish(f *changed, loc finding.Location, o, end int, p place) Answer {
	a := Answer{How: p.how, Reason: p.reason, Confidence: p.conf, Ambiguous: p.ambiguous}
	if p.how == Gone {
		a.Changed = true
		return a
	}
	at := func(p place) finding.Location {
		l := p.file.new.place(loc, p.line, m.symbols, m.redact)
		l.Commit = m.commit(loc)
		return l
	}
	a.Location = at(p)
	if n, ok := m.lastLine(f, o, end, p); ok {
		a.Location.End = n + 1
	}
	for _, other := range p.others {
		a.Candidates = append(a.Candidates, at(other))
	}
	a.Changed = p.how != Shifted || p.ambiguous || m.changedAround(f, o, end)
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

// changedAround reports whether a span touches the place or its symbol.
func (m *Mapper) changedAround(f *changed, o, end int) bool {
	from, to := 0, f.old.len()-1
	if s := f.old.symbolAt(o, m.symbols); s != nil {
		from, to = min(s.Start-1, o), max(s.End-1, end)
	}
	return f.touched(from, to)
}
