package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// knownLimits are the places where crev goes another way than the truth. A line
// that is no longer true goes from here and from docs/lifecycle.md.
var knownLimits = []bench.LifecycleFailure{
	{Story: "adjudicator_unsure", Commit: 2, Defect: "always-true", Metric: "records_per_defect"},
	{Story: "inspection_is_wrong", Commit: 2, Defect: "last-page", Metric: "unresolved_recall"},
}

// TestBenchLifecycle runs the command on one story of a fix.
func TestBenchLifecycle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	story, err := os.ReadFile("../../testdata/lifecycle/fixed.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fixed.txtar"), story, 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	w := world{out: &out, err: &errs, dir: dir, env: func(string) string { return "" }}
	if status := run(t.Context(), w, []string{"bench", "lifecycle", "-cases", ".", "-json"}); status != exitClean {
		t.Fatalf("status %d, want %d: %s", status, exitClean, errs.String())
	}
	var r bench.LifecycleResult
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		t.Fatal(err)
	}
	if r.Stories != 1 || r.Counts.Alive != 1 || r.Counts.Recognized != 1 || len(r.Failures) != 0 {
		t.Errorf("one defect, found and fixed, came to %+v", r)
	}
	if status := run(t.Context(), w, []string{"bench", "lifecycle"}); status != exitUsage {
		t.Errorf("status %d without cases, want %d", status, exitUsage)
	}
}

// TestLifecycleStories plays every story that ships with crev. Two of them run
// scripts; where the machine has no sandbox, they are left out.
func TestLifecycleStories(t *testing.T) {
	t.Parallel()
	stories, err := bench.ReadStories(os.DirFS("../../testdata/lifecycle"))
	if err != nil {
		t.Fatal(err)
	}
	if len(stories) < 30 {
		t.Errorf("%d stories, want at least 30", len(stories))
	}
	runner := &storyRunner{sandbox: lazyRunner(t.Context(), sandbox.Options{})}
	var mu sync.Mutex
	var parts []bench.LifecycleResult
	t.Run("play", func(t *testing.T) {
		for _, s := range stories {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				if len(s.Base[".crev/validators/tests/check.sh"]) > 0 && runner.sandbox(nil).Report().Level < sandbox.L2 {
					t.Skip("there is no sandbox here, so nothing runs the story's tests")
				}
				r, err := bench.PlayStory(t.Context(), s, runner)
				if err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				defer mu.Unlock()
				parts = append(parts, r)
			})
		}
	})
	r := bench.SumLifecycle(parts)
	for name, ok := range map[string]bool{
		"unresolved_recall":           r.UnresolvedRecall >= .95,
		"false_closure":               r.FalseClosure <= .05,
		"false_closure_with_artifact": r.FalseClosureProven == 0,
		"fix_recognition":             r.FixRecognition >= .90,
		"gone_recognition":            r.GoneRecognition == 1,
		"unproven_held":               r.UnprovenHeld == 1,
		"partial_accuracy":            r.PartialAccuracy == 1,
		"reopen_precision":            r.ReopenPrecision >= .90 && r.Counts.Reopened > 0,
		"reopen_recall":               r.ReopenRecall >= .90 && r.Counts.Back > 0,
		"location_accuracy":           r.LocationAccuracy >= .95,
		"stale_rate":                  r.StaleRate == 0 && r.Counts.ShownThreads > 0,
		"threads_per_defect":          r.ThreadsPerDefect <= 1.1 && r.Counts.Threads > 0,
		"severity_stability":          r.SeverityStability == 1,
		"replay_determinism":          r.ReplayDeterminism == 1,
	} {
		if !ok {
			t.Errorf("%s is below its floor", name)
		}
	}
	slices.SortFunc(r.Failures, func(a, b bench.LifecycleFailure) int {
		return cmp.Or(cmp.Compare(a.Story, b.Story), cmp.Compare(a.Commit, b.Commit), cmp.Compare(a.Metric, b.Metric))
	})
	want := slices.SortedFunc(slices.Values(knownLimits), func(a, b bench.LifecycleFailure) int {
		return cmp.Or(cmp.Compare(a.Story, b.Story), cmp.Compare(a.Commit, b.Commit), cmp.Compare(a.Metric, b.Metric))
	})
	got := slices.Clone(r.Failures)
	for i := range got {
		got[i].Expected, got[i].Got = "", ""
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("where stories go another way than the truth (-known +got):\n%s\nin full: %+v", d, r.Failures)
	}
	if t.Failed() {
		t.Logf("all figures: %+v", r)
	}
}
