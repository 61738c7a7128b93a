package main

import (
	"context"
	"flag"
	"fmt"
	"text/tabwriter"

	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// ledgerStats prints the curve of the ratchet: whether reviews still say what
// they said before, and what checks took off people's hands.
func ledgerStats(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	var f ratchetFlags
	f.register(flags)
	asJSON := flags.Bool("json", false, "print one JSON object")
	c, err := f.count(w, flags, args)
	if err != nil {
		return err
	}
	defer closing(c.store, &err)
	events, problems := ledger.ReadAll(c.files)
	if err := problemsError(problems); err != nil {
		return err
	}
	curve, shares := ledger.Draw(events, c.classes), gateShares(events)
	if *asJSON {
		return printJSON(w.out, struct {
			ledger.Curve
			// Gate counts every recorded batch by what the quality gate said.
			Gate gate.Shares `json:"gate"`
		}{curve, shares})
	}
	if shares != (gate.Shares{}) {
		fmt.Fprintf(w.out, "batches: %d passed, %d retried, %d forced, %d reused, %d unreviewed\n",
			shares.Passed, shares.Retried, shares.Forced, shares.Reused, shares.Unreviewed)
	}
	if len(curve.Runs) == 0 {
		fmt.Fprintln(w.out, "The ledger holds no findings. Record some with `crev ledger add`.")
		return nil
	}
	table := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DATE\tRUN\tPULL REQUEST\tFINDINGS\tREPEATS\tSAVED\tPROMOTED")
	for _, r := range curve.Runs {
		pr := "-"
		if r.PR != 0 {
			pr = fmt.Sprint(r.PR)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%d\n", r.At.Format("2006-01-02"), r.Run, pr, r.Findings, r.Repeats, r.Saved, r.Promoted)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%s, %d of them repeats (%.0f %%); %s decided by validators, %d saved\n",
		plural(curve.Findings, "finding"), curve.Repeats, 100*curve.RepeatShare, plural(curve.Promoted, "class"), curve.Saved)
	return nil
}

// gateShares count the batches of all runs by what the quality gate said.
func gateShares(events []ledger.Event) gate.Shares {
	var s gate.Shares
	for _, e := range events {
		if e.Reviewed != nil {
			s.Add(e.Reviewed.Gate)
		}
	}
	return s
}
