package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/ledger"
)

func ledgerShow(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	pr := flags.Int("pr", 0, "see a defect as this pull request does (default: the one that opened it)")
	asJSON := flags.Bool("json", false, "print one JSON object")
	what, err := oneArg(flags, args, "a class or a defect")
	if err != nil {
		return err
	}
	_, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	if strings.HasPrefix(what, "D-") {
		return showDefect(w, store, ledger.DefectID(what), *pr, *asJSON)
	}
	return showClass(w, store, what, *asJSON)
}

// showDefect prints a defect and what happened to it.
func showDefect(w world, store *ledger.Store, id ledger.DefectID, pr int, asJSON bool) error {
	events, err := readEvents(store)
	if err != nil {
		return err
	}
	if pr == 0 {
		for _, e := range events {
			if e.Defect == id && e.Opened != nil {
				pr = e.PR
				break
			}
		}
	}
	state := ledger.Fold(events, ledger.View{PR: pr})
	d := state.Defect(id)
	if d == nil {
		return usagef("show %s: no such defect%s", id, inView(pr))
	}
	history := state.Events(id)
	if asJSON {
		return printJSON(w.out, struct {
			Defect *ledger.Defect `json:"defect"`
			Events []ledger.Event `json:"events"`
		}{d, history})
	}
	fmt.Fprintf(w.out, "%s  %s%s\n", d.ID, strings.ReplaceAll(string(d.Status), "_", " "), inView(pr))
	fmt.Fprintf(w.out, "  %s\n", oneLine(d.Claim))
	for _, l := range d.Locations {
		fmt.Fprintf(w.out, "  %s\n", place(l.Path, l.Start))
	}
	fmt.Fprintf(w.out, "  class %s, %s\n", d.FP, description(d))
	for i, c := range d.Criteria {
		outcome := "not checked"
		if c.Outcome != "" {
			outcome = fmt.Sprintf("%s by %s at %s", c.Outcome, c.Method, cut(c.Commit, 12))
		}
		fmt.Fprintf(w.out, "  criterion %d: %s (%s)\n", i+1, oneLine(c.Text), outcome)
	}
	fmt.Fprintln(w.out)
	for _, e := range history {
		printEvent(w, e)
	}
	return nil
}

// showClass prints a class and its events, those of its defects included.
func showClass(w world, store *ledger.Store, prefix string, asJSON bool) error {
	classes, fsys, err := tallied(store, ledger.Ratchet{})
	if err != nil {
		return err
	}
	class, err := findClass(classes, prefix)
	if err != nil {
		return err
	}
	events, problems := ledger.ClassEvents(fsys, func(fp string) bool { return fp == class.FP })
	if err := problemsError(problems); err != nil {
		return err
	}
	if asJSON {
		return printJSON(w.out, struct {
			Class  ledger.Class   `json:"class"`
			Events []ledger.Event `json:"events"`
		}{class, events})
	}
	fmt.Fprintf(w.out, "%s  %s\n  %s\n  %s\n", class.FP, class.Status, oneLine(class.Claim), class.Path)
	fmt.Fprintf(w.out, "  %s, %s, %s, %s\n", plural(class.PullRequests, "pull request"), plural(class.Runs, "run"),
		plural(class.Sightings, "sighting"), plural(class.Defects, "defect"))
	fmt.Fprintf(w.out, "  first seen %s, last seen %s\n", class.FirstSeen.Format(time.DateOnly), class.LastSeen.Format(time.DateOnly))
	if class.Validator != "" {
		fmt.Fprintf(w.out, "  decided by .crev/validators/%s\n", class.Validator)
	}
	fmt.Fprintln(w.out)
	for _, e := range events {
		printEvent(w, e)
	}
	return nil
}

// printEvent prints one event as a line of a history.
func printEvent(w world, e ledger.Event) {
	from := e.Run
	if e.PR != 0 {
		from += fmt.Sprintf(" #%d", e.PR)
	}
	if e.By != "" {
		from += " " + e.By
	}
	words := strings.ReplaceAll(string(e.Kind()), "_", " ")
	fmt.Fprintf(w.out, "  %s  %-18s %s%s\n", e.At.Format("2006-01-02 15:04"), words, said(e), " ("+from+")")
}

