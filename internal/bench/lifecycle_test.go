package bench

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// ledgerPlayer plays the small story with events that a test gives: it measures
// the metrics and not crev.
type ledgerPlayer struct {
	t      *testing.T
	rounds [][]ledger.Payload
	shown  [][]ShownThread
	// other is what the second play sees instead, nil for the same.
	other [][]ledger.Payload
	plays int
}

const (
	testDefect = ledger.DefectID("D-00000001")
	testClass  = "00000000000000aa"
)

func (p *ledgerPlayer) Begin(context.Context, *Story) (Play, error) {
	p.plays++
	rounds := p.rounds
	if p.plays > 1 && p.other != nil {
		rounds = p.other
	}
	return &ledgerPlay{player: p, rounds: rounds}, nil
}

type ledgerPlay struct {
	player *ledgerPlayer
	rounds [][]ledger.Payload
	events []ledger.Event
	ran    map[string]int
}

func (p *ledgerPlay) End() error { return nil }

func (p *ledgerPlay) Step(_ context.Context, r *Round) (Seen, error) {
	run := "run-" + string(rune('0'+r.Number)) + ".1"
	if p.ran == nil {
		p.ran = map[string]int{}
	}
	p.ran[run] = r.Number
	for _, payload := range p.rounds[r.Number-1] {
		e, err := ledger.Seal(ledger.Event{FP: testClass, Run: run, PR: 1, Defect: testDefect,
			At: time.Unix(int64(r.Number)*60, 0).UTC(), Payload: payload})
		if err != nil {
			return Seen{}, err
		}
		p.events = append(p.events, e)
	}
	seen := Seen{PR: 1, Events: p.events[:len(p.events):len(p.events)], Rounds: p.ran}
	if p.player.shown != nil {
		seen.Threads = p.player.shown[r.Number-1]
	}
	return seen, nil
}

func opens(path string, line int) ledger.Payload {
	return ledger.Payload{Opened: &ledger.Opened{FP0: testClass, Claim: "The price is doubled.", Severity: finding.Medium,
		Tier: finding.Advisory, Source: "code", Criteria: []string{"The price is taken once."},
		Locations: []finding.Location{{Path: path, Start: line, End: line, Commit: "c1"}}}}
}

func checked(commit, outcome, method string) ledger.Payload {
	return ledger.Payload{Verification: &ledger.Verification{Commit: commit, Method: method, Outcome: outcome, Criterion: 0}}
}

func closes(commit string) ledger.Payload {
	return ledger.Payload{Verified: &ledger.Verified{Commit: commit, Reason: "it passed"}}
}

func moves(path string, line int) ledger.Payload {
	return ledger.Payload{Relocated: &ledger.Relocated{How: "moved", Confidence: 1, From: finding.Location{Path: "a.py", Start: 2, End: 2},
		To: finding.Location{Path: path, Start: line, End: line, Commit: "c2"}}}
}

func reopens(commit string) ledger.Payload {
	return ledger.Payload{Reopened: &ledger.Reopened{Commit: commit, Reason: "its code is back", Evidence: []string{"it is"}}}
}

