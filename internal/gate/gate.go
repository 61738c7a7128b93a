// Package gate decides whether the result of one batch is complete and dense
// enough to be taken. It looks at numbers and fields only; a batch that fails is
// asked again with the reasons, and after too many tries it goes on as forced,
// which every reader can see.
package gate

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/finding"
)

// The first guesses at what a careful review takes. "crev bench calibrate" fits
// the coefficients to them, so their absolute size does not matter much.
const (
	tokensPerLine, tokensPerFile   = 2, 20
	secondsPerLine, secondsPerFile = 0.02, 0.5
)

// Work is what a batch took and gave.
type Work struct {
	// Paths are the files of the batch.
	Paths []string
	// Lines is the number of changed lines.
	Lines int
	// Reviewers is how many answers are added up here; 0 counts as one.
	Reviewers int
	// Tokens is the number of output tokens of all of them, reasoning
	// included, and Seconds the time of the slowest: they work side by side.
	Tokens   int
	Seconds  float64
	Findings []finding.Finding
}

// Measure compares what was done with what was expected.
type Measure struct {
	Actual   float64 `json:"actual"`
	Expected float64 `json:"expected"`
	// Coefficient is the least share of Expected; 0 asks for nothing.
	Coefficient float64 `json:"coefficient"`
}

// Enough reports whether the actual value suffices. It does where nothing is
// asked or expected.
func (m Measure) Enough() bool {
	return m.Coefficient <= 0 || m.Expected <= 0 || m.Actual >= m.Expected*m.Coefficient
}

// Share is the actual value over the expected one, 1 where nothing is expected.
func (m Measure) Share() float64 {
	if m.Expected <= 0 {
		return 1
	}
	return m.Actual / m.Expected
}

// Fault is what is wrong with one finding.
type Fault struct {
	// Finding counts from 1 in the order of the result.
	Finding int    `json:"finding"`
	Field   string `json:"field"`
	Says    string `json:"says"`
}

// Verdict is the gate's answer.
type Verdict struct {
	// Passed is true when the result is taken.
	Passed bool `json:"passed"`
	// Reasons say what fell short, also when the mode only records.
	Reasons []string `json:"reasons,omitempty"`
	// Faults are the findings that are not complete. Where there are any,
	// effort and density are not asked about.
	Faults []Fault `json:"faults,omitempty"`
	// Effort and Density are always measured, so that limits can be chosen
	// by what was recorded. Unit is that of Effort.
	Effort  Measure `json:"effort"`
	Unit    Unit    `json:"unit"`
	Density Measure `json:"density"`
}

// Judge applies the three layers: every finding is complete; then effort or
// density suffices. One of the two is enough: who read for long and found little
// may be right, and so may who found much in a short time. A change of documents
// alone is expected to have neither (what the base calls generated is in no batch).
func Judge(w Work, t Thresholds) Verdict {
	v := Verdict{Unit: t.unit(), Effort: t.effort(w), Density: t.density(w)}
	if t.Mode == Off {
		v.Passed = true
		return v
	}
	for i, f := range w.Findings {
		v.Faults = append(v.Faults, faults(i+1, f, t)...)
	}
	for _, f := range v.Faults {
		v.Reasons = append(v.Reasons, fmt.Sprintf("finding %d: %s", f.Finding, f.Says))
	}
	if len(v.Faults) == 0 && !v.sufficient() {
		v.Reasons = append(v.Reasons,
			fmt.Sprintf("effort is %.0f %% of what is expected, %.0f %% asked", 100*v.Effort.Share(), 100*v.Effort.Coefficient),
			fmt.Sprintf("findings are %.0f %% of what is expected, %.0f %% asked", 100*v.Density.Share(), 100*v.Density.Coefficient))
	}
	v.Passed = len(v.Reasons) == 0 || t.Mode != Enforce
	return v
}

// sufficient joins the two soft layers. A layer that is switched off does not
// make up for the other one.
func (v Verdict) sufficient() bool {
	switch effort, density := v.Effort.Coefficient > 0, v.Density.Coefficient > 0; {
	case effort && density:
		return v.Effort.Enough() || v.Density.Enough()
	case effort:
		return v.Effort.Enough()
	case density:
		return v.Density.Enough()
	}
	return true
}

// expected is what Work is expected to take, in the unit.
func expected(w Work, u Unit) float64 {
	if nothingExpected(w) {
		return 0
	}
	lines, files := float64(w.Lines), float64(len(w.Paths))
	if u == Seconds {
		return secondsPerLine*lines + secondsPerFile*files
	}
	return float64(max(w.Reviewers, 1)) * (tokensPerLine*lines + tokensPerFile*files)
}

func (t Thresholds) effort(w Work) Measure {
	m := Measure{Actual: float64(w.Tokens), Expected: expected(w, t.unit()), Coefficient: t.MinEffort}
	if t.unit() == Seconds {
		m.Actual = w.Seconds
	}
	return m
}

func (t Thresholds) density(w Work) Measure {
	m := Measure{Actual: float64(len(w.Findings)), Coefficient: t.MinDensity}
	if t.LinesPerFinding > 0 && !nothingExpected(w) {
		m.Expected = float64(w.Lines / t.LinesPerFinding) // whole findings
	}
	return m
}

func faults(n int, f finding.Finding, t Thresholds) []Fault {
	var out []Fault
	add := func(field, says string) { out = append(out, Fault{Finding: n, Field: field, Says: says}) }
	if f.Path == "" {
		add("path", "has no path")
	}
	if f.Claim == "" {
		add("claim", "has no claim")
	}
	if f.Severity == "" {
		add("severity", "has no severity")
	}
	if n := len(f.Claim) + len(f.Detail); n < t.MinContent {
		add("detail", fmt.Sprintf("says too little (%d bytes of %d)", n, t.MinContent))
	}
	if t.HighRisk != "" && f.Suggestion == "" && f.Severity.Rank() >= t.HighRisk.Rank() {
		add("suggestion", "is of high risk and suggests nothing")
	}
	return out
}
