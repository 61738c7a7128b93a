package relocate

import (
	"github.com/crev-ratchet/crev/internal/finding"
)

// place is a line of a new file and what speaks for it.
type place struct {
	file   *changed
	line   int // from 0
	how    How
	reason string
	// sim is the likeness of the line's text, beside how many of its two
	// neighbours came along, score what a search ordered places by.
	sim    float64
	beside int
	score  float64

	ambiguous bool
	others    []place
}

func (m *Mapper) locateIn(f *changed, loc finding.Location) (Answer, error) {
	if f.NewPath == "" {
		if err := m.pair(); err != nil {
			return Answer{}, err
		}
	}
	if loc.Start <= 0 {
		return m.wholeFile(f, loc), nil
	}
	if err := f.load(); err != nil {
		return Answer{}, err
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
	return place{how: Gone, reason: m.whyGone(f, o), others: strayed}, nil
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

// whyGone says what was deleted: the file, the declaration or the line.
func (m *Mapper) whyGone(f *changed, o int) string {
	if f.new == nil {
		return "the file was deleted"
	}
	d := m.declared(f.old)
	k := d.around(o)
	if k < 0 {
		return "the line was deleted"
	}
	s := d.list[k]
	for l := s.Start - 1; l < s.End; l++ {
		if in, _ := f.spanAt(l); in < 0 && f.old.alnum[l] > 0 {
			return "the line was deleted"
		}
	}
	return "the " + s.Kind + " " + s.Name + " was deleted"
}
