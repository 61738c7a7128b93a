package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
)

// Generate returns the content of IndexPath: one line a rule, by id, so that a
// change of the team's memory is one line of a diff.
func (p *Pool) Generate() []byte {
	var b bytes.Buffer
	b.WriteString("# Written by crev from the files in rules/. Change those, then run\n# `crev rule check --write`.\nversion: 1\nrules:")
	if len(p.rules) == 0 {
		b.WriteString(" []\n")
		return b.Bytes()
	}
	b.WriteString("\n")
	for _, r := range p.rules {
		fmt.Fprintf(&b, "  - {id: %s, kind: %s, scope: %s", r.ID, r.Kind, quote(r.reach()))
		if r.Status != Active {
			fmt.Fprintf(&b, ", status: %s", r.Status)
		}
		fmt.Fprintf(&b, ", says: %s}\n", quote(r.Says))
	}
	return b.Bytes()
}

// quote returns a text in the double quotes that JSON and YAML read alike.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("rule: quote a text: " + err.Error()) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// reach is the scope in one line, with what narrows it.
func (r Rule) reach() string {
	s := r.Scope.String()
	if len(r.FileTypes) > 0 {
		s += " ." + strings.Join(r.FileTypes, " .")
	}
	if r.ForAuthor != "" {
		s += " by " + r.ForAuthor
	}
	return s
}

// Line returns the rule as one line of a prompt: id, kind, where, category and
// sentence.
func (r Rule) Line() string {
	what := string(r.Kind)
	if r.Category != "" {
		what += " " + r.Category
	}
	return fmt.Sprintf("%s [%s] %s: %s", r.ID, what, r.reach(), r.Says)
}

// Record returns the full record for a prompt: what was decided and why, with
// the code of both sides. It names no person and no link.
func (r Rule) Record() string {
	var b strings.Builder
	b.WriteString(r.Line() + "\n")
	for _, part := range []struct{ name, text string }{
		{"when", r.Condition}, {"except", r.Exclusion}, {"severity", string(r.Severity)}, {"why", r.Why},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", part.name, part.text)
		}
	}
	for _, code := range []struct{ name, text string }{
		{"breaks the rule", r.Breaks}, {"follows the rule", r.Follows},
	} {
		if code.text == "" {
			continue
		}
		b.WriteString(code.name + ":\n")
		for line := range strings.Lines(code.text) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	for _, c := range r.Cites {
		fmt.Fprintf(&b, "see %s:%d\n", c.Path, c.Line)
	}
	return b.String()
}

// Query says for which request an index is made.
type Query struct {
	// Paths are the files that the request is about.
	Paths []string
	// Author is the login of the pull request's author, "" when unknown.
	Author string
	// Budget is the most tokens that the index may take, by model.Estimate;
	// 0 is no bound.
	Budget int
}

// Index is what one request is shown of the rules.
type Index struct {
	// Rules are shown, by id: the order never depends on the request, so that
	// an endpoint can cache the prompt.
	Rules []Rule
	// Left are the rules for which the budget had no room, by id. None of
	// them applies to a path of the query unless those alone exceed it.
	Left []Rule
	// Applicable lists the ids of the shown rules whose scope holds a path of
	// the query.
	Applicable []string
}

// NewIndex makes the index of some rules: all of them while they fit, and else
// first those whose scope holds a path of the query. Scope is matched here, in
// code; nothing is looked up by its words. Rules about another author's pull
// requests are not part of it.
func NewIndex(rules []Rule, q Query) Index {
	rules = slices.SortedFunc(slices.Values(rules), byID)
	rules = slices.DeleteFunc(rules, func(r Rule) bool { return !r.Concerns(q.Author) })
	applies := make(map[string]bool, len(rules))
	for _, r := range rules {
		applies[r.ID] = slices.ContainsFunc(q.Paths, func(p string) bool { return r.Applies(p, q.Author) })
	}
	shown := map[string]bool{}
	used := 0
	for _, first := range []bool{true, false} {
		for _, r := range rules {
			cost := model.Estimate(r.Line() + "\n")
			if applies[r.ID] == first && (q.Budget <= 0 || used+cost <= q.Budget) {
				shown[r.ID], used = true, used+cost
			}
		}
	}
	var ix Index
	for _, r := range rules {
		switch {
		case !shown[r.ID]:
			ix.Left = append(ix.Left, r)
			continue
		case applies[r.ID]:
			ix.Applicable = append(ix.Applicable, r.ID)
		}
		ix.Rules = append(ix.Rules, r)
	}
	return ix
}

// String returns the index for a prompt, one line a rule, "" when there is
// none. It is text that people wrote: it belongs into a fence.
func (ix Index) String() string {
	var b strings.Builder
	for _, r := range ix.Rules {
		b.WriteString(r.Line() + "\n")
	}
	return b.String()
}

// Find returns a rule of the index, so that a model can name shown rules only.
func (ix Index) Find(id string) (Rule, bool) {
	for _, r := range ix.Rules {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}
