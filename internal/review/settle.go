package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/ledger"
)

// Ended is a pull request that was merged or closed.
type Ended struct {
	PR int
	// Head is its last commit.
	Head string
	// Commit is the commit that merged it, "" when it was closed unmerged.
	Commit string
}

// Settle records which pull requests ended and how. The events of a merged one
// become part of every view; those of a closed one stay its own. A pull request
// that the ledger does not mention, or has settled, is left out. It returns
// where a reader finds the new lines, "" when there was nothing to say.
func Settle(ctx context.Context, in Request, ended []Ended, d Deps) (where string, events []ledger.Event, err error) {
	j, err := newJob(ctx, in, d)
	if err != nil {
		return "", nil, err
	}
	j.readLedger(ctx)
	for _, e := range ended {
		if j.unsettled(e.PR) {
			j.in.PR = e.PR
			j.add(ledger.Event{Payload: e.payload()})
		}
	}
	j.turnRatchet(ctx)
	j.tendRules(ctx)
	if len(j.events) == 0 && len(j.ruleFiles) == 0 {
		j.proposeDue(ctx)
		return "", nil, nil
	}
	if err := j.store(ctx); err != nil {
		// A token that may not write leaves the lines for an artifact.
		j.note("the ledger was not committed: %v", err)
		if err := j.keep(); err != nil {
			return "", j.events, fmt.Errorf("settle: %w", err)
		}
	}
	j.proposeDue(ctx)
	return j.report.LedgerWhere, j.events, nil
}

func (e Ended) payload() ledger.Payload {
	if e.Commit != "" {
		return ledger.Payload{MergedPR: &ledger.MergedPR{Commit: e.Commit, Head: e.Head}}
	}
	return ledger.Payload{ClosedPR: &ledger.ClosedPR{Head: e.Head}}
}

// unsettled reports whether the ledger has events of a pull request and not yet
// its end.
func (j *job) unsettled(pr int) bool {
	mine := func(e ledger.Event) bool { return e.PR == pr }
	over := func(e ledger.Event) bool { return e.PR == pr && (e.MergedPR != nil || e.ClosedPR != nil) }
	if !slices.ContainsFunc(j.past, mine) || slices.ContainsFunc(j.past, over) {
		return false
	}
	return !slices.ContainsFunc(j.events, over)
}
