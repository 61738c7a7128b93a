package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/session"
)

// The modes of a review that is spread over the jobs of a matrix.
const (
	modePlan    = "plan"
	modeBatch   = "batch"
	modeCollect = "collect"
)

// maxJobs is how many jobs one matrix may have.
// https://docs.github.com/en/actions/reference/limits
const maxJobs = 256

// part does one part of a review that is spread over several jobs.
func (a *action) part(ctx context.Context, mode string, in review.Request, d review.Deps) error {
	switch mode {
	case modePlan:
		// It asks nobody, so that its job needs no key.
		d.Forge, d.Connect = nil, nil
		return a.plan(ctx, in, d)
	case modeBatch:
		// Only the job that collects writes.
		d.Forge = nil
		return a.batch(ctx, in, d)
	}
	lost, err := session.Mend(in.Session)
	for _, l := range lost {
		a.log.Warn(l)
	}
	if err != nil {
		return err
	}
	in.Part = review.PartCollect
	out, err := review.Run(ctx, in, d)
	if err != nil {
		return err
	}
	return a.finish(out)
}

// sessionDir is the folder of the session: the input's, below the workspace where
// it is relative. The jobs of a matrix have a default, other modes keep none.
func (a *action) sessionDir(mode string) string {
	dir := a.in.session
	switch {
	case dir == "" && (mode == modePlan || mode == modeBatch || mode == modeCollect):
		return filepath.Join(cmp.Or(a.w.env("RUNNER_TEMP"), a.workspace()), "crev-session")
	case dir == "" || filepath.IsAbs(dir):
		return dir
	}
	return filepath.Join(a.workspace(), dir)
}

// plan writes the plan and says which jobs the matrix is to have.
func (a *action) plan(ctx context.Context, in review.Request, d review.Deps) error {
	p, err := review.Plan(ctx, in, d)
	if err != nil {
		return err
	}
	if err := writePlan(a.w.out, p); err != nil {
		return err
	}
	if p.Reason != "" {
		fmt.Fprintf(a.w.out, "no batch is reviewed: %s\n", p.Reason)
		return a.act.SetOutputList("batches", nil)
	}
	ids := make([]string, 0, len(p.Batches))
	for _, b := range p.Batches {
		ids = append(ids, b.ID)
	}
	return a.act.SetOutputList("batches", jobsOf(ids))
}

// jobsOf spreads batches over at most maxJobs jobs, as evenly as they go: the ids
// of a job are joined by commas.
func jobsOf(ids []string) []string {
	n := min(len(ids), maxJobs)
	jobs := make([][]string, n)
	for i, id := range ids {
		jobs[i%n] = append(jobs[i%n], id)
	}
	out := make([]string, 0, n)
	for _, j := range jobs {
		out = append(out, strings.Join(j, ","))
	}
	return out
}

// batch reviews the batches of one job. Without a model it does nothing, which
// the collecting job tells.
func (a *action) batch(ctx context.Context, in review.Request, d review.Deps) error {
	ids := slices.DeleteFunc(strings.Split(a.in.batch, ","), func(id string) bool { return id == "" })
	if len(ids) == 0 {
		return usagef("action: mode %s needs the input batch; pass it one item of the output batches of mode %s", modeBatch, modePlan)
	}
	for _, id := range ids {
		in.Batch = strings.TrimSpace(id)
		st, err := review.Batch(ctx, in, d)
		if missing, ok := errors.AsType[*review.NoModelError](err); ok {
			fmt.Fprintf(a.w.out, "crev skipped: %s\n", missing.Reason)
			return nil
		}
		if err != nil {
			return err
		}
		if err := writeBatch(a.w.out, st); err != nil {
			return err
		}
	}
	return nil
}
