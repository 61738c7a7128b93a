package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// oneOf refuses a word that is not in the list.
func oneOf(field, got string, want ...string) error {
	if slices.Contains(want, got) {
		return nil
	}
	return fmt.Errorf("%s %q: want %s", field, got, strings.Join(want, ", "))
}

// required refuses a blank text. It takes pairs of a field's name and value.
func required(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if strings.TrimSpace(pairs[i+1]) == "" {
			return fmt.Errorf("%s is empty", pairs[i])
		}
	}
	return nil
}

func severity(s finding.Severity) error {
	_, err := finding.ParseSeverity(string(s))
	return err
}

// place refuses a location that cannot be in a repository.
func place(l finding.Location) error {
	switch {
	case l.Path == "":
		return errors.New("a location has no path")
	case strings.HasPrefix(l.Path, "/"), slices.Contains(strings.Split(l.Path, "/"), ".."):
		return fmt.Errorf("path %q: want a path from the repository root", l.Path)
	case strings.ContainsRune(l.Path, 0):
		return fmt.Errorf("path %q holds a zero byte", l.Path)
	case l.Start < 0 || l.End < 0 || l.End != 0 && l.End < l.Start:
		return fmt.Errorf("lines %d to %d of %s: want 1-based lines in order", l.Start, l.End, l.Path)
	}
	return errors.Join(
		oneOf("role", l.Role, "", "primary", "source", "sink", "evidence"),
		oneOf("side", string(l.Side), "", string(finding.Right), string(finding.Left)),
	)
}

func places(ls []finding.Location) error {
	for _, l := range ls {
		if err := place(l); err != nil {
			return err
		}
	}
	return nil
}

func (o *Opened) check() error {
	switch {
	case !isHex(o.FP0, 16):
		return fmt.Errorf("fp0 %q: want 16 hex digits", o.FP0)
	case len(o.Locations) == 0:
		return errors.New("it has no location")
	case o.Tier.IsZero():
		return errors.New("its tier is not set")
	}
	return first(required("claim", o.Claim, "source", o.Source), severity(o.Severity), places(o.Locations))
}

func (o *Observed) check() error {
	if o.FP0 != "" && !isHex(o.FP0, 16) {
		return fmt.Errorf("fp0 %q: want 16 hex digits", o.FP0)
	}
	return first(required("claim", o.Claim, "source", o.Source), severity(o.Severity), place(o.Location), places(o.Also))
}

func (r *Rated) check() error {
	return first(required("severity", string(r.Severity), "reason", r.Reason), severity(r.Severity))
}

func (r *Relocated) check() error {
	if r.Confidence < 0 || r.Confidence > 1 {
		return fmt.Errorf("confidence %v: want 0 to 1", r.Confidence)
	}
	return first(place(r.From), place(r.To), required("to.commit", r.To.Commit),
		oneOf("how", r.How, "same", "shifted", "rewritten", "moved", "candidate", "suspect"))
}

func (l *LocationUnknown) check() error {
	return required("commit", l.Commit, "reason", l.Reason)
}

func (p *PossiblyFixed) check() error {
	return required("commit", p.Commit, "reason", p.Reason)
}

func (v *Verification) check() error {
	if v.Criterion < -1 {
		return fmt.Errorf("criterion %d: want an index, or -1 for all", v.Criterion)
	}
	return first(required("commit", v.Commit),
		oneOf("method", v.Method, methodTest, methodStatic, methodInspection, methodHuman),
		oneOf("outcome", v.Outcome, outcomePassed, outcomeFailed, outcomeInconclusive), places(v.Locations))
}

func (v *Verified) check() error {
	return required("commit", v.Commit, "reason", v.Reason)
}

func (d *Dismissed) check() error {
	return first(required("reason", d.Reason),
		oneOf("kind", d.Kind, "accepted_risk", "false_positive", "wont_fix", "duplicate"),
		oneOf("permission", d.Permission, "write", "maintain", "admin"))
}

func (r *Reopened) check() error {
	if len(r.Evidence) == 0 {
		return errors.New("evidence is empty; a plain sighting reopens nothing")
	}
	return required("commit", r.Commit, "reason", r.Reason)
}

func (o *Obsoleted) check() error { return required("reason", o.Reason) }

func (p *PossibleDuplicate) check() error { return otherDefect("of", p.Of) }

func (m *MergeProposed) check() error { return otherDefect("into", m.Into) }

