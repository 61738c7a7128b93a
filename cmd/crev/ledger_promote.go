package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/sandbox"
	"github.com/crev-ratchet/crev/internal/validator"
)

// ruling is what promote and retire print about one class.
type ruling struct {
	FP        string    `json:"fp"`
	Event     ledger.ID `json:"event"`
	Validator string    `json:"validator,omitempty"`
	Hash      string    `json:"hash,omitempty"`
	Reason    string    `json:"reason,omitempty"`
}

// promotion are the flags of promote.
type promotion struct {
	check, by, name string
	bad, good       string
	scaffold, json  bool
}

// ledgerPromote says that a committed validator decides a class. The promotion
// is the check: without one there is none, and one that is not proven is
// refused.
func ledgerPromote(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	var p promotion
	flags.StringVar(&p.check, "check", "", "`folder` of the validator, .crev/validators/NAME")
	flags.StringVar(&p.bad, "bad", "", "`commit` that has the defect, where bad/ has no sample (default: the recorded one)")
	flags.StringVar(&p.good, "good", "", "`commit` in which it is fixed, where good/ has no sample (default: the recorded one)")
	flags.StringVar(&p.by, "by", "", "`login` of who decides it")
	flags.BoolVar(&p.scaffold, "scaffold", false, "write a validator from what the ledger recorded of the class, and promote nothing")
	flags.StringVar(&p.name, "name", "", "`name` of the validator that --scaffold writes (default: from the claim)")
	flags.BoolVar(&p.json, "json", false, "print one JSON object")
	prefix, err := oneArg(flags, args, "a class")
	if err != nil {
		return err
	}
	if p.check == "" && !p.scaffold {
		return usagef("promote %s: no check attached; commit .crev/validators/NAME and pass --check .crev/validators/NAME, or let --scaffold write it", prefix)
	}
	root, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	classes, files, err := tallied(store, ledger.Ratchet{})
	if err != nil {
		return err
	}
	class, err := findClass(classes, prefix)
	if err != nil {
		return err
	}
	events, problems := ledger.ClassEvents(files, func(fp string) bool { return fp == class.FP })
	if err := problemsError(problems); err != nil {
		return err
	}
	due := ledger.Describe([]ledger.Class{class}, events)[0]
	if p.scaffold {
		return scaffold(ctx, w, root, due, p)
	}
	return p.record(ctx, w, root, store, due)
}

// record proves the attached check and writes the promotion down.
func (p promotion) record(ctx context.Context, w world, root string, store *ledger.Store, due ledger.Due) error {
	v, err := attachedValidator(root, p.check)
	if err != nil {
		return usagef("promote %s: %v", due.FP, err)
	}
	proof, err := p.prove(ctx, w, v, due)
	if err != nil {
		return usagef("promote %s: %v", due.FP, err)
	}
	if proof.Verdict != validator.Proven {
		if !p.json {
			fmt.Fprint(w.out, sandbox.Quote(proof.Show()))
		}
		return usagef("promote %s: %s is %s: %s. %s", due.FP, path.Join(validator.Root, v.Name), proof.Verdict,
			strings.TrimSuffix(oneLine(proof.Reason), "."), proof.Verdict.Remedy())
	}
	hash, err := ledger.HashValidator(v.Folder())
	if err != nil {
		return err
	}
	file, events, err := record(store, w.now(), ledger.Event{
		FP: due.FP, By: p.by,
		Payload: ledger.Payload{Promoted: &ledger.Promoted{Validator: v.Name, Hash: hash, Scope: v.Scope}},
	})
	if err != nil {
		return err
	}
	if p.json {
		return printJSON(w.out, ruling{FP: due.FP, Event: events[0].ID, Validator: v.Name, Hash: hash, Reason: proof.Reason})
	}
	fmt.Fprintf(w.out, "promoted %s: %s\n", due.FP, oneLine(proof.Reason))
	fmt.Fprintf(w.out, "%s decides it from the commit on that holds both\n", path.Join(validator.Root, v.Name))
	fmt.Fprintf(w.out, "recorded in %s\n", file)
	return nil
}

