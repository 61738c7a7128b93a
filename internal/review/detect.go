package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/session"
)

// result is what the reviewers and the checkers made of one batch, and of the
// whole change where all is set.
type result struct {
	batch batch.Batch
	// all are the batches of the whole change.
	all []*result
	// state is the batch's in the session.
	state session.BatchState

	// asks are what the reviewers are asked, todo those to ask next.
	asks, todo []*ask
	claims     []claim
	// usage counts everything, effort the reviewers' output tokens.
	usage  model.Usage
	effort int
	// notes are what a reader should know; they are shown in the order of the
	// batches, whichever was ready first.
	notes []string
	payer payer
}

func (r *result) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// reason says why the batch is unreviewed, or why the gate refused it to the end.
func (r *result) reason() string {
	if r.state.Gate == session.Forced && r.state.Result != nil {
		return strings.Join(r.state.Result.Verdict.Reasons, "; ")
	}
	return r.state.Reason
}

// unreviewed reports whether a reviewer could not answer for the batch.
func (r *result) unreviewed() bool { return r.state.Gate == session.Unreviewed }

// detect takes every batch through reviewers, gate and checkers, as the session
// allows. A batch that one of its reviewers could not answer for is unreviewed;
// what the others found stays.
func (j *job) detect(ctx context.Context) {
	// The headline says what to do about it; a file needs the reason alone.
	if reason, _, _ := strings.Cut(j.noModel(), ";"); reason != "" {
		for _, b := range j.cut.Batches {
			for _, p := range b.Paths() {
				j.cover(p, projection.Unreviewed, reason)
			}
		}
		return
	}
	for _, b := range j.cut.Batches {
		j.results = append(j.results, &result{batch: b})
	}
	if err := j.reviewAll(ctx); err != nil {
		j.note("the session stopped: %v", err)
	}
	for _, r := range j.results {
		r.state = j.stateOf(r.batch.ID)
		j.take(r)
	}
}

// reviewAll brings every batch to its end. A batch is finished before the next
// is begun, as far as the requests that may be under way at once allow: when
// the budget ends, what was paid for is whole.
func (j *job) reviewAll(ctx context.Context) error {
	if err := j.session.Ready(nil, j.d.Now()); err != nil {
		return err
	}
	for _, r := range j.results {
		if err := j.recall(ctx, r); err != nil {
			return err
		}
	}
	var group errgroup.Group
	for range max(1, j.cfg.Model.Parallel/max(1, len(j.reviewers))) {
		group.Go(func() error { return j.work(ctx) })
	}
	return group.Wait()
}

// work takes batches from the session until it hands out no more.
func (j *job) work(ctx context.Context) error {
	for {
		if _, err := j.session.Expire(j.d.Now()); err != nil {
			return err
		}
		task, ok, err := j.session.HandOut(j.d.Now())
		if err != nil || !ok {
			return err
		}
		i := slices.IndexFunc(j.results, func(r *result) bool { return r.batch.ID == task.Batch })
		if err := j.perform(ctx, j.results[i], task); err != nil {
			return err
		}
	}
}

// perform asks the reviewers about a batch that was handed out. What the session
// allows then is another try, which somebody takes from it, or the checkers.
func (j *job) perform(ctx context.Context, r *result, task session.Task) error {
	if j.in.Part == PartCollect {
		_, err := j.session.Submit(task.Batch, &session.Result{Unreviewed: notCollected}, j.d.Now())
		return err
	}
	if r.asks == nil {
		j.prepare(r)
	}
	if r.payer.purse == nil {
		var err error
		if r.payer.purse, err = j.budget.fill(cost(r.asks)); err != nil {
			_, err = j.session.Submit(task.Batch, &session.Result{Unreviewed: failure(err)}, j.d.Now())
			return err
		}
	}
	out := j.attempt(ctx, r, task.Deadline)
	move, err := j.session.Submit(task.Batch, &out, j.d.Now())
	if errors.As(err, new(*session.OrderError)) {
		return nil // it came too late, and the session has taken the batch back
	}
	if err != nil || move.Step == session.StepHandOut {
		return err
	}
	defer r.payer.empty()
	if err := j.finish(ctx, r); err != nil {
		return err
	}
	b := r.batch
	j.d.Log.Info("batch "+b.ID, "files", len(b.Paths()), "lines", b.Lines(), "result", j.stateOf(b.ID).Gate, "findings", len(r.claims))
	return nil
}

