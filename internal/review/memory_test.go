package review

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/rule"
)

func TestRuleHistory(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC) }
	event := func(run string, pr, day int, defect ledger.DefectID, p ledger.Payload) ledger.Event {
		return ledger.Event{Run: run, PR: pr, At: at(day), Defect: defect, Payload: p}
	}
	hit := ledger.Payload{RuleHit: &ledger.RuleHit{Rule: "a", Effect: "silenced"}}
	reaction := func(comment int64, content string, count int) ledger.Payload {
		return ledger.Payload{Reaction: &ledger.Reaction{Comment: comment, Content: content, Count: count, Rule: "a"}}
	}
	events := []ledger.Event{
		event("1.1", 7, 1, "D-00000001", ledger.Payload{Reviewed: &ledger.Reviewed{}}),
		event("1.1", 7, 1, "", ledger.Payload{Reviewed: &ledger.Reviewed{}}),
		event("1.1", 7, 1, "D-00000001", hit),
		event("2.1", 7, 2, "D-00000001", hit), // the next push
		event("2.1", 7, 2, "D-00000002", hit),
		event("3.1", 8, 3, "D-00000001", hit),
		event("4.1", 8, 4, "", reaction(1, "+1", 1)),
		event("5.1", 8, 5, "", reaction(1, "+1", 2)), // one more person
		event("5.1", 8, 5, "", reaction(2, "-1", 1)),
		event("6.1", 8, 6, "", reaction(2, "-1", 0)), // taken back
		event("6.1", 8, 6, "", reaction(3, "eyes", 1)),
		event("6.1", 8, 6, "", ledger.Payload{Learned: &ledger.Learned{Outcome: "reinforce", Rule: "a"}}),
		event("6.1", 8, 6, "", ledger.Payload{Learned: &ledger.Learned{Outcome: "none", Rule: "a"}}),
	}
	want := rule.History{
		Uses: []rule.Use{
			{Rule: "a", Effect: rule.Hit, At: at(1)}, {Rule: "a", Effect: rule.Hit, At: at(2)}, {Rule: "a", Effect: rule.Hit, At: at(3)},
			{Rule: "a", Effect: rule.Liked, At: at(6)},
			{Rule: "a", Effect: rule.Liked, At: at(5)}, {Rule: "a", Effect: rule.Liked, At: at(5)},
		},
		Reviews: []time.Time{at(1)},
	}
	if diff := cmp.Diff(want, RuleHistory(events)); diff != "" {
		t.Errorf("RuleHistory (-want +got):\n%s", diff)
	}
}

