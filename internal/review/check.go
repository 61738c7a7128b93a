package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/rule"
	"github.com/crev-ratchet/crev/internal/session"
)

// check lets the checkers of one batch look at what its reviewers found, in
// their order, and tells the session what each came to.
func (j *job) check(ctx context.Context, r *result) error {
	return j.checkWhen(ctx, checker.EachBatch, r.batch.ID, r, j.stateOf(r.batch.ID).Checks)
}

// checkAll lets the checkers of the whole look at what all batches came to.
func (j *job) checkAll(ctx context.Context) {
	if j.noModel() != "" || len(j.cut.Batches) == 0 {
		return // nothing was read that they have not seen
	}
	whole := &result{all: j.results, payer: j.whole()}
	if err := j.checkWhen(ctx, checker.LastBatch, session.LastID, whole, j.session.Snapshot().Last.Checks); err != nil {
		j.note("the session stopped: %v", err)
	}
	for _, n := range whole.notes {
		j.note("%s", n)
	}
	j.extra = whole.claims
}

// checkWhen runs the checkers of one occasion. What the session has a record of
// is done again from the journal, where it worked.
func (j *job) checkWhen(ctx context.Context, when checker.When, id string, r *result, done []session.CheckRecord) error {
	for _, c := range j.checkers {
		if c.When != when {
			continue
		}
		i := slices.IndexFunc(done, func(d session.CheckRecord) bool { return d.Checker == c.Name })
		if i >= 0 && done[i].Outcome == session.Skipped {
			continue
		}
		var out session.CheckResult
		if i >= 0 && done[i].Outcome != session.Ran {
			out.Failed = done[i].Reason
		} else {
			out.Failed = j.try(ctx, c, r)
		}
		if out.Failed != "" {
			r.note("%s of %s failed (%s): findings stand as they are without it", c.Name, r.name(), out.Failed)
		}
		if i >= 0 {
			continue
		}
		if _, err := j.session.Check(id, c.Name, &out, j.d.Now()); err != nil {
			return err
		}
	}
	return nil
}

// try runs one checker within its time, again when it fails, as often as it may,
// and says why it failed for good, "" when it did its work.
func (j *job) try(ctx context.Context, c checker.Checker, r *result) string {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	var err error
	for range c.Retries + 1 {
		if err = j.runChecker(ctx, c.Name, r); err == nil || ctx.Err() != nil || errors.As(err, new(overBudget)) {
			break
		}
	}
	if err != nil {
		return failure(err)
	}
	return ""
}

// runChecker does what the checker's name says.
func (j *job) runChecker(ctx context.Context, name string, r *result) error {
	switch name {
	case checker.RecheckName:
		return j.recheck(ctx, r)
	case checker.MemoryNegName:
		return j.memoryNeg(ctx, r)
	case checker.MemoryPosName:
		return j.memoryPos(ctx, r)
	case checker.ContractName:
		return j.checkContract(ctx, r)
	case checker.RequirementsName:
		return j.checkRequirements(ctx, r)
	case checker.FixName:
		return j.proposeFixes(ctx, r)
	case checker.FilterName:
		j.filter(ctx, r)
	}
	return nil
}

// recheck lets the judge verify every finding that has not been judged.
func (j *job) recheck(ctx context.Context, r *result) error {
	at, cs, texts := j.candidates(ctx, r, func(c *claim) bool { return !c.checked })
	if len(cs) == 0 {
		return nil
	}
	reply, err := j.complete(ctx, checker.Recheck(j.cfg.Model.Name, model.Fence(j.d.Rand, texts...), cs), r.payer)
	r.usage = r.usage.Plus(reply.Usage)
	if err != nil {
		return err
	}
	verdicts, err := checker.ReadRecheck(reply, cs)
	if err != nil {
		return err
	}
	for i, v := range verdicts {
		c := at[i]
		c.checked = true
		c.judged = rule.Judged{Categories: []string{v.Category}, Severities: []finding.Severity{v.Severity}, Texts: []string{v.Reason}}
		if v.NoSuggestion != "" {
			c.Suggestion = ""
		}
		c.dropped = ""
		if !v.Keep {
			c.dropped = cut(j.redact(v.Reason), maxItem)
		}
	}
	return nil
}

// candidates are the standing claims of a result that a checker wants, with the
// code they are about and the texts that a fence has to avoid.
func (j *job) candidates(ctx context.Context, r *result, want func(*claim) bool) (at []*claim, cs []checker.Candidate, texts []string) {
	for _, c := range r.claimsToCheck() {
		if c.rejected != "" || !want(c) {
			continue
		}
		code, source := j.codeOf(ctx, *c)
		at = append(at, c)
		cs = append(cs, checker.Candidate{Finding: c.Finding, Code: code, Source: source, Judged: c.judged, Dropped: c.dropped})
		texts = append(texts, code, c.Claim, c.Detail)
	}
	return at, cs, texts
}

