// Package rule holds what a team decided about its reviews: short plain
// sentences with a scope, one file each under .crev/rules, specified in
// docs/memory.md. It reads and writes them, says where they apply, renders the
// index that a review reads, keeps the pool within its bounds, and distils new
// ones from signals.
//
// A rule can hide a comment or ask for one. It never closes a defect, and
// MayHide, which no field of a rule can change, keeps it from hiding anything
// about security, crashes, lost data or secrets.
//
// The package is pure: files come as fs.FS and the time as a parameter.
package rule

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/glob"
)

// Kind says what a rule asks of a review.
type Kind string

// The kinds.
const (
	// Silence keeps a comment from being posted.
	Silence Kind = "silence"
	// Always asks for a comment wherever the rule is broken.
	Always Kind = "always"
	// Context is something to know; it neither hides nor asks.
	Context Kind = "context"
)

// Status is the one word a record keeps about where the rule stands. It joins
// two axes, see Confirmed and Activity.
type Status string

// The statuses.
const (
	// Pending rules have no effect until a person confirms them.
	Pending Status = "pending"
	// Active rules are in view of every review.
	Active Status = "active"
	// Dormant rules are kept out of view because the pool is full; teaching
	// one again wakes it.
	Dormant Status = "dormant"
	// Disabled rules were taken back by a person.
	Disabled Status = "disabled"
	// Superseded rules were replaced by a better one or by a validator.
	Superseded Status = "superseded"
	// Expired rules were distilled and not taught again before their day.
	Expired Status = "expired"
)

// Source says where a rule comes from.
type Source string

// The sources. Bug and Distilled ones are derived: nobody stated them.
const (
	Reply     Source = "reply"
	Distilled Source = "distilled"
	Manual    Source = "manual"
	Bug       Source = "bug"
)

// Derived reports whether nobody stated the rule: such a rule is pending until
// a person confirms it, and expires.
func (s Source) Derived() bool { return s == Distilled || s == Bug }

// Rule is the full record of one decision.
type Rule struct {
	// Version is the format, 0 for the current one.
	Version int `yaml:"version,omitempty" json:"version,omitempty"`
	// ID is a slug and the name of the file.
	ID   string `yaml:"id" json:"id"`
	Kind Kind   `yaml:"kind" json:"kind"`
	// Says is the rule in one plain sentence of at most MaxSays characters.
	Says string `yaml:"says" json:"says"`
	// Scope lists globs, as glob.Match takes them. Parse never leaves it
	// empty: the whole repository is "**".
	Scope Scope `yaml:"scope" json:"scope"`
	// ForAuthor is a login: the rule is about that person's pull requests
	// only, and its reach is smaller (see MayHide).
	ForAuthor string `yaml:"for_author,omitempty" json:"for_author,omitempty"`
	// FileTypes are name endings without a dot, "go"; none means all.
	FileTypes []string `yaml:"file_types,omitempty" json:"file_types,omitempty"`
	// Category is the kind of finding it is about, as reviewers label them.
	Category string `yaml:"category,omitempty" json:"category,omitempty"`
	// Condition says when it holds within its scope, Exclusion when not.
	Condition string `yaml:"condition,omitempty" json:"condition,omitempty"`
	Exclusion string `yaml:"exclusion,omitempty" json:"exclusion,omitempty"`
	// Severity is, for Silence, the worst finding it may hide, and else how
	// bad it is to break the rule. "" leaves it open.
	Severity finding.Severity `yaml:"severity,omitempty" json:"severity,omitempty"`
	Status   Status           `yaml:"status" json:"status"`
	Why      string           `yaml:"why,omitempty" json:"why,omitempty"`
	// Breaks and Follows are code that breaks the rule and code that obeys.
	Breaks  string `yaml:"breaks,omitempty" json:"breaks,omitempty"`
	Follows string `yaml:"follows,omitempty" json:"follows,omitempty"`
	// Cites are the places in the code that the rule rests on.
	Cites []Citation `yaml:"cites,omitempty" json:"cites,omitempty"`
	// Learned lists who taught it, the first one first.
	Learned []Learned `yaml:"learned,omitempty" json:"learned,omitempty"`
	Source  Source    `yaml:"source,omitempty" json:"source,omitempty"`
	// Confidence is a model's, between 0 and 1, of a derived rule; 0 for a
	// stated one.
	Confidence float64 `yaml:"confidence,omitempty" json:"confidence,omitempty"`
	// Expires is the last day of a derived rule.
	Expires Date `yaml:"expires,omitempty" json:"expires,omitempty"`
	// Supersedes lists the rules that this one replaced, SupersededBy names
	// the rule that replaced it, or "validator:NAME".
	Supersedes   []string `yaml:"supersedes,omitempty" json:"supersedes,omitempty"`
	SupersededBy string   `yaml:"superseded_by,omitempty" json:"superseded_by,omitempty"`
	// Revisions is the history, oldest first: what each change replaced.
	Revisions []Revision `yaml:"revisions,omitempty" json:"revisions,omitempty"`
}

