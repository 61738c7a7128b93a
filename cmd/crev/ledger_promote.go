package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
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

// ledgerPromote says that a committed validator decides a class. The promotion
// is the check: without one there is none, and one that its own samples disprove
// is refused.
func ledgerPromote(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	check := flags.String("check", "", "`folder` of the validator, .crev/validators/NAME")
	by := flags.String("by", "", "`login` of who decides it")
	asJSON := flags.Bool("json", false, "print one JSON object")
	prefix, err := oneArg(flags, args, "a class")
	if err != nil {
		return err
	}
	if *check == "" {
		return usagef("promote %s: no check attached; commit .crev/validators/NAME and pass --check .crev/validators/NAME", prefix)
	}
	root, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	classes, _, err := tallied(store, ledger.Ratchet{})
	if err != nil {
		return err
	}
	class, err := findClass(classes, prefix)
	if err != nil {
		return err
	}
	v, hash, err := provenValidator(ctx, root, *check)
	if errors.Is(err, validator.ErrNoSamples) {
		fmt.Fprintf(w.err, "crev: promote %s: not proven: %v; then run crev validators prove %s\n", class.FP, err, v.Name)
	} else if err != nil {
		return usagef("promote %s: %v", class.FP, err)
	}
	file, events, err := record(store, w.now(), ledger.Event{
		FP: class.FP, By: *by,
		Payload: ledger.Payload{Promoted: &ledger.Promoted{Validator: v.Name, Hash: hash, Scope: v.Scope}},
	})
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(w.out, ruling{FP: class.FP, Event: events[0].ID, Validator: v.Name, Hash: hash})
	}
	fmt.Fprintf(w.out, "promoted %s: %s decides it from the commit on that holds both\n", class.FP, path.Join(validator.Root, v.Name))
	fmt.Fprintf(w.out, "recorded in %s\n", file)
	return nil
}

// provenValidator loads the validator of a --check flag and proves it on its
// samples. One without samples is returned with validator.ErrNoSamples.
func provenValidator(ctx context.Context, root, check string) (validator.Validator, string, error) {
	v, err := attachedValidator(root, check)
	if err != nil {
		return v, "", err
	}
	hash, err := ledger.HashValidator(v.Folder())
	if err != nil {
		return v, "", err
	}
	bad, good, err := v.Samples()
	if err != nil {
		return v, hash, err
	}
	if v.Kind != validator.Pattern {
		bad.Runner = sandbox.New(ctx, sandbox.Options{})
		good.Runner = bad.Runner
	}
	if p := validator.Prove(ctx, v, bad, good); p.Verdict != validator.Proven {
		return v, "", fmt.Errorf("%s is %s: %s", path.Join(validator.Root, v.Name), p.Verdict, p.Reason)
	}
	return v, hash, nil
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

// ledgerRetire ends the count of one class, or of all that were not seen for
// some days. A promoted class is retired by name and by a person only.
func ledgerRetire(_ context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	reason := flags.String("reason", "", "`why` the class is not counted any more")
	olderThan := flags.Int("older-than", 0, "retire every class that was not seen for this many `days`")
	by := flags.String("by", "", "`login` of who decides it")
	asJSON := flags.Bool("json", false, "print one JSON object")
	rest, err := parse(flags, args)
	if err != nil {
		return err
	}
	if err := checkRetire(rest, *reason, *olderThan); err != nil {
		return err
	}
	_, store, err := openLedger(w)
	if err != nil {
		return err
	}
	defer closing(store, &err)
	classes, _, err := tallied(store, ledger.Ratchet{})
	if err != nil {
		return err
	}
	var events []ledger.Event
	if len(rest) == 1 {
		class, err := findClass(classes, rest[0])
		if err != nil {
			return err
		}
		if class.Status == ledger.ClassRetired {
			return usagef("retire %s: it is retired already", class.FP)
		}
		if class.Status == ledger.ClassPromoted && *by == "" {
			return usagef("retire %s: validator %s decides it; say who takes that back with --by LOGIN", class.FP, class.Validator)
		}
		events = append(events, retirement(class, *reason, *by))
	} else {
		before := w.now().AddDate(0, 0, -*olderThan)
		for _, class := range classes {
			counted := class.Status == ledger.ClassNew || class.Status == ledger.ClassRecurring
			if counted && class.LastSeen.Before(before) {
				events = append(events, retirement(class, fmt.Sprintf("not seen for %s", plural(*olderThan, "day")), *by))
			}
		}
	}
	file, events, err := record(store, w.now(), events...)
	if err != nil {
		return err
	}
	return printRetired(w, events, file, *asJSON)
}

func checkRetire(rest []string, reason string, olderThan int) error {
	switch {
	case olderThan < 0:
		return usagef("retire --older-than %d: want 1 day or more", olderThan)
	case len(rest) > 1:
		return usagef("retire: one class at a time, not %q too", rest[1])
	case len(rest) == 1 && olderThan > 0:
		return usagef("retire: give a class or --older-than, not both")
	case len(rest) == 0 && olderThan == 0:
		return usagef("retire: which class? Give its fingerprint and --reason, or --older-than DAYS")
	case len(rest) == 1 && strings.TrimSpace(reason) == "":
		return usagef("retire %s: say why with --reason", rest[0])
	}
	return nil
}

func retirement(class ledger.Class, reason, by string) ledger.Event {
	return ledger.Event{FP: class.FP, By: by, Payload: ledger.Payload{
		Retired: &ledger.Retired{Reason: reason, Validator: class.Validator}}}
}

func printRetired(w world, events []ledger.Event, file string, asJSON bool) error {
	if asJSON {
		rulings := []ruling{}
		for _, e := range events {
			rulings = append(rulings, ruling{FP: e.FP, Event: e.ID, Validator: e.Retired.Validator, Reason: e.Retired.Reason})
		}
		return printJSON(w.out, struct {
			Retired []ruling `json:"retired"`
		}{rulings})
	}
	for _, e := range events {
		fmt.Fprintf(w.out, "retired %s: %s\n", e.FP, oneLine(e.Retired.Reason))
	}
	if file == "" {
		fmt.Fprintln(w.out, "Nothing to retire.")
		return nil
	}
	fmt.Fprintf(w.out, "recorded in %s\n", file)
	return nil
}

// oneArg returns the single argument of a command.
func oneArg(flags *flag.FlagSet, args []string, what string) (string, error) {
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return "", err
	case len(rest) == 0:
		return "", usagef("%s: name %s; run %q", flags.Name(), what, flags.Name()+" -h")
	case len(rest) > 1:
		return "", usagef("%s: one %s at a time, not %q too", flags.Name(), strings.TrimPrefix(what, "a "), rest[1])
	}
	return rest[0], nil
}
