package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"text/tabwriter"

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
