package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/crev-ratchet/crev/internal/bench"
)

func benchRun(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	var (
		dir     = flags.String("cases", "", "read the cases in `DIR` (default: .crev/bench/frozen and live)")
		name    = flags.String("model", "", "ask the model `NAME` (default: CREV_MODEL, then the configuration)")
		play    = flags.String("replay", "", "answer model requests from `DIR` instead of an endpoint")
		record  = flags.String("record", "", "write model requests and replies into `DIR`")
		noRules = flags.Bool("no-rules", false, "leave the team's rules out")
		asJSON  = flags.Bool("json", false, "print one JSON object, for bench compare")
	)
	if err := noArgs(flags, args); err != nil {
		return err
	}
	b, err := openRules(w)
	if err != nil {
		return err
	}
	defer b.close()
	frozen, live, err := b.benchCases(w, *dir)
	if err != nil {
		return usagef("bench run: %v", err)
	}
	if len(frozen)+len(live) == 0 {
		return usagef("bench run: there are no cases; add some with `crev bench add`, or pass --cases DIR")
	}
	progress := newTerminalProgress(w.err, w.env)
	r := &caseRunner{
		model: cmp.Or(*name, w.env("CREV_MODEL")), now: w.now, log: slog.New(progress),
		connect: modelSettings{
			baseURL: w.env("OPENAI_BASE_URL"), key: w.env("OPENAI_API_KEY"), record: *record, replay: *play,
			log: slog.New(progress), secrets: []string{w.env("GITHUB_TOKEN")},
			howTo: "set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, and --model, or pass --replay DIR",
		}.connect,
		redact: []string{w.env("OPENAI_API_KEY"), w.env("GITHUB_TOKEN")},
	}
	if r.memory, r.rules, err = b.memoryFor(ctx, w, !*noRules); err != nil {
		return err
	}
	out, err := bench.RunCases(ctx, frozen, live, r)
	progress.done()
	if err != nil {
		return err
	}
	out.Model, out.Rules = r.asked, append(out.Rules, r.rules...)
	if *asJSON {
		return printJSON(w.out, out)
	}
	printRun(w.out, out)
	return nil
}

// benchCases are the repository's own, or those of a folder, which count as live.
func (b *ruleBook) benchCases(w world, dir string) (frozen, live []*bench.Case, err error) {
	if dir != "" {
		live, err = bench.ReadCases(os.DirFS(absolute(w, dir)), ".")
		return nil, live, err
	}
	if frozen, err = bench.ReadCases(b.root.FS(), bench.Frozen); err != nil {
		return nil, nil, err
	}
	live, err = bench.ReadCases(b.root.FS(), bench.Live)
	return frozen, live, err
}

func printRun(w io.Writer, r bench.RunResult) {
	fmt.Fprintf(w, "%s, model %s, %s in effect\n\n", plural(len(r.Cases), "case"), cmp.Or(r.Model, "unnamed"), plural(len(r.Rules), "rule"))
	for _, c := range r.Cases {
		if c.Incomplete != "" {
			fmt.Fprintf(w, "incomplete: %s: %s\n", c.Name, oneLine(c.Incomplete))
		}
		for _, e := range c.Expected {
			switch {
			case e.Real && !e.Made:
				fmt.Fprintf(w, "missed: %s: %s %s: %s\n", c.Name, e.Path, e.Category, oneLine(e.Claim))
			case !e.Real && e.Made:
				fmt.Fprintf(w, "unwanted: %s: %s %s: %s\n", c.Name, e.Path, e.Category, oneLine(e.As))
			}
		}
		for _, o := range c.Other {
			fmt.Fprintf(w, "other: %s: %s %s: %s\n", c.Name, o.Path, o.Category, oneLine(o.Claim))
		}
	}
	fmt.Fprintf(w, "\n%-24s %10s %10s %6s %7s %7s %7s\n", "", "caught", "unwanted", "other", "golden", "wanted", "recall")
	row := func(name string, s bench.RunScore) {
		fmt.Fprintf(w, "%-24s %10s %10s %6d %7.4f %7.4f %7.4f\n", name, fmt.Sprintf("%d of %d", s.Caught, s.Real),
			fmt.Sprintf("%d of %d", s.Mentioned, s.Unwanted), s.Other, s.Golden, s.Wanted, s.Recall)
	}
	for _, set := range []string{"frozen", "live"} {
		if s, ok := r.Sets[set]; ok {
			row(set, s)
		}
	}
	for _, c := range r.Categories {
		row("  "+c.Category, c.RunScore)
	}
	row("all", r.Total)
	c := r.Total.Cost
	fmt.Fprintf(w, "\ncost: %d tokens in, %d out, %d of those in from a cache", c.PromptTokens, c.CompletionTokens, c.CachedTokens)
	if c.USD > 0 {
		fmt.Fprintf(w, ", %.4f USD", c.USD)
	}
	if n := r.Total.Caught; n > 0 {
		fmt.Fprintf(w, "; %d tokens for each real finding", (c.PromptTokens+c.CompletionTokens)/n)
	}
	fmt.Fprintln(w)
}

