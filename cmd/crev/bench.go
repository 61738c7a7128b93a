package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/reconcile"
)

// benchCommands measure crev against cases whose truth is known.
func benchCommands() []command {
	return []command{
		{name: "run", summary: "review cases with a model and say what was caught, missed and unwanted", run: benchRun},
		{name: "compare", args: "BEFORE.json AFTER.json", summary: "what a change of rules or model did: two results of bench run", run: benchCompare},
		{name: "identity", summary: "is a new finding a known defect: replay labelled findings, no model", run: benchIdentity},
		{name: "planted", summary: "plant defects in a repository's true history and follow what becomes of them", run: benchPlanted},
		{name: "relocate", summary: "where is a known defect's code after a change", run: benchRelocate},
		{name: "lifecycle", summary: "what becomes of a defect over many commits: scripted stories, no model", run: benchLifecycle},
		{name: "memory", summary: "what the team's rules do to a review: scripted pairs of pull requests, no model", run: benchMemory},
		{name: "calibrate", summary: "propose limits of the gate by the reviews in the ledger", run: benchCalibrate},
		{name: "add", summary: "add a case to .crev/bench/live: a change, and what a review should and should not say", run: benchAdd},
		{name: "freeze", args: "[NAME...]", summary: "move live cases to the frozen set and write its list", run: benchFreeze},
	}
}

func benchIdentity(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	var opts bench.IdentityOptions
	cases := casesFlag(flags, "findings.jsonl and pairs.jsonl")
	asJSON := flags.Bool("json", false, "print one JSON object")
	flags.BoolVar(&opts.Curve, "curve", false, "add precision and recall at a row of thresholds")
	flags.BoolVar(&opts.Failures, "failures", false, "list the labelled pairs that were decided wrongly")
	flags.BoolVar(&opts.Oracle, "oracle", false, "add a replay in which the labels answer what crev would ask a model")
	ask := flags.Bool("model", false, "add a replay in which the endpoint of OPENAI_BASE_URL, OPENAI_API_KEY and CREV_MODEL answers; it costs money")
	fsys, err := openCases(w, flags, args, cases)
	if err != nil {
		return err
	}
	if *ask {
		if opts.Adjudicator, err = modelAdjudicator(ctx, w); err != nil {
			return err
		}
	}
	r, err := bench.Identity(fsys, opts)
	if err != nil {
		return fmt.Errorf("measure identity in %s: %w", *cases, err)
	}
	if *asJSON {
		return printJSON(w.out, r)
	}
	printIdentity(w.out, r)
	return nil
}

// modelAdjudicator asks a real endpoint, question by question.
func modelAdjudicator(ctx context.Context, w world) (bench.Adjudicator, error) {
	name := w.env("CREV_MODEL")
	m, err := namedModel(w, name)
	if err != nil {
		return nil, err
	}
	return func(q reconcile.Question) ([]reconcile.Verdict, error) {
		qs := []reconcile.Question{q}
		reply, err := m.Complete(ctx, reconcile.AdjudicationRequest(name, model.Fence(rand.Reader, reconcile.Texts(qs)...), qs))
		if err != nil {
			return nil, err
		}
		verdicts, err := reconcile.ReadAdjudication(reply, qs)
		if err != nil {
			return nil, err
		}
		return verdicts[0], nil
	}, nil
}

