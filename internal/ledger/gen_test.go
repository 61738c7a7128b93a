package ledger

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/finding"
)

// noon is when the events of the tests begin.
var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

const (
	classA = "334cece5d8ab7d10"
	classB = "a3f29c41d7b08e55"
	zero0  = "00000000000000aa"
)

// everyKind returns every kind in the order of the constants.
func everyKind() []Kind {
	var out []Kind
	for _, p := range payloads {
		out = append(out, p.kind)
	}
	return out
}

// samples holds one legal payload of every kind.
func samples() map[Kind]Payload {
	at := finding.Location{Path: "src/api/sessions.ts", Start: 10, End: 12, Symbol: "check", Commit: "6f882ee"}
	other := DefectID("D-00000002")
	return map[Kind]Payload{
		KindOpened: {Opened: &Opened{FP0: zero0, Claim: "token compared in <variable> time", Category: "bug",
			Severity: finding.Medium, Tier: finding.Advisory, Source: "security", Locations: []finding.Location{at},
			Criteria: []string{"it uses timingSafeEqual"}}},
		KindObserved:          {Observed: &Observed{Claim: "token compared byte by byte", Source: "code", Location: at, Score: 0.93}},
		KindRated:             {Rated: &Rated{Severity: finding.Low, Reason: "only in tests"}},
		KindRelocated:         {Relocated: &Relocated{From: at, To: finding.Location{Path: "src/api/auth.ts", Start: 3, End: 5, Commit: "7a7a7a7"}, How: "moved", Confidence: 0.99}},
		KindLocationUnknown:   {LocationUnknown: &LocationUnknown{Commit: "7a7a7a7", Reason: "two copies"}},
		KindPossiblyFixed:     {PossiblyFixed: &PossiblyFixed{Commit: "7a7a7a7", Reason: "line rewritten"}},
		KindVerification:      {Verification: &Verification{Commit: "7a7a7a7", Method: "test", Outcome: "passed", Criterion: -1}},
		KindVerified:          {Verified: &Verified{Commit: "7a7a7a7", Reason: "the test passes"}},
		KindDismissed:         {Dismissed: &Dismissed{Kind: "accepted_risk", Reason: "internal tool", Permission: "write"}},
		KindReopened:          {Reopened: &Reopened{Commit: "8b8b8b8", Reason: "the fix was reverted", Evidence: []string{"revert of 7a7a7a7"}}},
		KindObsoleted:         {Obsoleted: &Obsoleted{Commit: "8b8b8b8", Reason: "file deleted"}},
		KindPossibleDuplicate: {PossibleDuplicate: &PossibleDuplicate{Of: other, Score: 0.7}},
		KindMergeProposed:     {MergeProposed: &MergeProposed{Into: other, Evidence: []string{"same line"}}},
		KindMerged:            {Merged: &Merged{Into: other, Evidence: []string{"same artifact"}}},
		KindUnmerged:          {Unmerged: &Unmerged{From: other, Reason: "two functions"}},
		KindSplit:             {Split: &Split{Into: []DefectID{other, "D-00000003"}, Reason: "two files"}},
		KindSuppressed:        {Suppressed: &Suppressed{Reason: "rule", By: "go-errgroup"}},
		KindPosted:            {Posted: &Posted{Kind: "thread", Comment: 1001, Thread: "PRRT_1", Commit: "6f882ee", State: "open"}},
		KindRuleHit:           {RuleHit: &RuleHit{Rule: "go-errgroup", Effect: "silenced"}},
		KindReaction:          {Reaction: &Reaction{Comment: 1001, Content: "-1", Count: 1}},
		KindLearned:           {Learned: &Learned{Outcome: "save", Rule: "go-errgroup", From: "https://github.com/acme/shop/pull/42#discussion_r1001", Hash: "9f86d081884c7d65"}},
		KindPromoted:          {Promoted: &Promoted{Validator: "session-constant-time", Hash: "ab12"}},
		KindRetired:           {Retired: &Retired{Reason: "not seen for 90 days"}},
		KindQuarantined:       {Quarantined: &Quarantined{Validator: "session-constant-time", Hash: "ab12", Commit: "6f882ee", Evidence: []string{"clean", "found: a.ts:1"}}},
		KindProven:            {Proven: &Proven{Validator: "session-constant-time", Hash: "ab12", Reason: "red on bad, green on good"}},
		KindChecked:           {Checked: &Checked{Commit: "6f882ee", Base: "5e5e5e5", Sandbox: "L3", Results: []CheckResult{{Validator: "session-constant-time", Hash: "ab12", Status: "found", Found: 2}}}},
		KindReviewed: {Reviewed: &Reviewed{Commit: "6f882ee", Base: "5e5e5e5", Batch: "b1", Gate: "passed", Prompts: "p1",
			Files: []CoveredFile{{Path: "src/api/sessions.ts", Blob: "b10b"}}, Lines: 40, Findings: 1, Seconds: 1.5}},
		KindMergedPR: {MergedPR: &MergedPR{Commit: "9c9c9c9", Head: "8b8b8b8"}},
		KindClosedPR: {ClosedPR: &ClosedPR{Head: "8b8b8b8"}},
		KindSignal:   {Signal: &Signal{Kind: "thumbs_down", Category: "naming"}},
		KindMissed:   {Missed: &Missed{From: "https://github.com/acme/shop/issues/7", Claim: "crash on empty cart", Location: at}},
	}
}

