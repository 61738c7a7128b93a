package ledger

import (
	"errors"
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
)

// View says whose events count: those of no pull request, those of pull
// requests that were merged, and those of PR itself. The zero View is that of
// the default branch.
type View struct {
	// PR is the pull request whose own events count, 0 for none.
	PR int
}

// Problem is something in the ledger that is not as it must be. It names the
// file and the 1-based line where they are known.
type Problem struct {
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
	// Event is the event concerned, "" when there is none.
	Event ID     `json:"event,omitempty"`
	Msg   string `json:"message"`
}

// String returns "path:line: message", as compilers write it.
func (p Problem) String() string {
	switch {
	case p.Path == "":
		return p.Msg
	case p.Line == 0:
		return p.Path + ": " + p.Msg
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Msg)
}

// State is what a set of events folds to in one view. The defects it returns
// are its own: callers do not change them.
type State struct {
	View View
	// Defects holds every defect, also those merged into another.
	Defects map[DefectID]*Defect
	// Problems lists the events that were not applied and why, in their
	// order.
	Problems []Problem

	events   []*Event // of the view, in order
	reviews  []Review
	reviewAt map[reviewKey]int
	promoted map[string]Promoted
	trials   trials
}

// Fold computes the state of one view. It depends only on the set of events:
// their order and repetitions do not matter. An event that is illegal where it
// stands is not applied and is listed in Problems.
func Fold(events []Event, v View) *State {
	return fold(Sort(events), v)
}

// fold is Fold for sorted events.
func fold(events []Event, v View) *State {
	s := newState(v)
	seen := map[int]bool{0: true, v.PR: true}
	for i := range events {
		if events[i].MergedPR != nil {
			seen[events[i].PR] = true
		}
	}
	for i := range events {
		e := &events[i]
		if !seen[e.PR] {
			continue
		}
		s.events = append(s.events, e)
		if err := s.apply(e); err != nil {
			s.Problems = append(s.Problems, refusal(e, err))
		}
	}
	s.uniteAliases()
	return s
}

func newState(v View) *State {
	return &State{
		View:     v,
		Defects:  map[DefectID]*Defect{},
		reviewAt: map[reviewKey]int{},
		promoted: map[string]Promoted{},
		trials:   trials{quarantined: map[string]Quarantined{}, proven: map[string]string{}},
	}
}

// refusal is the problem of an event that is not applied.
func refusal(e *Event, err error) Problem {
	subject := "event " + string(e.ID)
	if e.Defect != "" {
		subject += " about " + string(e.Defect)
	}
	return Problem{Event: e.ID, Msg: subject + ": " + err.Error()}
}

// apply changes the state by one event, or says why it must not.
func (s *State) apply(e *Event) error {
	switch {
	case e.Reviewed != nil:
		s.addReviewed(e)
	case e.Promoted != nil:
		s.promoted[e.FP] = *e.Promoted
		s.trials.prove(e.Promoted.Validator, e.Promoted.Hash)
	case e.Retired != nil:
		delete(s.promoted, e.FP)
	case e.Quarantined != nil:
		s.trials.quarantine(*e.Quarantined)
	case e.Proven != nil:
		s.trials.prove(e.Proven.Validator, e.Proven.Hash)
	case e.Checked != nil:
		s.trials.checked = append(s.trials.checked, *e.Checked)
	}
	if e.Defect == "" {
		return nil
	}
	d := s.Defects[e.Defect]
	if d == nil {
		if e.Opened == nil {
			return errors.New("no such defect in this view: it was never opened, or by another pull request that is not merged")
		}
		s.Defects[e.Defect] = born(e)
		return nil
	}
	if e.Opened != nil && e.FP != d.FP {
		return fmt.Errorf("the id belongs to a defect of class %s already, this one is of class %s; it counts for its class only", d.FP, e.FP)
	}
	if d.MergedInto != "" && e.Unmerged == nil {
		if !movesToTarget(e) {
			return fmt.Errorf("it is merged into %s; name that one", s.resolve(d).ID)
		}
		d = s.resolve(d)
	}
	to, err := d.after(e)
	if err != nil {
		return err
	}
	if err := s.applyLinks(d, e, &to); err != nil {
		return err
	}
	d.record(e)
	if to != d.Status {
		d.Status, d.ChangedAt = to, e.At
	}
	return nil
}

// movesToTarget reports whether an event that names an alias goes to the defect
// it stands for. What a writer who did not know of the merge saw does; what he
// decided about the alias does not decide about the whole.
func movesToTarget(e *Event) bool {
	switch {
	case e.Opened != nil, e.Observed != nil, e.Posted != nil, e.Suppressed != nil, e.Reaction != nil,
		e.Signal != nil, e.Learned != nil, e.RuleHit != nil, e.PossibleDuplicate != nil:
		return true
	}
	return false
}

// applyLinks applies the events that concern two defects or more.
func (s *State) applyLinks(d *Defect, e *Event, to *Status) error {
	switch {
	case e.Merged != nil:
		into := s.Defects[e.Merged.Into]
		if into == nil {
			return fmt.Errorf("%s, which it is merged into, is not in this view", e.Merged.Into)
		}
		into = s.resolve(into)
		if err := d.mergeable(into, e.Merged.Evidence); err != nil {
			return err
		}
		d.MergedInto = into.ID
	case e.Unmerged != nil:
		if d.MergedInto == "" {
			return errors.New("it is not merged")
		}
		d.MergedInto = ""
	case e.Split != nil:
		for _, id := range e.Split.Into {
			if s.Defects[id] == nil {
				return fmt.Errorf("%s, which it is split into, is not in this view; open it first", id)
			}
		}
		d.SplitInto = e.Split.Into
		if slices.Contains(e.Split.Into, d.ID) {
			*to = d.Status // it goes on as one of its parts
		}
	}
	return nil
}

// resolve follows a defect to the one it stands for.
func (s *State) resolve(d *Defect) *Defect {
	for range len(s.Defects) {
		if d.MergedInto == "" {
			return d
		}
		d = s.Defects[d.MergedInto]
	}
	return d
}

// uniteAliases gives every defect what its aliases saw. The aliases keep their
// own, so that a merge can be taken back.
func (s *State) uniteAliases() {
	own := map[DefectID]Defect{}
	for _, id := range s.ids() {
		if d := s.Defects[id]; d.MergedInto != "" {
			own[id] = *d
		}
	}
	for _, id := range s.ids() {
		alias, merged := own[id]
		if !merged {
			continue
		}
		d := s.resolve(s.Defects[id])
		d.Aliases = append(d.Aliases, id)
		d.Wordings = append(d.Wordings, alias.Wordings...)
		d.Comments = append(d.Comments, alias.Comments...)
		d.Severity = finding.Max(d.Severity, alias.Severity)
		for _, run := range alias.Runs {
			d.sawIn(run)
		}
	}
}
