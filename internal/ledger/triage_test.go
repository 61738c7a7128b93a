package ledger

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

// seenIn is a sighting of classA in a pull request.
func seenIn(pr int, source, claim string) Event {
	return with(KindOpened, func(e *Event) {
		e.PR, e.Run = pr, "r"+string(rune('0'+pr))+".1"
		e.Opened.Claim, e.Opened.Source = claim, source
	})
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	pattern := &finding.Artifact{Kind: finding.ArtifactPattern, Pattern: `token ==`}
	events := script(t,
		seenIn(1, "security", "The token isn't compared in constant-time."),
		with(KindOpened, func(e *Event) {
			e.PR, e.Run, e.Opened.Claim, e.Opened.Source = 2, "r2.1", "the token is not compared in constant time", "code"
			e.Opened.Quote, e.Opened.Suggestion, e.Opened.Detail = "if token == want {", "if equal(token, want) {", "It leaks."
			e.Opened.Locations[0].Path, e.Opened.Artifact = "src/api/b.ts", pattern
			e.Opened.Reproduced = &finding.Reproduction{Command: "pattern", Exit: 1, Runs: 2}
		}),
		seenIn(3, "security", "Timing attack on the token"),
		with(KindOpened, func(e *Event) { e.FP, e.Defect, e.Opened.Claim = classB, "D-0000000b", "another class" }),
	)
	classes := Count(events, Ratchet{})
	got := Describe(Recurring(classes), events)
	if len(got) != 1 || got[0].FP != classA {
		t.Fatalf("Describe = %+v, want the recurring class alone", got)
	}
	want := Due{
		Class: classes[0],
		Phrases: []Phrase{
			{"The token isn't compared in constant-time.", 2},
			{"Timing attack on the token", 1},
		},
		Sources: []string{"code", "security"},
		Code:    "if token == want {", Suggestion: "if equal(token, want) {", Detail: "It leaks.",
		At: finding.Location{Path: "src/api/b.ts", Start: 10, End: 12, Symbol: "check", Commit: "6f882ee"},
		Places: []finding.Location{
			{Path: "src/api/b.ts", Start: 10, End: 12, Symbol: "check", Commit: "6f882ee"},
			{Path: "src/api/sessions.ts", Start: 10, End: 12, Symbol: "check", Commit: "6f882ee"},
		},
		Criteria: []string{"it uses timingSafeEqual"}, Artifact: pattern,
	}
	if d := cmp.Diff(want, got[0]); d != "" {
		t.Errorf("Describe (-want +got):\n%s", d)
	}
}

func TestRulesHit(t *testing.T) {
	t.Parallel()
	hit := func(pr int, run, rule string) Event {
		return with(KindRuleHit, func(e *Event) { e.PR, e.Run, e.RuleHit.Rule = pr, run, rule })
	}
	events := script(t,
		hit(1, "1.1", "often"), hit(1, "1.2", "often"), hit(2, "2.1", "often"), hit(3, "3.1", "often"),
		hit(1, "1.1", "one-pr"), hit(1, "1.2", "one-pr"), hit(1, "1.3", "one-pr"),
	)
	fsys := fstest.MapFS{"a.jsonl": {Data: []byte(lines(append(events, seal(t, sample(KindOpened)))...))}}
	read, problems := EventsOf(fsys, KindRuleHit)
	if len(read) != len(events) || len(problems) > 0 {
		t.Fatalf("EventsOf = %d events, %v; want %d", len(read), problems, len(events))
	}
	if d := cmp.Diff([]RuleDue{{"often", 3, 4}}, RulesHit(read, Ratchet{})); d != "" {
		t.Errorf("RulesHit by pull request (-want +got):\n%s", d)
	}
	want := []RuleDue{{"often", 4, 4}, {"one-pr", 3, 3}}
	if d := cmp.Diff(want, RulesHit(read, Ratchet{Unit: UnitRun})); d != "" {
		t.Errorf("RulesHit by run (-want +got):\n%s", d)
	}
}

func TestDraw(t *testing.T) {
	t.Parallel()
	in := func(k Kind, pr int, run string) Event {
		return with(k, func(e *Event) { e.PR, e.Run = pr, run })
	}
	events := script(t,
		in(KindOpened, 1, "1.1"), in(KindObserved, 1, "1.1"), // once, and again in the same run
		in(KindObserved, 2, "2.1"), // a repeat
		in(KindPromoted, 0, "local-1.1"),
		in(KindObserved, 3, "3.1"), // a repeat that nobody has to read
		with(KindSuppressed, func(e *Event) { e.PR, e.Run, e.Suppressed.Reason = 3, "3.1", "validator" }),
		with(KindSuppressed, func(e *Event) { e.PR, e.Run, e.Suppressed.Reason = 3, "3.1", "judge" }),
		in(KindRetired, 0, "local-2.1"),
	)
	at := func(i int) CurveRun { return CurveRun{At: events[i].At, Run: events[i].Run, PR: events[i].PR} }
	runs := []CurveRun{at(0), at(2), at(3), at(4), at(7)}
	runs[0].Findings = 2
	runs[1].Findings, runs[1].Repeats = 1, 1
	runs[2].Promoted = 1
	runs[3].Findings, runs[3].Repeats, runs[3].Saved, runs[3].Promoted = 1, 1, 1, 1
	want := Curve{Runs: runs, Findings: 4, Repeats: 2, RepeatShare: .5, Saved: 1, Classes: map[ClassStatus]int{ClassRetired: 1}}
	if d := cmp.Diff(want, Draw(events, Count(events, Ratchet{}))); d != "" {
		t.Errorf("Draw (-want +got):\n%s", d)
	}
	if got := Draw(nil, nil); got.RepeatShare != 0 || got.Runs == nil {
		t.Errorf("Draw of nothing = %+v, want an empty list and no share", got)
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	classes := []Class{
		{FP: "old", Status: ClassRecurring, LastSeen: noon},
		{FP: "fresh", Status: ClassNew, LastSeen: noon.AddDate(0, 0, 2)},
		{FP: "decided", Status: ClassPromoted, LastSeen: noon},
		{FP: "gone", Status: ClassRetired, LastSeen: noon},
	}
	if got := Stale(classes, noon.AddDate(0, 0, 1)); len(got) != 1 || got[0].FP != "old" {
		t.Errorf("Stale = %+v, want the old one that is counted", got)
	}
}
