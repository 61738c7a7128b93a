package rule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Wording is how a pattern is put into words: by a model (see WordingRequest),
// or by PlainWording.
type Wording struct {
	Says, Condition, Exclusion, Why string
	// Confidence is how sure it is that this is what people mean, 0 to 1.
	Confidence float64
}

// PlainWording puts a pattern into words without a model. Its confidence grows
// with the occasions and stays below one; it is 0 where a subject would have to
// be made up.
func PlainWording(p Pattern) Wording {
	where := "in this repository"
	if p.Folder != "" {
		where = "below " + p.Folder
	}
	about := p.Category
	if p.Subject != "" {
		about += " of " + p.Subject
	}
	w := Wording{
		Says:       fmt.Sprintf("Comments about %s are not wanted %s.", about, where),
		Why:        fmt.Sprintf("They were turned down in %d pull requests.", p.Occasions),
		Confidence: 1 - 1/float64(p.Occasions+1),
	}
	if p.Kind == Always {
		w.Says = fmt.Sprintf("Look for %s %s.", about, where)
		w.Why = fmt.Sprintf("It was missed or taken up in %d pull requests.", p.Occasions)
		if p.Subject == "" {
			w.Confidence = 0 // "look for correctness" helps nobody
		}
	}
	return w
}

// Refusal says why a pattern became no rule.
type Refusal struct {
	Pattern Pattern
	Reason  string
}

// Distil makes rules of patterns in their wordings, which are in the same order.
// What is returned has to be written: new rules, rules proposed again, and the
// derived rules that a new one replaces at once. The pool is not changed.
//
// A rule is pending until a person confirms it, unless every signal behind it is
// a stated reason of somebody with write permission that was held against the
// code: then those people taught it.
func (d Distiller) Distil(patterns []Pattern, wordings []Wording, pool *Pool, files []string, now time.Time) (made []Rule, refused []Refusal) {
	for i, p := range patterns {
		if i >= len(wordings) {
			refused = append(refused, Refusal{p, "it was not put into words"})
			continue
		}
		changed, reason := d.distil(p, wordings[i], pool, files, now)
		if reason != "" {
			refused = append(refused, Refusal{p, reason})
			continue
		}
		for _, r := range changed {
			pool = pool.With(r)
		}
		made = append(made, changed...)
	}
	return made, refused
}

func (d Distiller) distil(p Pattern, w Wording, pool *Pool, files []string, now time.Time) (changed []Rule, reason string) {
	if p.shielded() {
		return nil, "no rule hides findings about security, crashes, lost data or secrets, or of high severity"
	}
	if !(w.Confidence >= d.MinConfidence) || w.Confidence > 1 {
		return nil, fmt.Sprintf("its confidence is %.2f, and %.2f is the least", w.Confidence, d.MinConfidence)
	}
	r := p.rule(w)
	r.Expires = DateOf(now).Plus(d.ExpireDays)
	if err := r.Check(); err != nil {
		return nil, err.Error()
	}
	if cs := r.Lint(files); len(cs) > 0 {
		return nil, cs[0].String()
	}
	reason, replaces, again := pool.compare(r, p)
	if reason != "" {
		return nil, reason
	}
	r.Supersedes = replaces
	if n := pool.standing(r.Kind, append(slices.Clone(replaces), r.ID)); n >= d.MaxPerKind {
		return nil, fmt.Sprintf("there are %d rules of kind %s, which is the most", n, r.Kind)
	}
	by := Change{By: "crev", At: DateOf(now), Why: fmt.Sprintf("seen in %d pull requests again", p.Occasions)}
	if again {
		old, _ := pool.Find(r.ID)
		expires, confidence := r.Expires, r.Confidence
		r = old.Revise(r, by)
		r.Expires, r.Confidence = expires, confidence
	}
	changed = []Rule{r}
	if r.Status == Active {
		for _, id := range replaces {
			old, _ := pool.Find(id)
			by.Why = "replaced by " + r.ID
			changed = append(changed, old.SupersedeBy(r.ID, by))
		}
	}
	return changed, ""
}

// shielded reports whether a silence would be about what no rule may hide.
func (p Pattern) shielded() bool {
	return p.Kind == Silence && slices.ContainsFunc(p.Signals, func(s Signal) bool {
		return finding.Shielded(s.Category, s.Severity, s.Claim, s.Subject)
	})
}

// rule makes the record. The model has a say in the words alone.
func (p Pattern) rule(w Wording) Rule {
	r := Rule{
		ID: p.ID(), Kind: p.Kind, Category: p.Category, Scope: p.scope(), Status: Pending, Source: Distilled,
		Says: w.Says, Condition: w.Condition, Exclusion: w.Exclusion, Why: w.Why, Confidence: w.Confidence,
	}
	if !slices.ContainsFunc(p.Signals, func(s Signal) bool { return s.Source != BugMissed }) {
		r.Source = Bug
	}
	if !slices.ContainsFunc(p.Signals, func(s Signal) bool { return !s.stated() }) {
		r.Status = Active
		for _, s := range p.Signals {
			r.taught(Change{By: s.By, At: DateOf(s.At), From: s.From})
		}
	}
	r.normalize()
	return r
}

// compare says what the pool's rules mean for a new one: a reason against it, the
// derived rules that it would replace, or that it was there before and has run
// out.
func (p *Pool) compare(r Rule, from Pattern) (reason string, replaces []string, again bool) {
	for _, old := range p.rules {
		if old.Kind != r.Kind || finding.Label(old.Category) != r.Category {
			continue
		}
		covers := !slices.ContainsFunc(from.Signals, func(s Signal) bool { return !old.Applies(s.Path, "") })
		switch {
		case old.ID == r.ID && old.Status == Expired:
			again = true
		case old.Status == Disabled && covers:
			return fmt.Sprintf("rule %s said so, and a person disabled it", old.ID), nil, false
		case old.Status == Superseded || old.Status == Disabled || old.Status == Expired:
		case old.ID == r.ID, covers && (!old.Source.Derived() || old.precision() >= r.precision()):
			return fmt.Sprintf("rule %s says so already (%s)", old.ID, old.Status), nil, false
		case covers:
			replaces = append(replaces, old.ID)
		}
	}
	return "", replaces, again
}

// precision orders rules about one thing: a deeper folder, a condition, a
// narrower set of files each make a rule more precise.
func (r Rule) precision() int {
	depth := -1
	for _, g := range r.Scope {
		literal, _, _ := strings.Cut(g, "*")
		n := strings.Count(literal, "/")
		if depth < 0 || n < depth {
			depth = n
		}
	}
	for _, narrows := range []bool{r.Condition != "", r.Exclusion != "", len(r.FileTypes) > 0, r.ForAuthor != ""} {
		if narrows {
			depth++
		}
	}
	return depth
}

// standing counts the rules of a kind that have an effect or wait for one,
// without some.
func (p *Pool) standing(k Kind, without []string) int {
	n := 0
	for _, r := range p.rules {
		if r.Kind == k && (r.Status == Active || r.Status == Pending) && !slices.Contains(without, r.ID) {
			n++
		}
	}
	return n
}

// Expire returns the active and pending rules that ran out, as they have to be
// written: kept, and out of view.
func (p *Pool) Expire(now time.Time) []Rule {
	var out []Rule
	for _, r := range p.rules {
		if r.expired(now) && (r.Status == Active || r.Status == Pending) {
			out = append(out, r.WithStatus(Expired, Change{By: "crev", At: DateOf(now), Why: "nobody taught it until " + string(r.Expires)}))
		}
	}
	return out
}
