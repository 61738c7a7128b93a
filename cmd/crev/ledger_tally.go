package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

func ledgerTally(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	var f ratchetFlags
	f.register(flags)
	asJSON := flags.Bool("json", false, "print one JSON object")
	c, err := f.count(w, flags, args)
	if err != nil {
		return err
	}
	defer closing(c.store, &err)
	if *asJSON {
		return printClasses(w.out, c.classes)
	}
	if len(c.classes) == 0 {
		fmt.Fprintln(w.out, "The ledger holds no findings. Record some with `crev ledger add`.")
		return nil
	}
	table := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLASS\tSTATUS\tRECURRED\tPULL REQUESTS\tRUNS\tSIGHTINGS\tPATH\tCLAIM")
	for _, class := range c.classes {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", class.FP, class.Status, class.Recurrence, class.PullRequests, class.Runs, class.Sightings,
			class.Path, shorten(oneLine(class.Claim)))
	}
	return table.Flush()
}

// counted are the classes of a ledger, as some way of counting has them.
type counted struct {
	store   *ledger.Store
	files   fs.FS
	ratchet ledger.Ratchet
	classes []ledger.Class
}

// count parses the flags and counts the classes of the repository's ledger. The
// caller closes the store.
func (f *ratchetFlags) count(w world, flags *flag.FlagSet, args []string) (c counted, err error) {
	if err := noArgs(flags, args); err != nil {
		return c, err
	}
	root, store, err := openLedger(w)
	if err != nil {
		return c, err
	}
	c.store = store
	if c.ratchet, err = f.ratchet(root, flags); err == nil {
		c.classes, c.files, err = tallied(store, c.ratchet)
	}
	if err != nil {
		return c, errors.Join(err, store.Close())
	}
	return c, nil
}

// printClasses writes what printJSON would, one class after the other: a large
// ledger has more classes than should be in memory as text.
func printClasses(out io.Writer, classes []ledger.Class) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("    ", "  ")
	enc.SetEscapeHTML(false)
	to := bufio.NewWriter(out)
	between := "{\n  \"classes\": [\n    "
	for i := range classes {
		text.Reset()
		if err := enc.Encode(&classes[i]); err != nil {
			return err
		}
		to.WriteString(between)
		to.Write(bytes.TrimSpace(text.Bytes()))
		between = ",\n    "
	}
	if len(classes) == 0 {
		to.WriteString("{\n  \"classes\": []\n}\n")
	} else {
		to.WriteString("\n  ]\n}\n")
	}
	return to.Flush()
}

// shorten cuts a claim for a table.
func shorten(s string) string {
	const most = 80
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// triaged is a class that somebody has to decide about.
type triaged struct {
	ledger.Class
	// Wordings are the ways in which it was put, the most frequent first.
	Wordings []wording `json:"wordings"`
	// Code is what the latest sighting with a quote quoted.
	Code string `json:"code,omitempty"`
	// Next is what to type when it is real.
	Next string `json:"next"`
}

type wording struct {
	Claim string `json:"claim"`
	Count int    `json:"count"`
}

func ledgerTriage(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	var f ratchetFlags
	f.register(flags)
	asJSON := flags.Bool("json", false, "print one JSON object")
	c, err := f.count(w, flags, args)
	if err != nil {
		return err
	}
	defer closing(c.store, &err)
	due, err := triage(c.files, c.classes)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(w.out, struct {
			Classes []triaged `json:"classes"`
		}{due})
	}
	if len(due) == 0 {
		fmt.Fprintf(w.out, "Nothing to decide: no class has come back %d times.\n", c.ratchet.Recur)
	}
	for i, t := range due {
		if i > 0 {
			fmt.Fprintln(w.out)
		}
		printTriaged(w, t)
	}
	return nil
}

// triage describes the recurring classes.
func triage(fsys fs.FS, classes []ledger.Class) ([]triaged, error) {
	due := []triaged{}
	at := map[string]int{}
	for _, c := range classes {
		if c.Status == ledger.ClassRecurring {
			at[c.FP] = len(due)
			due = append(due, triaged{Class: c, Next: "crev ledger promote " + c.FP + " --check .crev/validators/NAME"})
		}
	}
	if len(due) == 0 {
		return due, nil
	}
	events, problems := ledger.ClassEvents(fsys, func(fp string) bool { _, ok := at[fp]; return ok })
	for _, e := range events {
		i, ok := at[e.FP]
		if !ok {
			continue
		}
		t := &due[i]
		switch {
		case e.Opened != nil:
			t.said(e.Opened.Claim)
			t.Code = cmp.Or(e.Opened.Quote, t.Code)
		case e.Observed != nil:
			t.said(e.Observed.Claim)
		}
	}
	for _, t := range due {
		slices.SortStableFunc(t.Wordings, func(a, b wording) int { return b.Count - a.Count })
	}
	return due, problemsError(problems)
}

// said counts a wording; typings of one wording count as one.
func (t *triaged) said(claim string) {
	normal := finding.Normalize(claim)
	for i := range t.Wordings {
		if finding.Normalize(t.Wordings[i].Claim) == normal {
			t.Wordings[i].Count++
			return
		}
	}
	t.Wordings = append(t.Wordings, wording{claim, 1})
}

func printTriaged(w world, t triaged) {
	fmt.Fprintf(w.out, "%s  %s, %s, %s\n", t.FP, plural(t.PullRequests, "pull request"), plural(t.Runs, "run"), plural(t.Sightings, "sighting"))
	fmt.Fprintf(w.out, "  %s\n", t.Path)
	for i, said := range t.Wordings {
		if i == 3 {
			fmt.Fprintf(w.out, "  and %s\n", plural(len(t.Wordings)-i, "other wording"))
			break
		}
		fmt.Fprintf(w.out, "  %d× %s\n", said.Count, oneLine(said.Claim))
	}
	for line := range strings.Lines(t.Code) {
		fmt.Fprintf(w.out, "    | %s\n", strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprintf(w.out, "  If it is real, write .crev/validators/NAME (validator.yaml, and samples in bad/ and good/), then:\n    %s\n", t.Next)
	fmt.Fprintf(w.out, "  If it is not worth a check:\n    crev ledger retire %s --reason WHY\n", t.FP)
}
