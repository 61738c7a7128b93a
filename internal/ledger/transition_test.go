package ledger

import (
	"fmt"
	"testing"

	"github.com/crev-ratchet/crev/internal/finding"
)

// allTriggers returns every trigger: the kinds, verifications by outcome.
func allTriggers() []trigger {
	var out []trigger
	for _, k := range everyKind() {
		if k != KindVerification {
			out = append(out, trigger(k))
		}
	}
	return append(out, verificationPassed, verificationFailed, verificationInconclusive)
}

// Every pair is written out here, so that a change of the table is a change of
// two files. "-" is illegal. The statuses stand in the order of Statuses.
// statuses are all of a defect, the first before it is opened.
var statuses = []Status{unborn, Open, Fixing, Closed, Waived, Back, Obsolete}

func TestEveryTransition(t *testing.T) {
	t.Parallel()
	const illegal Status = "-"
	stay := [7]Status{illegal, Open, Fixing, Closed, Waived, Back, Obsolete}
	never := [7]Status{illegal, illegal, illegal, illegal, illegal, illegal, illegal}
	want := map[trigger][7]Status{
		//                        unborn   open      fixing    verified dismissed reopened obsolete
		"opened":                    {Open, Open, Fixing, Closed, Waived, Back, Obsolete},
		"possibly_fixed":            {illegal, Fixing, Fixing, illegal, illegal, Fixing, illegal},
		"verification passed":       stay,
		"verification inconclusive": stay,
		"verification failed":       {illegal, Open, Open, Closed, Waived, Back, Obsolete},
		"verified":                  {illegal, Closed, Closed, Closed, illegal, Closed, illegal},
		"dismissed":                 {illegal, Waived, Waived, illegal, Waived, Waived, illegal},
		"reopened":                  {illegal, illegal, illegal, Back, Back, Back, Back},
		"obsoleted":                 {illegal, Obsolete, Obsolete, illegal, illegal, Obsolete, Obsolete},
		"split":                     {illegal, Obsolete, Obsolete, illegal, illegal, Obsolete, illegal},
		"observed":                  stay,
		"rated":                     stay,
		"relocated":                 stay,
		"location_unknown":          stay,
		"possible_duplicate":        stay,
		"merge_proposed":            stay,
		"merged":                    stay,
		"unmerged":                  stay,
		"suppressed":                stay,
		"posted":                    stay,
		"rule_hit":                  stay,
		"reaction":                  stay,
		"learned":                   stay,
		"signal":                    stay,
		"missed":                    stay,
		"promoted":                  never,
		"retired":                   never,
		"quarantined":               never,
		"proven":                    never,
		"checked":                   never,
		"reviewed":                  never,
		"merged_pr":                 never,
		"closed_pr":                 never,
	}
	for _, trig := range allTriggers() {
		row, ok := want[trig]
		if !ok {
			t.Errorf("no row for %q", trig)
			continue
		}
		for i, from := range statuses {
			got, legal := next(from, trig)
			if !legal {
				got = illegal
			}
			if got != row[i] {
				t.Errorf("%q, %q → %q, want %q", from, trig, got, row[i])
			}
		}
	}
	if len(want) != len(allTriggers()) {
		t.Errorf("%d rows for %d triggers", len(want), len(allTriggers()))
	}
}

func TestVerifiedNeedsProof(t *testing.T) {
	t.Parallel()
	type check struct {
		criterion               int
		commit, method, outcome string
	}
	tests := map[string]struct {
		criteria int
		severity finding.Severity
		claim    string
		checks   []check
		want     Status
	}{
		"nothing ran":                {2, finding.Low, "", nil, Fixing},
		"all criteria at once":       {2, finding.Low, "", []check{{-1, "c", "inspection", "passed"}}, Closed},
		"one by one":                 {2, finding.Low, "", []check{{0, "c", "inspection", "passed"}, {1, "c", "inspection", "passed"}}, Closed},
		"one missing":                {2, finding.Low, "", []check{{0, "c", "test", "passed"}}, Fixing},
		"one failed after":           {2, finding.Low, "", []check{{-1, "c", "test", "passed"}, {1, "c", "test", "failed"}}, Open},
		"one mended after":           {2, finding.Low, "", []check{{1, "c", "test", "failed"}, {-1, "c", "test", "passed"}}, Closed},
		"inconclusive proves none":   {1, finding.Low, "", []check{{-1, "c", "test", "inconclusive"}}, Fixing},
		"inconclusive takes none":    {1, finding.Low, "", []check{{-1, "c", "test", "passed"}, {-1, "c", "test", "inconclusive"}}, Closed},
		"at another commit":          {1, finding.Low, "", []check{{-1, "b", "test", "passed"}}, Fixing},
		"no criteria":                {0, finding.Low, "", []check{{-1, "c", "inspection", "passed"}}, Closed},
		"no criteria, nothing ran":   {0, finding.Low, "", nil, Fixing},
		"high by inspection":         {1, finding.High, "", []check{{-1, "c", "inspection", "passed"}}, Fixing},
		"critical by inspection":     {1, finding.Critical, "", []check{{-1, "c", "inspection", "passed"}}, Fixing},
		"high by test":               {1, finding.High, "", []check{{-1, "c", "test", "passed"}}, Closed},
		"high by a person":           {1, finding.High, "", []check{{-1, "c", "human", "passed"}}, Closed},
		"high by a check":            {1, finding.High, "", []check{{-1, "c", "static_analysis", "passed"}}, Closed},
		"security by inspection":     {1, finding.Low, "allows SQL injection", []check{{-1, "c", "inspection", "passed"}}, Fixing},
		"security, test failed once": {1, finding.Low, "allows SQL injection", []check{{-1, "c", "test", "failed"}, {-1, "c", "inspection", "passed"}}, Open},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := []Event{
				with(KindOpened, func(e *Event) {
					e.Opened.Severity = tt.severity
					e.Opened.Claim = "off by one" + tt.claim
					e.Opened.Criteria = nil
					for i := range tt.criteria {
						e.Opened.Criteria = append(e.Opened.Criteria, fmt.Sprintf("criterion %d", i))
					}
				}),
				sample(KindPossiblyFixed),
			}
			for _, c := range tt.checks {
				events = append(events, with(KindVerification, func(e *Event) {
					*e.Verification = Verification{Commit: c.commit, Method: c.method, Outcome: c.outcome, Criterion: c.criterion}
				}))
			}
			events = append(events, with(KindVerified, func(e *Event) { e.Verified.Commit = "c" }))
			s := Fold(script(t, events...), View{PR: 42})
			d := s.Defect("D-00000001")
			if d.Status != tt.want {
				t.Errorf("status %s, want %s; problems %v", d.Status, tt.want, s.Problems)
			}
			if refused := len(s.Problems) == 1; refused != (tt.want != Closed) {
				t.Errorf("problems %v with status %s", s.Problems, d.Status)
			}
			if fixed := d.FixedIn == "c"; fixed != (tt.want == Closed) {
				t.Errorf("fixed in %q with status %s", d.FixedIn, d.Status)
			}
		})
	}
}
