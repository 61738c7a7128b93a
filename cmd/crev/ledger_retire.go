package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
)

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
		for _, class := range ledger.Stale(classes, w.now().AddDate(0, 0, -*olderThan)) {
			events = append(events, retirement(class, fmt.Sprintf("not seen for %s", plural(*olderThan, "day")), *by))
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