// prove runs a check on its samples, or, where the folder has none, at commits:
// those of the flags, else the recorded ones. Without either it is refused.
func (p promotion) prove(ctx context.Context, w world, v validator.Validator, due ledger.Due) (validator.Proof, error) {
	bad, good, err := v.Samples()
	if err != nil && !errors.Is(err, validator.ErrNoSamples) {
		return validator.Proof{}, err
	}
	runner := promotionRunner(ctx, w, v)
	if err == nil && p.bad == "" && p.good == "" {
		bad.Runner, good.Runner = runner, runner
		return validator.Prove(ctx, v, bad, good), nil
	}
	badAt, goodAt := cmp.Or(p.bad, due.At.Commit), cmp.Or(p.good, due.FixedIn)
	if badAt == "" || goodAt == "" {
		return validator.Proof{}, fmt.Errorf("%s is not proven: it has no samples, and the ledger knows no commit %s; put code into bad/ and good/, "+
			"or name commits with --bad and --good; crev ledger promote --scaffold %s writes samples",
			v.Name, map[bool]string{true: "that has the defect", false: "in which it is fixed"}[badAt == ""], due.FP)
	}
	repo, err := git.Open(ctx, w.dir)
	if err != nil {
		return validator.Proof{}, err
	}
	defer repo.Close()
	if bad, err = treeOf(ctx, repo, badAt); err != nil {
		return validator.Proof{}, err
	}
	if good, err = treeOf(ctx, repo, goodAt); err != nil {
		return validator.Proof{}, err
	}
	bad.Runner, good.Runner = runner, runner
	proof := validator.Prove(ctx, v, bad, good)
	atPlace := slices.ContainsFunc(proof.Bad.Failures, func(f validator.Failure) bool {
		return slices.ContainsFunc(due.Places, func(l finding.Location) bool { return l.Path == f.Path })
	})
	if proof.Verdict == validator.Proven && !atPlace {
		proof.Verdict = validator.Vacuous
		proof.Reason = fmt.Sprintf("at %s it finds something, but not in %s, where the class was seen", bad.Name, placesOf(due))
	}
	return proof, nil
}

// treeOf is the tree of a commit, to prove a check on.
func treeOf(ctx context.Context, repo *git.Repo, revision string) (validator.Input, error) {
	sha, err := repo.Resolve(ctx, revision)
	if err != nil {
		return validator.Input{}, fmt.Errorf("commit %s is not in this clone: %w", revision, err)
	}
	in := validator.Input{Name: "commit " + projection.Short(sha), Files: []string{}}
	if in.Tree, err = repo.Tree(ctx, sha, ""); err != nil {
		return in, err
	}
	entries, err := repo.Files(ctx, sha)
	for _, e := range entries {
		in.Files = append(in.Files, e.Path)
	}
	return in, err
}

// promotionRunner probes the sandbox for a check that needs one.
func promotionRunner(ctx context.Context, w world, v validator.Validator) *sandbox.Runner {
	if v.Kind == validator.Pattern {
		return nil
	}
	return sandbox.New(ctx, sandbox.Options{Path: w.env("PATH"), InActions: w.env("GITHUB_ACTIONS") == "true"})
}

// attachedValidator loads .crev/validators/NAME, which may also be written
// validators/NAME or NAME.
func attachedValidator(root, check string) (validator.Validator, error) {
	name := strings.TrimPrefix(path.Clean(filepath.ToSlash(check)), ".crev/")
	name = strings.TrimPrefix(name, "validators/")
	if name == "" || strings.Contains(name, "/") || strings.HasPrefix(name, ".") {
		return validator.Validator{}, fmt.Errorf("--check %s is no validator; want .crev/validators/NAME", check)
	}
	all := os.DirFS(filepath.Join(root, filepath.FromSlash(validator.Root)))
	if _, err := fs.Lstat(all, path.Join(name, "validator.yaml")); errors.Is(err, fs.ErrNotExist) {
		return validator.Validator{}, fmt.Errorf("no check attached; there is no %s, commit it and pass --check %s",
			path.Join(validator.Root, name, "validator.yaml"), path.Join(validator.Root, name))
	}
	loaded, problems := validator.Load(all)
	for _, p := range problems {
		if p.Validator == name {
			return validator.Validator{}, errors.New(p.String())
		}
	}
	for _, v := range loaded {
		if v.Name == name {
			return v, nil
		}
	}
	return validator.Validator{}, fmt.Errorf("%s cannot be loaded", path.Join(validator.Root, name))
}