func TestMemoryIndex(t *testing.T) {
	t.Parallel()
	m := memory{author: "kim", view: []rule.Rule{
		{ID: "a", Kind: rule.Always, Says: "Close every body.", Scope: rule.Scope{"web/**"}, Status: rule.Active},
		{ID: "b", Kind: rule.Silence, Says: "Names are short.", Scope: rule.Scope{"**"}, ForAuthor: "max", Status: rule.Active},
	}}
	ix := m.index([]string{"web/a.go"})
	if got, want := ix.String(), "a [always] web/**: Close every body.\n"; got != want {
		t.Errorf("index = %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{"a"}, ix.Applicable); diff != "" {
		t.Errorf("Applicable (-want +got):\n%s", diff)
	}
}

// noes are two people's bare noes to long functions, in two pull requests.
func noes(at time.Time) []ledger.Event {
	var events []ledger.Event
	for i, id := range []ledger.DefectID{"D-00000001", "D-00000002"} {
		opened := &ledger.Opened{Claim: "The function has 120 lines.", Category: "function-length", Severity: finding.Low,
			Locations: []finding.Location{{Path: "parse/a.go", Start: 3}}}
		events = append(events,
			ledger.Event{PR: i + 1, At: at, Defect: id, Payload: ledger.Payload{Opened: opened}},
			ledger.Event{PR: i + 1, At: at, Defect: id, By: "kim", Payload: ledger.Payload{Signal: &ledger.Signal{Kind: "bare_no", From: "x"}}})
	}
	return events
}

func TestRuleSignals(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	events := noes(at)[:1]
	about := func(p ledger.Payload) ledger.Event {
		return ledger.Event{PR: 1, At: at, Defect: "D-00000001", By: "kim", Payload: p}
	}
	base := rule.Signal{PR: 1, At: at, By: "kim", Path: "parse/a.go", Category: "function-length", Severity: finding.Low, Claim: "The function has 120 lines."}
	with := func(change func(*rule.Signal)) []rule.Signal {
		s := base
		change(&s)
		return []rule.Signal{s}
	}
	tests := map[string]struct {
		event ledger.Event
		want  []rule.Signal
	}{
		"a bare no":                {about(ledger.Payload{Signal: &ledger.Signal{Kind: "bare_no", From: "x"}}), with(func(s *rule.Signal) { s.Source, s.From = rule.UserReject, "x" })},
		"a thumbs-down":            {about(ledger.Payload{Signal: &ledger.Signal{Kind: "thumbs_down"}}), with(func(s *rule.Signal) { s.Source = rule.UserReject })},
		"valid, not adopted":       {about(ledger.Payload{Signal: &ledger.Signal{Kind: "not_adopted"}}), nil},
		"a false positive":         {about(ledger.Payload{Dismissed: &ledger.Dismissed{Kind: "false_positive", Reason: "r", From: "x"}}), with(func(s *rule.Signal) { s.Source, s.Reason, s.From, s.Writer = rule.UserReject, "r", "x", true })},
		"an accepted risk":         {about(ledger.Payload{Dismissed: &ledger.Dismissed{Kind: "accepted_risk", Reason: "r"}}), nil},
		"turned down by the judge": {about(ledger.Payload{Suppressed: &ledger.Suppressed{Reason: "judge", Detail: "d"}}), with(func(s *rule.Signal) { s.Source, s.Reason = rule.Recheck, "d" })},
		"over the cap":             {about(ledger.Payload{Suppressed: &ledger.Suppressed{Reason: "cap"}}), nil},
		"a missed bug": {ledger.Event{PR: 4, At: at, By: "kim", Payload: ledger.Payload{Missed: &ledger.Missed{From: "x", Claim: "It drops rows.", Location: finding.Location{Path: "db/a.go", Symbol: "Load"}}}},
			[]rule.Signal{{Source: rule.BugMissed, PR: 4, At: at, By: "kim", From: "x", Claim: "It drops rows.", Path: "db/a.go", Subject: "Load", Category: "correctness"}}},
		"a no to nothing known": {ledger.Event{PR: 4, At: at, Payload: ledger.Payload{Signal: &ledger.Signal{Kind: "bare_no"}}}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, RuleSignals(append(slices.Clone(events), tc.event))); diff != "" {
				t.Errorf("RuleSignals (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTendRules(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	cfg := DefaultConfig().Rules
	cfg.MaxActive = 1
	old := rule.Rule{ID: "a-old", Kind: rule.Always, Says: "Close every body.", Scope: rule.Scope{"**"}, Status: rule.Active, Source: rule.Distilled, Expires: "2026-11-29"}
	two := []rule.Rule{
		{ID: "b", Kind: rule.Always, Says: "Close every file.", Scope: rule.Scope{"**"}, Status: rule.Active},
		{ID: "c", Kind: rule.Always, Says: "Close every row.", Scope: rule.Scope{"**"}, Status: rule.Active},
	}
	got, err := TendRules(rule.NewPool(old, two[0], two[1]), Tending{Config: cfg, Events: noes(now), Files: []string{"parse/a.go"}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"rule a-old expired: Close every body.",
		"rule function-length-parse-16b7 is pending: Comments about function-length are not wanted below parse.",
		"rule c sleeps, the pool is full: Close every row.",
	}
	if diff := cmp.Diff(want, got.Memory); diff != "" {
		t.Errorf("Memory (-want +got):\n%s", diff)
	}
	pool := rule.NewPool(append([]rule.Rule{two[0]}, got.Rules...)...)
	again, err := TendRules(pool, Tending{Config: cfg, Events: noes(now), Files: []string{"parse/a.go"}, Now: now})
	if err != nil || len(again.Rules) > 0 {
		t.Errorf("tended again: %v, %v", again.Memory, err)
	}
}
