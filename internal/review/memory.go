package review

import (
	"context"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/rule"
)

// indexBudget is the most tokens that the index of rules may take in a request.
// The hundred rules of the default pool need three to four thousand.
const indexBudget = 8000

// memory is what the team decided, as one run sees it.
type memory struct {
	// view are the rules that have an effect: active, within the pool's
	// bounds, and resting on code that is still there.
	view []rule.Rule
	// author is the login of the pull request's author.
	author string
}

// index is what a request about some files is shown of the rules.
func (m memory) index(paths []string) rule.Index {
	return rule.NewIndex(m.view, rule.Query{Paths: paths, Author: m.author, Budget: indexBudget})
}

// readMemory reads the rules of the base, and with rules.activate at_once those
// of the ledger branch too. What the head says under .crev/rules is content
// under review. A rule that cannot be used is named in the summary.
func (j *job) readMemory(ctx context.Context) {
	pool, problems, err := rule.Load(j.baseTree)
	if err != nil {
		j.note("the rules of the base could not be read, so this run knows none: %v", err)
		return
	}
	if j.cfg.Rules.Activate == "at_once" && j.d.Rules != nil {
		newer, err := j.newerRules(ctx)
		if err != nil {
			j.note("the rules of the ledger branch could not be read, so this run knows the base's only: %v", err)
		} else {
			pool = pool.Newest(newer)
		}
	}
	for _, p := range problems {
		j.note("rule %s", p)
	}
	stats := pool.Stats(RuleHistory(j.past), j.d.Now())
	view, asleep := pool.Fit(j.cfg.Rules.caps(), stats, j.d.Now())
	if len(asleep) > 0 {
		j.note("the pool of rules is full: %s had no effect; disable some, or raise rules.max_active", names(asleep))
	}
	j.memory = memory{author: j.in.Author}
	code := j.citedCode(ctx, view)
	for _, r := range view {
		if cited := code.Recheck(r); rule.Stale(cited) {
			j.note("rule %s is stale: the code that it cites is gone, so it had no effect; run `crev rule check`", r.ID)
			continue
		}
		j.memory.view = append(j.memory.view, r)
	}
}

func (j *job) newerRules(ctx context.Context) (*rule.Pool, error) {
	tree, err := j.d.Rules(ctx, j.cfg.Ledger.Branch)
	if err != nil || tree == nil {
		return rule.NewPool(), err
	}
	pool, problems, err := rule.Load(tree)
	for _, p := range problems {
		j.note("rule %s of the ledger branch", p)
	}
	return pool, err
}

// citedCode is the base's code, for citations. The files are listed only when a
// rule cites one.
func (j *job) citedCode(ctx context.Context, rules []rule.Rule) rule.Code {
	code := rule.Code{Tree: j.baseTree, Commit: j.in.Base}
	code.At = func(commit, path string) ([]byte, error) {
		full, err := j.d.Repo.Resolve(ctx, commit)
		if err != nil {
			return nil, err
		}
		return j.d.Repo.ReadFile(ctx, full, path)
	}
	for _, r := range rules {
		if len(r.Cites) == 0 {
			continue
		}
		entries, err := j.d.Repo.Files(ctx, j.in.Base)
		if err != nil {
			j.note("the files of the base could not be listed, so moved citations are not found again: %v", err)
		}
		for _, e := range entries {
			code.Files = append(code.Files, e.Path)
		}
		break
	}
	return code
}

// names lists a few rules by id.
func names(rules []rule.Rule) string {
	const most = 5
	var ids []string
	for _, r := range rules[:min(len(rules), most)] {
		ids = append(ids, r.ID)
	}
	if more := len(rules) - most; more > 0 {
		ids = append(ids, fmt.Sprintf("%d more", more))
	}
	return strings.Join(ids, ", ")
}
