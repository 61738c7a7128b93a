package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"github.com/crev-ratchet/crev/internal/ledger"
)

// Runner plays stories. It owns the repository, the scripted reviewers and the
// stand-in for GitHub; this package only reads what comes of them.
type Runner interface {
	// Begin builds the base of a story. The caller ends the play.
	Begin(ctx context.Context, s *Story) (Play, error)
}

// Play is a story on its way.
type Play interface {
	// Step makes the round's commit and reviews it. Rounds come in order.
	Step(ctx context.Context, r *Round) (Seen, error)
	// End removes what the play left behind.
	End() error
}

// Seen is what a run leaves behind.
type Seen struct {
	// PR is the pull request whose view counts.
	PR int
	// Events are all events so far, those of earlier rounds included.
	Events []ledger.Event
	// Rounds maps the ids of runs to the numbers of rounds.
	Rounds map[string]int
	// Threads are the conversations that the stand-in for GitHub shows.
	Threads []ShownThread
	// Inspections and Adjudications count questions to the model in this
	// round.
	Inspections, Adjudications int
}

// ShownThread is one conversation as a reader of the pull request sees it.
type ShownThread struct {
	Defect   ledger.DefectID
	Resolved bool
	// Says is the status that the comment's text gives.
	Says ledger.Status
}

// LifecycleResult is what the stories came to. Shares are between 0 and 1; a
// share of nothing is what a perfect program would have. docs/lifecycle.md has
// the formulas.
type LifecycleResult struct {
	Stories int `json:"stories"`

	// UnresolvedRecall is held / alive.
	UnresolvedRecall float64 `json:"unresolved_recall"`
	// FalseClosure is closed / alive; FalseClosureProven counts only those
	// that a test or a validator closed.
	FalseClosure       float64 `json:"false_closure"`
	FalseClosureProven float64 `json:"false_closure_with_artifact"`
	// FixRecognition is verified in time / fixed and provable.
	FixRecognition float64 `json:"fix_recognition"`
	// GoneRecognition is obsolete or verified / gone.
	GoneRecognition float64 `json:"gone_recognition"`
	// UnprovenHeld is active / fixed without enough evidence.
	UnprovenHeld float64 `json:"unproven_held"`
	// PartialAccuracy is the right count of met criteria / partly.
	PartialAccuracy float64 `json:"partial_accuracy"`
	// ReopenPrecision is right / reopened, ReopenRecall reopened under the
	// old id / back.
	ReopenPrecision float64 `json:"reopen_precision"`
	ReopenRecall    float64 `json:"reopen_recall"`
	// LocationAccuracy is right / located, LocationCoverage located / held.
	LocationAccuracy float64 `json:"location_accuracy"`
	LocationCoverage float64 `json:"location_coverage"`
	// StaleRate is threads that show another status than the ledger /
	// threads, over all rounds.
	StaleRate float64 `json:"stale_rate"`
	// ThreadsPerDefect is threads / defects with a thread, at the end.
	ThreadsPerDefect float64 `json:"threads_per_defect"`
	// RecordsPerDefect is ledger defects / seen defects, at the end.
	RecordsPerDefect float64 `json:"records_per_defect"`
	// SeverityStability is pairs of rounds without an unexplained change of
	// severity / pairs of rounds.
	SeverityStability float64 `json:"severity_stability"`
	// ReplayDeterminism is stories that fold to the same state with the
	// findings in another order / stories.
	ReplayDeterminism float64 `json:"replay_determinism"`

	Counts   LifecycleCounts    `json:"counts"`
	Failures []LifecycleFailure `json:"failures"`
}

