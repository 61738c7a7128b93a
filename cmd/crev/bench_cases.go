package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/bench"
)

func benchAdd(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	from := flags.String("from", "", "read the case from `FILE`, - for standard input")
	name := flags.String("name", "", "its `name` (default: the file's)")
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	text, err := readCase(w, *from, name)
	if err != nil {
		return err
	}
	c, err := bench.ParseCase(*name, text)
	if err != nil {
		return usagef("%v", err)
	}
	if text, err = c.Format(); err != nil {
		return err
	}
	b, err := openRules(w)
	if err != nil {
		return err
	}
	defer b.close()
	for _, folder := range []string{bench.Frozen, bench.Live} {
		if _, err := b.root.Lstat(caseFile(folder, c.Name)); !errors.Is(err, fs.ErrNotExist) {
			return usagef("case %s: %s is there already; choose another name with --name", c.Name, caseFile(folder, c.Name))
		}
	}
	to := caseFile(bench.Live, c.Name)
	if err := b.write(to, text); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(w.out, struct {
			Name    string `json:"name"`
			Written string `json:"written"`
		}{c.Name, to})
	}
	fmt.Fprintf(w.out, "Written: %s\n", to)
	return nil
}

func caseFile(folder, name string) string { return path.Join(folder, name+".txtar") }

// readCase reads a case and, from a file, takes its name for the case's unless
// there is one.
func readCase(w world, from string, name *string) ([]byte, error) {
	switch {
	case from == "":
		return nil, usagef("bench add: pass --from FILE, or --from - and --name NAME")
	case from == "-" && *name == "":
		return nil, usagef("bench add: a case on standard input needs --name NAME")
	case from == "-":
		text, err := io.ReadAll(io.LimitReader(w.in, 8<<20))
		if err != nil {
			return nil, fmt.Errorf("read the case: %w", err)
		}
		return text, nil
	}
	if *name == "" {
		*name = strings.TrimSuffix(path.Base(from), ".txtar")
	}
	text, err := os.ReadFile(absolute(w, from))
	if err != nil {
		return nil, usagef("bench add: %v", err)
	}
	return text, nil
}

func benchFreeze(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	all := flags.Bool("all", false, "freeze every live case")
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	names, err := parse(flags, args)
	if err != nil {
		return err
	}
	b, err := openRules(w)
	if err != nil {
		return err
	}
	defer b.close()
	live, err := bench.ReadCases(b.root.FS(), bench.Live)
	if err != nil {
		return usagef("freeze: %v", err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(live, func(c *bench.Case) bool { return c.Name == name })
	}
	if *all {
		for _, c := range live {
			names = append(names, c.Name)
		}
	}
	for _, name := range names {
		if !has(name) {
			return usagef("freeze %s: there is no %s", name, caseFile(bench.Live, name))
		}
	}
	if err := b.frozenAsListed(); err != nil {
		return err
	}
	for _, name := range names {
		if err := b.move(caseFile(bench.Live, name), caseFile(bench.Frozen, name)); err != nil {
			return err
		}
	}
	if err := b.root.MkdirAll(bench.Frozen, 0o755); err != nil {
		return err
	}
	frozen, err := fs.Sub(b.root.FS(), bench.Frozen)
	if err != nil {
		return err
	}
	sum, err := bench.FrozenSum(frozen)
	if err != nil {
		return err
	}
	list := path.Join(bench.Frozen, bench.SumFile)
	if err := b.write(list, sum); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(w.out, struct {
			Frozen  []string `json:"frozen"`
			Written string   `json:"written"`
		}{append([]string{}, names...), list})
	}
	fmt.Fprintf(w.out, "%s frozen; written: %s\n", plural(len(names), "case"), list)
	return nil
}

// frozenAsListed refuses to write the list anew over a frozen case that was
// changed: that is what the list is there to show. New cases are fine.
func (b *ruleBook) frozenAsListed() error {
	frozen, err := fs.Sub(b.root.FS(), bench.Frozen)
	if err != nil {
		return err
	}
	problems, err := bench.CheckFrozen(frozen)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if !p.New {
			return usagef("freeze: %s/%s: %s; put it back, or delete its line of %s and say why in the commit", bench.Frozen, p.Name, p.Msg, bench.SumFile)
		}
	}
	return nil
}

// move renames a file into a folder that may not be there yet.
func (b *ruleBook) move(from, to string) error {
	if err := b.root.MkdirAll(path.Dir(to), 0o755); err != nil {
		return fmt.Errorf("move %s: %w", from, err)
	}
	if err := b.root.Rename(from, to); err != nil {
		return fmt.Errorf("move %s: %w", from, err)
	}
	return nil
}
