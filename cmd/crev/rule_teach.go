package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/rule"
)

// many is a flag that may be given more than once.
type many []string

func (m *many) String() string { return strings.Join(*m, " ") }

func (m *many) Set(s string) error {
	*m = append(*m, s)
	return nil
}

// lesson is what a person says about a rule on the command line.
type lesson struct {
	file                                                 string
	kind, says, forAuthor, category, when, except, worst string
	why, breaks, follows, by, from                       string
	scope, types, cites                                  many
}

func (l *lesson) register(flags *flag.FlagSet) {
	flags.StringVar(&l.file, "file", "", "read the record from standard input, with `-`, instead of the other flags")
	flags.StringVar(&l.kind, "kind", "", "`silence`, always or context")
	flags.StringVar(&l.says, "says", "", "the rule in one `sentence`")
	flags.Var(&l.scope, "scope", "a `glob` of the files it is about; may be repeated (default: all)")
	flags.Var(&l.types, "type", "a file `ending` without the dot; may be repeated")
	flags.StringVar(&l.forAuthor, "for", "", "only pull requests by this `login`")
	flags.StringVar(&l.category, "category", "", "the `kind` of finding, as reviewers label it")
	flags.StringVar(&l.when, "when", "", "the `condition` under which it holds")
	flags.StringVar(&l.except, "except", "", "the `condition` under which it does not")
	flags.StringVar(&l.worst, "severity", "", "for silence the worst `severity` that it hides, else how bad it is to break the rule")
	flags.StringVar(&l.why, "why", "", "the `reason`")
	flags.StringVar(&l.breaks, "breaks", "", "`code` that breaks the rule")
	flags.StringVar(&l.follows, "follows", "", "`code` that follows it")
	flags.Var(&l.cites, "cite", "`path:line` of code that the rule rests on; may be repeated")
	flags.StringVar(&l.by, "by", "", "your `login` (default: that of the environment)")
	flags.StringVar(&l.from, "from", "manual", "the `link` of the comment in which it was decided")
}

func ruleTeach(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	var l lesson
	l.register(flags)
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	rest, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return usagef("%s: one rule at a time, not %q too", flags.Name(), rest[1])
	}
	b, err := openRules(w)
	if err != nil {
		return err
	}
	defer b.close()
	code, done, err := b.code(ctx, w)
	defer func() { err = errors.Join(err, done()) }()
	if err != nil {
		return err
	}
	said, err := l.read(w, code, rest, b.pool)
	if err != nil {
		return err
	}
	change, err := l.change(w)
	if err != nil {
		return err
	}
	taught, outcome, err := teach(b.pool, said, change)
	if err != nil {
		return err
	}
	if err := taught.Check(); err != nil {
		return usagef("teach %s: %v", cmp.Or(taught.ID, "a rule"), err)
	}
	if cs := taught.Lint(code.Files); len(cs) > 0 {
		for _, c := range cs {
			fmt.Fprintf(w.err, "crev: teach %s: %s\n", taught.ID, c)
		}
		return &exitError{exitUsage, nil}
	}
	paths, err := b.save(taught)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(w.out, struct {
			Outcome string   `json:"outcome"`
			Written []string `json:"written"`
			Rule    ruleJSON `json:"rule"`
		}{outcome, paths, asRuleJSON(w, taught)})
	}
	fmt.Fprintf(w.out, "%s: %s\n  %s\nWritten: %s\nIt takes effect when this is on the base branch.\n",
		taught.ID, outcome, taught.Line(), strings.Join(paths, ", "))
	return nil
}

// read makes a record of what was said: of standard input, or of the flags over
// the rule with the id, if there is one.
func (l *lesson) read(w world, code rule.Code, args []string, pool *rule.Pool) (rule.Rule, error) {
	if l.file != "" {
		if l.file != "-" || len(args) > 0 || l.says != "" || l.kind != "" {
			return rule.Rule{}, usagef("rule teach --file takes - alone: the record on standard input says everything")
		}
		text, err := io.ReadAll(io.LimitReader(w.in, 1<<20))
		if err != nil {
			return rule.Rule{}, fmt.Errorf("read the record: %w", err)
		}
		r, err := rule.Parse(text)
		if err != nil {
			return rule.Rule{}, usagef("the record on standard input: %v", err)
		}
		return r, nil
	}
	id := rule.Slug(l.says)
	if len(args) == 1 {
		id = args[0]
	}
	r, known := pool.Find(id)
	if !known {
		if l.kind == "" || l.says == "" {
			return rule.Rule{}, usagef("rule teach: a new rule needs --kind silence, always or context, and --says SENTENCE; run `crev rule teach -h`")
		}
		r = rule.Rule{ID: id, Scope: rule.Scope{"**"}}
	}
	return l.over(r, code)
}

