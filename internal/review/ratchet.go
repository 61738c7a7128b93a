package review

import (
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/glob"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/relocate"
	"github.com/crev-ratchet/crev/internal/sandbox"
	"github.com/crev-ratchet/crev/internal/validator"
)

// recordChecks writes down what the validators answered and at which level
// their scripts ran, and puts those that changed their answer into quarantine:
// within this run, or since an earlier run about the very same input. The gate
// writes nothing; a review sees what it sees.
func (j *job) recordChecks() {
	if len(j.ran) == 0 {
		return
	}
	e := &ledger.Checked{Commit: j.in.Head, Base: j.mergeBase}
	if j.level != 0 {
		e.Sandbox = j.level.String()
	}
	for i, r := range j.ran {
		if r.flaked == nil {
			j.ran[i].flaked = j.changedAnswer(r)
		}
		e.Results = append(e.Results, r.CheckResult)
	}
	j.add(ledger.Event{Payload: ledger.Payload{Checked: e}})
	for _, r := range j.ran {
		j.quarantine(r)
	}
}

// changedAnswer compares an answer with those of earlier runs about the same
// commit, base and validator, nil when they agree.
func (j *job) changedAnswer(r ran) []string {
	if r.Hash == "" || r.Status == string(validator.Broken) {
		return nil
	}
	for _, old := range j.state.Answered(j.in.Head, j.mergeBase, r.CheckResult) {
		if old.Status != r.Status || old.Found != r.Found {
			return []string{"an earlier run: " + inWords(old), "this run: " + inWords(r.CheckResult)}
		}
	}
	return nil
}

func inWords(r ledger.CheckResult) string {
	if r.Found == 0 {
		return r.Status
	}
	return fmt.Sprintf("%s, %d", r.Status, r.Found)
}

// quarantine records a validator that changed its answer, once for a version of
// it. One that decides a class is not let off: it keeps blocking, and the report
// says why it must be repaired.
func (j *job) quarantine(r ran) {
	v, ok := named(j.validators, r.Validator)
	if !ok || r.flaked == nil {
		return
	}
	if j.decides(v) {
		j.note("validator %s decides a class and changed its answer about one tree (%s; %s): repair it, or retire the class",
			r.Validator, r.flaked[0], r.flaked[1])
		return
	}
	if _, held := j.state.Quarantined(r.Validator, r.Hash); held {
		return
	}
	j.add(ledger.Event{Payload: ledger.Payload{Quarantined: &ledger.Quarantined{
		Validator: r.Validator, Hash: r.Hash, Commit: j.in.Head,
		Evidence: []string{j.redact(r.flaked[0]), j.redact(r.flaked[1])}}}})
	j.note("validator %s changed its answer about one tree (%s; %s): it is in quarantine and does not block until it is proven again",
		r.Validator, r.flaked[0], r.flaked[1])
}

// regress reopens the closed defects of a class that its validator finds again,
// under their old ids. What a person dismissed stays so.
func (j *job) regress() {
	for _, p := range j.state.Promotions() {
		i := slices.IndexFunc(j.report.Checks, func(c projection.Check) bool {
			return c.Name == p.Validator && c.Status == string(validator.Found)
		})
		if i < 0 {
			continue
		}
		for _, d := range j.state.All() {
			closed := d.Status == ledger.Closed || d.Status == ledger.Obsolete
			if d.FP != p.FP || !closed || j.reopened[d.ID] || len(d.Locations) == 0 {
				continue
			}
			j.regressed(d, j.report.Checks[i])
		}
	}
	j.refold()
}

// regressed reopens one defect where the check fails in its file.
func (j *job) regressed(d *ledger.Defect, c projection.Check) {
	at := d.Locations[0]
	i := slices.IndexFunc(c.Failures, func(f projection.Failure) bool { return f.Path == at.Path })
	if i < 0 {
		return
	}
	f := c.Failures[i]
	j.bringBack(d, "validator "+c.Name+" finds it again",
		[]string{fmt.Sprintf("validator %s: %s:%d: %s", c.Name, f.Path, f.Line, f.Message)})
	to := finding.Location{Path: f.Path, Start: f.Line, End: f.Line, Symbol: enclosing(f.Path, j.text(f.Path), f.Line), Commit: j.in.Head}
	if f.Line > 0 && !samePlace(at, to) {
		j.relocated(d, at, relocate.Answer{Location: j.anchorAt(to, j.text(f.Path)), How: relocate.Suspect, Confidence: 1})
	}
}

// decidedBy names the validator that decides a claim, "" for none: no model
// argues about it again. The class of the claim or of its defect was promoted,
// or the claim says what a promoted class has been said to be, of another file
// in the validator's scope. What could hurt people is in another file decided
// only where the validator finds something there itself.
func (j *job) decidedBy(fp string, c claim) string {
	for _, p := range j.state.Promotions() {
		v, ok := named(j.validators, p.Validator)
		if !ok || !glob.Match(v.Scope, c.Path) {
			continue
		}
		elsewhere := j.wordings(p.FP)[anywhere(c.Subject, c.Predicate, c.Claim)]
		if p.FP == fp || elsewhere && (!j.shielded(c) || j.findsIn(p.Validator, c.Path)) {
			return p.Validator
		}
	}
	return ""
}

// findsIn reports whether a validator fails in a file of the head.
func (j *job) findsIn(name, path string) bool {
	return slices.ContainsFunc(j.report.Checks, func(c projection.Check) bool {
		return c.Name == name && slices.ContainsFunc(c.Failures, func(f projection.Failure) bool { return f.Path == path })
	})
}

// wordings are the claims of a promoted class, the file aside: in every pull
// request, merged or not, because what was said was said.
func (j *job) wordings(fp string) map[string]bool {
	if j.said == nil {
		j.said = map[string]map[string]bool{}
	}
	if known, ok := j.said[fp]; ok {
		return known
	}
	said := map[string]bool{}
	for _, e := range j.past {
		switch {
		case e.FP != fp:
		case e.Opened != nil:
			said[anywhere(e.Opened.Subject, e.Opened.Predicate, e.Opened.Claim)] = true
			said[anywhere("", "", e.Opened.Claim)] = true
		case e.Observed != nil:
			said[anywhere("", "", e.Observed.Claim)] = true
		}
	}
	j.said[fp] = said
	return said
}

// anywhere is the canonical claim without its file.
func anywhere(subject, predicate, text string) string {
	return finding.Class("", "", subject, predicate, text)
}

// complete reports whether a level keeps what a model wrote away from the
// secrets of the job: the script's user owns nothing.
func complete(l sandbox.Level) bool { return l >= sandbox.L3 }
