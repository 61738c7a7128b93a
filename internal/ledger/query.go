package ledger

import (
	"maps"
	"slices"
	"strings"
)

// ids returns the ids of all defects in order.
func (s *State) ids() []DefectID { return slices.Sorted(maps.Keys(s.Defects)) }

// All returns the defects that stand for themselves (no aliases), by id.
func (s *State) All() []*Defect {
	var out []*Defect
	for _, id := range s.ids() {
		if d := s.Defects[id]; d.MergedInto == "" {
			out = append(out, d)
		}
	}
	return out
}

// Active returns the defects that still ask for work: open, possibly fixed or
// reopened. They are ordered by path, line and id.
func (s *State) Active() []*Defect {
	active := slices.DeleteFunc(s.All(), func(d *Defect) bool { return !d.Status.Active() })
	slices.SortFunc(active, func(a, b *Defect) int {
		la, lb := a.Locations[0], b.Locations[0]
		if c := strings.Compare(la.Path, lb.Path); c != 0 {
			return c
		}
		if la.Start != lb.Start {
			return la.Start - lb.Start
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return active
}

// Defect returns the defect with that id, or the one it was merged into, nil
// when there is none in the view.
func (s *State) Defect(id DefectID) *Defect {
	d := s.Defects[id]
	if d == nil {
		return nil
	}
	return s.resolve(d)
}

// Events returns the view's events of a defect and of its aliases, in order.
func (s *State) Events(id DefectID) []Event {
	d := s.Defect(id)
	var out []Event
	for _, e := range s.events {
		if d != nil && (e.Defect == d.ID || slices.Contains(d.Aliases, e.Defect)) {
			out = append(out, *e)
		}
	}
	return out
}

// NewDefectID returns the id of a new defect of a class, born in a run: one
// that no defect of the view has and that taken, which may be nil, does not
// report as given out in this run.
func (s *State) NewDefectID(fp, run string, taken func(DefectID) bool) DefectID {
	id := NewDefectID(fp, run)
	for n := 1; s.Defects[id] != nil || taken != nil && taken(id); n++ {
		id = NewDefectID(fp, run, n)
	}
	return id
}

// PromotedBy returns the validator that decides a class, false for none.
func (s *State) PromotedBy(fp string) (Promoted, bool) {
	p, ok := s.promoted[fp]
	return p, ok
}

// Promotion is a class with the validator that decides it.
type Promotion struct {
	FP string
	Promoted
}

// Promotions returns the classes of the view that a validator decides, by
// fingerprint.
func (s *State) Promotions() []Promotion {
	out := make([]Promotion, 0, len(s.promoted))
	for _, fp := range slices.Sorted(maps.Keys(s.promoted)) {
		out = append(out, Promotion{fp, s.promoted[fp]})
	}
	return out
}
