package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/validator"
)

// turnRatchet records what the merge means for classes: validators of the base
// that claim one and are proven decide it, and what nobody repeats ages out. The
// lines stand in the ledger's pull request, where people take or refuse them.
func (j *job) turnRatchet(ctx context.Context) {
	j.in.PR = 0
	base, _ := loadValidators(j.baseTree) // what cannot be loaded blocks by itself
	for _, v := range base {
		if missing := j.unclaimed(v); len(missing) > 0 {
			j.promoteMerged(ctx, v, missing)
		}
	}
	j.ageOut()
}

// unclaimed lists the classes that a validator claims and does not decide yet,
// or decides as another version. What a person retired stays retired.
func (j *job) unclaimed(v validator.Validator) []string {
	rulings := trust{rulings: ledger.Sort(j.past)}
	var out []string
	for _, fp := range v.Promotes {
		p, decided := j.state.PromotedBy(fp)
		same := decided && p.Validator == v.Name && p.Hash == hashOf(v)
		if !same && !rulings.retired(fp) {
			out = append(out, fp)
		}
	}
	return out
}

// promoteMerged proves a validator that was merged and records what it decides.
func (j *job) promoteMerged(ctx context.Context, v validator.Validator, classes []string) {
	proof := j.prove(ctx, v, true)
	if proof.Verdict != string(validator.Proven) {
		j.note("validator %s claims %s and is not proven, so it decides none: %s: %s", v.Name, countClasses(len(classes)), proof.Verdict, proof.Reason)
		return
	}
	for _, fp := range classes {
		if !slices.ContainsFunc(j.past, func(e ledger.Event) bool { return e.FP == fp }) {
			j.note("validator %s claims class %s, which the ledger has never seen", v.Name, fp)
			continue
		}
		j.add(ledger.Event{FP: fp, Payload: ledger.Payload{
			Promoted: &ledger.Promoted{Validator: v.Name, Hash: hashOf(v), Scope: v.Scope}}})
	}
}

func countClasses(n int) string {
	if n == 1 {
		return "a class"
	}
	return fmt.Sprintf("%d classes", n)
}

// ageOut retires the classes that nobody repeated for as long as the
// configuration says; 0 days keep everything.
func (j *job) ageOut() {
	days := j.cfg.Ratchet.RetireDays
	if days <= 0 {
		return
	}
	for _, c := range ledger.Stale(j.classes(), j.d.Now().AddDate(0, 0, -days)) {
		j.add(ledger.Event{FP: c.FP, Payload: ledger.Payload{Retired: &ledger.Retired{
			Reason: fmt.Sprintf("not seen for %d days", days)}}})
	}
}

// classes counts every class, whether its pull requests were merged or not.
func (j *job) classes() []ledger.Class {
	return ledger.Count(slices.Concat(j.past, j.events), j.recurrence())
}

func (j *job) recurrence() ledger.Ratchet {
	return ledger.Ratchet{Unit: ledger.Unit(j.cfg.Ratchet.Unit), Recur: j.cfg.Ratchet.Recur}
}

// due lists what somebody has to decide about.
func (j *job) due() projection.Due {
	events := slices.Concat(j.past, j.events)
	return projection.Due{
		Classes: ledger.Describe(ledger.Recurring(j.classes()), events),
		Rules:   ledger.RulesHit(events, j.recurrence()),
	}
}

// triage adds to the report what this run saw once too often: the recurring
// classes it has claims of.
func (j *job) triage() {
	if !slices.ContainsFunc(j.events, func(e ledger.Event) bool { return e.Opened != nil || e.Observed != nil }) {
		return
	}
	d := j.due()
	d.Rules = nil
	d.Classes = slices.DeleteFunc(d.Classes, func(c ledger.Due) bool {
		return !slices.ContainsFunc(j.events, func(e ledger.Event) bool {
			return e.FP == c.FP && (e.Opened != nil || e.Observed != nil)
		})
	})
	j.report.Due = d
}

// proposeDue tells the readers of the ledger's pull request what came back often
// enough to decide about.
func (j *job) proposeDue(ctx context.Context) {
	d := j.due()
	if j.d.Forge == nil || len(d.Classes)+len(d.Rules) == 0 || j.in.LedgerMode != LedgerBranch {
		return
	}
	text := j.redact(projection.Triage(d))
	if err := j.d.Forge.DescribeLedger(ctx, j.cfg.Ledger.Branch, j.in.BaseRef, text); err != nil {
		j.note("what is due was not shown in the ledger's pull request: %v", err)
	}
}
