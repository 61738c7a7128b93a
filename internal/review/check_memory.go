package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/model"
)

// memoryNeg asks which rules of the team speak against a finding. The model
// names them; whether one may hide the finding is decided in code.
func (j *job) memoryNeg(ctx context.Context, r *result) error {
	at, cs, texts := j.candidates(ctx, r, func(c *claim) bool { return c.stands() && len(c.rules) == 0 })
	if len(cs) == 0 {
		return nil
	}
	var paths []string
	for _, c := range at {
		paths = append(paths, c.Path)
	}
	ix := j.memory.index(paths)
	req, ok := checker.MemoryNeg(j.cfg.Model.Name, model.Fence(j.d.Rand, append(texts, ix.String())...), cs, ix)
	if !ok {
		return nil
	}
	reply, err := j.complete(ctx, req, r.payer)
	r.usage = r.usage.Plus(reply.Usage)
	if err != nil {
		return err
	}
	hits, err := checker.ReadMemoryNeg(reply, cs, ix, j.memory.author)
	if err != nil {
		return err
	}
	for _, h := range hits {
		c := at[h.Finding]
		t := touch{rule: h.Rule, effect: "silenced", why: cut(j.redact(h.Reason), maxItem)}
		if h.Refused != "" {
			t.effect, t.why = "refused", h.Refused
			r.note("rule %s does not hide %s %s: %s", cut(h.Rule, maxWord), c.Path, c.Claim, h.Refused)
		}
		c.rules = append(c.rules, t)
	}
	return nil
}

// memoryPos reads the batch once more with what the team always wants to hear.
// What it finds goes on like any other finding: it is placed in the code, judged
// and reconciled.
func (j *job) memoryPos(ctx context.Context, r *result) error {
	c := j.change()
	c.Files = filesOf(r)
	ix := j.memory.index(r.batch.Paths())
	req, ok := checker.MemoryPos(j.cfg.Model.Name, model.Fence(j.d.Rand, append(j.texts(c.Files), ix.String())...), ix, c)
	if !ok {
		return nil
	}
	reply, err := j.complete(ctx, req, r.payer)
	r.usage = r.usage.Plus(reply.Usage)
	if err != nil {
		return err
	}
	found, refused, err := checker.ReadMemoryPos(reply, ix, j.memory.author, c)
	if err != nil {
		return err
	}
	j.admit(r, nil, refused)
	for _, f := range found {
		placed := j.place(ctx, r.batch, f.Finding)
		placed.rules = []touch{{rule: f.Rule, effect: "added"}}
		r.claims = append(r.claims, placed)
	}
	if !j.enabled(checker.RecheckName) {
		return nil
	}
	return j.recheck(ctx, r)
}

// filesOf are the files of a batch with the hunks that it holds.
func filesOf(r *result) []*diff.File {
	var out []*diff.File
	for _, p := range r.batch.Parts {
		f := *p.File
		f.Hunks = p.Hunks
		out = append(out, &f)
	}
	return out
}

// filter looks once more at everything that is about to be posted, in code
// alone.
func (j *job) filter(ctx context.Context, r *result) {
	at, cs, _ := j.candidates(ctx, r, (*claim).stands)
	in := checker.FilterCase{Candidates: cs, Rules: j.memory.view, Author: j.memory.author, Known: j.state.All()}
	for _, c := range r.claimsToCheck() {
		if id, _ := c.silenced(); id != "" {
			in.Silenced = append(in.Silenced, checker.Recalled{Finding: c.Finding, Rule: id})
		}
	}
	for i, f := range checker.Filter(in) {
		c := at[i]
		if f.Rule != "" {
			c.rules = append(c.rules, touch{rule: f.Rule, effect: "silenced", why: f.Why})
		}
		if f.Repeats > 0 {
			c.repeats = at[f.Repeats-1]
		}
		if f.NoSuggestion != "" {
			c.Suggestion = ""
		}
		if f.Note != "" {
			c.Evidence = append(slices.Clone(c.Evidence), fmt.Sprintf("%s.", f.Note))
		}
	}
}