func (m *Merged) check() error { return otherDefect("into", m.Into) }

func (u *Unmerged) check() error {
	return first(otherDefect("from", u.From), required("reason", u.Reason))
}

func (s *Split) check() error {
	if len(s.Into) < 2 {
		return errors.New("into names fewer than two defects")
	}
	for _, id := range s.Into {
		if err := otherDefect("into", id); err != nil {
			return err
		}
	}
	return required("reason", s.Reason)
}

func (s *Suppressed) check() error {
	return oneOf("reason", s.Reason, "rule", "judge", "duplicate", "cap", "validator", "convergence", "grounding", "not_shown")
}

func (p *Posted) check() error {
	return first(oneOf("kind", p.Kind, "thread", "file", "summary"), required("commit", p.Commit),
		oneOf("state", p.State, "", "open", "resolved"))
}

func (r *RuleHit) check() error {
	return first(required("rule", r.Rule), oneOf("effect", r.Effect, "silenced", "added", "informed"))
}

func (r *Reaction) check() error {
	if r.Count < 0 {
		return fmt.Errorf("count %d: want 0 or more", r.Count)
	}
	return required("content", r.Content)
}

func (l *Learned) check() error {
	return first(required("from", l.From, "hash", l.Hash),
		oneOf("outcome", l.Outcome, "save", "update", "revive", "reinforce", "pending", "signal",
			"dismiss", "none", "pushback", "ask", "refuse"))
}

func (p *Promoted) check() error {
	return first(validatorName(p.Validator), required("hash", p.Hash))
}

func (r *Retired) check() error {
	if r.Validator != "" {
		if err := validatorName(r.Validator); err != nil {
			return err
		}
	}
	return required("reason", r.Reason)
}

func (q *Quarantined) check() error {
	if len(q.Evidence) < 2 {
		return errors.New("evidence: want the two answers that differ")
	}
	return first(validatorName(q.Validator), required("hash", q.Hash, "commit", q.Commit))
}

func (p *Proven) check() error {
	return first(validatorName(p.Validator), required("hash", p.Hash, "reason", p.Reason))
}

func (c *Checked) check() error {
	for _, r := range c.Results {
		err := first(validatorName(r.Validator), oneOf("status", r.Status, "clean", "found", "broken", "quarantined"))
		switch {
		case err != nil:
			return err
		case r.Found < 0:
			return fmt.Errorf("found %d: want 0 or more", r.Found)
		}
	}
	return required("commit", c.Commit, "base", c.Base)
}

func validatorName(name string) error {
	if !isSlug(name) {
		return fmt.Errorf("validator %q: want the name of a folder in .crev/validators", name)
	}
	return nil
}

func (r *Reviewed) check() error {
	for _, f := range r.Files {
		if err := required("path of a file", f.Path); err != nil {
			return err
		}
	}
	if r.Gate == gateUnreviewed && r.Reason == "" {
		return errors.New("it is unreviewed and gives no reason")
	}
	return first(required("commit", r.Commit, "batch", r.Batch),
		oneOf("gate", r.Gate, gatePassed, gateRetried, gateForced, gateReused, gateUnreviewed))
}

func (m *MergedPR) check() error { return required("commit", m.Commit) }

func (c *ClosedPR) check() error { return nil }

func (s *Signal) check() error { return required("kind", s.Kind) }

func (m *Missed) check() error {
	return first(required("from", m.From, "claim", m.Claim), place(m.Location))
}

func otherDefect(field string, id DefectID) error {
	if !id.valid() {
		return fmt.Errorf("%s %q: want D- and 8 hex digits", field, id)
	}
	return nil
}

// isSlug reports whether s can be the name of a folder: lower-case letters,
// digits, dash, dot and underscore.
func isSlug(s string) bool {
	return isRun(s) && len(s) <= 64
}

// first returns the first error that is one: a message names one thing to mend.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// The words of verifications and of a batch's gate.
const (
	methodTest       = "test"
	methodStatic     = "static_analysis"
	methodInspection = "inspection"
	methodHuman      = "human"

	outcomePassed       = "passed"
	outcomeFailed       = "failed"
	outcomeInconclusive = "inconclusive"

	gatePassed     = "passed"
	gateRetried    = "retried"
	gateForced     = "forced"
	gateReused     = "reused"
	gateUnreviewed = "unreviewed"
)
