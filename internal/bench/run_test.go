package bench

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

const runCase = `Sends.

-- case.yaml --
findings:
  - {path: send.go, quote: "\tgo deliver(o)", category: concurrency, severity: medium, claim: The goroutine outlives the request., real: true}
  - {path: send.go, category: security, severity: high, claim: The address is not checked., real: true}
  - {path: send.go, quote: "const day = 86400", category: magic-number, severity: low, claim: 86400 has no name., real: false}
-- head/send.go --
package send

const day = 86400

func Send(o Order) {
	check(o)
	log(o)
	note(o)
	go deliver(o)
}
`

func at(line int, category, claim string) finding.Finding {
	return finding.Finding{Path: "send.go", StartLine: line, EndLine: line, Category: category, Severity: finding.Medium, Claim: claim}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	c, err := ParseCase("sends", []byte(runCase))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := at(9, "concurrency", "The goroutine outlives the request.")
	elsewhere.Path = "other.go"
	for name, tc := range map[string]struct {
		found []finding.Finding
		want  []int
	}{
		"the place and the category":             {[]finding.Finding{at(9, "Concurrency", "Nobody waits.")}, []int{0}},
		"three lines away":                       {[]finding.Finding{at(6, "concurrency", "Nobody waits.")}, []int{0}},
		"four lines away and other words":        {[]finding.Finding{at(5, "concurrency", "Nobody waits.")}, []int{-1}},
		"far away in the same words":             {[]finding.Finding{at(1, "bug", "The goroutine outlives the request.")}, []int{0}},
		"the place, another kind, other words":   {[]finding.Finding{at(9, "naming", "o is short.")}, []int{-1}},
		"another file":                           {[]finding.Finding{elsewhere}, []int{-1}},
		"an expectation without a place":         {[]finding.Finding{at(6, "security", "Anybody can be written to.")}, []int{1}},
		"each expectation once, the surer first": {[]finding.Finding{at(8, "concurrency", "Nobody waits."), at(9, "concurrency", "The goroutine outlives the request.")}, []int{-1, 0}},
		"nothing":                                {nil, []int{}},
	} {
		if d := cmp.Diff(tc.want, match(c, tc.found)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// told reviews by a script: what was found in a case, by its name.
type told map[string]Reviewed

func (s told) ReviewCase(_ context.Context, c *Case) (Reviewed, error) { return s[c.Name], nil }

func runOf(t *testing.T, seen Reviewed) RunResult {
	t.Helper()
	c, err := ParseCase("sends", []byte(runCase))
	if err != nil {
		t.Fatal(err)
	}
	r, err := RunCases(t.Context(), nil, []*Case{c}, told{"sends": seen})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunCases(t *testing.T) {
	t.Parallel()
	r := runOf(t, Reviewed{
		Found: []finding.Finding{at(9, "concurrency", "Nobody waits."), at(3, "magic-number", "Name it."), at(8, "naming", "o is short.")},
		Cost:  Cost{PromptTokens: 100, CompletionTokens: 10}, Incomplete: "partial budget"})
	all := RunScore{Cases: 1, Incomplete: 1, Real: 2, Caught: 1, Unwanted: 1, Mentioned: 1, Other: 1,
		Golden: 1. / 3, Wanted: 2. / 3, Recall: .5, Cost: Cost{PromptTokens: 100, CompletionTokens: 10}}
	want := RunResult{Version: 1, Rules: []string{}, Total: all, Sets: map[string]RunScore{"live": all},
		Categories: []CategoryScore{
			{"concurrency", RunScore{Real: 1, Caught: 1, Golden: 1, Wanted: 1, Recall: 1}},
			{"magic-number", RunScore{Unwanted: 1, Mentioned: 1, Recall: 1}},
			{"naming", RunScore{Other: 1, Wanted: 1, Recall: 1}},
			{"security", RunScore{Real: 1, Golden: 1, Wanted: 1}},
		},
		Cases: []CaseResult{{Name: "sends", Set: "live", Hash: r.Cases[0].Hash, Incomplete: "partial budget", Cost: all.Cost,
			Expected: []Met{
				{Found: Found{"send.go", "concurrency", "medium", "The goroutine outlives the request."}, Real: true, Made: true, As: "Nobody waits."},
				{Found: Found{"send.go", "security", "high", "The address is not checked."}, Real: true, Shielded: true},
				{Found: Found{"send.go", "magic-number", "low", "86400 has no name."}, Made: true, As: "Name it."},
			},
			Other: []Found{{"send.go", "naming", "medium", "o is short."}}}},
	}
	if d := cmp.Diff(want, r); d != "" {
		t.Errorf("RunCases (-want +got):\n%s", d)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadRun(text)
	if d := cmp.Diff(r, again); err != nil || d != "" {
		t.Errorf("ReadRun of what was written: %v (-want +got):\n%s", err, d)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	caught, unwanted, other := at(9, "concurrency", "Nobody waits."), at(3, "magic-number", "Name it."), at(8, "naming", "o is short.")
	grave := at(6, "security", "Anybody can be written to.")
	run := func(found ...finding.Finding) RunResult { return runOf(t, Reviewed{Found: found}) }
	for name, tc := range map[string]struct {
		before, after RunResult
		want          Verdict
		lost          int
	}{
		"nothing changed":               {run(caught), run(caught), Even, 0},
		"more that no case speaks of":   {run(caught), run(caught, other), Even, 0},
		"one more is found":             {run(), run(caught), Better, 0},
		"an unwanted one stops":         {run(caught, unwanted), run(caught), Better, 0},
		"one is lost":                   {run(caught), run(), Worse, 0},
		"a grave one is lost":           {run(caught, grave), run(caught), Worse, 1},
		"an unwanted one begins":        {run(caught), run(caught, unwanted), Worse, 0},
		"one found, an unwanted begins": {run(), run(caught, unwanted), Trade, 0},
		"one found, more noise":         {run(caught), run(caught, grave, other), Trade, 0},
		"a grave one for another":       {run(grave), run(caught), Trade, 1},
	} {
		c := Compare(tc.before, tc.after)
		if c.Verdict != tc.want || c.LostShielded != tc.lost || c.Sets["live"] != tc.want || c.Cases != 1 {
			t.Errorf("%s: %s with %d grave ones lost, want %s with %d: %+v", name, c.Verdict, c.LostShielded, tc.want, tc.lost, c)
		}
	}
	changed := run(caught)
	changed.Cases[0].Hash = "other"
	c := Compare(run(), changed)
	if d := cmp.Diff([]string{"sends"}, c.Skipped); d != "" || c.Cases != 0 || c.Verdict != Even {
		t.Errorf("a case that is not the same in both: %+v", c)
	}
}

func TestReadRunRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "no JSON object",
		"[]":                          "no JSON object",
		"{}":                          "no version",
		`{"version": 2}`:              "update crev",
		`{"version": 1, "modell": 0}`: "modell",
		`{"version": 1} {}`:           "no JSON object",
	} {
		if _, err := ReadRun([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadRun(%q) = %v, want an error with %q", text, err, want)
		}
	}
}

func FuzzReadRun(f *testing.F) {
	f.Add([]byte(`{"version": 1, "model": "m", "rules": [], "cases": [{"name": "a", "set": "live", "hash": "0", "expected": [{"path": "a", "category": "b", "severity": "low", "claim": "c", "real": true, "made": true, "as": "d", "shielded": false}], "other": [], "cost": {}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ReadRun(text)
		if err != nil {
			return
		}
		if c := Compare(r, r); c.Verdict != Even || len(c.Skipped) > 0 {
			t.Errorf("a run compared with itself is %s: %+v", c.Verdict, c)
		}
	})
}