// said is what an event says, in a few words.
func said(e ledger.Event) string {
	switch {
	case e.Opened != nil:
		return oneLine(e.Opened.Claim)
	case e.Observed != nil:
		return oneLine(e.Observed.Claim)
	case e.Rated != nil:
		return string(e.Rated.Severity) + ", " + oneLine(e.Rated.Reason)
	case e.Relocated != nil:
		return e.Relocated.How + " to " + place(e.Relocated.To.Path, e.Relocated.To.Start)
	case e.LocationUnknown != nil:
		return oneLine(e.LocationUnknown.Reason)
	case e.PossiblyFixed != nil:
		return oneLine(e.PossiblyFixed.Reason) + " at " + cut(e.PossiblyFixed.Commit, 12)
	case e.Verification != nil:
		return e.Verification.Outcome + " by " + e.Verification.Method + " at " + cut(e.Verification.Commit, 12)
	case e.Verified != nil:
		return oneLine(e.Verified.Reason) + " at " + cut(e.Verified.Commit, 12)
	case e.Dismissed != nil:
		return e.Dismissed.Kind + ", " + oneLine(e.Dismissed.Reason)
	case e.Reopened != nil:
		return oneLine(e.Reopened.Reason)
	case e.Obsoleted != nil:
		return oneLine(e.Obsoleted.Reason)
	case e.Merged != nil:
		return "into " + string(e.Merged.Into)
	case e.Suppressed != nil:
		return strings.TrimSpace(e.Suppressed.Reason + " " + oneLine(e.Suppressed.By))
	case e.Posted != nil:
		return strings.TrimSpace(e.Posted.Kind + " " + e.Posted.State)
	case e.Promoted != nil:
		return "to " + e.Promoted.Validator
	case e.Retired != nil:
		return oneLine(e.Retired.Reason)
	}
	return ""
}

func place(path string, line int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// description is what a defect is, beside its claim.
func description(d *ledger.Defect) string {
	parts := []string{d.Tier.String()}
	if d.Severity != "" {
		parts = append(parts, string(d.Severity))
	}
	if d.Category != "" {
		parts = append(parts, d.Category)
	}
	parts = append(parts, "from "+d.Source, plural(len(d.Wordings), "sighting"))
	if d.Shielded() {
		parts = append(parts, "shielded")
	}
	return strings.Join(parts, ", ")
}

func inView(pr int) string {
	if pr == 0 {
		return ""
	}
	return fmt.Sprintf(", as pull request #%d sees it", pr)
}

// readEvents returns every event of a ledger without problems.
func readEvents(store *ledger.Store) ([]ledger.Event, error) {
	fsys, err := store.FS()
	if err != nil {
		return nil, err
	}
	events, problems := ledger.ReadAll(fsys)
	return ledger.Sort(events), problemsError(problems)
}

// ledgerVerify checks the store against itself; the gate checks it against the
// base commit too.
func ledgerVerify(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	asJSON := flags.Bool("json", false, "print one JSON object")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	_, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	fsys, err := store.FS()
	if err != nil {
		return err
	}
	events, problems := ledger.ReadAll(fsys)
	problems = append(problems, ledger.CheckTransitions(events, nil)...)
	if *asJSON {
		if problems == nil {
			problems = []ledger.Problem{}
		}
		err = printJSON(w.out, struct {
			Events   int              `json:"events"`
			Problems []ledger.Problem `json:"problems"`
		}{len(events), problems})
	} else {
		for _, p := range problems {
			fmt.Fprintln(w.out, p)
		}
		fmt.Fprintf(w.out, "%s, %s\n", plural(len(events), "event"), plural(len(problems), "problem"))
	}
	if err == nil && len(problems) > 0 {
		return &exitError{status: exitBlocked}
	}
	return err
}

func ledgerPack(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	olderThan := flags.Int("older-than", 30, "pack the run files that are older than this many `days`")
	asJSON := flags.Bool("json", false, "print one JSON object")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	if *olderThan < 0 {
		return usagef("ledger pack: --older-than %d: want 0 days or more", *olderThan)
	}
	_, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	// With 0 today's files are packed too.
	done, err := store.Pack(w.now().AddDate(0, 0, 1-*olderThan))
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(w.out, done)
	}
	fmt.Fprintf(w.out, "%s of %s in %s\n", plural(done.Events, "event"), plural(len(done.Removed), "run file"), plural(len(done.Packs), "pack"))
	return nil
}

// ledgerExport prints the events as they are stored, each once and in order.
func ledgerExport(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	if err := noArgs(flags, args); err != nil {
		return err
	}
	_, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	events, err := readEvents(store)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w.out)
	for _, e := range events {
		if _, err := out.Write(e.Line()); err != nil {
			return err
		}
	}
	return out.Flush()
}

// cut shortens a text to so many bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
