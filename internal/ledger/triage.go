package ledger

import (
	"bytes"
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Due is a class that came back often enough for somebody to decide about it.
type Due struct {
	Class
	// Phrases are the ways in which it was put, the most frequent first.
	Phrases []Phrase `json:"wordings"`
	// Sources are the reviewers that said it, in order.
	Sources []string `json:"sources"`
	// Code is what the latest sighting with a quote quoted, At where that
	// stood.
	Code string           `json:"code,omitempty"`
	At   finding.Location `json:"at"`
	// Places are where it was seen, the latest of each file, in the order of
	// their paths.
	Places []finding.Location `json:"places"`
	// Detail and Criteria are of the latest sighting that gave them.
	Detail   string   `json:"detail,omitempty"`
	Criteria []string `json:"criteria,omitempty"`
	// Suggestion is the latest replacement of Code that a reviewer gave.
	Suggestion string `json:"suggestion,omitempty"`
	// Artifact is a check that was reproduced for it, nil for none.
	Artifact *finding.Artifact `json:"artifact,omitempty"`
	// FixedIn is a commit that holds a verified fix, "" for none.
	FixedIn string `json:"fixed_in,omitempty"`
}

// Phrase is one wording and how often it was used; typings of one wording
// count as one.
type Phrase struct {
	Claim string `json:"claim"`
	Count int    `json:"count"`
}

// Describe tells what the events say of classes. The result is in the order of
// the classes. Events of other classes are ignored.
func Describe(classes []Class, events []Event) []Due {
	due := make([]Due, len(classes))
	at := map[string]int{}
	for i, c := range classes {
		due[i], at[c.FP] = Due{Class: c, Phrases: []Phrase{}, Sources: []string{}, Places: []finding.Location{}}, i
	}
	for _, e := range Sort(events) {
		if i, ok := at[e.FP]; ok {
			due[i].take(&e)
		}
	}
	for i := range due {
		slices.SortStableFunc(due[i].Phrases, func(a, b Phrase) int { return b.Count - a.Count })
		slices.Sort(due[i].Sources)
		slices.SortFunc(due[i].Places, func(a, b finding.Location) int { return strings.Compare(a.Path, b.Path) })
	}
	return due
}

// Recurring returns the classes that nobody has decided about.
func Recurring(classes []Class) []Class {
	return slices.DeleteFunc(slices.Clone(classes), func(c Class) bool { return c.Status != ClassRecurring })
}

func (d *Due) take(e *Event) {
	switch {
	case e.Opened != nil:
		o := e.Opened
		d.said(o.Claim, o.Source)
		d.stood(o.Locations[0])
		if o.Quote != "" {
			d.Code, d.At, d.Suggestion = o.Quote, o.Locations[0], o.Suggestion
			d.At.Anchor = nil
		} else if d.Code == "" {
			d.At = o.Locations[0]
		}
		d.Detail = cmp.Or(o.Detail, d.Detail)
		if len(o.Criteria) > 0 {
			d.Criteria = o.Criteria
		}
		d.brought(o.Artifact, o.Reproduced)
	case e.Observed != nil:
		o := e.Observed
		d.said(o.Claim, o.Source)
		d.stood(o.Location)
		if d.At.Path == "" {
			d.At = o.Location
		}
		d.brought(o.Artifact, o.Reproduced)
	case e.Verified != nil:
		d.FixedIn = e.Verified.Commit
	}
}

func (d *Due) stood(at finding.Location) {
	at.Anchor = nil
	i := slices.IndexFunc(d.Places, func(l finding.Location) bool { return l.Path == at.Path })
	if i < 0 {
		d.Places = append(d.Places, at)
		return
	}
	d.Places[i] = at
}

func (d *Due) brought(a *finding.Artifact, r *finding.Reproduction) {
	if r != nil {
		d.Artifact = a
	}
}

func (d *Due) said(claim, source string) {
	if !slices.Contains(d.Sources, source) {
		d.Sources = append(d.Sources, source)
	}
	normal := finding.Normalize(claim)
	for i := range d.Phrases {
		if finding.Normalize(d.Phrases[i].Claim) == normal {
			d.Phrases[i].Count++
			return
		}
	}
	d.Phrases = append(d.Phrases, Phrase{claim, 1})
}

// RuleDue is a rule that keeps being hit: what it says could be checked.
type RuleDue struct {
	Rule string `json:"rule"`
	// Recurrence is the number of units in which it was hit.
	Recurrence int `json:"recurrence"`
	Hits       int `json:"hits"`
}

// RulesHit returns the rules that were hit in as many pull requests or runs as
// make a class recurring, the most hit first.
func RulesHit(events []Event, r Ratchet) []RuleDue {
	units, hits := map[string]map[unit]bool{}, map[string]int{}
	for _, e := range Sort(events) {
		if e.RuleHit == nil {
			continue
		}
		name := e.RuleHit.Rule
		if units[name] == nil {
			units[name] = map[unit]bool{}
		}
		units[name][r.unitOf(&e)] = true
		hits[name]++
	}
	due := []RuleDue{}
	for _, name := range slices.Sorted(maps.Keys(units)) {
		if n := len(units[name]); n >= cmp.Or(r.Recur, DefaultRecur) {
			due = append(due, RuleDue{name, n, hits[name]})
		}
	}
	slices.SortStableFunc(due, func(a, b RuleDue) int { return b.Recurrence - a.Recurrence })
	return due
}

// unit is one recurrence: a pull request, or a run.
type unit struct {
	pr  int
	run string
}

func (r Ratchet) unitOf(e *Event) unit {
	if e.PR != 0 && r.Unit != UnitRun {
		return unit{pr: e.PR}
	}
	return unit{run: e.Run}
}

// EventsOf returns the events of some kinds, each once and in order, and
// decodes few others.
func EventsOf(fsys fs.FS, kinds ...Kind) ([]Event, []Problem) {
	keys := make([][]byte, len(kinds))
	for i, k := range kinds {
		keys[i] = []byte(`,"` + string(k) + `":{`)
	}
	var events []Event
	read := newReader(fsys)
	read.each(func(line []byte) error {
		if !slices.ContainsFunc(keys, func(key []byte) bool { return bytes.Contains(line, key) }) {
			return nil
		}
		e, err := Parse(line)
		if err == nil && slices.Contains(kinds, e.Kind()) {
			events = append(events, e)
		}
		return err
	})
	return Sort(events), read.problems
}
