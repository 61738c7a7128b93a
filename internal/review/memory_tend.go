package review

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/rule"
)

// Tended is what has to be written to keep the team's rules in order.
type Tended struct {
	// Rules are new and changed records.
	Rules []rule.Rule
	// Memory says in a line each what changed.
	Memory []string
	// Refused are the patterns that became no rule, with the reason.
	Refused []rule.Refusal
}

// Tending is what rules are tended with.
type Tending struct {
	Config RulesConfig
	Events []ledger.Event
	// Files are the repository's files, for the scopes.
	Files []string
	// Word puts patterns into words, rule.PlainWording when nil.
	Word func([]rule.Pattern) ([]rule.Wording, error)
	Now  time.Time
}

// TendRules lets derived rules expire whose day is over, makes new ones of the
// signals, and puts to sleep those for which the pool has no room.
func TendRules(pool *rule.Pool, t Tending) (Tended, error) {
	var out Tended
	change := func(what string, rules ...rule.Rule) {
		for _, r := range rules {
			pool = pool.With(r)
			out.Rules = append(out.Rules, r)
			out.Memory = append(out.Memory, fmt.Sprintf("rule %s %s: %s", r.ID, what, r.Says))
		}
	}
	change("expired", pool.Expire(t.Now)...)
	d := t.Config.Distiller()
	patterns := d.Patterns(RuleSignals(t.Events), t.Now)
	wordings := make([]rule.Wording, 0, len(patterns))
	for _, p := range patterns {
		wordings = append(wordings, rule.PlainWording(p))
	}
	if t.Word != nil && len(patterns) > 0 {
		var err error
		if wordings, err = t.Word(patterns); err != nil {
			return out, fmt.Errorf("word rules: %w", err)
		}
	}
	made, refused := d.Distil(patterns, wordings, pool, t.Files, t.Now)
	for _, r := range made {
		change("is "+string(r.Status), r)
	}
	out.Refused = refused
	_, asleep := pool.Fit(t.Config.caps(), pool.Stats(RuleHistory(t.Events), t.Now), t.Now)
	for _, r := range asleep {
		change("sleeps, the pool is full", r.WithStatus(rule.Dormant, rule.Change{By: "crev", At: rule.DateOf(t.Now), Why: "the pool was full"}))
	}
	return out, nil
}

// tendRules puts the rules that have to be written with the files of this run's
// commit: on top of the base and of what waits on the ledger branch.
func (j *job) tendRules(ctx context.Context) {
	pool, problems, err := rule.Load(j.baseTree)
	if err != nil || len(records(problems)) > 0 {
		return // a review names what is wrong with them
	}
	top := pool
	if j.d.Rules != nil {
		tree, err := j.d.Rules(ctx, j.cfg.Ledger.Branch)
		if err != nil {
			j.note("the rules of the ledger branch could not be read, so none were tended: %v", err)
			return
		}
		if tree != nil {
			waiting, problems, err := rule.Load(tree)
			if err != nil || len(records(problems)) > 0 {
				return
			}
			pool, top = pool.Newest(waiting), waiting
		}
	}
	tended, err := TendRules(pool, Tending{Config: j.cfg.Rules, Events: j.past, Files: j.tracked, Now: j.d.Now()})
	if err != nil || len(tended.Rules) == 0 {
		return
	}
	j.ruleFiles = ruleFiles(pool, tended.Rules, top)
	for _, m := range tended.Memory {
		j.note("%s", m)
	}
}

// records are the problems that are about a record and not about the index.
func records(problems []rule.Problem) []rule.Problem {
	var out []rule.Problem
	for _, p := range problems {
		if p.Path != rule.IndexPath {
			out = append(out, p)
		}
	}
	return out
}

// ruleFiles are the records that say something else than those of a pool, and the
// index. How a record that says the same is laid out is left to people. A record
// that cannot be written is left out.
func ruleFiles(pool *rule.Pool, changed []rule.Rule, top *rule.Pool) map[string][]byte {
	for _, r := range changed {
		if _, err := r.Marshal(); err == nil {
			pool = pool.With(r)
		}
	}
	files := map[string][]byte{rule.IndexPath: pool.Generate()}
	for _, r := range pool.Rules() {
		content, err := r.Marshal()
		if err != nil {
			continue
		}
		if there, ok := top.Find(r.ID); ok {
			if same, err := there.Marshal(); err == nil && bytes.Equal(same, content) {
				continue
			}
		}
		files[r.Path()] = content
	}
	return files
}
