package ledger

// Kind names what happened in an event. It is the JSON key of the payload, and
// the constants stand in the order in which events of one second are folded.
type Kind string

// The kinds of events.
const (
	KindOpened            Kind = "opened"
	KindObserved          Kind = "observed"
	KindRated             Kind = "rated"
	KindRelocated         Kind = "relocated"
	KindLocationUnknown   Kind = "location_unknown"
	KindPossiblyFixed     Kind = "possibly_fixed"
	KindVerification      Kind = "verification"
	KindVerified          Kind = "verified"
	KindDismissed         Kind = "dismissed"
	KindReopened          Kind = "reopened"
	KindObsoleted         Kind = "obsoleted"
	KindPossibleDuplicate Kind = "possible_duplicate"
	KindMergeProposed     Kind = "merge_proposed"
	KindMerged            Kind = "merged"
	KindUnmerged          Kind = "unmerged"
	KindSplit             Kind = "split"
	KindSuppressed        Kind = "suppressed"
	KindPosted            Kind = "posted"
	KindRuleHit           Kind = "rule_hit"
	KindReaction          Kind = "reaction"
	KindLearned           Kind = "learned"
	KindPromoted          Kind = "promoted"
	KindRetired           Kind = "retired"
	KindQuarantined       Kind = "quarantined"
	KindProven            Kind = "proven"
	KindChecked           Kind = "checked"
	KindReviewed          Kind = "reviewed"
	KindMergedPR          Kind = "merged_pr"
	KindClosedPR          Kind = "closed_pr"
	KindSignal            Kind = "signal"
	KindMissed            Kind = "missed"
)

// about says what an event must name beside its payload.
type about uint8

const (
	aboutDefect  about = iota // a class and a defect
	aboutClass                // a class, no defect
	aboutAny                  // a defect or not
	aboutPR                   // a pull request, no class and no defect
	aboutNothing              // no class and no defect
)

// payloads lists the payload fields in their order in Payload.
var payloads = []struct {
	kind  Kind
	about about
	in    func(*Payload) checker
}{
	{KindOpened, aboutDefect, func(p *Payload) checker { return present(p.Opened) }},
	{KindObserved, aboutDefect, func(p *Payload) checker { return present(p.Observed) }},
	{KindRated, aboutDefect, func(p *Payload) checker { return present(p.Rated) }},
	{KindRelocated, aboutDefect, func(p *Payload) checker { return present(p.Relocated) }},
	{KindLocationUnknown, aboutDefect, func(p *Payload) checker { return present(p.LocationUnknown) }},
	{KindPossiblyFixed, aboutDefect, func(p *Payload) checker { return present(p.PossiblyFixed) }},
	{KindVerification, aboutDefect, func(p *Payload) checker { return present(p.Verification) }},
	{KindVerified, aboutDefect, func(p *Payload) checker { return present(p.Verified) }},
	{KindDismissed, aboutDefect, func(p *Payload) checker { return present(p.Dismissed) }},
	{KindReopened, aboutDefect, func(p *Payload) checker { return present(p.Reopened) }},
	{KindObsoleted, aboutDefect, func(p *Payload) checker { return present(p.Obsoleted) }},
	{KindPossibleDuplicate, aboutDefect, func(p *Payload) checker { return present(p.PossibleDuplicate) }},
	{KindMergeProposed, aboutDefect, func(p *Payload) checker { return present(p.MergeProposed) }},
	{KindMerged, aboutDefect, func(p *Payload) checker { return present(p.Merged) }},
	{KindUnmerged, aboutDefect, func(p *Payload) checker { return present(p.Unmerged) }},
	{KindSplit, aboutDefect, func(p *Payload) checker { return present(p.Split) }},
	{KindSuppressed, aboutDefect, func(p *Payload) checker { return present(p.Suppressed) }},
	{KindPosted, aboutAny, func(p *Payload) checker { return present(p.Posted) }},
	{KindRuleHit, aboutAny, func(p *Payload) checker { return present(p.RuleHit) }},
	{KindReaction, aboutAny, func(p *Payload) checker { return present(p.Reaction) }},
	{KindLearned, aboutAny, func(p *Payload) checker { return present(p.Learned) }},
	{KindPromoted, aboutClass, func(p *Payload) checker { return present(p.Promoted) }},
	{KindRetired, aboutClass, func(p *Payload) checker { return present(p.Retired) }},
	{KindQuarantined, aboutNothing, func(p *Payload) checker { return present(p.Quarantined) }},
	{KindProven, aboutNothing, func(p *Payload) checker { return present(p.Proven) }},
	{KindChecked, aboutNothing, func(p *Payload) checker { return present(p.Checked) }},
	{KindReviewed, aboutNothing, func(p *Payload) checker { return present(p.Reviewed) }},
	{KindMergedPR, aboutPR, func(p *Payload) checker { return present(p.MergedPR) }},
	{KindClosedPR, aboutPR, func(p *Payload) checker { return present(p.ClosedPR) }},
	{KindSignal, aboutAny, func(p *Payload) checker { return present(p.Signal) }},
	{KindMissed, aboutAny, func(p *Payload) checker { return present(p.Missed) }},
}

// checker is a payload: it knows which of its values are illegal.
type checker interface{ check() error }

// payload is a pointer to T that is a checker.
type payload[T any] interface {
	*T
	checker
}

// present returns a payload as a checker, nil when it is absent.
func present[T any, P payload[T]](p P) checker {
	if p == nil {
		return nil
	}
	return p
}

// Kind returns what happened, "" for an event without a payload. An event that
// Seal or Parse returned has exactly one.
func (e *Event) Kind() Kind {
	if i := e.rank(); i >= 0 {
		return payloads[i].kind
	}
	return ""
}

// rank is the place of the event's kind in the order of kinds, -1 for none.
func (e *Event) rank() int {
	for i := range payloads {
		if payloads[i].in(&e.Payload) != nil {
			return i
		}
	}
	return -1
}
