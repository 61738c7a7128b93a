package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// decision is what merge, unmerge, split and dismiss print.
type decision struct {
	Defect ledger.DefectID   `json:"defect"`
	Event  ledger.ID         `json:"event"`
	Into   []ledger.DefectID `json:"into,omitempty"`
	Reason string            `json:"reason"`
}

// decisionFlags are what every decision about a defect takes.
type decisionFlags struct {
	by, reason string
	pr         int
	json       bool
}

func (f *decisionFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&f.by, "by", "", "`login` of who decides it")
	flags.StringVar(&f.reason, "reason", "", "`why`, in a sentence")
	flags.IntVar(&f.pr, "pr", 0, "the pull `request` whose events count besides those of the default branch")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
}

// decide opens the ledger, lets a command make events of the state, and records
// them. An event that the fold would refuse is refused here, with its reason.
func (f *decisionFlags) decide(w world, flags *flag.FlagSet, make func(*ledger.State) ([]ledger.Event, error)) (err error) {
	if strings.TrimSpace(f.by) == "" || strings.TrimSpace(f.reason) == "" {
		return usagef("%s: say who decides it and why, with --by LOGIN and --reason TEXT", flags.Name())
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
	past, problems := ledger.ReadAll(fsys)
	if err := problemsError(problems); err != nil {
		return err
	}
	view := ledger.View{PR: f.pr}
	before := ledger.Fold(past, view)
	events, err := make(before)
	if err != nil {
		return err
	}
	for i := range events {
		events[i].By, events[i].PR = f.by, f.pr
	}
	file, sealed, err := recordChecked(store, w, before, past, view, events)
	if err != nil {
		return usagef("%s: %v", flags.Name(), err)
	}
	return f.print(w, sealed[len(sealed)-1], file)
}

func (f *decisionFlags) print(w world, e ledger.Event, file string) error {
	d := decision{Defect: e.Defect, Event: e.ID, Reason: f.reason}
	switch {
	case e.Merged != nil:
		d.Into = []ledger.DefectID{e.Merged.Into}
	case e.Split != nil:
		d.Into = e.Split.Into
	}
	if f.json {
		return printJSON(w.out, d)
	}
	fmt.Fprintf(w.out, "%s %s", d.Defect, strings.ReplaceAll(string(e.Kind()), "_", " "))
	for _, id := range d.Into {
		fmt.Fprintf(w.out, " %s", id)
	}
	fmt.Fprintf(w.out, "; recorded in %s\n", file)
	return nil
}

// recordChecked writes events that the fold accepts.
func recordChecked(store *ledger.Store, w world, before *ledger.State, past []ledger.Event, view ledger.View, events []ledger.Event) (string, []ledger.Event, error) {
	trial := slices.Clone(past)
	run := localRun(w.now(), events)
	for _, e := range events {
		e.Run, e.At = run, w.now()
		sealed, err := ledger.Seal(e)
		if err != nil {
			return "", nil, err
		}
		trial = append(trial, sealed)
	}
	if after := ledger.Fold(trial, view); len(after.Problems) > len(before.Problems) {
		return "", nil, fmt.Errorf("%s", after.Problems[len(after.Problems)-1].Msg)
	}
	return record(store, w.now(), events...)
}

// known returns the defect of an argument.
func known(s *ledger.State, arg string) (*ledger.Defect, error) {
	d := s.Defects[ledger.DefectID(arg)]
	if d == nil {
		return nil, usagef("%s: no defect with that id in this view; pass --pr N for one of an open pull request", arg)
	}
	return d, nil
}

// ledgerMerge makes one defect an alias of another. It can be taken back.
func ledgerMerge(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	var f decisionFlags
	f.register(flags)
	ids, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(ids) != 2 {
		return usagef("%s: give the defect to merge and the one that stays", flags.Name())
	}
	return f.decide(w, flags, func(s *ledger.State) ([]ledger.Event, error) {
		d, err := known(s, ids[0])
		if err != nil {
			return nil, err
		}
		into, err := known(s, ids[1])
		if err != nil {
			return nil, err
		}
		return []ledger.Event{{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{
			Merged: &ledger.Merged{Into: into.ID, Evidence: []string{f.reason}}}}}, nil
	})
}

// ledgerUnmerge takes a merge back: both defects stand for themselves again.
func ledgerUnmerge(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	return decideOne(w, flags, args, func(_ *ledger.State, d *ledger.Defect, reason string) ([]ledger.Event, error) {
		if d.MergedInto == "" {
			return nil, usagef("%s: %s is merged into nothing", flags.Name(), d.ID)
		}
		return []ledger.Event{{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{
			Unmerged: &ledger.Unmerged{From: d.MergedInto, Reason: reason}}}}, nil
	})
}

// ledgerSplit deals a defect out to new ones, one a location.
func ledgerSplit(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	return decideOne(w, flags, args, func(s *ledger.State, d *ledger.Defect, reason string) ([]ledger.Event, error) {
		if len(d.Locations) < 2 {
			return nil, usagef("%s: %s has one location; there is nothing to deal out", flags.Name(), d.ID)
		}
		return splitByLocation(s, d, reason), nil
	})
}

// decideOne is a decision about the one defect that the arguments name.
func decideOne(w world, flags *flag.FlagSet, args []string, make func(s *ledger.State, d *ledger.Defect, reason string) ([]ledger.Event, error)) error {
	var f decisionFlags
	f.register(flags)
	id, err := oneArg(flags, args, "a defect")
	if err != nil {
		return err
	}
	return f.decide(w, flags, func(s *ledger.State) ([]ledger.Event, error) {
		d, err := known(s, id)
		if err != nil {
			return nil, err
		}
		return make(s, d, f.reason)
	})
}

// splitByLocation opens one defect a location and closes the old one in their
// favour. Each new one keeps the claim and the criteria.
func splitByLocation(s *ledger.State, d *ledger.Defect, reason string) []ledger.Event {
	var events []ledger.Event
	var ids []ledger.DefectID
	taken := map[ledger.DefectID]bool{}
	for i, l := range d.Locations {
		id := s.NewDefectID(d.FP, fmt.Sprintf("split-%s-%d", d.ID, i), func(id ledger.DefectID) bool { return taken[id] })
		taken[id] = true
		ids = append(ids, id)
		l.Role = ""
		opened := &ledger.Opened{
			FP0: finding.FP0(l.Path, d.Claim), Claim: d.Claim, Detail: d.Detail, Category: d.Category,
			Severity: d.Severity, Tier: d.Tier, Source: d.Source, Subject: d.Subject, Predicate: d.Predicate,
			Locations: []finding.Location{l}, DependsOn: d.DependsOn, Evidence: d.Evidence, Quote: d.Quote, Artifact: d.Artifact,
		}
		for _, c := range d.Criteria {
			opened.Criteria = append(opened.Criteria, c.Text)
		}
		events = append(events, ledger.Event{FP: d.FP, Defect: id, Payload: ledger.Payload{Opened: opened}})
	}
	return append(events, ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{
		Split: &ledger.Split{Into: ids, Reason: reason}}})
}
