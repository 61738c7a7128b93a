package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	good := finding.Finding{Path: "a.go", Claim: "It leaks.", Severity: finding.High}
	tight := Thresholds{Mode: Enforce, MinEffort: .5, MinDensity: .5, LinesPerFinding: 100}
	for name, c := range map[string]struct {
		work Work
		t    Thresholds
		want Verdict
	}{
		"nothing is asked by default": {Work{Lines: 1000}, Thresholds{Mode: Enforce}, Verdict{Passed: true}},
		"a finding without a claim": {
			Work{Findings: []finding.Finding{{Path: "a.go", Severity: finding.Low}}}, Thresholds{Mode: Enforce},
			Verdict{Reasons: []string{"finding 1: has no claim"}}},
		"a finding that says too little": {
			Work{Findings: []finding.Finding{good}}, Thresholds{Mode: Enforce, MinContent: 40},
			Verdict{Reasons: []string{"finding 1: says too little (9 bytes of 40)"}}},
		"a high risk without a suggestion": {
			Work{Findings: []finding.Finding{good}}, Thresholds{Mode: Enforce, HighRiskNeedsSuggestion: true},
			Verdict{Reasons: []string{"finding 1: is of high risk and suggests nothing"}}},
		"fast and found nothing": {
			Work{Lines: 400, Tokens: 20}, tight,
			Verdict{Reasons: []string{"effort is 2 % of what is expected, 50 % asked", "findings are 0 % of what is expected, 50 % asked"}}},
		"effort alone suffices": {Work{Lines: 400, Tokens: 800}, tight, Verdict{Passed: true}},
		"density alone suffices": {
			Work{Lines: 400, Findings: []finding.Finding{good, good}}, tight, Verdict{Passed: true}},
		"a small change expects no findings": {Work{Lines: 50}, tight, Verdict{Passed: true}},
		"recording lets pass and says why": {
			Work{Findings: []finding.Finding{{Path: "a.go", Claim: "x"}}}, Thresholds{Mode: Record},
			Verdict{Passed: true, Reasons: []string{"finding 1: has no severity"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, Judge(c.work, c.t)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
