package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
)

// caseRunner reviews cases in throw-away repositories: real git and the whole
// review, with the work tree's configuration, reviewers and rules at the base.
type caseRunner struct {
	// model is the model to ask, "" for the configured one; asked is the one
	// that was.
	model, asked string
	connect      func(review.ModelConfig) (review.Model, string, error)
	// memory is what is laid beside a case's base, rules the ids of its rules.
	memory bench.Tree
	rules  []string
	redact []string
	now    func() time.Time
	log    *slog.Logger
}

// ReviewCase reviews one case.
func (r *caseRunner) ReviewCase(ctx context.Context, c *bench.Case) (seen bench.Reviewed, err error) {
	s, err := newScratch(ctx, "crev-case-")
	if s == nil {
		return seen, err
	}
	defer func() { err = errors.Join(err, s.remove()) }()
	if err != nil {
		return seen, err
	}
	base, head, err := r.build(ctx, s, c)
	if err != nil {
		return seen, err
	}
	repo, err := git.Open(ctx, s.dir)
	if err != nil {
		return seen, err
	}
	defer repo.Close()
	r.log.Info("reviewing case " + c.Name)
	missing := ""
	out, err := review.Run(ctx, review.Request{
		Run: "bench-" + c.Name + ".1", Base: base, Head: head, Title: strings.Split(c.Tells, "\n")[0],
		Author: c.Author, LedgerMode: review.LedgerReport, ModelName: r.model,
		NoScripts: "a case is reviewed, and nothing of it is executed",
	}, review.Deps{
		Repo: repo, Rand: rand.Reader, Now: r.now, Log: r.log, Redactor: finding.NewRedactor(r.redact...), Secrets: true,
		Connect: func(cfg review.ModelConfig) (review.Model, string, error) {
			r.asked = cmp.Or(r.model, cfg.Name)
			m, why, err := r.connect(cfg)
			missing = why
			return m, why, err
		},
	})
	switch {
	case err != nil:
		return seen, err
	case missing != "":
		return seen, usagef("bench run: %s", missing)
	}
	return reviewed(out), nil
}

// build makes the two commits of a case.
func (r *caseRunner) build(ctx context.Context, s *scratch, c *bench.Case) (base, head string, err error) {
	if err := errors.Join(s.lay(r.memory), s.lay(c.Base)); err != nil {
		return "", "", err
	}
	if base, err = s.commit(ctx, "Base"); err != nil {
		return "", "", err
	}
	for name := range c.Base {
		if _, kept := c.Head[name]; !kept {
			if _, err := s.git(ctx, "rm", "-q", "--", name); err != nil {
				return "", "", err
			}
		}
	}
	if err := s.lay(c.Head); err != nil {
		return "", "", err
	}
	head, err = s.commit(ctx, "Change")
	return base, head, err
}

// reviewed is what people would be shown of a run.
func reviewed(o *review.Outcome) bench.Reviewed {
	r := o.Report
	out := bench.Reviewed{Cost: bench.Cost{PromptTokens: r.PromptTokens, CompletionTokens: r.CompletionTokens, CachedTokens: r.CachedTokens, USD: r.USD}}
	if r.Conclusion != projection.Passed {
		out.Incomplete = strings.TrimSpace(string(r.Conclusion) + " " + r.Reason)
	}
	for _, d := range r.Defects {
		if projection.InSight(d) && len(d.Locations) > 0 {
			out.Found = append(out.Found, foundIn(d))
		}
	}
	return out
}

func foundIn(d *ledger.Defect) finding.Finding {
	at := d.Locations[0]
	return finding.Finding{Source: d.Source, Path: at.Path, StartLine: at.Start, EndLine: at.End, Quote: d.Quote, Category: d.Category,
		Severity: d.Severity, Claim: d.Claim, Detail: d.Detail, Subject: d.Subject, Predicate: d.Predicate, Tier: d.Tier}
}

// memoryFor collects what the work tree's reviews are made with: configuration,
// reviewers, and the rules that have an effect. Citations are left out of the
// rules, because a case does not hold the code that they name; a rule whose
// citation is gone from the work tree has no effect and is left out.
func (b *ruleBook) memoryFor(ctx context.Context, w world, withRules bool) (bench.Tree, []string, error) {
	files := bench.Tree{}
	for _, folder := range []string{review.ConfigPath, review.ReviewersPath} {
		err := fs.WalkDir(b.root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			text, err := b.root.ReadFile(name)
			files[name] = string(text)
			return err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", folder, err)
		}
	}
	if !withRules {
		return files, nil, nil
	}
	view, err := b.inView(ctx, w)
	if err != nil || len(view) == 0 {
		return files, nil, err
	}
	var ids []string
	for i := range view {
		view[i].Cites = nil
		text, err := view[i].Marshal()
		if err != nil {
			return nil, nil, err
		}
		files[view[i].Path()] = string(text)
		ids = append(ids, view[i].ID)
	}
	files[rule.IndexPath] = string(rule.NewPool(view...).Generate())
	return files, ids, nil
}

// inView are the rules that a review of the work tree would have.
func (b *ruleBook) inView(ctx context.Context, w world) (view []rule.Rule, err error) {
	cfg, err := review.ReadConfig(b.root.FS())
	if err != nil {
		return nil, usagef("%v", err)
	}
	history, err := b.history()
	if err != nil {
		return nil, err
	}
	code, done, err := b.code(ctx, w)
	defer func() { err = errors.Join(err, done()) }()
	if err != nil {
		return nil, err
	}
	caps := rule.DefaultCaps()
	caps.MaxActive, caps.MaxPerKind = cfg.Rules.MaxActive, cfg.Rules.MaxPerKind
	active, _ := b.pool.Fit(caps, b.pool.Stats(history, w.now()), w.now())
	for _, r := range active {
		if !rule.Stale(code.Recheck(r)) {
			view = append(view, r)
		}
	}
	return view, nil
}
