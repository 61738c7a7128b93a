package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
)

// triaged is a class that somebody has to decide about.
type triaged struct {
	ledger.Due
	// Next is what to type when it is real.
	Next string `json:"next"`
	// Proposal is what a model would check it with, nil where none was asked.
	Proposal *proposal `json:"proposal,omitempty"`
}

// ledgerTriage shows what came back often enough for a decision: classes of
// findings, and rules that keep being hit.
func ledgerTriage(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	var f ratchetFlags
	f.register(flags)
	asJSON := flags.Bool("json", false, "print one JSON object")
	var ask proposing
	ask.register(flags)
	c, err := f.count(w, flags, args)
	if err != nil {
		return err
	}
	defer closing(c.store, &err)
	due, rules, err := c.triage()
	if err != nil {
		return err
	}
	if err := ask.about(ctx, w, due); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(w.out, struct {
			Classes []triaged        `json:"classes"`
			Rules   []ledger.RuleDue `json:"rules"`
		}{due, rules})
	}
	if len(due)+len(rules) == 0 {
		fmt.Fprintf(w.out, "Nothing to decide: no class has come back %d times.\n", c.ratchet.Recur)
		return nil
	}
	for i, t := range due {
		if i > 0 {
			fmt.Fprintln(w.out)
		}
		printTriaged(w.out, t)
	}
	printRules(w.out, rules, len(due) > 0)
	return nil
}

// triage describes the recurring classes and the rules that were hit as often.
func (c counted) triage() ([]triaged, []ledger.RuleDue, error) {
	classes := ledger.Recurring(c.classes)
	due := []triaged{}
	if len(classes) > 0 {
		wanted := map[string]bool{}
		for _, class := range classes {
			wanted[class.FP] = true
		}
		events, problems := ledger.ClassEvents(c.files, func(fp string) bool { return wanted[fp] })
		if err := problemsError(problems); err != nil {
			return nil, nil, err
		}
		for _, d := range ledger.Describe(classes, events) {
			due = append(due, triaged{Due: d, Next: nextStep(d)})
		}
	}
	hits, problems := ledger.EventsOf(c.files, ledger.KindRuleHit)
	return due, ledger.RulesHit(hits, c.ratchet), problemsError(problems)
}

// nextStep is what to type for a class that is real.
func nextStep(d ledger.Due) string {
	if d.Code == "" && d.Artifact == nil {
		return "crev ledger promote " + d.FP + " --check .crev/validators/NAME"
	}
	return "crev ledger promote --scaffold " + d.FP
}

// mostPhrases is how many wordings of a class are shown.
const mostPhrases = 3

func printTriaged(out io.Writer, t triaged) {
	fmt.Fprintf(out, "%s  %s, %s, %s\n", t.FP, plural(t.PullRequests, "pull request"), plural(t.Runs, "run"), plural(t.Sightings, "sighting"))
	fmt.Fprintf(out, "  %s, said by %s\n", placesOf(t.Due), strings.Join(t.Sources, ", "))
	for i, said := range t.Phrases {
		if i == mostPhrases {
			fmt.Fprintf(out, "  and %s\n", plural(len(t.Phrases)-i, "other wording"))
			break
		}
		fmt.Fprintf(out, "  %d× %s\n", said.Count, oneLine(said.Claim))
	}
	for line := range strings.Lines(t.Code) {
		fmt.Fprintf(out, "    | %s\n", strings.TrimRight(line, "\r\n"))
	}
	fmt.Fprintf(out, "  first seen %s, last seen %s\n", t.FirstSeen.Format("2006-01-02"), t.LastSeen.Format("2006-01-02"))
	if t.Proposal != nil {
		t.Proposal.print(out)
	}
	if t.Artifact != nil {
		fmt.Fprintln(out, "  A check of a reviewer was reproduced for it; the scaffold begins with that one.")
	}
	if t.Code == "" && t.Artifact == nil {
		fmt.Fprintln(out, "  No code was recorded: write .crev/validators/NAME, with samples in bad/ and good/.")
	}
	fmt.Fprintf(out, "  If it is real, make a check of it:\n    %s\n", t.Next)
	fmt.Fprintf(out, "  If it is not worth one:\n    crev ledger retire %s --reason WHY\n", t.FP)
}

// mostPlaces is how many files of a class are named.
const mostPlaces = 4

func placesOf(d ledger.Due) string {
	var names []string
	for i, l := range d.Places {
		if i == mostPlaces {
			names = append(names, plural(len(d.Places)-i, "other file"))
			break
		}
		names = append(names, projection.Place(l))
	}
	return strings.Join(names, ", ")
}

func printRules(out io.Writer, rules []ledger.RuleDue, after bool) {
	for _, r := range rules {
		if after {
			fmt.Fprintln(out)
		}
		after = true
		fmt.Fprintf(out, "rule %s  hit %s in %s\n", r.Rule, plural(r.Hits, "time"), plural(r.Recurrence, "pull request"))
		fmt.Fprintln(out, "  What keeps being said can be checked: write a validator, and disable the rule when it blocks.")
	}
}