// sample returns an event of the kind, not sealed, about defect D-00000001.
func sample(k Kind) Event {
	e := Event{FP: classA, Run: "1017.1", PR: 42, At: noon, By: "maria", Defect: "D-00000001", Payload: samples()[k]}
	for _, p := range payloads {
		if p.kind == k && p.about != aboutDefect && p.about != aboutAny {
			e.Defect = ""
			if p.about != aboutClass {
				e.FP = NoClass
			}
		}
	}
	return e
}

// seal seals an event of a test.
func seal(t testing.TB, e Event) Event {
	t.Helper()
	sealed, err := Seal(e)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// script seals events one second apart, so that they are folded in order.
func script(t testing.TB, events ...Event) []Event {
	t.Helper()
	for i, e := range events {
		e.At = noon.Add(time.Duration(i) * time.Second)
		events[i] = seal(t, e)
	}
	return events
}

// with returns an event of the kind after changes.
func with(k Kind, change func(*Event)) Event {
	e := sample(k)
	change(&e)
	return e
}

// anyEvents draws sealed events of every kind about few defects, pull requests
// and seconds, so that they meet.
func anyEvents() *rapid.Generator[[]Event] {
	ids := []DefectID{"D-00000001", "D-00000002", "D-00000003", "D-00000004"}
	one := rapid.Custom(func(t *rapid.T) Event {
		// Openings are drawn more often, else most events find no defect.
		all := append(everyKind(), KindOpened, KindOpened, KindOpened, KindOpened, KindPossiblyFixed, KindVerification, KindVerified)
		e := sample(rapid.SampledFrom(all).Draw(t, "kind"))
		if e.Defect != "" {
			n := rapid.IntRange(0, len(ids)-1).Draw(t, "defect")
			e.Defect = ids[n]
			e.FP = []string{classA, classA, classB, classB}[n]
		} else if e.FP != NoClass {
			e.FP = rapid.SampledFrom([]string{classA, classB}).Draw(t, "class")
		}
		e.PR = rapid.IntRange(1, 3).Draw(t, "pr")
		if e.MergedPR == nil && e.ClosedPR == nil && rapid.Bool().Draw(t, "no pull request") {
			e.PR = 0
		}
		e.Run = fmt.Sprintf("%d.1", rapid.IntRange(1, 4).Draw(t, "run"))
		e.At = noon.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "second")) * time.Second)
		switch {
		case e.Verification != nil:
			e.Verification.Outcome = rapid.SampledFrom([]string{"passed", "failed", "inconclusive"}).Draw(t, "outcome")
		case e.Merged != nil:
			e.Merged.Into = rapid.SampledFrom(ids).Draw(t, "into")
		case e.Opened != nil:
			e.Opened.Claim = rapid.SampledFrom([]string{"a claim", "another claim"}).Draw(t, "claim")
		}
		sealed, err := Seal(e)
		if err != nil {
			t.Fatalf("Seal(%+v): %v", e, err)
		}
		return sealed
	})
	return rapid.SliceOfN(one, 0, 40)
}
