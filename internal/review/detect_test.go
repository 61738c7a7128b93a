package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/session"
)

func TestReadFindings(t *testing.T) {
	t.Parallel()
	const one = `{"findings": [{"path": "a.go", "quote": "x", "side": %q, "start_line": 3, "end_line": null,
		"symbol": null, "category": " Security ", "severity": %q, "claim": "c", "subject": "s", "predicate": "p",
		"detail": "d", "evidence": ["e"], "criteria": ["k"], "suggestion": null, "artifact": null}]}`
	want := finding.Finding{
		Source: "code", Path: "a.go", Quote: "x", Side: finding.Right, StartLine: 3, Category: "security",
		Severity: finding.High, Claim: "c", Subject: "s", Predicate: "p", Detail: "d",
		Evidence: []string{"e"}, Criteria: []string{"k"}, Tier: finding.Advisory,
	}
	left := want
	left.Side = finding.Left
	for name, tt := range map[string]struct {
		raw  string
		want []finding.Finding
		fail bool
	}{
		"none":             {raw: `{"findings": []}`},
		"on the new side":  {raw: fmt.Sprintf(one, "new", "high"), want: []finding.Finding{want}},
		"on the old side":  {raw: fmt.Sprintf(one, "old", "high"), want: []finding.Finding{left}},
		"unknown severity": {raw: fmt.Sprintf(one, "new", "blocker"), fail: true},
		"a list":           {raw: `[]`, fail: true},
		"a number as path": {raw: `{"findings": [{"path": 3}]}`, fail: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readFindings(json.RawMessage(tt.raw), "code")
			if (err != nil) != tt.fail {
				t.Fatalf("readFindings: %v, want an error: %v", err, tt.fail)
			}
			if d := cmp.Diff(tt.want, got, cmp.Comparer(func(a, b finding.Tier) bool { return a == b })); d != "" {
				t.Errorf("readFindings (-want +got):\n%s", d)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	budgetErr := newBudget(ModelConfig{MaxTokens: 1}, still).ticket(nil).admit(2)
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"the model refused":     {&model.Error{Failure: model.Refused}, string(model.Refused)},
		"the model, wrapped":    {fmt.Errorf("ask: %w", &model.Error{Failure: model.BadOutput}), string(model.BadOutput)},
		"the time is over":      {fmt.Errorf("ask: %w", context.DeadlineExceeded), "deadline"},
		"somebody gave up":      {context.Canceled, "deadline"},
		"the budget is used up": {budgetErr, "budget"},
		"anything else":         {errors.New("disk"), "error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := failure(tt.err); got != tt.want {
				t.Errorf("failure(%v) = %q, want %q", tt.err, got, tt.want)
			}
		})
	}
}

// A file has the worst result of its batches: what one of them could not read
// was not reviewed.
func TestTake(t *testing.T) {
	t.Parallel()
	state := func(g session.Gate, reason string, tries int) result {
		return result{state: session.BatchState{Status: session.Done, Gate: g, Reason: reason, Tries: tries}}
	}
	short := &session.Result{Verdict: gate.Verdict{Reasons: []string{"too short"}}}
	passed, failed, forced := state(session.Passed, "", 1), state(session.Unreviewed, "refused", 1), state(session.Forced, "taken after 4 tries", 4)
	forced.state.Result = short
	for name, tt := range map[string]struct {
		batches []result
		want    projection.Coverage
	}{
		"reviewed":                       {[]result{passed, passed}, projection.Coverage{State: projection.Reviewed}},
		"the first piece failed":         {[]result{failed, passed}, projection.Coverage{State: projection.Unreviewed, Reason: "the model declined to answer"}},
		"the last piece failed":          {[]result{passed, failed}, projection.Coverage{State: projection.Unreviewed, Reason: "the model declined to answer"}},
		"one was taken after four tries": {[]result{forced}, projection.Coverage{State: projection.Reviewed, Reason: "taken after 4 tries: too short"}},
		"the session stopped":            {[]result{{}}, projection.Coverage{State: projection.Unreviewed, Reason: "the session stopped"}},
		"a failure outweighs that":       {[]result{forced, failed}, projection.Coverage{State: projection.Unreviewed, Reason: "the model declined to answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &job{d: Deps{Log: discard}, coverage: map[string]projection.Coverage{"a.go": {Path: "a.go", State: projection.Unreviewed}}}
			f := &diff.File{OldPath: "a.go", NewPath: "a.go"}
			for i, r := range tt.batches {
				r.batch = batch.Batch{ID: fmt.Sprint(i + 1), Parts: []batch.Part{{File: f}}}
				j.take(&r)
			}
			tt.want.Path = "a.go"
			if d := cmp.Diff(tt.want, j.coverage["a.go"]); d != "" {
				t.Errorf("coverage (-want +got):\n%s", d)
			}
		})
	}
}
