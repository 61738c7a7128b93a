package rule

import (
	"slices"
	"strings"
)

// maxRevisions is how many revisions a record keeps; git has the older ones.
const maxRevisions = 50

// Change is who changes a rule, when and why.
type Change struct {
	By  string
	At  Date
	Why string
	// From is the link of the comment that taught it, "manual" for a change
	// by hand, "" when the change teaches nothing (a disabling).
	From string
	// CheckedAgainst is the commit that a claim was checked against.
	CheckedAgainst string
}

// Revise returns r with what next says differently: one rule, one id, one more
// revision. Identity, origin and history stay r's; what next leaves empty among
// why, examples and citations stays as well, everything else is next's. When
// nothing differs, r is only taught again.
func (r Rule) Revise(next Rule, c Change) Rule {
	old := r.Clone()
	next = next.Clone()
	next.normalize()
	new := old.Clone()
	new.Kind, new.Says, new.Scope, new.ForAuthor, new.FileTypes = next.Kind, next.Says, next.Scope, next.ForAuthor, next.FileTypes
	new.Category, new.Condition, new.Exclusion, new.Severity = next.Category, next.Condition, next.Exclusion, next.Severity
	if next.Status != "" {
		new.Status = next.Status
	}
	for _, t := range []struct {
		to   *string
		from string
	}{{&new.Why, next.Why}, {&new.Breaks, next.Breaks}, {&new.Follows, next.Follows}} {
		if t.from != "" {
			*t.to = t.from
		}
	}
	if len(next.Cites) > 0 {
		new.Cites = next.Cites
	}
	if new.Status != Superseded {
		new.SupersededBy = ""
	}
	new.taught(c)
	return new.revised(old, c)
}

// WithStatus returns r with another status and a revision that says so. Waking
// a rule gives a derived one a new last day only through Teach.
func (r Rule) WithStatus(s Status, c Change) Rule {
	new := r.Clone()
	new.Status = s
	if s != Superseded {
		new.SupersededBy = ""
	}
	new.taught(c)
	return new.revised(r, c)
}

// Teach returns r taught once more: the teacher is added, a dormant or expired
// rule is active again, and a derived one, now that a person stands for it, no
// longer expires. Pending, disabled and superseded rules stay what they are:
// those are decisions, and Revise or WithStatus takes them back.
func (r Rule) Teach(c Change) Rule {
	new := r.Clone()
	if r.Status == Dormant || r.Status == Expired || r.Status == Active {
		new.Status, new.Expires = Active, ""
	}
	new.taught(c)
	return new.revised(r, c)
}

// SupersedeBy returns r replaced by another rule, or by "validator:NAME".
func (r Rule) SupersedeBy(by string, c Change) Rule {
	new := r.Clone()
	new.Status, new.SupersededBy = Superseded, by
	return new.revised(r, c)
}

// taught adds the teacher. The first lesson stays for ever; of a person's later
// ones the last.
func (r *Rule) taught(c Change) {
	if c.From == "" {
		return
	}
	lesson := Learned{From: c.From, By: c.By, At: c.At, CheckedAgainst: c.CheckedAgainst}
	for i := 1; i < len(r.Learned); i++ {
		if strings.EqualFold(r.Learned[i].By, c.By) {
			r.Learned = slices.Delete(r.Learned, i, i+1)
			break
		}
	}
	if !slices.Contains(r.Learned, lesson) {
		r.Learned = append(r.Learned, lesson)
	}
}

// revised adds a revision that says what r replaced, unless that is nothing.
func (r Rule) revised(old Rule, c Change) Rule {
	was := Was{}
	differs := false
	note := func(changed bool, set func()) {
		if changed {
			differs = true
			set()
		}
	}
	note(r.Kind != old.Kind, func() { was.Kind = old.Kind })
	note(r.Says != old.Says, func() { was.Says = old.Says })
	note(!slices.Equal(r.Scope, old.Scope), func() { was.Scope = old.Scope })
	note(r.ForAuthor != old.ForAuthor, func() { was.ForAuthor = old.ForAuthor })
	note(!slices.Equal(r.FileTypes, old.FileTypes), func() { was.FileTypes = old.FileTypes })
	note(r.Category != old.Category, func() { was.Category = old.Category })
	note(r.Condition != old.Condition, func() { was.Condition = old.Condition })
	note(r.Exclusion != old.Exclusion, func() { was.Exclusion = old.Exclusion })
	note(r.Severity != old.Severity, func() { was.Severity = old.Severity })
	note(r.Status != old.Status, func() { was.Status = old.Status })
	if !differs {
		return r
	}
	r.Revisions = append(r.Revisions, Revision{At: c.At, By: c.By, Why: oneLine(c.Why), Was: was})
	if extra := len(r.Revisions) - maxRevisions; extra > 0 {
		r.Revisions = slices.Delete(r.Revisions, 0, extra)
	}
	return r
}

// oneLine returns a reason as a record keeps it.
func oneLine(s string) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	return string(runes[:min(len(runes), maxLine)])
}

// Confirm returns what changes when a person confirms a pending rule: the rule,
// active, and the derived rules that it was proposed to replace. What was taught
// is never replaced by what was derived; a person disables it.
func (p *Pool) Confirm(r Rule, c Change) []Rule {
	changed := []Rule{r.WithStatus(Active, c)}
	for _, id := range r.Supersedes {
		old, ok := p.Find(id)
		if ok && old.Source.Derived() && old.Status != Disabled && old.Status != Superseded {
			replaced := c
			replaced.Why = "replaced by " + r.ID
			changed = append(changed, old.SupersedeBy(r.ID, replaced))
		}
	}
	return changed
}

// Slug returns an id made of the first words of a sentence, "" when it has no
// letter or digit of ASCII.
func Slug(says string) string {
	words := strings.FieldsFunc(strings.ToLower(says), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	s := ""
	for _, w := range words {
		if longer := strings.TrimPrefix(s+"-"+w, "-"); len(longer) <= 40 {
			s = longer
			continue
		}
		break
	}
	return s
}
