package review

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
