package validator

import (
	"context"
	"fmt"
	"slices"
)

// reproduceRuns is how often an artifact is run at each state.
const reproduceRuns = 2

// Outcome is what running an artifact came to.
type Outcome string

// The outcomes. Only Reproduced makes a finding tier 1.
const (
	// Reproduced: red at the head, where the finding is; green at the other
	// state; each time.
	Reproduced Outcome = "reproduced"
	// NotReproduced: it does not fail where the finding is.
	NotReproduced Outcome = "not_reproduced"
	// NoDifference: it also fails at the other state, or judges nothing
	// there, so it shows nothing.
	NoDifference Outcome = "vacuous"
	// Unstable: the same state got two answers.
	Unstable Outcome = "flaky"
	// Unclear: it could not be run, or gave no clear answer.
	Unclear Outcome = "broken"
	// NotRun: it was not allowed to run.
	NotRun Outcome = "evidence_not_run"
)

// Trial is the answer of Reproduce.
type Trial struct {
	Outcome Outcome
	// Reason is one line for people.
	Reason string
	// Head is the first run at the head, Against the name of the other state;
	// Runs is how often each was run.
	Head    Result
	Against string
	Runs    int
}

// Reproduce runs an artifact twice at the head and twice at another state, where
// its finding must not be. Here says whether a failure is about the finding: an
// artifact that fails elsewhere shows something else.
func Reproduce(ctx context.Context, v Validator, head, other Input, here func(Failure) bool) Trial {
	t := Trial{Against: other.name("the other state"), Runs: reproduceRuns}
	var red, green [reproduceRuns]Result
	for i := range red {
		red[i], green[i] = Run(ctx, v, head), Run(ctx, v, other)
	}
	t.Head = red[0]
	for _, side := range []struct {
		name string
		runs [reproduceRuns]Result
	}{{head.name("the head"), red}, {t.Against, green}} {
		for _, r := range side.runs {
			if r.Status == Broken {
				t.Outcome, t.Reason = Unclear, "at "+side.name+": "+r.Reason
				return t
			}
		}
		if !same(side.runs[0], side.runs[1]) {
			t.Outcome, t.Reason = Unstable, "two runs at "+side.name+" differ"
			return t
		}
	}
	switch {
	case t.Head.Status == Clean:
		t.Outcome, t.Reason = NotReproduced, "it finds nothing at "+head.name("the head")
	case !slices.ContainsFunc(t.Head.Failures, here):
		t.Outcome = NotReproduced
		t.Reason = "it fails elsewhere: " + t.Head.Failures[0].String()
	case green[0].Status == Found:
		t.Outcome = NoDifference
		t.Reason = fmt.Sprintf("it also fails at %s: %s", t.Against, green[0].Failures[0])
	case green[0].Files == 0:
		t.Outcome, t.Reason = NoDifference, "it judges no file of "+t.Against+", so there is nothing to compare with"
	default:
		t.Outcome = Reproduced
		t.Reason = fmt.Sprintf("it fails at %s and passes at %s, %d times each", head.name("the head"), t.Against, reproduceRuns)
	}
	return t
}

// Differ says how two answers about one input differ, one line each, nil when
// they do not. Only what the answer is counts, not what was printed beside it.
func Differ(a, b Result) []string {
	if a.Status == b.Status && slices.Equal(a.Failures, b.Failures) {
		return nil
	}
	return []string{a.answer(), b.answer()}
}

// answer is a result in one line.
func (r Result) answer() string {
	switch {
	case len(r.Failures) == 1:
		return fmt.Sprintf("%s: %s", r.Status, r.Failures[0])
	case len(r.Failures) > 1:
		return fmt.Sprintf("%s: %s and %d more", r.Status, r.Failures[0], len(r.Failures)-1)
	case r.Reason != "":
		return fmt.Sprintf("%s: %s", r.Status, r.Reason)
	}
	return string(r.Status)
}

func (in Input) name(otherwise string) string {
	if in.Name != "" {
		return in.Name
	}
	return otherwise
}