func TestLifecycleMetrics(t *testing.T) {
	t.Parallel()
	alive := "{is: alive, path: b.py, code: price * 2}"
	open := []ledger.Payload{opens("a.py", 2)}
	tests := map[string]struct {
		truth  string
		rounds [][]ledger.Payload
		other  [][]ledger.Payload
		shown  [][]ShownThread
		want   func(*LifecycleResult)
		fails  []string
	}{
		"followed": {truth: alive, rounds: [][]ledger.Payload{open, {moves("b.py", 2)}},
			want: func(r *LifecycleResult) {}},
		"at a wrong line": {truth: alive, rounds: [][]ledger.Payload{open, {moves("b.py", 1)}},
			want: func(r *LifecycleResult) { r.LocationAccuracy = .5 }, fails: []string{"location_accuracy"}},
		"never recorded": {truth: alive, rounds: [][]ledger.Payload{{}, {}},
			want:  func(r *LifecycleResult) { r.UnresolvedRecall, r.RecordsPerDefect = 0, 0 },
			fails: []string{"unresolved_recall", "unresolved_recall"}},
		"closed too early": {truth: alive, rounds: [][]ledger.Payload{open, {checked("c2", "passed", "inspection"), closes("c2")}},
			want:  func(r *LifecycleResult) { r.UnresolvedRecall, r.FalseClosure = .5, .5 },
			fails: []string{"unresolved_recall"}},
		"closed too early by a test": {truth: alive, rounds: [][]ledger.Payload{open, {checked("c2", "passed", "test"), closes("c2")}},
			want: func(r *LifecycleResult) {
				r.UnresolvedRecall, r.FalseClosure, r.FalseClosureProven = .5, .5, .5
			},
			fails: []string{"unresolved_recall"}},
		"fixed and seen": {truth: "{is: fixed}", rounds: [][]ledger.Payload{open, {checked("c2", "passed", "inspection"), closes("c2")}},
			want: func(r *LifecycleResult) {}},
		"fixed and not seen": {truth: "{is: fixed}", rounds: [][]ledger.Payload{open, {}},
			want: func(r *LifecycleResult) { r.FixRecognition = 0 }, fails: []string{"fix_recognition"}},
		"unproven and held": {truth: "{is: fixed, unproven: true}", rounds: [][]ledger.Payload{open, {}},
			want: func(r *LifecycleResult) {}},
		"unproven and closed": {truth: "{is: fixed, unproven: true}", rounds: [][]ledger.Payload{open, {checked("c2", "passed", "inspection"), closes("c2")}},
			want: func(r *LifecycleResult) { r.UnprovenHeld = 0 }, fails: []string{"unproven_held"}},
		"gone and open": {truth: "{is: gone}", rounds: [][]ledger.Payload{open, {}},
			want: func(r *LifecycleResult) { r.GoneRecognition = 0 }, fails: []string{"gone_recognition"}},
		"reopened though fixed": {truth: "{is: fixed}", rounds: [][]ledger.Payload{
			append(open[:1:1], checked("c1", "passed", "inspection"), closes("c1")), {reopens("c2")}},
			want: func(r *LifecycleResult) {
				r.UnresolvedRecall, r.FalseClosure, r.FixRecognition, r.ReopenPrecision = 0, 1, 0, 0
			},
			fails: []string{"unresolved_recall", "reopen_precision", "fix_recognition"}},
		"a thread left behind": {truth: alive, rounds: [][]ledger.Payload{open, {moves("b.py", 2)}},
			shown: [][]ShownThread{{{Defect: testDefect, Says: ledger.Open}}, {{Defect: testDefect, Says: ledger.Open, Resolved: true}}},
			want:  func(r *LifecycleResult) { r.StaleRate = .5 }, fails: []string{"stale_rate"}},
		"two threads": {truth: alive, rounds: [][]ledger.Payload{open, {moves("b.py", 2)}},
			shown: [][]ShownThread{{}, {{Defect: testDefect, Says: ledger.Open}, {Defect: testDefect, Says: ledger.Open}}},
			want:  func(r *LifecycleResult) { r.ThreadsPerDefect = 2 }},
		"rated": {truth: alive, rounds: [][]ledger.Payload{open, {moves("b.py", 2), {Rated: &ledger.Rated{Severity: finding.Low, Reason: "rare"}}}},
			want: func(r *LifecycleResult) {}},
		"another state in another order": {truth: alive, rounds: [][]ledger.Payload{open, {moves("b.py", 2)}},
			other: [][]ledger.Payload{open, {moves("b.py", 1)}},
			want:  func(r *LifecycleResult) { r.ReplayDeterminism = 0 }, fails: []string{"replay_determinism"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(smallStory, alive, tt.truth, 1)
			s, err := ParseStory("small", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := PlayStory(t.Context(), s, &ledgerPlayer{t: t, rounds: tt.rounds, other: tt.other, shown: tt.shown})
			if err != nil {
				t.Fatal(err)
			}
			want := LifecycleResult{Stories: 1, UnresolvedRecall: 1, FixRecognition: 1, GoneRecognition: 1, UnprovenHeld: 1,
				PartialAccuracy: 1, ReopenPrecision: 1, ReopenRecall: 1, LocationAccuracy: 1, LocationCoverage: 1,
				ThreadsPerDefect: 1, RecordsPerDefect: 1, SeverityStability: 1, ReplayDeterminism: 1}
			tt.want(&want)
			var fails []string
			for _, f := range got.Failures {
				fails = append(fails, f.Metric)
			}
			if d := cmp.Diff(tt.fails, fails); d != "" {
				t.Errorf("failing metrics (-want +got):\n%s", d)
			}
			got.Counts, got.Failures = LifecycleCounts{}, nil
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("shares (-want +got):\n%s", d)
			}
		})
	}
}

func TestSumLifecycle(t *testing.T) {
	t.Parallel()
	sum := SumLifecycle([]LifecycleResult{
		{Stories: 1, Counts: LifecycleCounts{Alive: 3, Held: 3, Deterministic: 1}},
		{Stories: 1, Counts: LifecycleCounts{Alive: 1, Closed: 1}, Failures: []LifecycleFailure{{Story: "b"}}},
	})
	if sum.Stories != 2 || sum.UnresolvedRecall != .75 || sum.FalseClosure != .25 || sum.ReplayDeterminism != .5 || len(sum.Failures) != 1 {
		t.Errorf("SumLifecycle = %+v", sum)
	}
}
