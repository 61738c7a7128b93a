package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/crev-ratchet/crev/internal/bench"
)

func benchMemory(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	cases := casesFlag(flags, "pairs of pull requests in files that end in .txtar")
	asJSON := flags.Bool("json", false, "print one JSON object")
	fsys, err := openCases(w, flags, args, cases)
	if err != nil {
		return err
	}
	r, err := bench.Memory(ctx, fsys, pairRunner{})
	if err != nil {
		return fmt.Errorf("measure memory in %s: %w", *cases, err)
	}
	if *asJSON {
		return printJSON(w.out, r)
	}
	printMemory(w.out, r)
	return nil
}

func printMemory(w io.Writer, r bench.MemoryResult) {
	fmt.Fprintf(w, "%s: in %d people teach by replying, in %d the rules are files; the model is scripted\n\n",
		plural(r.Pairs, "pair"), r.Taught, r.Committed)
	fmt.Fprintf(w, "%-22s %10s %10s %10s\n", "", "off", "on", "hostile")
	arms := []bench.MemoryArm{r.Off, r.On, r.Hostile}
	row := func(name string, cell func(bench.MemoryArm) string) {
		fmt.Fprintf(w, "%-22s", name)
		for _, a := range arms {
			fmt.Fprintf(w, " %10s", cell(a))
		}
		fmt.Fprintln(w)
	}
	row("comments", func(a bench.MemoryArm) string { return fmt.Sprint(a.Comments) })
	for _, kind := range []struct {
		name string
		of   func(bench.MemoryArm) bench.Posted
	}{
		{"unwanted", func(a bench.MemoryArm) bench.Posted { return a.Unwanted }},
		{"asked for", func(a bench.MemoryArm) bench.Posted { return a.Asked }},
		{"real bugs", func(a bench.MemoryArm) bench.Posted { return a.Bugs }},
		{"security issues", func(a bench.MemoryArm) bench.Posted { return a.Security }},
		{"outside of a rule", func(a bench.MemoryArm) bench.Posted { return a.Outside }},
		{"others", func(a bench.MemoryArm) bench.Posted { return a.Other }},
	} {
		row(kind.name, func(a bench.MemoryArm) string {
			p := kind.of(a)
			return fmt.Sprintf("%d of %d", p.Posted, p.Of)
		})
	}
	row("out_of_scope", func(a bench.MemoryArm) string { return fmt.Sprint(a.OutOfScope) })
	row("wanted_precision", func(a bench.MemoryArm) string { return fmt.Sprintf("%.4f", a.Wanted) })
	row("golden_precision", func(a bench.MemoryArm) string { return fmt.Sprintf("%.4f", a.Golden) })
	row("recall", func(a bench.MemoryArm) string { return fmt.Sprintf("%.4f", a.Recall) })
	fmt.Fprintf(w, "\nfall %.4f  stopped %.4f  asked %.4f\n", r.Fall, r.Stopped, r.Asked)
	fmt.Fprintf(w, "false claims saved: %d of %d; instructions saved: %d of %d\n",
		r.FalseClaimsSaved, r.FalseClaims, r.InjectionsSaved, r.Injections)
	for _, f := range r.Failures {
		arm := f.Arm
		if arm == "" {
			arm = "teaching"
		}
		fmt.Fprintf(w, "\n%s, %s: %s: expected %s, got %s", f.Pair, arm, oneLine(f.About), f.Expected, f.Got)
	}
	if len(r.Failures) > 0 {
		fmt.Fprintln(w)
	}
}
