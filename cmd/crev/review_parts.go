package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/session"
)

// partFlags spread one review over several processes, or let one go on after it
// was killed.
type partFlags struct {
	session, batch string
	plan, collect  bool
}

func (p *partFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&p.session, "session", "", "keep a journal in `DIR`, and go on from one that is there")
	flags.BoolVar(&p.plan, "plan", false, "cut the change into batches and stop; with --session")
	flags.StringVar(&p.batch, "batch", "", "review the batch `N` of a plan and stop; with --session")
	flags.BoolVar(&p.collect, "collect", false, "take what the batches of a plan came to, and finish; with --session")
}

// fill puts the parts into a request.
func (p *partFlags) fill(in *review.Request) error {
	chosen := 0
	for _, c := range []struct {
		on   bool
		part review.Part
	}{{p.plan, review.PartPlan}, {p.batch != "", review.PartBatch}, {p.collect, review.PartCollect}} {
		if c.on {
			chosen++
			in.Part = c.part
		}
	}
	switch {
	case chosen > 1:
		return usagef("crev review: --plan, --batch and --collect are three different runs; pass one of them")
	case chosen == 1 && p.session == "":
		return usagef("crev review: a review in parts needs a folder that they share; pass --session DIR")
	}
	in.Session, in.Batch = p.session, p.batch
	return nil
}

// planJSON is what review --plan prints with -json.
type planJSON struct {
	Batches []session.Planned `json:"batches"`
	Files   []batch.Placement `json:"files"`
	Counts  batch.Counts      `json:"counts"`
	// Reason says why no batch can be reviewed here.
	Reason string `json:"reason,omitempty"`
}

// plan prints the batches of a change.
func (f *reviewFlags) plan(ctx context.Context, w world, in review.Request, d review.Deps) error {
	p, err := review.Plan(ctx, in, d)
	if err != nil {
		return err
	}
	f.progress.done()
	if f.json {
		out := planJSON{Batches: p.Batches, Files: p.Trail, Counts: p.Counts, Reason: p.Reason}
		if out.Batches == nil {
			out.Batches = []session.Planned{}
		}
		if out.Files == nil {
			out.Files = []batch.Placement{}
		}
		return printJSON(w.out, out)
	}
	if err := writePlan(w.out, p); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "review each with: crev review --session %s --batch N; then: crev review --session %[1]s --collect\n", in.Session)
	return err
}

// writePlan prints the batches, and what the cut came to.
func writePlan(w io.Writer, p *review.Planned) error {
	for _, b := range p.Batches {
		paths := make([]string, 0, len(b.Paths))
		for _, path := range b.Paths {
			paths = append(paths, oneLine(path))
		}
		if _, err := fmt.Fprintf(w, "batch %s: %d lines, %s\n", b.ID, b.Lines, strings.Join(paths, " ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s\n", p.Counts)
	return err
}

// batch reviews one batch of a plan and prints what it came to.
func (f *reviewFlags) batch(ctx context.Context, w world, in review.Request, d review.Deps) error {
	st, err := review.Batch(ctx, in, d)
	if err != nil {
		return err
	}
	f.progress.done()
	if f.json {
		return printJSON(w.out, st)
	}
	return writeBatch(w.out, st)
}

func writeBatch(w io.Writer, st *session.BatchState) error {
	reason := ""
	if st.Reason != "" {
		reason = ": " + st.Reason
	}
	_, err := fmt.Fprintf(w, "batch %s %s%s, %d findings\n", st.ID, st.Gate, reason, st.Findings)
	return err
}
