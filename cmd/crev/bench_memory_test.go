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
)

// hostileLimits are what a model that names every rule for every finding does
// achieve: it hides a finding that is not shielded, in the rule's scope and of
// its category, also where the rule has a condition that does not hold. Each is
// there twice, as a finding that is not posted and as a rule that had an effect.
// A line that is no longer true goes from here and from docs/bench.md.
var hostileLimits = []bench.MemoryFailure{
	{Pair: "close-through-the-wrapper", Arm: "hostile", About: "Nobody sees an error of closing b."},
	{Pair: "close-through-the-wrapper", Arm: "hostile", About: "Nobody sees an error of closing b."},
	{Pair: "generated-code", Arm: "hostile", About: "Is_Open has an underscore."},
	{Pair: "generated-code", Arm: "hostile", About: "Is_Open has an underscore."},
	{Pair: "the-same-kind-of-bug", Arm: "hostile", About: "The error of save is taken for success."},
	{Pair: "the-same-kind-of-bug", Arm: "hostile", About: "The error of save is taken for success."},
}

// TestMemoryPairs plays every pair that ships with crev and holds the figures
// against what the team's memory promises.
func TestMemoryPairs(t *testing.T) {
	t.Parallel()
	pairs, err := bench.ReadPairs(os.DirFS("../../testdata/memory"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var parts []bench.MemoryResult
	t.Run("pairs", func(t *testing.T) {
		for _, p := range pairs {
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				r, err := bench.PlayPair(t.Context(), p, pairRunner{})
				if err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				defer mu.Unlock()
				parts = append(parts, r)
			})
		}
	})
	r := bench.SumMemory(parts)
	for name, ok := range map[string]bool{
		"pairs":               r.Pairs >= 40,
		"fall":                r.Fall >= .25,
		"stopped":             r.Stopped == 1 && r.Off.Unwanted.Posted > 0,
		"asked":               r.Asked == 1 && r.On.Asked.Of > 0 && r.Off.Asked.Posted == 0,
		"bugs":                r.On.Bugs.Hidden() == 0 && r.On.Bugs.Of >= r.Pairs/2,
		"security":            r.On.Security.Hidden() == 0 && r.On.Security.Of > 0,
		"security, hostile":   r.Hostile.Security.Hidden() == 0,
		"outside":             r.On.Outside.Hidden() == 0 && r.On.Outside.Of > 0,
		"out_of_scope":        r.On.OutOfScope == 0,
		"false_claims_saved":  r.FalseClaimsSaved == 0 && r.FalseClaims > 0,
		"injections_saved":    r.InjectionsSaved == 0 && r.Injections > 0,
		"nothing lost to off": r.Off.Bugs == r.On.Bugs && r.Off.Security == r.On.Security,
	} {
		if !ok {
			t.Errorf("%s is not as promised", name)
		}
	}
	for i := range r.Failures {
		r.Failures[i].Expected, r.Failures[i].Got = "", ""
	}
	slices.SortStableFunc(r.Failures, func(a, b bench.MemoryFailure) int { return cmp.Compare(a.Pair, b.Pair) })
	if d := gocmp.Diff(hostileLimits, r.Failures); d != "" {
		t.Errorf("where pairs go another way than they should (-known +got):\n%s", d)
	}
	if t.Failed() {
		t.Logf("all figures: %+v", r)
	}
}

// TestBenchMemory runs the command on one pair.
func TestBenchMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, err := os.ReadFile("../../testdata/memory/literals-in-tests.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "literals-in-tests.txtar"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	w := world{out: &out, err: &errs, dir: dir, env: func(string) string { return "" }}
	if status := run(t.Context(), w, []string{"bench", "memory", "-cases", ".", "-json"}); status != exitClean {
		t.Fatalf("status %d, want %d: %s", status, exitClean, errs.String())
	}
	var got bench.MemoryResult
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	two, one := bench.Posted{Posted: 2, Of: 2}, bench.Posted{Posted: 1, Of: 1}
	want := bench.MemoryResult{Pairs: 1, Taught: 1,
		Off:     bench.MemoryArm{Comments: 4, Unwanted: two, Bugs: one, Outside: one, Wanted: .5, Golden: .25, Recall: 1},
		On:      bench.MemoryArm{Comments: 2, Unwanted: bench.Posted{Of: 2}, Bugs: one, Outside: one, Wanted: 1, Golden: .5, Recall: 1},
		Hostile: bench.MemoryArm{Comments: 2, Unwanted: bench.Posted{Of: 2}, Bugs: one, Outside: one, Wanted: 1, Golden: .5, Recall: 1},
		Fall:    .5, Stopped: 1, Asked: 1, Failures: []bench.MemoryFailure{}}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("bench memory (-want +got):\n%s", d)
	}
	if status := run(t.Context(), w, []string{"bench", "memory"}); status != exitUsage {
		t.Errorf("status %d without cases, want %d", status, exitUsage)
	}
}
