package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/crev-ratchet/crev/internal/rule"
)

// ruleJSON is a rule as -json prints it: the record, its two axes, and on demand
// what is computed.
type ruleJSON struct {
	rule.Rule
	Confirmation rule.Confirmation `json:"confirmation"`
	Activity     rule.Status       `json:"activity"`
	// InEffect says that a review heeds it today.
	InEffect bool       `json:"in_effect"`
	Stat     *rule.Stat `json:"stat,omitempty"`
	Cited    []cited    `json:"cited,omitempty"`
}

// cited is what became of a citation.
type cited struct {
	Cites    rule.Citation `json:"cites"`
	Standing rule.Standing `json:"standing"`
	// Now is where the code is, "" when it is gone or was not compared.
	Now string `json:"now,omitempty"`
}

func asRuleJSON(w world, r rule.Rule) ruleJSON {
	return ruleJSON{Rule: r, Confirmation: r.Confirmation(), Activity: r.Activity(w.now()), InEffect: r.Active(w.now())}
}

func ruleList(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	author := flags.String("author", "", "with paths: the `login` of the pull request's author")
	score := flags.Bool("score", false, "add how often each was of use, from the ledger")
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	b, err := openRules(w)
	if err != nil {
		return err
	}
	defer b.close()
	var stats map[string]rule.Stat
	if *score {
		h, err := b.history()
		if err != nil {
			return err
		}
		stats = b.pool.Stats(h, w.now())
	}
	list := []ruleJSON{}
	for _, r := range b.pool.Rules() {
		if len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return r.Applies(p, *author) }) {
			continue
		}
		l := asRuleJSON(w, r)
		if s, ok := stats[r.ID]; ok {
			l.Stat = &s
		}
		list = append(list, l)
	}
	if *asJSON {
		return printJSON(w.out, struct {
			Rules    []ruleJSON     `json:"rules"`
			Problems []rule.Problem `json:"problems,omitempty"`
		}{list, b.problems})
	}
	for _, p := range b.problems {
		fmt.Fprintf(w.err, "crev: %s\n", p)
	}
	if len(list) == 0 {
		fmt.Fprintln(w.out, "No rules. Write one with `crev rule teach`, or reply to a comment of crev's.")
		return nil
	}
	return printRuleTable(w, list, *score)
}

func printRuleTable(w world, list []ruleJSON, score bool) error {
	table := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "ID\tKIND\tSTATUS\tSCOPE\t")
	if score {
		fmt.Fprint(table, "SCORE\tHITS\t")
	}
	fmt.Fprintln(table, "SAYS")
	for _, l := range list {
		status := l.Status
		if l.Status == rule.Active && !l.InEffect {
			status = rule.Expired
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t", l.ID, l.Kind, status, l.Scope)
		if score {
			fmt.Fprintf(table, "%d\t%d\t", l.Stat.Score, l.Stat.Hits)
		}
		fmt.Fprintln(table, l.Says)
	}
	return table.Flush()
}

func ruleShow(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	id, err := oneArg(flags, args, "a rule")
	if err != nil {
		return err
	}
	b, err := openRules(w)
	if err != nil {
		return err
	}
	defer b.close()
	r, err := b.find(id)
	if err != nil {
		return err
	}
	h, err := b.history()
	if err != nil {
		return err
	}
	code, done, err := b.code(ctx, w)
	defer func() { err = errors.Join(err, done()) }()
	if err != nil {
		return err
	}
	l := asRuleJSON(w, r)
	stat := b.pool.Stats(h, w.now())[r.ID]
	l.Stat = &stat
	for _, c := range code.Recheck(r) {
		one := cited{Cites: c.Citation, Standing: c.Standing}
		if c.Now.Path != "" {
			one.Now = fmt.Sprintf("%s:%d", c.Now.Path, c.Now.Line)
		}
		l.Cited = append(l.Cited, one)
	}
	if *asJSON {
		return printJSON(w.out, l)
	}
	return printRule(w, l)
}

func printRule(w world, l ruleJSON) error {
	text, err := l.Marshal()
	if err != nil {
		return err
	}
	w.out.Write(text)
	fmt.Fprintln(w.out)
	effect := "in effect"
	switch {
	case slices.ContainsFunc(l.Cited, func(c cited) bool { return c.Standing == rule.Gone }):
		effect = "not in effect: the code that it cites is gone"
	case !l.InEffect:
		effect = "not in effect"
	}
	fmt.Fprintf(w.out, "%s; %s, score %d\n", effect, plural(l.Stat.Hits, "hit"), l.Stat.Score)
	for _, c := range l.Cited {
		fmt.Fprintf(w.out, "cites %s:%d: %s", c.Cites.Path, c.Cites.Line, c.Standing)
		if c.Standing == rule.Moved {
			fmt.Fprintf(w.out, " to %s", c.Now)
		}
		fmt.Fprintln(w.out)
	}
	return nil
}
