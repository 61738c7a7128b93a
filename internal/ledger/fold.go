package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// born returns the defect that an opened event starts.
func born(e *Event) *Defect {
	o := e.Opened
	d := &Defect{
		ID: e.Defect, FP: e.FP, PR: e.PR, Status: Open,
		Claim: o.Claim, Detail: o.Detail, Category: o.Category, Severity: o.Severity, Tier: o.Tier,
		Source: o.Source, Quote: o.Quote, Subject: o.Subject, Predicate: o.Predicate,
		Locations: slices.Clone(o.Locations), DependsOn: o.DependsOn,
		Evidence: slices.Clone(o.Evidence), Artifact: o.Artifact, Reproduced: o.Reproduced, Suggestion: o.Suggestion, MissedEarlier: o.MissedEarlier,
		Introduced: o.Locations[0].Commit, LastSeen: o.Locations[0].Commit,
		OpenedAt: e.At, ChangedAt: e.At,
	}
	for _, text := range o.Criteria {
		d.Criteria = append(d.Criteria, Criterion{Text: text})
	}
	d.sees(e, Wording{o.Claim, o.Source, e.Run, o.Locations[0]}, o.Evidence)
	return d
}

// record keeps what a legal event says beside the status.
func (d *Defect) record(e *Event) {
	switch {
	case e.Opened != nil:
		o := e.Opened
		d.sees(e, Wording{o.Claim, o.Source, e.Run, o.Locations[0]}, o.Evidence)
		d.Tier = better(d.Tier, o.Tier)
		d.shown(o.Artifact, o.Reproduced)
	case e.Observed != nil:
		o := e.Observed
		d.sees(e, Wording{o.Claim, o.Source, e.Run, o.Location}, o.Evidence)
		d.Tier = better(d.Tier, o.Tier)
		d.shown(o.Artifact, o.Reproduced)
	case e.Rated != nil:
		d.Severity = e.Rated.Severity
	case e.Relocated != nil:
		d.moves(e.Relocated)
	case e.LocationUnknown != nil:
		d.Unlocated = e.LocationUnknown
	case e.Verification != nil:
		d.verifies(e.Verification)
	case e.Verified != nil:
		d.FixedIn = e.Verified.Commit
	case e.Dismissed != nil:
		d.Dismissal = e.Dismissed
	case e.Reopened != nil:
		d.wasReopened = true
		d.addEvidence(e.Reopened.Evidence)
	case e.PossibleDuplicate != nil:
		if !slices.Contains(d.Duplicates, e.PossibleDuplicate.Of) {
			d.Duplicates = append(d.Duplicates, e.PossibleDuplicate.Of)
		}
	case e.Suppressed != nil:
		d.Hidden = e.Suppressed
	case e.Posted != nil:
		d.posts(*e.Posted)
	}
}

// better returns the more reproducible tier of the two that is set.
func better(a, b finding.Tier) finding.Tier {
	if a.IsZero() || !b.IsZero() && b < a {
		return b
	}
	return a
}

// shown keeps the artifact that was last reproduced.
func (d *Defect) shown(a *finding.Artifact, r *finding.Reproduction) {
	if r != nil {
		d.Artifact, d.Reproduced = a, r
	}
}

func (d *Defect) sees(e *Event, w Wording, evidence []string) {
	d.Wordings = append(d.Wordings, w)
	if w.Location.Commit != "" {
		d.LastSeen = w.Location.Commit
	}
	d.sawIn(e.Run)
	d.addEvidence(evidence)
}

func (d *Defect) sawIn(run string) {
	if !slices.Contains(d.Runs, run) {
		d.Runs = append(d.Runs, run)
	}
}

func (d *Defect) addEvidence(evidence []string) {
	for _, text := range evidence {
		if !slices.Contains(d.Evidence, text) {
			d.Evidence = append(d.Evidence, text)
		}
	}
}

// moves replaces the location that the move starts from: the one at that place
// and commit, else the one at that place, else the first of that role, else the
// primary one. The commit keeps a place that was left apart from one that
// another move of the same run has come to.
func (d *Defect) moves(r *Relocated) {
	at := slices.IndexFunc(d.Locations, func(l finding.Location) bool { return l.Commit == r.From.Commit && atPlace(l, r.From) })
	if at < 0 {
		at = slices.IndexFunc(d.Locations, func(l finding.Location) bool { return atPlace(l, r.From) })
	}
	if at < 0 {
		at = slices.IndexFunc(d.Locations, func(l finding.Location) bool { return role(l) == role(r.From) })
	}
	to := r.To
	if to.Role == "" {
		to.Role = d.Locations[max(0, at)].Role
	}
	d.Locations[max(0, at)] = to
	d.LastMoved, d.Unlocated = to.Commit, nil
}

func atPlace(l, m finding.Location) bool {
	return l.Path == m.Path && l.Start == m.Start && l.End == m.End && l.Side == m.Side
}

func role(l finding.Location) string {
	if l.Role == "" {
		return "primary"
	}
	return l.Role
}

func (d *Defect) verifies(v *Verification) {
	d.Verifications = append(d.Verifications, *v)
	for i := range d.Criteria {
		if v.Criterion == i || v.Criterion == -1 {
			c := &d.Criteria[i]
			c.Outcome, c.Commit, c.Method = v.Outcome, v.Commit, v.Method
		}
	}
}

// posts keeps one entry a comment, as last written.
func (d *Defect) posts(p Posted) {
	d.Hidden = nil
	same := func(c Posted) bool {
		return c.Kind == p.Kind && c.Comment == p.Comment && (p.Comment != 0 || c.Thread == p.Thread)
	}
	d.Comments = append(slices.DeleteFunc(d.Comments, same), p)
}

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