// LifecycleCounts are the numerators and denominators.
type LifecycleCounts struct {
	Rounds  int `json:"rounds"`
	Defects int `json:"defects"`

	Alive        int `json:"alive"`
	Held         int `json:"held"`
	Closed       int `json:"closed"`
	ClosedProven int `json:"closed_with_artifact"`

	Fixed        int `json:"fixed"`
	Recognized   int `json:"recognized"`
	Gone         int `json:"gone"`
	GoneSeen     int `json:"gone_seen"`
	Unproven     int `json:"unproven"`
	UnprovenHeld int `json:"unproven_held"`
	Partly       int `json:"partly"`
	PartlyRight  int `json:"partly_right"`

	Back            int `json:"back"`
	BackReopened    int `json:"back_reopened"`
	Reopened        int `json:"reopened"`
	ReopenedRightly int `json:"reopened_rightly"`

	Located      int `json:"located"`
	LocatedRight int `json:"located_right"`

	ShownThreads  int `json:"shown_threads"`
	StaleThreads  int `json:"stale_threads"`
	Threads       int `json:"threads"`
	ThreadDefects int `json:"thread_defects"`
	Records       int `json:"records"`
	SeenDefects   int `json:"seen_defects"`
	// Mixed counts ledger defects that hold sightings of two defects.
	Mixed int `json:"mixed_records"`

	SeverityPairs  int `json:"severity_pairs"`
	SeverityStable int `json:"severity_stable"`
	Deterministic  int `json:"deterministic"`

	Inspections   int `json:"inspections"`
	Adjudications int `json:"adjudications"`
}

// LifecycleFailure is one place where a story went another way than the truth.
type LifecycleFailure struct {
	Story string `json:"story"`
	// Commit is the number of the round, 0 for the story as a whole.
	Commit   int    `json:"commit"`
	Defect   string `json:"defect"`
	Metric   string `json:"metric"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// Lifecycle plays every story of a folder twice, the second time with each
// round's findings in the opposite order, and scores the first play.
func Lifecycle(ctx context.Context, fsys fs.FS, runner Runner) (LifecycleResult, error) {
	stories, err := ReadStories(fsys)
	if err != nil {
		return LifecycleResult{}, err
	}
	var parts []LifecycleResult
	for _, s := range stories {
		r, err := PlayStory(ctx, s, runner)
		if err != nil {
			return LifecycleResult{}, err
		}
		parts = append(parts, r)
	}
	return SumLifecycle(parts), nil
}

// PlayStory plays one story twice and scores it.
func PlayStory(ctx context.Context, s *Story, runner Runner) (LifecycleResult, error) {
	first, err := play(ctx, s, runner)
	if err != nil {
		return LifecycleResult{}, fmt.Errorf("story %s: %w", s.Name, err)
	}
	again, err := play(ctx, s.reversed(), runner)
	if err != nil {
		return LifecycleResult{}, fmt.Errorf("story %s, findings reversed: %w", s.Name, err)
	}
	return scoreStory(s, first, again)
}

// SumLifecycle adds the counts of stories up and computes the shares of all.
func SumLifecycle(parts []LifecycleResult) LifecycleResult {
	var sum LifecycleResult
	sum.Failures = []LifecycleFailure{}
	for _, p := range parts {
		sum.Stories += p.Stories
		sum.Counts.add(p.Counts)
		sum.Failures = append(sum.Failures, p.Failures...)
	}
	sum.share()
	return sum
}

func play(ctx context.Context, s *Story, runner Runner) (out []Seen, err error) {
	p, err := runner.Begin(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if end := p.End(); err == nil {
			err = end
		}
	}()
	for _, r := range s.Rounds {
		seen, err := p.Step(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", r.Number, err)
		}
		out = append(out, seen)
	}
	return out, nil
}

// reversed is the same story with the findings of every round in the opposite
// order.
func (s *Story) reversed() *Story {
	out := *s
	out.Rounds = make([]*Round, len(s.Rounds))
	for i, r := range s.Rounds {
		round := *r
		round.Findings = slices.Clone(r.Findings)
		slices.Reverse(round.Findings)
		out.Rounds[i] = &round
	}
	return &out
}

// sameStates reports whether two plays fold to the same defects after every
// round, byte for byte.
func sameStates(a, b []Seen) (bool, error) {
	for i := range a {
		x, err := json.Marshal(ledger.Fold(a[i].Events, ledger.View{PR: a[i].PR}).All())
		if err != nil {
			return false, err
		}
		y, err := json.Marshal(ledger.Fold(b[i].Events, ledger.View{PR: b[i].PR}).All())
		if err != nil {
			return false, err
		}
		if string(x) != string(y) {
			return false, nil
		}
	}
	return true, nil
}
