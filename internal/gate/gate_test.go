package gate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	good := finding.Finding{Path: "a.go", Claim: "It leaks.", Severity: finding.High}
	tight := Thresholds{Mode: Enforce, MinEffort: .5, MinDensity: .5, LinesPerFinding: 100}
	fast := []string{"effort is 2 % of what is expected, 50 % asked", "findings are 0 % of what is expected, 50 % asked"}
	type want struct {
		passed  bool
		reasons []string
	}
	for name, c := range map[string]struct {
		work Work
		t    Thresholds
		want want
	}{
		"nothing is asked by default": {Work{Lines: 1000}, Thresholds{Mode: Enforce}, want{true, nil}},
		"a finding without a claim": {
			Work{Findings: []finding.Finding{{Path: "a.go", Severity: finding.Low}}}, Thresholds{Mode: Enforce},
			want{false, []string{"finding 1: has no claim"}}},
		"a finding that says too little": {
			Work{Findings: []finding.Finding{good}}, Thresholds{Mode: Enforce, MinContent: 40},
			want{false, []string{"finding 1: says too little (9 bytes of 40)"}}},
		"a high risk without a suggestion": {
			Work{Findings: []finding.Finding{good}}, Thresholds{Mode: Enforce, HighRisk: finding.High},
			want{false, []string{"finding 1: is of high risk and suggests nothing"}}},
		"a risk below the limit":       {Work{Findings: []finding.Finding{good}}, Thresholds{Mode: Enforce, HighRisk: finding.Critical}, want{true, nil}},
		"fast and found nothing":       {Work{Lines: 400, Tokens: 20}, tight, want{false, fast}},
		"incomplete skips the rest":    {Work{Lines: 400, Findings: []finding.Finding{{}}}, tight, want{false, []string{"finding 1: has no path", "finding 1: has no claim", "finding 1: has no severity"}}},
		"effort suffices":              {Work{Lines: 400, Tokens: 800}, tight, want{true, nil}},
		"density suffices":             {Work{Lines: 400, Findings: []finding.Finding{good, good}}, tight, want{true, nil}},
		"a small change needs nothing": {Work{Lines: 50}, tight, want{true, nil}},
		"documents need nothing":       {Work{Lines: 4000, Paths: []string{"docs/a.md", "LICENSE"}}, tight, want{true, nil}},
		"code beside documents does":   {Work{Lines: 400, Tokens: 20, Paths: []string{"a.md", "a.go"}}, tight, want{false, fast}},
		"more reviewers, more effort":  {Work{Lines: 400, Tokens: 800, Reviewers: 3}, tight, want{false, []string{"effort is 33 % of what is expected, 50 % asked", fast[1]}}},
		"effort alone, asked alone":    {Work{Lines: 400, Tokens: 20}, Thresholds{Mode: Enforce, MinEffort: .5}, want{false, []string{fast[0], "findings are 100 % of what is expected, 0 % asked"}}},
		"density alone, asked alone":   {Work{Lines: 400}, Thresholds{Mode: Enforce, MinDensity: .5, LinesPerFinding: 100}, want{false, []string{"effort is 0 % of what is expected, 0 % asked", fast[1]}}},
		"seconds": {
			Work{Lines: 400, Tokens: 9000, Seconds: 2, Reviewers: 4}, Thresholds{Mode: Enforce, EffortUnit: Seconds, MinEffort: .5},
			want{false, []string{"effort is 25 % of what is expected, 50 % asked", "findings are 100 % of what is expected, 0 % asked"}}},
		"recording lets pass and says why": {
			Work{Findings: []finding.Finding{{Path: "a.go", Claim: "x"}}}, Thresholds{Mode: Record},
			want{true, []string{"finding 1: has no severity"}}},
		"off says nothing": {Work{Findings: []finding.Finding{{}}, Lines: 400}, Thresholds{Mode: Off, MinEffort: .5}, want{true, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := Judge(c.work, c.t)
			if d := cmp.Diff(c.want, want{v.Passed, v.Reasons}, cmp.AllowUnexported(want{})); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestVerdictDetails(t *testing.T) {
	t.Parallel()
	w := Work{Lines: 250, Paths: []string{"a.go", "b.go"}, Reviewers: 2, Tokens: 300, Seconds: 9, Findings: []finding.Finding{{Path: "a.go"}}}
	got := Judge(w, Thresholds{Mode: Enforce, MinEffort: .3, MinDensity: .2, LinesPerFinding: 100})
	want := Verdict{
		Reasons: []string{"finding 1: has no claim", "finding 1: has no severity"},
		Faults:  []Fault{{1, "claim", "has no claim"}, {1, "severity", "has no severity"}},
		Effort:  Measure{Actual: 300, Expected: 1080, Coefficient: .3}, Unit: Tokens,
		Density: Measure{Actual: 1, Expected: 2, Coefficient: .2},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	got = Judge(w, Thresholds{EffortUnit: Seconds})
	if got.Effort != (Measure{Actual: 9, Expected: 6}) || got.Unit != Seconds {
		t.Errorf("in seconds the effort is %+v %s", got.Effort, got.Unit)
	}
}

func TestRetryPrompt(t *testing.T) {
	t.Parallel()
	if got := RetryPrompt(Verdict{Passed: true, Reasons: []string{"recorded"}}); got != "" {
		t.Errorf("RetryPrompt(passed) = %q", got)
	}
	thin := RetryPrompt(Verdict{Reasons: []string{"effort is 2 %", "findings are 0 %"}})
	faulty := RetryPrompt(Verdict{Reasons: []string{"finding 1: has no claim"}, Faults: []Fault{{1, "claim", "has no claim"}}})
	for text, wants := range map[string][]string{
		thin:   {"- effort is 2 %\n- findings are 0 %\n", "Do not invent findings", "complete list."},
		faulty: {"- finding 1: has no claim\n", "by their number", "complete list."},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q does not say %q", text, want)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	config := Default
	config.Mode, config.MinEffort, config.MaxRetries = Enforce, .3, 1
	retries := 5
	got, origins := Resolve(Source{MaxRetries: &retries}, Differing(config))
	want := Default
	want.Mode, want.MinEffort, want.MaxRetries = Enforce, .3, 5
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	wantOrigins := []Origin{
		{"mode", "enforce", FromConfig}, {"effort_unit", "tokens", FromDefault}, {"min_effort_coefficient", "0.3", FromConfig},
		{"min_density_coefficient", "0", FromDefault}, {"lines_per_expected_finding", "100", FromDefault},
		{"min_content_length", "0", FromDefault}, {"high_risk_needs_suggestion", "", FromDefault}, {"max_retries", "5", FromRun},
	}
	if d := cmp.Diff(wantOrigins, origins); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if again, _ := Resolve(Source{}, Source{}); again != Default {
		t.Errorf("nobody says anything: %+v", again)
	}
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shares Shares
		want   []string
	}{
		"normal":                     {Shares{Passed: 20, Retried: 5, Forced: 1, Reused: 90, Unreviewed: 40}, nil},
		"too few to say":             {Shares{Forced: 4}, nil},
		"many are asked again":       {Shares{Passed: 6, Retried: 4}, []string{"4 of 10 batches were asked again (40 %, normal is up to 33 %)"}},
		"a forced one is one of ten": {Shares{Passed: 9, Forced: 1}, nil},
		"many are forced":            {Shares{Passed: 8, Forced: 2}, []string{"2 of 10 batches were taken although"}},
		"both":                       {Shares{Passed: 1, Forced: 4}, []string{"4 of 5 batches were asked again", "4 of 5 batches were taken although"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Alerts(c.shares)
			if len(got) != len(c.want) {
				t.Fatalf("Alerts(%+v) = %q, want %q", c.shares, got, c.want)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("Alerts(%+v)[%d] = %q, want %q", c.shares, i, got[i], want)
				}
			}
		})
	}
	var s Shares
	for _, w := range []string{"passed", "retried", "retried", "forced", "reused", "unreviewed", "great"} {
		s.Add(w)
	}
	if s != (Shares{1, 2, 1, 1, 1}) {
		t.Errorf("Add: %+v", s)
	}
}

// samples are n normal reviews of 100 lines of one file by two reviewers, a day
// apart. The i-th has i more percent of the expected effort than 40.
func samples(n int, path string) []Sample {
	day := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	var out []Sample
	for i := range n {
		w := Work{Paths: []string{fmt.Sprintf(path, i)}, Lines: 100, Reviewers: 2, Seconds: float64(i + 1)}
		w.Tokens = int(expected(w, Tokens)) * (40 + i) / 100
		out = append(out, Sample{At: day.AddDate(0, 0, i), Work: w, Found: 2, Gate: "passed", Tries: 1})
	}
	return out
}

func TestCalibrate(t *testing.T) {
	t.Parallel()
	all := samples(20, "src/f%d.go")
	odd := all[0]
	for _, change := range []func(*Sample){
		func(s *Sample) { s.Gate = "forced" },
		func(s *Sample) { s.Gate, s.Tries = "passed", 2 },
		func(s *Sample) { s.Paths = []string{"README.md"} },
		func(s *Sample) { s.Reviewers = 0 },
		func(s *Sample) { s.Tokens = 0 },
		func(s *Sample) { s.Lines = 0 },
	} {
		s := odd
		change(&s)
		all = append(all, s)
	}
	got, err := Calibrate(all, "")
	if err != nil {
		t.Fatal(err)
	}
	// A tenth of 20 is the second lowest: 41 % of what is expected.
	want := Proposal{Samples: 20, Recorded: 26, From: all[0].At, To: all[19].At,
		EffortUnit: Tokens, MinEffort: .35, LinesPerFinding: 60, MinDensity: .87}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	got, err = Calibrate(all, Seconds)
	if err != nil || got.EffortUnit != Seconds || got.MinEffort != .7 {
		t.Errorf("in seconds: %+v, %v", got, err)
	}
}

func TestCalibrateNeedsEnough(t *testing.T) {
	t.Parallel()
	_, err := Calibrate(samples(19, "src/f%d.go"), Tokens)
	var few *TooFewError
	if !errors.As(err, &few) || few.Samples != 19 || !strings.HasPrefix(err.Error(), "19 of 19 recorded batches are normal reviews, and 20 are the least") {
		t.Errorf("Calibrate of 19: %v", err)
	}
}

func TestCalibrateGroups(t *testing.T) {
	t.Parallel()
	all := append(samples(40, "src/f%d.go"), samples(21, "web/f%d.ts")...)
	all = append(all, samples(5, "lib/f%d.c")...)
	for i := range all[:40] {
		all[i].Found = 0
	}
	got, err := Calibrate(all, Tokens)
	if err != nil {
		t.Fatal(err)
	}
	want := []Group{
		{Name: "*.go", Samples: 40}, {Name: "src/", Samples: 40},
		{Name: "*.ts", Samples: 21, LinesPerFinding: 60, MinDensity: .87}, {Name: "web/", Samples: 21, LinesPerFinding: 60, MinDensity: .87},
	}
	if d := cmp.Diff(want, got.Groups); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got.MinDensity != 0 || got.LinesPerFinding != 130 {
		t.Errorf("globally: %+v; a tenth of the reviews finds nothing", got)
	}
}