// over sets what the flags say.
func (l *lesson) over(r rule.Rule, code rule.Code) (rule.Rule, error) {
	r.Kind = cmp.Or(rule.Kind(l.kind), r.Kind)
	r.Severity = cmp.Or(finding.Severity(l.worst), r.Severity)
	for _, f := range []struct {
		to   *string
		from string
	}{
		{&r.Says, l.says}, {&r.ForAuthor, l.forAuthor}, {&r.Category, l.category}, {&r.Condition, l.when}, {&r.Exclusion, l.except},
		{&r.Why, l.why}, {&r.Breaks, l.breaks}, {&r.Follows, l.follows},
	} {
		*f.to = cmp.Or(f.from, *f.to)
	}
	if len(l.scope) > 0 {
		r.Scope = slices.Clone(rule.Scope(l.scope))
	}
	if len(l.types) > 0 {
		r.FileTypes = slices.Clone(l.types)
	}
	if len(l.cites) == 0 {
		return r, nil
	}
	r.Cites = nil
	for _, s := range l.cites {
		i := strings.LastIndex(s, ":")
		line, err := strconv.Atoi(s[i+1:])
		if i < 1 || err != nil {
			return r, usagef("--cite %q: write path:line", s)
		}
		if code.Commit == "" {
			return r, usagef("--cite %s: there is no commit yet to cite; commit first", s)
		}
		c, err := code.Cite(s[:i], line)
		if err != nil {
			return r, usagef("--%v", err)
		}
		r.Cites = append(r.Cites, c)
	}
	return r, nil
}

// change says who teaches.
func (l *lesson) change(w world) (rule.Change, error) {
	by, err := actor(w, l.by)
	return rule.Change{By: by, At: rule.DateOf(w.now()), Why: cmp.Or(l.why, "taught by hand"), From: l.from}, err
}

// actor is the login of who decides.
func actor(w world, by string) (string, error) {
	by = cmp.Or(by, w.env("GITHUB_ACTOR"), w.env("USER"), w.env("USERNAME"))
	if by == "" {
		return "", usagef("who decides it? pass --by LOGIN")
	}
	return by, nil
}

// teach adds a rule, or corrects the one with its id: a person who teaches a rule
// by hand stands for it, so it is active, whatever it was.
func teach(pool *rule.Pool, said rule.Rule, c rule.Change) (rule.Rule, string, error) {
	old, known := pool.Find(said.ID)
	said.Status = rule.Active
	if !known {
		said.Source = cmp.Or(said.Source, rule.Manual)
		said.Learned = append(said.Learned, rule.Learned{From: c.From, By: c.By, At: c.At})
		return said, "new", nil
	}
	if by, ok := strings.CutPrefix(old.SupersededBy, "validator:"); ok {
		return old, "", usagef("teach %s: validator %s decides this now; change the validator instead", old.ID, by)
	}
	taught := old.Revise(said, c)
	taught.Expires = ""
	switch {
	case old.Status != rule.Active:
		return taught, "active again", nil
	case len(taught.Revisions) > len(old.Revisions):
		return taught, "corrected", nil
	}
	return taught, "taught once more", nil
}

func ruleConfirm(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	by := flags.String("by", "", "your `login` (default: that of the environment)")
	reason := flags.String("reason", "confirmed", "the `reason`")
	return decide(w, flags, args, func(b *ruleBook, r rule.Rule) ([]rule.Rule, error) {
		who, err := actor(w, *by)
		if err != nil {
			return nil, err
		}
		if r.Status != rule.Pending {
			return nil, usagef("confirm %s: it is %s, and only a pending rule is confirmed; `crev rule teach %s` makes it active again", r.ID, r.Status, r.ID)
		}
		return b.pool.Confirm(r, rule.Change{By: who, At: rule.DateOf(w.now()), Why: *reason, From: "manual"}), nil
	})
}

func ruleDisable(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	by := flags.String("by", "", "your `login` (default: that of the environment)")
	reason := flags.String("reason", "", "the `reason`")
	return decide(w, flags, args, func(_ *ruleBook, r rule.Rule) ([]rule.Rule, error) {
		who, err := actor(w, *by)
		switch {
		case err != nil:
			return nil, err
		case strings.TrimSpace(*reason) == "":
			return nil, usagef("disable %s: say why with --reason", r.ID)
		case r.Status == rule.Disabled:
			return nil, usagef("disable %s: it is disabled", r.ID)
		}
		return []rule.Rule{r.WithStatus(rule.Disabled, rule.Change{By: who, At: rule.DateOf(w.now()), Why: *reason})}, nil
	})
}

// decide changes the one rule that is named, and those that depend on it.
func decide(w world, flags *flag.FlagSet, args []string, change func(*ruleBook, rule.Rule) ([]rule.Rule, error)) error {
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
	changed, err := change(b, r)
	if err != nil {
		return err
	}
	paths, err := b.save(changed...)
	if err != nil {
		return err
	}
	if *asJSON {
		list := []ruleJSON{}
		for _, r := range changed {
			list = append(list, asRuleJSON(w, r))
		}
		return printJSON(w.out, struct {
			Written []string   `json:"written"`
			Rules   []ruleJSON `json:"rules"`
		}{paths, list})
	}
	for _, r := range changed {
		fmt.Fprintf(w.out, "%s is %s\n", r.ID, r.Status)
	}
	fmt.Fprintf(w.out, "Written: %s\n", strings.Join(paths, ", "))
	return nil
}
