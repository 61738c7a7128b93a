package ledger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// unborn is the status before a defect is opened.
const unborn Status = ""

// trigger is a kind of event as the transition table sees it: a verification
// counts by its outcome.
type trigger string

const (
	verificationPassed       = trigger(KindVerification) + " " + outcomePassed
	verificationFailed       = trigger(KindVerification) + " " + outcomeFailed
	verificationInconclusive = trigger(KindVerification) + " " + outcomeInconclusive
)

func (e *Event) trigger() trigger {
	if e.Verification != nil {
		return trigger(KindVerification) + " " + trigger(e.Verification.Outcome)
	}
	return trigger(e.Kind())
}

// transitions is what becomes of a defect: (status, trigger) → status. A pair
// that is not in it is illegal. Triggers that change nothing in any status are
// in unmoving, and are illegal before the defect is opened.
//
// A failed verification sends a defect that was once reopened back to Back, not
// to Open; see (*Defect).after.
var transitions = map[Status]map[trigger]Status{
	unborn: {
		trigger(KindOpened): Open,
	},
	Open: {
		trigger(KindPossiblyFixed): Fixing,
		verificationFailed:         Open,
		trigger(KindVerified):      Closed,
		trigger(KindDismissed):     Waived,
		trigger(KindObsoleted):     Obsolete,
		trigger(KindSplit):         Obsolete,
	},
	Fixing: {
		trigger(KindPossiblyFixed): Fixing,
		verificationFailed:         Open,
		trigger(KindVerified):      Closed,
		trigger(KindDismissed):     Waived,
		trigger(KindObsoleted):     Obsolete,
		trigger(KindSplit):         Obsolete,
	},
	Back: {
		trigger(KindReopened):      Back,
		trigger(KindPossiblyFixed): Fixing,
		verificationFailed:         Back,
		trigger(KindVerified):      Closed,
		trigger(KindDismissed):     Waived,
		trigger(KindObsoleted):     Obsolete,
		trigger(KindSplit):         Obsolete,
	},
	Closed: {
		verificationFailed:    Closed,
		trigger(KindVerified): Closed,
		trigger(KindReopened): Back,
	},
	Waived: {
		verificationFailed:     Waived,
		trigger(KindDismissed): Waived,
		trigger(KindReopened):  Back,
	},
	Obsolete: {
		verificationFailed:     Obsolete,
		trigger(KindObsoleted): Obsolete,
		trigger(KindReopened):  Back,
	},
}

// unmoving are the triggers that never change the status of a defect. A second
// opened is a sighting: whoever adds a finding need not know the store.
var unmoving = map[trigger]bool{
	trigger(KindOpened): true, trigger(KindObserved): true, trigger(KindRated): true,
	trigger(KindRelocated): true, trigger(KindLocationUnknown): true,
	verificationPassed: true, verificationInconclusive: true,
	trigger(KindPossibleDuplicate): true, trigger(KindMergeProposed): true,
	trigger(KindMerged): true, trigger(KindUnmerged): true,
	trigger(KindSuppressed): true, trigger(KindPosted): true,
	trigger(KindRuleHit): true, trigger(KindReaction): true,
	trigger(KindLearned): true, trigger(KindSignal): true, trigger(KindMissed): true,
}

// next returns the status after a trigger, false when the pair is illegal.
func next(s Status, t trigger) (Status, bool) {
	if to, ok := transitions[s][t]; ok {
		return to, true
	}
	return s, s != unborn && unmoving[t]
}

// after returns the status of d after an event, or why the event is refused.
func (d *Defect) after(e *Event) (Status, error) {
	to, ok := next(d.Status, e.trigger())
	if !ok {
		return d.Status, fmt.Errorf("a defect that is %s cannot be %s",
			wordOf(string(d.Status)), wordOf(string(e.Kind())))
	}
	if to == Open && d.Status == Fixing && d.wasReopened {
		to = Back
	}
	if e.Verified != nil {
		if err := d.proven(e.Verified.Commit); err != nil {
			return d.Status, err
		}
	}
	return to, nil
}

// wordOf writes a status or kind as people do.
func wordOf(s string) string { return strings.ReplaceAll(s, "_", " ") }

// proven reports whether every criterion of d passed at the commit, the latest
// verification of each counting. For a defect that is shielded, somebody else
// than a model must have looked: a test, a check or a person.
func (d *Defect) proven(commit string) error {
	criteria := max(1, len(d.Criteria)) // without criteria the claim is the one
	passed := make([]bool, criteria)
	beyondInspection := false
	for _, v := range d.Verifications {
		if v.Commit != commit || v.Outcome == outcomeInconclusive {
			continue
		}
		ok := v.Outcome == outcomePassed
		for i := range passed {
			if v.Criterion == i || v.Criterion == -1 {
				passed[i] = ok
			}
		}
		beyondInspection = ok && v.Method != methodInspection || beyondInspection
	}
	for i, ok := range passed {
		if !ok && len(d.Criteria) == 0 {
			return fmt.Errorf("verified at %s without a verification that passed there", short(commit))
		}
		if !ok {
			return fmt.Errorf("verified at %s although criterion %d (%q) has not passed there", short(commit), i+1, d.Criteria[i].Text)
		}
	}
	if !beyondInspection && d.Shielded() {
		return fmt.Errorf("verified at %s by inspection alone, and it is %s: a test, a check or a person must confirm it", short(commit), d.gravity())
	}
	return nil
}

// Shielded reports whether no rule, reply or model may hide or close the
// defect; see finding.Shielded. Every wording counts.
func (d *Defect) Shielded() bool {
	texts := make([]string, 0, len(d.Wordings)+1)
	texts = append(texts, d.Detail)
	for _, w := range d.Wordings {
		texts = append(texts, w.Claim)
	}
	return finding.Shielded(d.Category, d.Severity, texts...)
}

func (d *Defect) gravity() string {
	if d.Severity.Rank() >= finding.High.Rank() {
		return "of " + string(d.Severity) + " severity"
	}
	return "about security, a crash, data or a secret"
}

// mergeable reports why d cannot become an alias of into, nil when it can.
func (d *Defect) mergeable(into *Defect, evidence []string) error {
	switch {
	case d.ID == into.ID:
		return errors.New("a defect cannot be merged into itself")
	case d.Status.Active() && !into.Status.Active():
		return fmt.Errorf("%s is %s and would hide an open defect; reopen it first", into.ID, into.Status)
	case len(evidence) == 0 && d.Shielded() && into.Shielded():
		return errors.New("two defects of high severity are merged on evidence only, and there is none")
	}
	return nil
}

func short(commit string) string {
	if len(commit) > 12 {
		return commit[:12]
	}
	return commit
}
