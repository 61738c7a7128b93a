package ledger

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
)

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
