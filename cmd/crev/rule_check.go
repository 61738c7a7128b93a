package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/rule"
)

// unusedDays is for how long a rule may do nothing before check mentions it.
const unusedDays = 180

// ruleComplaint is one line of rule check.
type ruleComplaint struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Rule string `json:"rule,omitempty"`
	Code string `json:"code"`
	Msg  string `json:"message"`
}

func (c ruleComplaint) String() string {
	return rule.Problem{Path: c.Path, Line: c.Line, Msg: c.Msg}.String()
}

// ruleCheckup is what rule check found.
type ruleCheckup struct {
	Rules      int             `json:"rules"`
	Complaints []ruleComplaint `json:"complaints"`
	// Notes change no exit status.
	Notes   []string `json:"notes,omitempty"`
	Written []string `json:"written,omitempty"`
}

func ruleCheck(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	write := flags.Bool("write", false, "write the index anew, and the new places of cited code that moved")
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	if err := noArgs(flags, args); err != nil {
		return err
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
	found := ruleCheckup{Complaints: []ruleComplaint{}}
	moved := found.check(b, code)
	if h, err := b.history(); err != nil {
		found.Notes = append(found.Notes, fmt.Sprintf("the ledger cannot be read, so unused rules are not named: %v", err))
	} else {
		for _, r := range b.pool.Unused(h, unusedDays, w.now()) {
			found.Notes = append(found.Notes, fmt.Sprintf("%s: nobody taught it and nothing hit it for %s", r.ID, plural(unusedDays, "day")))
		}
	}
	if *write && b.writable() == nil {
		if found.Written, err = b.save(moved...); err != nil {
			return err
		}
		found.mended()
	}
	if *asJSON {
		if err := printJSON(w.out, found); err != nil {
			return err
		}
	} else {
		found.print(w)
	}
	if len(found.Complaints) > 0 {
		return &exitError{exitUsage, nil}
	}
	return nil
}

// check collects the complaints, and returns the rules whose citations have to
// be written anew.
func (c *ruleCheckup) check(b *ruleBook, code rule.Code) (moved []rule.Rule) {
	for _, p := range b.problems {
		reason := "unreadable"
		if p.Path == rule.IndexPath {
			reason = "index"
		}
		c.Complaints = append(c.Complaints, ruleComplaint{Path: p.Path, Line: p.Line, Code: reason, Msg: p.Msg})
	}
	for _, r := range b.pool.Rules() {
		c.Rules++
		say := func(code, msg string) {
			c.Complaints = append(c.Complaints, ruleComplaint{Path: r.Path(), Rule: r.ID, Code: code, Msg: msg})
		}
		if r.Status == rule.Disabled || r.Status == rule.Superseded {
			continue // kept for the record, and nobody heeds it
		}
		for _, l := range r.Lint(code.Files) {
			say(l.Code, l.String())
		}
		r = r.Clone()
		changed := false
		for i, now := range code.Recheck(r) {
			switch now.Standing {
			case rule.Gone:
				say("stale", fmt.Sprintf("cites: the code at %s:%d is gone; cite other code, or disable the rule", now.Citation.Path, now.Citation.Line))
			case rule.Moved:
				c.Notes = append(c.Notes, fmt.Sprintf("%s: the code at %s:%d is at %s:%d now; --write notes it", r.ID,
					now.Citation.Path, now.Citation.Line, now.Now.Path, now.Now.Line))
				r.Cites[i], changed = now.Now, true
			}
		}
		if changed {
			moved = append(moved, r)
		}
	}
	return moved
}

// mended takes away what writing settled.
func (c *ruleCheckup) mended() {
	c.Complaints = slices.DeleteFunc(c.Complaints, func(one ruleComplaint) bool { return one.Code == "index" })
}

func (c *ruleCheckup) print(w world) {
	for _, one := range c.Complaints {
		fmt.Fprintln(w.out, one)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(w.out, "note: %s\n", n)
	}
	if len(c.Written) > 0 {
		fmt.Fprintf(w.out, "Written: %s\n", strings.Join(c.Written, ", "))
	}
	fmt.Fprintf(w.out, "%s, %s\n", plural(c.Rules, "rule"), plural(len(c.Complaints), "complaint"))
}