func printIdentity(w io.Writer, r bench.IdentityResult) {
	fmt.Fprintf(w, "%d findings of %d runs in %d groups, %d labelled pairs\n\n", r.Findings, r.Runs, r.Groups, r.Pairs)
	fmt.Fprintf(w, "%-22s %8s  %-15s %8s\n", "", "crev", "95 %", "baseline")
	for _, m := range []struct {
		name           string
		crev, baseline float64
	}{
		{"precision", r.Precision, r.Baseline.Precision},
		{"recall", r.Recall, r.Baseline.Recall},
		{"f1", r.F1, r.Baseline.F1},
		{"duplicate_rate", r.DuplicateRate, r.Baseline.DuplicateRate},
		{"false_merge_rate", r.FalseMergeRate, r.Baseline.FalseMergeRate},
		{"bcubed_f1", r.BCubedF1, r.Baseline.BCubedF1},
		{"shortlist_recall5", r.ShortlistRecall5, r.Baseline.ShortlistRecall5},
	} {
		in := r.Intervals[m.name]
		fmt.Fprintf(w, "%-22s %8.4f  %.4f-%.4f   %8.4f\n", m.name, m.crev, in[0], in[1], m.baseline)
	}
	in := r.Intervals["auto_merge_precision"]
	fmt.Fprintf(w, "%-22s %8.4f  %.4f-%.4f\n", "auto_merge_precision", r.AutoMergePrecision, in[0], in[1])
	fmt.Fprintf(w, "%-22s %8.4f\n", "auto_merge_recall", r.AutoMergeRecall)
	if o := r.Oracle; o != nil {
		fmt.Fprintf(w, "\nwith a perfect adjudicator: precision %.4f recall %.4f f1 %.4f duplicate_rate %.4f, %d questions, %d candidates\n",
			o.Precision, o.Recall, o.F1, o.DuplicateRate, o.Questions, o.Candidates)
	}
	if a := r.Adjudicated; a != nil {
		fmt.Fprintf(w, "\nwith the model: precision %.4f recall %.4f f1 %.4f duplicate_rate %.4f, %d questions, %d candidates\n",
			a.Precision, a.Recall, a.F1, a.DuplicateRate, a.Questions, a.Candidates)
	}
	for _, p := range r.Curve {
		fmt.Fprintf(w, "threshold %.2f  precision %.4f  recall %.4f  f1 %.4f\n", p.Threshold, p.Precision, p.Recall, p.F1)
	}
	for _, p := range r.Failures {
		what := "two defects, merged"
		if p.Same {
			what = "one defect, kept apart"
		}
		fmt.Fprintf(w, "%s: %s %s\n", what, p.A, p.B)
	}
}

func benchRelocate(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	cases := casesFlag(flags, "code_cases and mutation_cases with their blobs")
	asJSON := flags.Bool("json", false, "print one JSON object")
	fsys, err := openCases(w, flags, args, cases)
	if err != nil {
		return err
	}
	r, err := bench.Relocate(fsys)
	if err != nil {
		return fmt.Errorf("measure relocation in %s: %w", *cases, err)
	}
	if *asJSON {
		return printJSON(w.out, r)
	}
	for _, set := range []struct {
		name  string
		score bench.RelocateScore
	}{
		{"code", r.Code.RelocateScore},
		{"mutations", r.Mutations.RelocateScore},
		{"anchor", r.Anchor.RelocateScore},
		{"reopen", r.Reopen.RelocateScore},
	} {
		s := set.score
		fmt.Fprintf(w.out, "%-10s %5d present  exact %.4f  wrong %.4f  lost %.4f   %5d removed  claimed %.4f\n",
			set.name, s.Present, s.ExactShare, s.WrongShare, s.LostShare, s.Removed, s.ClaimedShare)
	}
	return nil
}

func casesFlag(flags *flag.FlagSet, holds string) *string {
	return flags.String("cases", "", "read the cases in `DIR`, which holds "+holds)
}

// openCases parses the flags and opens the folder of the cases.
func openCases(w world, flags *flag.FlagSet, args []string, dir *string) (fs.FS, error) {
	rest, err := parse(flags, args)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, usagef("%s takes no arguments, only flags; got %q", flags.Name(), rest[0])
	}
	if *dir == "" {
		return nil, usagef("%s: no cases given; pass -cases DIR, for example testdata/identity", flags.Name())
	}
	path := *dir
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.dir, path)
	}
	return os.DirFS(path), nil
}
