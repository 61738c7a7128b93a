package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
)

// calibration is what `crev bench calibrate` prints.
type calibration struct {
	gate.Proposal
	// Now are the limits that count today.
	Now []gate.Origin `json:"now"`
	// Shares count every recorded batch, Alerts what is abnormal about them.
	Shares gate.Shares `json:"shares"`
	Alerts []string    `json:"alerts,omitempty"`
}

func benchCalibrate(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	dir := flags.String("ledger", "", "read the ledger in `DIR` instead of the repository's .crev/ledger")
	unit := flags.String("unit", "", "count effort in `UNIT`, tokens or seconds, instead of gate.effort_unit")
	asJSON := flags.Bool("json", false, "print one JSON object")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	limits, now, err := limitsNow(w, flags.Name(), gate.Unit(*unit))
	if err != nil {
		return err
	}
	files, err := ledgerFiles(w, *dir)
	if err != nil {
		return err
	}
	events, problems := ledger.ReadAll(files)
	if err := problemsError(problems); err != nil {
		return err
	}
	c := calibration{Now: now}
	samples := make([]gate.Sample, 0, len(events))
	for _, e := range events {
		if e.Reviewed == nil {
			continue
		}
		c.Shares.Add(e.Reviewed.Gate)
		if e.Reviewed.Gate != "reused" {
			samples = append(samples, sampleOf(e))
		}
	}
	c.Alerts = gate.Alerts(c.Shares)
	if c.Proposal, err = gate.Calibrate(samples, limits.EffortUnit); err != nil {
		return fmt.Errorf("calibrate the gate: %w", err)
	}
	if *asJSON {
		return printJSON(w.out, c)
	}
	return printCalibration(w.out, c)
}

// limitsNow are the limits of the work tree's configuration, the defaults outside
// of a repository, and where each comes from. A unit that was asked for wins.
func limitsNow(w world, command string, unit gate.Unit) (gate.Thresholds, []gate.Origin, error) {
	var asked gate.Source
	switch unit {
	case "":
	case gate.Tokens, gate.Seconds:
		asked.EffortUnit = &unit
	default:
		return gate.Thresholds{}, nil, usagef("%s: -unit %q; want tokens or seconds", command, unit)
	}
	cfg := review.DefaultConfig()
	if root, err := repositoryRoot(w.dir); err == nil {
		if cfg, err = review.ReadConfig(os.DirFS(root)); err != nil {
			return gate.Thresholds{}, nil, err
		}
	}
	t, from := gate.Resolve(asked, gate.Differing(cfg.Gate.Thresholds()))
	return t, from, nil
}

// ledgerFiles opens the ledger in a folder, the repository's for "".
func ledgerFiles(w world, dir string) (fs.FS, error) {
	if dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(w.dir, dir)
		}
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("open ledger: %w", err)
		}
		return os.DirFS(dir), nil
	}
	_, store, err := openLedger(w)
	if err != nil {
		return nil, err
	}
	return store.FS()
}

func sampleOf(e ledger.Event) gate.Sample {
	r := e.Reviewed
	s := gate.Sample{
		At: e.At, Found: r.Findings, Gate: r.Gate, Tries: r.Tries,
		Work: gate.Work{Lines: r.Lines, Reviewers: r.Reviewers, Tokens: r.ReviewTokens, Seconds: r.Seconds},
	}
	for _, f := range r.Files {
		s.Paths = append(s.Paths, f.Path)
	}
	return s
}

func printCalibration(w io.Writer, c calibration) error {
	const day = "2006-01-02"
	fmt.Fprintf(w, "# %d normal reviews of %d recorded batches, %s to %s\n", c.Samples, c.Recorded, c.From.Format(day), c.To.Format(day))
	fmt.Fprintf(w, "gate:\n  effort_unit: %s\n  min_effort_coefficient: %v\n  lines_per_expected_finding: %d\n  min_density_coefficient: %v\n",
		c.EffortUnit, c.MinEffort, c.LinesPerFinding, c.MinDensity)
	var now []string
	for _, o := range c.Now {
		switch o.Key {
		case "mode", "min_effort_coefficient", "lines_per_expected_finding", "min_density_coefficient":
			now = append(now, fmt.Sprintf("%s %s (%s)", o.Key, o.Value, o.From))
		}
	}
	fmt.Fprintf(w, "# now: %s\n", strings.Join(now, ", "))
	for _, a := range c.Alerts {
		fmt.Fprintf(w, "# %s\n", a)
	}
	if len(c.Groups) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\n# where there is enough for a value of its own:")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "# FILES\tREVIEWS\tLINES PER FINDING\tMIN DENSITY")
	for _, g := range c.Groups {
		fmt.Fprintf(table, "# %s\t%d\t%d\t%v\n", oneLine(g.Name), g.Samples, g.LinesPerFinding, g.MinDensity)
	}
	return table.Flush()
}
