package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/rule"
)

func ruleReplay(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	dir := flags.String("cases", "", "read the cases in `DIR` (default: .crev/bench/frozen and live)")
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	which, err := oneArg(flags, args, "a rule")
	if err != nil {
		return err
	}
	b, err := openRules(w)
	if err != nil {
		return err
	}
	defer b.close()
	r, err := b.candidate(w, which)
	if err != nil {
		return err
	}
	frozen, live, err := b.benchCases(w, *dir)
	if err != nil {
		return usagef("replay %s: %v", r.ID, err)
	}
	result := bench.ReplayRule(r, append(frozen, live...))
	if *asJSON {
		err = printJSON(w.out, struct {
			bench.RuleReplay
			Refused bool `json:"refused"`
		}{result, result.HidesReal() > 0})
		if err != nil {
			return err
		}
	} else {
		printReplay(w, result)
	}
	if result.HidesReal() > 0 {
		return &exitError{exitBlocked, nil}
	}
	return nil
}

// candidate is a rule of the book, or of a file that is not in it yet.
func (b *ruleBook) candidate(w world, which string) (rule.Rule, error) {
	if rule.CheckID(which) == nil {
		return b.find(which)
	}
	text, err := os.ReadFile(absolute(w, which))
	if err != nil {
		return rule.Rule{}, usagef("replay %s: %v", which, err)
	}
	r, err := rule.Parse(text)
	if err != nil {
		return rule.Rule{}, usagef("replay %s: %v", which, err)
	}
	return r, nil
}

func absolute(w world, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.dir, path)
}

func printReplay(w world, r bench.RuleReplay) {
	for _, set := range []struct {
		what string
		list []bench.Replayed
	}{
		{"hides", r.Hidden}, {"asks for", r.Asked}, {"may not hide", r.Shielded},
	} {
		for _, f := range set.list {
			wanted := "unwanted"
			if f.Real {
				wanted = "real"
			}
			fmt.Fprintf(w.out, "%s %s: %s: %s %s: %s\n", set.what, wanted, f.Case, f.Path, f.Category, oneLine(f.Claim))
		}
	}
	var verdict string
	switch n := r.HidesReal(); {
	case r.Cases == 0:
		verdict = "there are no cases; add some with `crev bench add`"
	case n > 0:
		verdict = fmt.Sprintf("refused: it would hide %s; give it a narrower scope or category", plural(n, "real finding"))
	case len(r.Hidden)+len(r.Asked) == 0:
		verdict = "no case is about it, so nothing is shown"
	case r.Kind == rule.Silence:
		verdict = fmt.Sprintf("it hides %s and no real one", plural(len(r.Hidden), "unwanted finding"))
	default:
		real := 0
		for _, f := range r.Asked {
			if f.Real {
				real++
			}
		}
		verdict = fmt.Sprintf("it asks for %s and %s", plural(real, "real finding"), plural(len(r.Asked)-real, "unwanted one"))
	}
	fmt.Fprintf(w.out, "%s, %s: %s\n", strings.TrimSpace(r.Rule), plural(r.Cases, "case"), verdict)
}
