package learn

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/rule"
)

// Lesson is the occasion on which something was taught.
type Lesson struct {
	// By is the teacher's login, From the link of the comment.
	By, From string
	At       rule.Date
	// CheckedAgainst is the commit whose code was held against the reply, ""
	// when nothing was checked.
	CheckedAgainst string
}

func (l Lesson) change(why string) rule.Change {
	return rule.Change{By: l.By, At: l.At, Why: why, From: l.From, CheckedAgainst: l.CheckedAgainst}
}

// Context is what a draft takes from the place of the conversation, beside the
// model's slots.
type Context struct {
	// Category is the one of the comment that is answered: a reply silences
	// that kind of comment and no other. "" for none.
	Category string
	// Code is the commented code, "" for none.
	Code string
	// Claims are those of the reply, with their verdicts.
	Claims []Checked
}

// Bounds of what a draft takes from slots.
const (
	maxWhy     = 280
	maxExample = 600
	maxCites   = 5
)

// Draft returns the record that a proposal would become, active. The words are
// the model's, the examples and citations are code that exists.
func (p Proposal) Draft(l Lesson, c Context) rule.Rule {
	why, _ := clip(p.Reason, maxWhy)
	r := rule.Rule{
		Kind: rule.Kind(p.Kind), Says: p.Says, Scope: rule.Scope{p.Scope}, Category: finding.Label(p.Category),
		Condition: p.Condition, Status: rule.Active, Why: why, Source: rule.Reply,
		Learned: []rule.Learned{{From: l.From, By: l.By, At: l.At, CheckedAgainst: l.CheckedAgainst}},
	}
	if r.Kind == rule.Silence && c.Category != "" {
		r.Category = finding.Label(c.Category)
	}
	if r.Condition == "" && slices.ContainsFunc(c.Claims, func(k Checked) bool { return k.Generated && k.Verdict == Supported }) {
		r.Condition = "the file carries the header of generated code"
	}
	shown := ""
	for _, k := range c.Claims {
		if k.Verdict != Supported {
			continue
		}
		for _, at := range k.Places {
			if at.Base && len(r.Cites) < maxCites {
				r.Cites = append(r.Cites, rule.Citation{Path: at.Path, Line: at.Line, Commit: at.Commit, Hash: finding.LineV1(at.Text)})
				shown += at.Text + "\n"
			}
		}
	}
	code, _ := clip(c.Code, maxExample)
	shown, _ = clip(shown, maxExample)
	if r.Kind == rule.Always {
		r.Breaks, r.Follows = code, shown
	} else {
		r.Follows = code
	}
	r.ID = p.id()
	return r
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// id is the slug of a new rule: its category, or subject, and the folder that
// its scope names.
func (p Proposal) id() string {
	words := p.Category
	if words == "" {
		words = p.Subject
	}
	folder, _, _ := strings.Cut(p.Scope, "*")
	parts := append([]string{words}, strings.Split(strings.Trim(folder, "/"), "/")...)
	last := parts[len(parts)-1]
	s := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(words+" "+last), "-"), "-")
	if len(parts) == 1 || last == words {
		s = strings.Trim(notSlug.ReplaceAllString(strings.ToLower(words), "-"), "-")
	}
	s = strings.Trim(s[:min(len(s), 48)], "-")
	if s == "" {
		return "rule-" + p.hash()
	}
	return s
}

// hash tells proposals apart that would have one slug: ids come from content
// and are never counted, since two branches cannot agree on the next number.
func (p Proposal) hash() string {
	sum := sha256.Sum256([]byte(p.Kind + "\x00" + finding.Normalize(p.Says) + "\x00" + p.Scope))
	return hex.EncodeToString(sum[:3])
}

// Apply carries out a decision on the newest rules, which may hold more than
// those it was made on: what somebody else saved in the meantime is reinforced
// and not saved twice. It returns the changed rule, false when nothing changes.
func (d RuleDecision) Apply(rs Rules, pool *rule.Pool, l Lesson) (rule.Rule, bool) {
	rs.All = pool.Rules()
	target, known := pool.Find(d.Target.ID)
	switch d.Outcome {
	case Save, Pending:
		return d.fresh(rs, pool, l), true
	case Reinforce, Revive:
		if !known {
			return rule.Rule{}, false
		}
		if target.Status == rule.Pending || target.Status == rule.Disabled {
			return target.WithStatus(rule.Active, l.change("taught again")), true
		}
		return target.Teach(l.change("taught again")), true
	case Update:
		if !known {
			return rule.Rule{}, false
		}
		if d.Status == rule.Disabled {
			return target.WithStatus(rule.Disabled, l.change("taken back")), true
		}
		next := d.Draft
		next.Status = d.Status
		return target.Revise(next, l.change(cmp.Or(next.Why, "corrected in a reply"))), true
	}
	return rule.Rule{}, false
}

// fresh is a new rule, or the one that says the same already.
func (d RuleDecision) fresh(rs Rules, pool *rule.Pool, l Lesson) rule.Rule {
	if r, rel := rs.Compare(d.Proposal); rel == Same {
		if r.Status == rule.Pending && d.Outcome == Save {
			return r.WithStatus(rule.Active, l.change("taught again"))
		}
		return r.Teach(l.change("taught again"))
	}
	r := d.Draft
	r.Status = d.Status
	if _, taken := pool.Find(r.ID); taken {
		r.ID = strings.Trim(r.ID[:min(len(r.ID), 57)], "-") + "-" + d.hash()
	}
	return r
}
