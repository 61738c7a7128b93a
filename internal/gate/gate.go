// Package gate decides whether the result of one batch is complete and dense
// enough to be taken. It looks at numbers and fields only; a batch that fails is
// asked again with the reasons, and after too many tries it goes on as forced,
// which every reader can see.
package gate

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Mode says what a failed check does. The zero value only records.
type Mode string

// The modes.
const (
	// Record notes what would have failed and lets everything pass.
	Record Mode = "record"
	// Enforce asks again.
	Enforce Mode = "enforce"
	// Off checks nothing but the required fields.
	Off Mode = "off"
)

// Thresholds are the gate's limits. The zero value is off in every respect, as
// in article 001.
type Thresholds struct {
	Mode Mode
	// MinEffort is the least share of the expected effort; 0 is off.
	MinEffort float64
	// MinDensity is the least share of the expected findings; 0 is off.
	MinDensity float64
	// LinesPerFinding is how many changed lines usually hold one finding.
	LinesPerFinding int
	// MinContent is the least length of a claim with its detail, in bytes.
	MinContent int
	// HighRiskNeedsSuggestion asks for a suggestion on high and critical
	// findings.
	HighRiskNeedsSuggestion bool
}

// expectedTokensPerLine is the output a careful review spends on a changed line;
// a first value, to be replaced by "crev bench calibrate" from history.
const expectedTokensPerLine = 2

// Work is what a batch took and gave.
type Work struct {
	// Lines is the number of changed lines.
	Lines int
	// Tokens is the number of output tokens, reasoning included.
	Tokens   int
	Findings []finding.Finding
}

// Verdict is the gate's answer.
type Verdict struct {
	// Passed is true when the result is taken.
	Passed bool `json:"passed"`
	// Reasons say what fell short, also when the mode only records.
	Reasons []string `json:"reasons,omitempty"`
}

// Judge applies the three layers: fields, then effort or density.
func Judge(w Work, t Thresholds) Verdict {
	var reasons []string
	for i, f := range w.Findings {
		for _, r := range fields(f, t) {
			reasons = append(reasons, fmt.Sprintf("finding %d: %s", i+1, r))
		}
	}
	if len(reasons) == 0 {
		effort, effortOK := share(w.Tokens, w.Lines*expectedTokensPerLine, t.MinEffort)
		expected := 0
		if t.LinesPerFinding > 0 {
			expected = w.Lines / t.LinesPerFinding
		}
		density, densityOK := share(len(w.Findings), expected, t.MinDensity)
		if !effortOK && !densityOK {
			reasons = append(reasons,
				fmt.Sprintf("effort is %.0f %% of what is expected, %.0f %% asked", 100*effort, 100*t.MinEffort),
				fmt.Sprintf("findings are %.0f %% of what is expected, %.0f %% asked", 100*density, 100*t.MinDensity))
		}
	}
	return Verdict{Passed: len(reasons) == 0 || t.Mode != Enforce, Reasons: reasons}
}

// share compares actual with expected; a coefficient of 0, or nothing expected,
// is always enough.
func share(actual, expected int, least float64) (float64, bool) {
	if least <= 0 || expected <= 0 {
		return 1, true
	}
	s := float64(actual) / float64(expected)
	return s, s >= least
}

func fields(f finding.Finding, t Thresholds) []string {
	var out []string
	if f.Path == "" {
		out = append(out, "has no path")
	}
	if f.Claim == "" {
		out = append(out, "has no claim")
	}
	if f.Severity == "" {
		out = append(out, "has no severity")
	}
	if n := len(f.Claim) + len(f.Detail); n < t.MinContent {
		out = append(out, fmt.Sprintf("says too little (%d bytes of %d)", n, t.MinContent))
	}
	if t.HighRiskNeedsSuggestion && f.Suggestion == "" && f.Severity.Rank() >= finding.High.Rank() {
		out = append(out, "is of high risk and suggests nothing")
	}
	return out
}
