package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/session"
)

// Part says how much of a review this process does. The zero value is all of it.
type Part string

// The parts of a review that is spread over several machines: one plans, one
// for each batch reviews it, and one collects what they found.
const (
	PartPlan    Part = "plan"
	PartBatch   Part = "batch"
	PartCollect Part = "collect"
)

// begin starts the session of the run. With a folder, it has a journal there:
// a killed run goes on where it stopped, under the name and time of the first.
func (j *job) begin() error {
	plan := session.PlanOf(j.cut, sessionCheckers(j.checkers))
	limits := session.DefaultLimits
	limits.MaxRetries, limits.CheckRetries = j.limits.MaxRetries, 0
	if s := j.cfg.Model.MaxSeconds; s > 0 {
		limits.Run = time.Duration(s) * time.Second
	}
	now := j.d.Now()
	if j.in.Session == "" {
		var err error
		j.session, err = session.New(plan, limits, nil, now)
		return err
	}
	config, err := j.configHash()
	if err != nil {
		return err
	}
	h := session.Header{Run: j.in.Run, Started: now, Base: j.in.Base, Head: j.in.Head, Prompts: config, Plan: plan, Limits: limits}
	if j.in.Part == PartBatch {
		j.journal, err = session.Join(j.in.Session, h, j.in.Batch)
	} else {
		j.journal, err = session.Open(j.in.Session, h)
	}
	if err != nil {
		return err
	}
	if j.session, err = j.journal.Session(now); err != nil {
		return errors.Join(err, j.end())
	}
	if s := j.session.Corrected(); s != "" {
		j.note("%s", s)
	}
	// The run is the one that was begun, whichever process goes on with it,
	// unless that one has told the ledger already: what is found now is news.
	if h = j.journal.Header(); j.in.Run == h.Run || !j.told(h.Run) {
		j.in.Run, j.stamp = h.Run, h.Started
	}
	return nil
}

// told reports whether the ledger has heard of a run.
func (j *job) told(run string) bool {
	return slices.ContainsFunc(j.past, func(e ledger.Event) bool { return e.Run == run })
}

// knownAtStart is the state by which the batches are cut: that of the ledger
// when the session began. A job that is run again finds the plan as it was,
// although the ledger has heard of the run meanwhile.
func (j *job) knownAtStart() (*ledger.State, error) {
	if j.in.Session == "" {
		return j.state, nil
	}
	h, err := session.ReadPlan(j.in.Session)
	switch {
	case errors.Is(err, fs.ErrNotExist) && j.in.Part == PartCollect:
		return nil, fmt.Errorf("collect the session %s: there is no plan.json; bring it from where the plan was made", j.in.Session)
	case errors.Is(err, fs.ErrNotExist):
		return j.state, nil
	case err != nil:
		return nil, fmt.Errorf("read the plan of the session %s: %w", j.in.Session, err)
	}
	before := slices.DeleteFunc(slices.Clone(j.past), func(e ledger.Event) bool {
		return e.Run == h.Run || e.At.After(h.Started)
	})
	if len(before) == len(j.past) {
		return j.state, nil
	}
	return ledger.Fold(before, ledger.View{PR: j.in.PR}), nil
}

// end closes the journal.
func (j *job) end() error {
	if j.journal == nil {
		return nil
	}
	return j.journal.Close()
}

// now is the time of the run's events: that of the first start, for a run that
// goes on.
func (j *job) now() time.Time {
	if !j.stamp.IsZero() {
		return j.stamp
	}
	return j.d.Now()
}

// configHash identifies everything besides the code that a session depends on.
func (j *job) configHash() (string, error) {
	text, err := yaml.Marshal(j.cfg)
	if err != nil {
		return "", fmt.Errorf("hash the configuration: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", text, j.prompts))
	return hex.EncodeToString(sum[:8]), nil
}

func sessionCheckers(cs []checker.Checker) []session.Checker {
	var out []session.Checker
	for _, c := range cs {
		when := session.EachBatch
		if c.When == checker.LastBatch {
			when = session.LastBatch
		}
		out = append(out, session.Checker{Name: c.Name, Priority: c.Order, When: when})
	}
	return out
}

// Planned is what a review would do.
type Planned struct {
	Batches []session.Planned
	// Trail says for every file where it is and why.
	Trail []batch.Placement
	// Counts say what each phase of the cut came to.
	Counts batch.Counts
	// Reason says why no batch will be reviewed, "" when they can be. Without
	// Deps.Connect nobody looked whether there is a model.
	Reason string
}

// Plan cuts the change and writes the plan into the session's folder, for other
// processes to review a batch each. It asks no model.
func Plan(ctx context.Context, in Request, d Deps) (_ *Planned, err error) {
	in.Part = PartPlan
	j, err := planned(ctx, in, d)
	if err != nil {
		return nil, err
	}
	if err := j.end(); err != nil {
		return nil, err
	}
	return &Planned{Batches: session.PlanOf(j.cut, nil).Batches, Trail: j.cut.Trail, Counts: j.cut.Counts, Reason: j.in.NoModel}, nil
}

// Batch reviews one batch of a plan and leaves what it came to in the session's
// folder. It writes no ledger and posts nothing.
func Batch(ctx context.Context, in Request, d Deps) (_ *session.BatchState, err error) {
	in.Part = PartBatch
	j, err := planned(ctx, in, d)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.end()) }()
	if reason := j.noModel(); reason != "" {
		return nil, &NoModelError{Batch: in.Batch, Reason: reason}
	}
	for _, b := range j.cut.Batches {
		if b.ID == in.Batch {
			j.results = []*result{{batch: b}}
		}
	}
	if err := j.reviewAll(ctx); err != nil {
		return nil, err
	}
	st := j.stateOf(in.Batch)
	return &st, nil
}

// NoModelError says why a batch cannot be reviewed here.
type NoModelError struct{ Batch, Reason string }

// Error says what is missing.
func (e *NoModelError) Error() string { return fmt.Sprintf("review batch %s: %s", e.Batch, e.Reason) }

// planned brings a run to the point where its batches are known.
func planned(ctx context.Context, in Request, d Deps) (*job, error) {
	if in.Session == "" {
		return nil, errors.New("a review in parts needs a folder for its session; pass --session DIR")
	}
	j, err := newJob(ctx, in, d)
	if err != nil {
		return nil, err
	}
	j.readLedger(ctx)
	j.readMemory(ctx)
	return j, j.plan(ctx)
}