// prepare builds the requests about a batch.
func (j *job) prepare(r *result) {
	r.asks, r.payer = j.asks(r.batch), j.payerOf(r.batch.ID)
	r.todo = r.asks
}

// attempt asks the reviewers once and puts what they say to the gate. The
// session says what follows from the verdict.
func (j *job) attempt(ctx context.Context, r *result, deadline time.Time) session.Result {
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline.Sub(j.d.Now()))
		defer cancel()
	}
	j.askAll(ctx, r.todo, r.payer)
	var out session.Result
	w := gate.Work{Paths: r.batch.Paths(), Lines: changedLines(r.batch), Reviewers: len(r.asks)}
	for _, a := range r.asks {
		if a.err != nil {
			out.Unreviewed = failure(a.err)
		}
		w.Tokens += a.usage.Completion
		w.Seconds = max(w.Seconds, a.elapsed.Seconds())
		w.Findings = append(w.Findings, a.findings...)
		out.Elapsed = max(out.Elapsed, a.elapsed)
	}
	for _, a := range r.todo {
		out.Usage = out.Usage.Plus(a.last)
	}
	out.Verdict, out.Findings = gate.Judge(w, j.limits), len(w.Findings)
	r.todo = refused(r.asks, out.Verdict)
	return out
}

// refused returns the reviewers to ask again, with what to tell them added to
// their requests: those with an incomplete finding, or all of them where the
// batch as a whole falls short.
func refused(asks []*ask, v gate.Verdict) []*ask {
	if v.Passed {
		return nil
	}
	var out []*ask
	first := 0
	for _, a := range asks {
		own := v
		if len(v.Faults) > 0 {
			own.Faults, own.Reasons = nil, nil
			for _, f := range v.Faults {
				// A reviewer knows its own list and its own numbers.
				if f.Finding -= first; f.Finding >= 1 && f.Finding <= len(a.findings) {
					own.Faults = append(own.Faults, f)
					own.Reasons = append(own.Reasons, fmt.Sprintf("finding %d: %s", f.Finding, f.Says))
				}
			}
		}
		first += len(a.findings)
		if len(own.Reasons) > 0 {
			a.again(gate.RetryPrompt(own))
			out = append(out, a)
		}
	}
	return out
}

// finish places what the reviewers found in the code and lets the checkers look
// at it.
func (j *job) finish(ctx context.Context, r *result) error {
	for _, a := range r.asks {
		r.usage = r.usage.Plus(a.usage)
		r.effort += a.usage.Completion
		for _, f := range a.findings {
			r.claims = append(r.claims, j.place(ctx, r.batch, f))
		}
		for _, f := range checker.Withdrawn(a.earlier, a.findings) {
			c := j.place(ctx, r.batch, f)
			if j.enabled(checker.RecheckName) && !j.shielded(c) {
				c.dropped = checker.Withdrawal
			}
			r.claims = append(r.claims, c)
		}
	}
	return j.check(ctx, r)
}

func changedLines(b batch.Batch) int {
	n := 0
	for _, p := range b.Parts {
		for _, h := range p.Hunks {
			n += h.ChangedLines()
		}
	}
	return n
}

// take notes what a batch came to: its files' coverage and its claims.
func (j *job) take(r *result) {
	for _, n := range r.notes {
		j.note("%s", n)
	}
	state, reason := projection.Reviewed, ""
	switch {
	case r.state.Status != session.Done:
		state, reason = projection.Unreviewed, "the session stopped"
	case r.unreviewed():
		happened, todo := explainReason(r.state.Reason)
		state, reason = projection.Unreviewed, happened
		j.note("%s; %s", happened, todo)
	case r.state.Gate == session.Forced:
		reason = fmt.Sprintf("taken after %d tries: %s", r.state.Tries, r.reason())
	}
	for _, p := range r.batch.Parts {
		path, reason := p.File.Path(), reason
		if reason == "" {
			reason = shownInPart(p.File)
		}
		if j.coverage[path].State != projection.Unreviewed || j.coverage[path].Reason == "" {
			j.cover(path, state, reason)
		}
	}
}
