package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

func benchLifecycle(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	cases := casesFlag(flags, "stories in files that end in .txtar")
	asJSON := flags.Bool("json", false, "print one JSON object")
	fsys, err := openCases(w, flags, args, cases)
	if err != nil {
		return err
	}
	r, err := bench.Lifecycle(ctx, fsys, &storyRunner{sandbox: lazyRunner(ctx, sandbox.Options{})})
	if err != nil {
		return fmt.Errorf("measure lifecycles in %s: %w", *cases, err)
	}
	if *asJSON {
		return printJSON(w.out, r)
	}
	printLifecycle(w.out, r)
	return nil
}

func printLifecycle(w io.Writer, r bench.LifecycleResult) {
	c := r.Counts
	fmt.Fprintf(w, "%d stories, %d rounds, %d defects; %d inspections and %d adjudications, all scripted\n\n",
		r.Stories, c.Rounds, c.Defects, c.Inspections, c.Adjudications)
	for _, m := range []struct {
		name  string
		share float64
		n, of int
	}{
		{"unresolved_recall", r.UnresolvedRecall, c.Held, c.Alive},
		{"false_closure", r.FalseClosure, c.Closed, c.Alive},
		{"false_closure_with_artifact", r.FalseClosureProven, c.ClosedProven, c.Alive},
		{"fix_recognition", r.FixRecognition, c.Recognized, c.Fixed},
		{"gone_recognition", r.GoneRecognition, c.GoneSeen, c.Gone},
		{"unproven_held", r.UnprovenHeld, c.UnprovenHeld, c.Unproven},
		{"partial_accuracy", r.PartialAccuracy, c.PartlyRight, c.Partly},
		{"reopen_precision", r.ReopenPrecision, c.ReopenedRightly, c.Reopened},
		{"reopen_recall", r.ReopenRecall, c.BackReopened, c.Back},
		{"location_accuracy", r.LocationAccuracy, c.LocatedRight, c.Located},
		{"location_coverage", r.LocationCoverage, c.Located, c.Held},
		{"stale_rate", r.StaleRate, c.StaleThreads, c.ShownThreads},
		{"threads_per_defect", r.ThreadsPerDefect, c.Threads, c.ThreadDefects},
		{"records_per_defect", r.RecordsPerDefect, c.Records, c.SeenDefects},
		{"severity_stability", r.SeverityStability, c.SeverityStable, c.SeverityPairs},
		{"replay_determinism", r.ReplayDeterminism, c.Deterministic, r.Stories},
	} {
		fmt.Fprintf(w, "%-28s %7.4f  %d of %d\n", m.name, m.share, m.n, m.of)
	}
	for _, f := range r.Failures {
		fmt.Fprintf(w, "\n%s, round %d, %s: %s: expected %s, got %s", f.Story, f.Commit, f.Defect, f.Metric, f.Expected, f.Got)
	}
	if len(r.Failures) > 0 {
		fmt.Fprintln(w)
	}
}
