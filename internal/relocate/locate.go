package relocate

import (
	"github.com/crev-ratchet/crev/internal/finding"
)

// place is a line of a new file and what speaks for it.
type place struct {
	file   *changed
	line   int // from 0
	how    How
	loss   Loss
	reason string
	// sim is the likeness of the line's text, beside how many of its two
	// neighbours came along, score what a search ordered places by.
	sim    float64
	beside int
	score  float64

	// intact is true when the whole function was moved without an edit.
	intact    bool
	ambiguous bool
	others    []place
}

func (m *Mapper) locateIn(f *changed, loc finding.Location) (Answer, error) {
	if f.NewPath == "" {
		if err := m.pair(); err != nil {
			return Answer{}, err
		}
	}
	if err := f.load(); err != nil {
		return Answer{}, err
	}
	if loc.Start <= 0 {
		return m.wholeFile(f, loc), nil
	}
	if f.old == nil || f.old.len() == 0 || f.new == nil && f.NewPath != "" {
		return m.unreadable(f, loc), nil
	}
	o := min(loc.Start, f.old.len()) - 1
	end := min(max(loc.End, loc.Start), f.old.len()) - 1
	p, err := m.line(f, o)
	if err != nil {
		return Answer{}, err
	}
	p = m.inSignature(f, o, end, m.atHead(f, o, p))
	return m.finish(f, loc, o, end, p), nil
}

// line runs the layers for one old line, the surest first.
func (m *Mapper) line(f *changed, o int) (place, error) {
	var inPlace place // what the file itself says, if no move says more
	how := doubtful
	var strayed []place // shown with a Gone
	if f.new != nil {
		if k, n := f.spanAt(o); k < 0 && n < f.new.len() {
			p, ok := m.untouched(f, o, n)
			if ok {
				return p, nil
			}
			strayed = append(strayed, p)
		} else {
			inPlace, how = m.edited(f, o)
			if how == sure {
				return inPlace, nil
			}
		}
	}
	if err := m.index(); err != nil {
		return place{}, err
	}
	for _, layer := range []func(*changed, int) (place, bool){m.byName, m.byVote} {
		if p, ok := layer(f, o); ok {
			return p, nil
		}
	}
	if how == likely {
		return inPlace, nil
	}
	if f.new != nil {
		if p, ok := m.inSymbol(f, o); ok {
			return p, nil
		}
	}
	for _, layer := range []func(*changed, int) (place, bool){m.verbatim, m.guess} {
		if p, ok := layer(f, o); ok {
			return p, nil
		}
	}
	p := m.gone(f, o)
	p.others = append(strayed, m.elsewhere(f, o)...)
	return p, nil
}

// untouched answers for a line outside every span. It reports false when the
// diff carried the line into a declaration that was another one before, as it
// does when one of two similar functions is removed.
func (m *Mapper) untouched(f *changed, o, n int) (place, bool) {
	p := place{file: f, line: n, how: Shifted, sim: 1, beside: 2, reason: "the line is unchanged"}
	if q, ok := m.copyAbove(f, o, p); ok {
		return q, true
	}
	return m.twin(f, o, p), m.relate(f, o, f, n).agrees()
}

// edited answers for a line inside a span from its own file.
func (m *Mapper) edited(f *changed, o int) (place, verdict) {
	p, v := m.inHunk(f, o)
	if v == sure {
		return p, sure
	}
	if q, ok := m.byHead(f, o); ok {
		return q, sure
	}
	if q, ok := m.byDeclaration(f, o); ok {
		return q, sure
	}
	return p, v
}

// gone says what was deleted: the file, the declaration or the line.
func (m *Mapper) gone(f *changed, o int) place {
	if f.new == nil {
		return place{how: Gone, loss: DeletedFile, reason: "the file was deleted"}
	}
	d := m.declared(f.old)
	if k := d.around(o); k >= 0 && m.deleted(f, d.list[k]) {
		return place{how: Gone, loss: DeletedSymbol, reason: "the " + d.list[k].Kind + " " + d.list[k].Name + " was deleted"}
	}
	return place{how: Gone, loss: DeletedLine, reason: "the line was deleted"}
}

// deleted reports whether a declaration is gone: no significant line of it is
// left and the new version has none of its name.
func (m *Mapper) deleted(f *changed, s Symbol) bool {
	for l := s.Start - 1; l < s.End; l++ {
		if k, _ := f.spanAt(l); k < 0 && f.old.alnum[l] > 0 {
			return false
		}
	}
	for _, t := range m.declared(f.new).list {
		if sameName(s.Name, t.Name) {
			return false
		}
	}
	return true
}