func benchCompare(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	asJSON := flags.Bool("json", false, "print one JSON object")
	strict := flags.Bool("strict", false, "exit 1 when a real finding that no rule may hide was lost")
	files, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(files) != 2 {
		return usagef("%s: name two files that `crev bench run --json` wrote, the earlier one first", flags.Name())
	}
	var runs [2]bench.RunResult
	for i, name := range files {
		text, err := os.ReadFile(absolute(w, name))
		if err == nil {
			runs[i], err = bench.ReadRun(text)
		}
		if err != nil {
			return usagef("%s: read %s: %v", flags.Name(), name, err)
		}
	}
	c := bench.Compare(runs[0], runs[1])
	if *asJSON {
		err = printJSON(w.out, c)
	} else {
		printComparison(w.out, c)
	}
	if *strict && c.LostShielded > 0 {
		err = errors.Join(err, &exitError{exitBlocked, nil})
	}
	return err
}

func printComparison(w io.Writer, c bench.Comparison) {
	for _, list := range []struct {
		what    string
		changes []bench.Change
	}{{"gained", c.Gained}, {"lost", c.Lost}, {"stopped", c.Stopped}, {"newly unwanted", c.Started}} {
		for _, ch := range list.changes {
			grave := ""
			if ch.Shielded && ch.Real {
				grave = ", which no rule may hide"
			}
			fmt.Fprintf(w, "%s: %s: %s %s%s: %s\n", list.what, ch.Case, ch.Path, ch.Category, grave, oneLine(ch.Claim))
		}
	}
	for _, name := range c.Skipped {
		fmt.Fprintf(w, "not compared: %s: it is not the same in both runs\n", name)
	}
	a, b := c.Before.Score, c.After.Score
	fmt.Fprintf(w, "\n%-18s %10s %10s %10s\n", plural(c.Cases, "case"), "before", "after", "change")
	for _, m := range []struct {
		name          string
		before, after float64
	}{{"golden_precision", a.Golden, b.Golden}, {"wanted_precision", a.Wanted, b.Wanted}, {"recall", a.Recall, b.Recall}} {
		fmt.Fprintf(w, "%-18s %10.4f %10.4f %+10.4f\n", m.name, m.before, m.after, m.after-m.before)
	}
	tokens := func(s bench.RunScore) int { return s.Cost.PromptTokens + s.Cost.CompletionTokens }
	for _, m := range []struct {
		name          string
		before, after int
	}{{"other findings", a.Other, b.Other}, {"incomplete cases", a.Incomplete, b.Incomplete}, {"tokens", tokens(a), tokens(b)}} {
		fmt.Fprintf(w, "%-18s %10d %10d %+10d\n", m.name, m.before, m.after, m.after-m.before)
	}
	for _, set := range []string{"frozen", "live"} {
		if v, ok := c.Sets[set]; ok {
			fmt.Fprintf(w, "\n%s: %s", set, v)
		}
	}
	fmt.Fprintf(w, "\nall: %s\n", verdictWords(c))
}

// verdictWords says what the verdict means, and for a trade what is traded.
func verdictWords(c bench.Comparison) string {
	a, b := c.Before.Score, c.After.Score
	words := map[bench.Verdict]string{
		bench.Better: "better: something is gained, and nothing is lost or newly unwanted",
		bench.Worse:  "worse: something is lost or newly unwanted, and nothing is gained",
		bench.Even:   "same: nothing changed that a case speaks of",
		bench.Trade: fmt.Sprintf("trade: recall %+.1f %%, golden precision %+.1f %%, wanted precision %+.1f %%; people decide it, and say so in the commit",
			100*(b.Recall-a.Recall), 100*(b.Golden-a.Golden), 100*(b.Wanted-a.Wanted)),
	}[c.Verdict]
	if c.LostShielded > 0 {
		words += fmt.Sprintf("\n%s lost about security, a crash, lost data or a secret, or of high severity: do not take this change", plural(c.LostShielded, "real finding"))
	}
	return words
}
