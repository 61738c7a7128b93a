package rule

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Judged is what the review of a finding adds to it: the labels of the judge
// and of every other step that looked at it, and the tier that the runtime gave.
type Judged struct {
	// Categories and Severities are what others than the finder called it.
	Categories []string
	Severities []finding.Severity
	// Texts are what others wrote about it: the judge's reason, the detail.
	Texts []string
}

// MayHide reports whether the rule may keep a finding of a pull request by
// author from being posted, and why not. It is the one place that decides it.
//
// No rule, whatever its fields, hides a finding that concerns security, a crash,
// lost data or a secret, by any label or by its words (finding.Shielded), or one
// that anybody rated high or critical, or a validator's failure. Apart from that
// a rule hides only in its scope, only its own category, and nothing worse than
// its severity; and a rule for one author only what is of tier 2 and mild.
func (r Rule) MayHide(f finding.Finding, j Judged, author string) (ok bool, why string) {
	if Shielded(f, j) {
		return false, "it concerns security, a crash, lost data or a secret, or is rated high: no rule hides that"
	}
	worst := worst(f, j)
	switch {
	case f.Tier == finding.Validator:
		return false, "a validator failed: no rule hides that"
	case r.Kind != Silence:
		return false, fmt.Sprintf("rule %s is of kind %s and hides nothing", r.ID, r.Kind)
	case r.Status != Active:
		return false, fmt.Sprintf("rule %s is %s", r.ID, r.Status)
	case !r.Applies(f.Path, author):
		return false, fmt.Sprintf("%s is not in the scope of rule %s", f.Path, r.ID)
	case !r.isAbout(f, j):
		return false, fmt.Sprintf("rule %s is about %s", r.ID, r.Category)
	case r.Severity != "" && worst.Rank() > r.Severity.Rank():
		return false, fmt.Sprintf("rule %s hides what is %s at most, and this is %s", r.ID, r.Severity, worst)
	case r.ForAuthor != "" && (f.Tier != finding.Advisory || worst.Rank() > finding.Low.Rank()):
		return false, fmt.Sprintf("rule %s is one person's, and such a rule hides only tier 2 of low severity", r.ID)
	}
	return true, ""
}

// Shielded reports whether a finding is one that no rule, no reply and no drop
// by rule may hide, by the union of all labels and words.
func Shielded(f finding.Finding, j Judged) bool {
	texts := append([]string{f.Claim, f.Detail, f.Subject, f.Predicate}, f.Evidence...)
	texts = append(texts, f.Criteria...)
	texts = append(texts, j.Texts...)
	texts = append(texts, j.Categories...)
	return finding.Shielded(f.Category, worst(f, j), texts...)
}

// worst is the worst severity that anybody gave.
func worst(f finding.Finding, j Judged) finding.Severity {
	s := f.Severity
	for _, other := range j.Severities {
		s = finding.Max(s, other)
	}
	return s
}

// isAbout reports whether somebody gave the finding the rule's category. A rule
// without one, which no lint lets through, is about nothing.
func (r Rule) isAbout(f finding.Finding, j Judged) bool {
	want := finding.Label(r.Category)
	if want == "" {
		return false
	}
	for _, c := range append([]string{f.Category}, j.Categories...) {
		if finding.Label(c) == want {
			return true
		}
	}
	return false
}
