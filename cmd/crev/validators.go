package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/sandbox"
	"github.com/crev-ratchet/crev/internal/validator"
)

func validatorsCommands() []command {
	return []command{
		{name: "list", summary: "show the validators of this work tree and whether they can be loaded", run: validatorsList},
		{name: "run", args: "[NAME...]", summary: "run validators on the work tree, new files too; exit 1 when one fails", run: validatorsRun},
		{name: "prove", args: "NAME", summary: "run a validator on its bad/ and good/ samples; exit 1 unless it is proven", run: validatorsProve},
	}
}

// workTree is the repository around the working directory, as its files are
// now, committed or not.
type workTree struct {
	root     *os.Root
	config   review.Config
	loaded   []validator.Validator
	problems []validator.Problem
}

// openWorkTree finds the repository and reads its validators. It must be closed.
func openWorkTree(ctx context.Context, w world) (*workTree, error) {
	repo, err := git.Open(ctx, w.dir)
	if err != nil {
		return nil, err
	}
	dir := repo.Dir()
	if err := repo.Close(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	t := &workTree{root: root}
	if t.config, err = review.ReadConfig(root.FS()); err != nil {
		root.Close()
		return nil, err
	}
	folder, err := fs.Sub(root.FS(), validator.Root)
	if err != nil {
		root.Close()
		return nil, err
	}
	t.loaded, t.problems = validator.Load(folder)
	return t, nil
}

func (t *workTree) close() { t.root.Close() }

// builtins returns the validators that come with crev, switched on or not.
func builtins() []validator.Validator {
	var vs []validator.Validator
	for _, b := range validator.Builtins() {
		vs = append(vs, b.Validator())
	}
	return vs
}

// runner probes the sandbox, unless nothing here needs one.
func (t *workTree) runner(ctx context.Context, w world, vs []validator.Validator) *sandbox.Runner {
	if !slices.ContainsFunc(vs, func(v validator.Validator) bool {
		return v.Kind == validator.Script || v.Kind == validator.Command
	}) {
		return nil
	}
	return sandbox.New(ctx, sandbox.Options{
		Read:      t.config.Sandbox.Read,
		Path:      w.env("PATH"),
		InActions: w.env("GITHUB_ACTIONS") == "true",
	})
}

// listed is one line of the list.
type listed struct {
	Name     string         `json:"name"`
	Kind     validator.Kind `json:"kind,omitempty"`
	Says     string         `json:"says,omitempty"`
	Scope    []string       `json:"scope,omitempty"`
	Promotes []string       `json:"promotes,omitempty"`
	// State is "ok", "off" for a built-in that is not switched on, or
	// "broken".
	State string `json:"state"`
	// Problems says why it is broken.
	Problems []validator.Problem `json:"problems,omitempty"`
}

func validatorsList(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	t, err := openWorkTree(ctx, w)
	if err != nil {
		return err
	}
	defer t.close()
	list := t.list()
	if *asJSON {
		return printJSON(w.out, struct {
			Validators []listed `json:"validators"`
		}{list})
	}
	for _, l := range list {
		fmt.Fprintf(w.out, "%-24s %-8s %-7s %s\n", l.Name, l.Kind, l.State, strings.Join(l.Scope, " "))
		if l.Says != "" {
			fmt.Fprintf(w.out, "  %s\n", l.Says)
		}
		for _, p := range l.Problems {
			fmt.Fprintf(w.out, "  %s\n", p)
		}
	}
	return nil
}

func (t *workTree) list() []listed {
	var list []listed
	add := func(v validator.Validator, state string) {
		list = append(list, listed{Name: v.Name, Kind: v.Kind, Says: v.Says, Scope: v.Scope, Promotes: v.Promotes, State: state})
	}
	for _, v := range t.loaded {
		add(v, "ok")
	}
	for _, r := range validator.BrokenBy(t.problems) {
		l := listed{Name: r.Validator, State: "broken"}
		for _, p := range t.problems {
			if p.Validator == r.Validator {
				l.Problems = append(l.Problems, p)
			}
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b listed) int { return strings.Compare(a.Name, b.Name) })
	for _, v := range builtins() {
		state := "off"
		if slices.Contains(t.config.Builtins, v.Name) {
			state = "ok"
		}
		add(v, state)
	}
	return list
}

func validatorsRun(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	all := flags.Bool("all", false, "run the built-in validators too, on the whole tree")
	names, err := parse(flags, args)
	if err != nil {
		return err
	}
	t, err := openWorkTree(ctx, w)
	if err != nil {
		return err
	}
	defer t.close()
	chosen, results, err := t.choose(names, *all)
	if err != nil {
		return err
	}
	files, err := workFiles(ctx, w, t.root)
	if err != nil {
		return err
	}
	in := validator.Input{Tree: t.root.FS(), Files: files, AllowUnsandboxed: w.env("GITHUB_ACTIONS") != "true"}
	in.Runner = t.runner(ctx, w, chosen)
	if in.Runner != nil && !*asJSON {
		rep := in.Runner.Report()
		fmt.Fprintf(w.err, "sandbox %s: %s\n", rep.Level, rep.Reason)
	}
	results = append(results, validator.RunAll(ctx, chosen, in)...)
	failed := slices.ContainsFunc(results, func(r validator.Result) bool { return !r.Passed() })
	if *asJSON {
		err = printJSON(w.out, struct {
			Passed  bool               `json:"passed"`
			Results []validator.Result `json:"results"`
		}{!failed, results})
		if err != nil {
			return err
		}
	} else {
		for _, r := range results {
			printResult(w, r)
		}
	}
	if failed {
		return &exitError{exitBlocked, nil}
	}
	return nil
}

// choose returns the validators to run and the results of those that cannot be
// loaded. Without names it is all of the team's, and with all the built-ins too.
func (t *workTree) choose(names []string, all bool) ([]validator.Validator, []validator.Result, error) {
	broken := validator.BrokenBy(t.problems)
	candidates := slices.Concat(t.loaded, builtins())
	if len(names) == 0 {
		if !all {
			candidates = t.loaded
		}
		return candidates, broken, nil
	}
	var chosen []validator.Validator
	var unloaded []validator.Result
	for _, name := range names {
		i := slices.IndexFunc(candidates, func(v validator.Validator) bool { return v.Name == name })
		j := slices.IndexFunc(broken, func(r validator.Result) bool { return r.Validator == name })
		switch {
		case i >= 0:
			chosen = append(chosen, candidates[i])
		case j >= 0:
			unloaded = append(unloaded, broken[j])
		default:
			return nil, nil, usagef("no validator %q; run %q", name, "crev validators list")
		}
	}
	return chosen, unloaded, nil
}

// workFiles lists what a commit of everything would hold: tracked files that
// still are there, and new ones that git does not ignore.
func workFiles(ctx context.Context, w world, root *os.Root) (files []string, err error) {
	repo, err := git.Open(ctx, w.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	paths, err := repo.WorkFiles(ctx)
	if err != nil {
		return nil, err
	}
	files = []string{}
	for _, p := range paths {
		if info, err := root.Lstat(p); err == nil && info.Mode().IsRegular() {
			files = append(files, p)
		}
	}
	return files, nil
}

// printResult prints one result for people. What a script said is quoted, so
// that no line of it is taken for a command by a job's log.
func printResult(w world, r validator.Result) {
	fmt.Fprintf(w.out, "%-7s %s", r.Status, r.Validator)
	if r.Reason != "" {
		fmt.Fprintf(w.out, ": %s", oneLine(r.Reason))
	}
	fmt.Fprintln(w.out)
	for _, f := range r.Failures {
		fmt.Fprint(w.out, sandbox.Quote(f.String()))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w.out, "  note: %s\n", oneLine(n))
	}
	if r.Status == validator.Broken && r.Output != "" {
		fmt.Fprint(w.out, "  it printed:\n", sandbox.Quote(r.Output))
	}
}

func validatorsProve(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	keep := flags.Bool("record", false, "write the proof into the ledger, which ends a quarantine")
	by := flags.String("by", "", "`login` of who asks for it")
	name, err := oneArg(flags, args, "a validator")
	if err != nil {
		return err
	}
	t, err := openWorkTree(ctx, w)
	if err != nil {
		return err
	}
	defer t.close()
	for _, p := range t.problems {
		if p.Validator == name {
			return usagef("prove %s: %s", name, p)
		}
	}
	i := slices.IndexFunc(t.loaded, func(v validator.Validator) bool { return v.Name == name })
	if i < 0 {
		return usagef("prove %s: there is no %s/%s; run %q", name, validator.Root, name, "crev validators list")
	}
	v := t.loaded[i]
	bad, good, err := v.Samples()
	if err != nil {
		return usagef("prove %s: %v", name, err)
	}
	bad.Runner = t.runner(ctx, w, []validator.Validator{v})
	good.Runner = bad.Runner
	proof := validator.Prove(ctx, v, bad, good)
	if *asJSON {
		if err := printJSON(w.out, proof); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(w.out, "%s: %s: %s\n", name, proof.Verdict, oneLine(proof.Reason))
		for _, r := range []validator.Result{proof.Bad, proof.Good} {
			printResult(w, r)
		}
	}
	if proof.Verdict != validator.Proven {
		return &exitError{exitBlocked, nil}
	}
	if *keep {
		return recordProof(w, v, proof, *by)
	}
	return nil
}

// recordProof writes down that a validator is proven: where it was in
// quarantine, it blocks again once that is merged.
func recordProof(w world, v validator.Validator, proof validator.Proof, by string) (err error) {
	hash, err := validator.Hash(v.Folder())
	if err != nil {
		return err
	}
	_, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	file, _, err := record(store, w.now(), ledger.Event{FP: ledger.NoClass, By: by, Payload: ledger.Payload{
		Proven: &ledger.Proven{Validator: v.Name, Hash: hash, Reason: proof.Reason}}})
	if err == nil {
		fmt.Fprintf(w.err, "crev: recorded in %s\n", file)
	}
	return err
}