// claimsToCheck are the claims that a checker looks at: those of one batch, or
// those of all of them.
func (r *result) claimsToCheck() []*claim {
	var out []*claim
	for i := range r.claims {
		out = append(out, &r.claims[i])
	}
	for _, b := range r.all {
		out = append(out, b.claimsToCheck()...)
	}
	return out
}

func (r *result) name() string {
	if r.batch.ID == "" {
		return "the whole change"
	}
	return "batch " + r.batch.ID
}

// change is what the checkers of the whole see.
func (j *job) change() checker.Change {
	return checker.Change{Files: j.readFiles, Text: j.text, Redact: j.redact}
}

// checkContract compares the change with the interface descriptions that the
// repository holds: OpenAPI, JSON Schema, Protocol Buffers.
func (j *job) checkContract(ctx context.Context, r *result) error {
	c := j.change()
	contracts := checker.FindContracts(j.tracked, c)
	if len(contracts) == 0 {
		return nil
	}
	cs, ok := checker.ContractsOf(contracts, c)
	if !ok {
		return nil
	}
	req := checker.ContractCheck(j.cfg.Model.Name, model.Fence(j.d.Rand, j.texts(c.Files)...), cs, c)
	reply, err := j.complete(ctx, req, j.whole())
	if err != nil {
		return err
	}
	found, refused, err := checker.ReadContractCheck(reply, cs, c)
	if err != nil {
		return err
	}
	j.admit(r, found, refused)
	return nil
}

// checkRequirements compares the change with what its description and the issues
// it closes ask for.
func (j *job) checkRequirements(ctx context.Context, r *result) error {
	demands := checker.Demands(j.requirements(ctx))
	if len(demands) == 0 {
		return nil
	}
	c := j.change()
	texts := j.texts(c.Files)
	for _, d := range demands {
		texts = append(texts, d.Text)
	}
	req, whole := checker.RequirementsCheck(j.cfg.Model.Name, model.Fence(j.d.Rand, texts...), demands, c)
	reply, err := j.complete(ctx, req, j.whole())
	if err != nil {
		return err
	}
	points, refused, err := checker.ReadRequirementsCheck(reply, demands, c, whole)
	if err != nil {
		return err
	}
	j.admit(r, checker.Unmet(points, c), refused)
	return nil
}

// requirements are the texts that say what the change is to do.
func (j *job) requirements(ctx context.Context) []checker.Requirement {
	out := []checker.Requirement{{Source: "the description", Text: j.in.Title + "\n\n" + j.in.Description}}
	if j.d.Forge == nil {
		return out
	}
	for _, n := range checker.LinkedIssues(j.in.Description) {
		text, err := j.d.Forge.Issue(ctx, n)
		if err != nil {
			j.d.Log.Warn(fmt.Sprintf("issue #%d could not be read", n), "error", j.redact(err.Error()))
			continue
		}
		out = append(out, checker.Requirement{Source: fmt.Sprintf("issue #%d", n), Text: text})
	}
	return out
}

// admit adds the findings of a checker, which are grounded already, and what it
// did not take.
func (j *job) admit(r *result, found []finding.Finding, refused []checker.Refused) {
	for _, f := range found {
		r.claims = append(r.claims, claim{Finding: bounded(j.redactFinding(f)), checked: true})
	}
	for _, f := range refused {
		r.claims = append(r.claims, claim{rejected: f.Reason,
			Finding: bounded(j.redactFinding(finding.Finding{Path: f.Path, Claim: f.Claim}))})
	}
}

// proposeFixes asks for a suggestion where a severe finding has none, and keeps
// those that apply.
func (j *job) proposeFixes(ctx context.Context, r *result) error {
	at, cs, texts := j.candidates(ctx, r, func(c *claim) bool { return c.stands() && checker.Fixable(c.Finding) })
	if len(cs) == 0 {
		return nil
	}
	reply, err := j.complete(ctx, checker.Fix(j.cfg.Model.Name, model.Fence(j.d.Rand, texts...), cs), r.payer)
	if err != nil {
		return err
	}
	fixes, err := checker.ReadFix(reply, cs, j.change())
	if err != nil {
		return err
	}
	for i, f := range fixes {
		if at[i].Suggestion = f.Suggestion; f.Suggestion != "" {
			at[i].remark("The suggestion is a proposal: no reviewer wrote it and nothing has run it.")
		}
	}
	return nil
}

// enabled reports whether a checker runs.
func (j *job) enabled(name string) bool {
	return slices.ContainsFunc(j.checkers, func(c checker.Checker) bool { return c.Name == name })
}

// texts are the changed lines of the files, for a fence to avoid.
func (j *job) texts(files []*diff.File) []string {
	var out []string
	for _, f := range files {
		out = append(out, numbered(f.Hunks))
	}
	return out
}
