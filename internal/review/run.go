package review

import (
	"context"
	"errors"

	"github.com/crev-ratchet/crev/internal/projection"
)

// Run reviews one revision: event → revision → batches → findings → gate →
// checkers → reconcile → ledger → projection. A fault of the model, of a checker
// or of GitHub never loses findings and never blocks; it is named in the
// report. The error is for what makes the run impossible: no repository, no
// common history, a configuration that cannot be read.
func Run(ctx context.Context, in Request, d Deps) (_ *Outcome, err error) {
	j, err := newJob(ctx, in, d)
	if err != nil {
		return nil, err
	}
	// Tier 0 comes first and depends on nothing below.
	j.runValidators(ctx)

	// What is known: fold the ledger, read the team's rules, follow each defect
	// to the new head, see which closed ones are back, and check those whose
	// code changed.
	j.readLedger(ctx)
	j.readMemory(ctx)
	if err := j.plan(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.end()) }()
	j.recordChecks()
	j.follow(ctx)
	j.reopen(ctx)
	j.regress()
	j.verify(ctx)

	// What is new: each batch goes through reviewers, gate and checkers, and then
	// the checkers of the whole look at all of it. Text that speaks to reviewers is
	// pointed out.
	j.addressed()
	j.detect(ctx)
	j.checkAll(ctx)
	j.tryArtifacts(ctx)

	// One identity for each: known defects are seen again, the others open.
	j.reconcile(ctx)
	j.triage()

	// The ledger decides what GitHub shows. Comments go first, so that the
	// run file can say which of them exist.
	j.conclude()
	j.publish(ctx)
	j.commit(ctx)
	return j.outcome(), nil
}

// Gate runs tier 0 alone. It needs no model, no token and no network.
func Gate(ctx context.Context, in Request, d Deps) (*Outcome, error) {
	in.NoModel = "the gate asks no model"
	j, err := newJob(ctx, in, d)
	if err != nil {
		return nil, err
	}
	j.runValidators(ctx)
	j.concludeGate()
	return j.outcome(), nil
}

// outcome collects what the run came to.
func (j *job) outcome() *Outcome {
	o := &Outcome{Report: j.report, Blocked: j.report.Conclusion == projection.Failed, Events: j.events, Plan: j.shown,
		Trail: j.cut.Trail, Counts: j.cut.Counts, Limits: j.origins}
	for _, d := range j.report.Defects {
		if projection.InSight(d) {
			o.Open++
		}
	}
	for _, c := range j.report.Changes {
		if c.What == "opened" {
			o.New++
		}
	}
	return o
}
