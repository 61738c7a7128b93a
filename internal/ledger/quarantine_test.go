package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuarantineLastsUntilProven(t *testing.T) {
	t.Parallel()
	const name, hash = "session-constant-time", "ab12"
	flaked, promoted := sample(KindQuarantined), sample(KindPromoted)
	proven := sample(KindProven)
	other := with(KindProven, func(e *Event) { e.Proven.Hash = "cd34" })
	for label, tt := range map[string]struct {
		events []Event
		hash   string
		want   bool
	}{
		"it never flaked":                 {nil, hash, false},
		"it flaked":                       {[]Event{flaked}, hash, true},
		"changed, and proven by nobody":   {[]Event{flaked}, "cd34", true},
		"proven again":                    {[]Event{flaked, proven}, hash, false},
		"changed and proven":              {[]Event{flaked, other}, "cd34", false},
		"another version was proven":      {[]Event{flaked, other}, hash, true},
		"proven before it flaked":         {[]Event{proven, flaked}, hash, true},
		"a promotion is a proof as well":  {[]Event{flaked, promoted}, hash, false},
		"flaked again after it was clean": {[]Event{flaked, proven, with(KindQuarantined, func(e *Event) { e.Run = "1019.1" })}, hash, true},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			s := Fold(script(t, tt.events...), View{PR: 42})
			if q, got := s.Quarantined(name, tt.hash); got != tt.want || got && q.Validator != name {
				t.Errorf("Quarantined = %+v, %v, want %v", q, got, tt.want)
			}
		})
	}
}

func TestAnswered(t *testing.T) {
	t.Parallel()
	now := CheckResult{Validator: "v", Hash: "ab12", Status: "clean"}
	found := CheckResult{Validator: "v", Hash: "ab12", Status: "found", Found: 1}
	at := func(commit, base string, rs ...CheckResult) Event {
		return with(KindChecked, func(e *Event) { e.Checked.Commit, e.Checked.Base, e.Checked.Results = commit, base, rs })
	}
	s := Fold(script(t,
		at("6f882ee", "5e5e5e5", found),
		at("7a7a7a7", "5e5e5e5", found), // another head
		at("6f882ee", "4d4d4d4", found), // another base
		at("6f882ee", "5e5e5e5", CheckResult{Validator: "v", Hash: "cd34", Status: "found"}, CheckResult{Validator: "v", Hash: "ab12", Status: "broken"}),
	), View{PR: 42})
	if d := cmp.Diff([]CheckResult{found}, s.Answered("6f882ee", "5e5e5e5", now)); d != "" {
		t.Errorf("Answered (-want +got):\n%s", d)
	}
}