// Learned is one occasion on which a person taught the rule.
type Learned struct {
	// From is the link of the comment, or "manual".
	From string `yaml:"from" json:"from"`
	// By is a login.
	By string `yaml:"by" json:"by"`
	At Date   `yaml:"at" json:"at"`
	// CheckedAgainst is the commit whose code was held against the claim, ""
	// when nothing was checked.
	CheckedAgainst string `yaml:"checked_against,omitempty" json:"checked_against,omitempty"`
}

// Revision is one change of a rule.
type Revision struct {
	At Date   `yaml:"at" json:"at"`
	By string `yaml:"by" json:"by"`
	// Why is the reason given, in one line.
	Why string `yaml:"why" json:"why"`
	// Was holds what was replaced, and nothing of what stayed.
	Was Was `yaml:"was" json:"was"`
}

// Was is the part of a rule that a revision replaced. Empty fields stayed as
// they were, or were empty.
type Was struct {
	Kind      Kind             `yaml:"kind,omitempty" json:"kind,omitempty"`
	Says      string           `yaml:"says,omitempty" json:"says,omitempty"`
	Scope     Scope            `yaml:"scope,omitempty" json:"scope,omitempty"`
	ForAuthor string           `yaml:"for_author,omitempty" json:"for_author,omitempty"`
	FileTypes []string         `yaml:"file_types,omitempty" json:"file_types,omitempty"`
	Category  string           `yaml:"category,omitempty" json:"category,omitempty"`
	Condition string           `yaml:"condition,omitempty" json:"condition,omitempty"`
	Exclusion string           `yaml:"exclusion,omitempty" json:"exclusion,omitempty"`
	Severity  finding.Severity `yaml:"severity,omitempty" json:"severity,omitempty"`
	Status    Status           `yaml:"status,omitempty" json:"status,omitempty"`
}

// Applies reports whether a file of a pull request by author is in the rule's
// scope. A rule never applies outside of it, whatever a model says.
func (r Rule) Applies(file, author string) bool {
	return r.Concerns(author) && glob.Match(r.Scope, file) && r.hasType(file)
}

// Concerns reports whether the rule is about pull requests of author at all.
// GitHub takes upper and lower case of a login for the same.
func (r Rule) Concerns(author string) bool {
	return r.ForAuthor == "" || strings.EqualFold(r.ForAuthor, author)
}

func (r Rule) hasType(file string) bool {
	if len(r.FileTypes) == 0 {
		return true
	}
	name := strings.ToLower(path.Base(file))
	return slices.ContainsFunc(r.FileTypes, func(t string) bool { return strings.HasSuffix(name, "."+strings.ToLower(t)) })
}

// Active reports whether the rule has an effect at a time.
func (r Rule) Active(now time.Time) bool { return r.Status == Active && !r.expired(now) }

func (r Rule) expired(now time.Time) bool { return r.Expires != "" && DateOf(now) > r.Expires }

// Confirmation is the first axis of a status: what people decided about the
// rule.
type Confirmation string

// The confirmations.
const (
	Unconfirmed Confirmation = "pending"
	Confirmed   Confirmation = "confirmed"
	Replaced    Confirmation = "superseded"
	TakenBack   Confirmation = "disabled"
)

// Confirmation returns what people decided about the rule.
func (r Rule) Confirmation() Confirmation {
	switch r.Status {
	case Active, Dormant, Expired:
		return Confirmed
	case Superseded:
		return Replaced
	case Disabled:
		return TakenBack
	}
	return Unconfirmed
}

// Activity returns the second axis of a status: whether the rule would be in
// view if it is confirmed. It is Active, Dormant or Expired.
func (r Rule) Activity(now time.Time) Status {
	switch {
	case r.Status == Expired || r.expired(now):
		return Expired
	case r.Status == Dormant:
		return Dormant
	}
	return Active
}

// Taught returns the day on which the rule was taught last, "" when nobody did.
func (r Rule) Taught() Date {
	last := Date("")
	for _, l := range r.Learned {
		last = max(last, l.At)
	}
	return last
}

// Teachers returns the logins of those who taught the rule, sorted, each once.
func (r Rule) Teachers() []string {
	var who []string
	for _, l := range r.Learned {
		who = append(who, l.By)
	}
	slices.Sort(who)
	return slices.Compact(who)
}

// Clone returns a copy that shares nothing with r.
func (r Rule) Clone() Rule {
	r.Scope, r.FileTypes, r.Cites = slices.Clone(r.Scope), slices.Clone(r.FileTypes), slices.Clone(r.Cites)
	r.Learned, r.Supersedes, r.Revisions = slices.Clone(r.Learned), slices.Clone(r.Supersedes), slices.Clone(r.Revisions)
	for i := range r.Revisions {
		w := &r.Revisions[i].Was
		w.Scope, w.FileTypes = slices.Clone(w.Scope), slices.Clone(w.FileTypes)
	}
	return r
}

// byID orders rules for files and prompts.
func byID(a, b Rule) int { return cmp.Compare(a.ID, b.ID) }
