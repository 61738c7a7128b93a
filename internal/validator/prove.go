package validator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// The sample folders of a validator. Each is the root of a small tree, so that
// a sample stands at a path in the scope: bad/src/api/session.ts.
const (
	badSamples  = "bad"
	goodSamples = "good"
)

// proofRuns is how often each side is run.
const proofRuns = 3

// Verdict is what a proof says of a validator.
type Verdict string

// The verdicts. Only Proven lets a validator be promoted.
const (
	// Proven: red on the bad samples, green on the good ones, each time.
	Proven Verdict = "proven"
	// Vacuous: green on the bad samples, so it does not see the defect.
	Vacuous Verdict = "vacuous"
	// Overfit: red on the good samples too, so it sees something else.
	Overfit Verdict = "overfit"
	// Flaky: the same tree got two answers.
	Flaky Verdict = "flaky"
	// Unproven: it is broken on one of the sides.
	Unproven Verdict = "broken"
)

// Remedy says in plain words what to do about a verdict, "" when there is nothing
// to do.
func (v Verdict) Remedy() string {
	switch v {
	case Vacuous:
		return "Make the check see the defect, or put code that has it into bad/, at a path of the scope."
	case Overfit:
		return "Make the check narrower, or take what it rightly finds out of good/."
	case Flaky:
		return "Make it answer and print the same each time: no clock, no random order, no network."
	case Unproven:
		return "Repair it: a check that cannot run would block every pull request."
	}
	return ""
}

// Proof is the answer of Prove with the runs that gave it.
type Proof struct {
	Validator string  `json:"validator"`
	Verdict   Verdict `json:"verdict"`
	// Reason is one line for people.
	Reason string `json:"reason"`
	// Bad and Good are the first runs of each side; for a flaky one, the two
	// runs that differ.
	Bad  Result `json:"bad"`
	Good Result `json:"good"`
	// Runs is how often each side was run.
	Runs int `json:"runs"`
}

// Prove runs a validator three times on a tree where it must find something and
// three times on one where it must not. Equal means the same status, failures,
// exit and output.
func Prove(ctx context.Context, v Validator, bad, good Input) Proof {
	p := Proof{Validator: v.Name, Runs: proofRuns}
	badRuns, goodRuns := repeat(ctx, v, bad), repeat(ctx, v, good)
	p.Bad, p.Good = badRuns[0], goodRuns[0]
	for _, side := range []struct {
		name string
		runs []Result
	}{{bad.name("the bad samples"), badRuns}, {good.name("the good samples"), goodRuns}} {
		for i, r := range side.runs {
			if r.Status == Broken {
				p.Verdict = Unproven
				p.Reason = fmt.Sprintf("on %s, run %d: %s", side.name, i+1, r.Reason)
				return p
			}
		}
		for i, r := range side.runs[1:] {
			if !same(side.runs[0], r) {
				p.Verdict = Flaky
				p.Reason = fmt.Sprintf("on %s, run 1 and run %d differ", side.name, i+2)
				if d := Differ(side.runs[0], r); d != nil {
					p.Reason += ": " + strings.Join(d, ", then ")
				}
				p.Bad, p.Good = side.runs[0], r
				return p
			}
		}
	}
	switch {
	case p.Bad.Files == 0:
		p.Verdict = Unproven
		p.Reason = nothingToJudge(bad, badSamples)
	case p.Good.Files == 0:
		p.Verdict = Unproven
		p.Reason = nothingToJudge(good, goodSamples)
	case p.Bad.Status == Clean:
		p.Verdict = Vacuous
		p.Reason = "it finds nothing in " + bad.name("the bad samples")
	case p.Good.Status == Found:
		p.Verdict = Overfit
		p.Reason = "it also finds something in " + good.name("the good samples") + ": " + p.Good.Failures[0].String()
	default:
		p.Verdict = Proven
		p.Reason = fmt.Sprintf("red on %s and green on %s, %d times each", bad.name("the bad samples"), good.name("the good ones"), proofRuns)
	}
	return p
}

// nothingToJudge says what to do about a side without a file in scope.
func nothingToJudge(in Input, folder string) string {
	if in.Name != "" {
		return "no file of " + in.Name + " is in its scope"
	}
	return fmt.Sprintf("no %s sample is in its scope; put one at a path that the scope matches, below %[1]s/", folder)
}

// maxShownFailures bounds the failures of a run that are shown.
const maxShownFailures = 5

// Show renders the runs of a proof for people, one statement a line.
func (p Proof) Show() string {
	var b strings.Builder
	for _, side := range []struct {
		name string
		r    Result
	}{{"bad", p.Bad}, {"good", p.Good}} {
		if side.r.Status == "" {
			continue
		}
		fmt.Fprintf(&b, "%s: %s, %d files judged\n", side.name, side.r.Status, side.r.Files)
		for i, f := range side.r.Failures {
			if i == maxShownFailures {
				fmt.Fprintf(&b, "  and %d more\n", len(side.r.Failures)-i)
				break
			}
			fmt.Fprintf(&b, "  %s\n", f)
		}
		if side.r.Status == Broken {
			fmt.Fprintf(&b, "  %s\n", side.r.Reason)
		}
	}
	return b.String()
}

func repeat(ctx context.Context, v Validator, in Input) []Result {
	runs := make([]Result, proofRuns)
	for i := range runs {
		runs[i] = Run(ctx, v, in)
	}
	return runs
}

func same(a, b Result) bool {
	return a.Status == b.Status && a.exit == b.exit && a.Output == b.Output &&
		slices.Equal(a.Failures, b.Failures)
}

// ErrNoSamples is returned by Samples for a validator without bad/ or good/.
var ErrNoSamples = errors.New("it has no samples")

// Samples returns the trees in the validator's bad/ and good/ folders. The
// caller adds a Runner for a script.
func (v Validator) Samples() (bad, good Input, err error) {
	if v.folder == nil {
		return bad, good, fmt.Errorf("%s is built in and has no samples", v.Name)
	}
	if bad, err = sampleTree(v.folder, badSamples); err != nil {
		return bad, good, err
	}
	good, err = sampleTree(v.folder, goodSamples)
	return bad, good, err
}

func sampleTree(folder fs.FS, name string) (Input, error) {
	if _, err := fs.Stat(folder, name); errors.Is(err, fs.ErrNotExist) {
		return Input{}, fmt.Errorf("%w: there is no folder %s/; put a sample of the code there", ErrNoSamples, name)
	}
	tree, err := fs.Sub(folder, name)
	if err != nil {
		return Input{}, err
	}
	files, err := listFiles(tree)
	return Input{Tree: tree, Files: files}, err
}
