package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
)

// pairRunner plays pairs of pull requests in throw-away repositories: real git,
// the real review and the real learning, a scripted model, and a stand-in for
// GitHub that keeps threads and replies.
type pairRunner struct{}

// pairPlay is one pair under way.
type pairPlay struct {
	*scratch
	pair *bench.Pair
	// base is the commit without memory, memory the one with it.
	base, memory string
	runs         int
}

// PlayPair plays one pair from the first commit to the last review.
func (pairRunner) PlayPair(ctx context.Context, p *bench.Pair) (seen bench.PairSeen, err error) {
	repo, err := newScratch(ctx, "crev-pair-")
	if repo == nil {
		return seen, err
	}
	defer func() { err = errors.Join(err, repo.remove()) }()
	if err != nil {
		return seen, err
	}
	return (&pairPlay{scratch: repo, pair: p}).play(ctx)
}

func (p *pairPlay) play(ctx context.Context) (seen bench.PairSeen, err error) {
	if err := p.lay(p.pair.Base); err != nil {
		return seen, err
	}
	if p.base, err = p.commit(ctx, "Base"); err != nil {
		return seen, err
	}
	if seen.Outcomes, err = p.remember(ctx); err != nil {
		return seen, err
	}
	before, err := p.rulesAt(ctx, p.base)
	if err != nil {
		return seen, err
	}
	if seen.Rules, err = p.rulesAt(ctx, p.memory); err != nil {
		return seen, err
	}
	if p.pair.Teaching != nil {
		seen.Taught = slices.DeleteFunc(slices.Clone(seen.Rules), func(r rule.Rule) bool {
			_, committed := p.pair.Memory[r.Path()]
			return committed || slices.ContainsFunc(before, func(old rule.Rule) bool { return reflect.DeepEqual(old, r) })
		})
	}
	for _, arm := range []struct {
		into    *bench.Seen
		base    string
		hostile bool
	}{{&seen.Off, p.base, false}, {&seen.On, p.memory, false}, {&seen.Hostile, p.memory, true}} {
		if *arm.into, err = p.followUp(ctx, arm.base, arm.hostile); err != nil {
			return seen, err
		}
	}
	return seen, nil
}

// remember brings what the team decided to the base branch: what it taught in
// replies, and what it wrote into files.
func (p *pairPlay) remember(ctx context.Context) ([]string, error) {
	var outcomes []string
	var learned map[string][]byte
	if p.pair.Teaching != nil {
		var err error
		if outcomes, learned, err = p.teach(ctx); err != nil {
			return nil, fmt.Errorf("teaching: %w", err)
		}
	}
	if _, err := p.git(ctx, "switch", "-q", "main"); err != nil {
		return nil, err
	}
	files := bench.Tree{}
	for name, text := range learned {
		if !strings.HasPrefix(name, ".crev/ledger/") {
			files[name] = string(text)
		}
	}
	if err := errors.Join(p.lay(files), p.lay(p.pair.Memory)); err != nil {
		return nil, err
	}
	pool, _, err := rule.Load(os.DirFS(p.dir))
	if err != nil {
		return nil, err
	}
	if len(pool.Rules()) > 0 {
		if err := p.lay(bench.Tree{rule.IndexPath: string(pool.Generate())}); err != nil {
			return nil, err
		}
	}
	p.memory, err = p.commit(ctx, "Memory")
	return outcomes, err
}

// rulesAt are the rules of a commit; one that cannot be read makes the pair
// worthless.
func (p *pairPlay) rulesAt(ctx context.Context, commit string) ([]rule.Rule, error) {
	repo, err := git.Open(ctx, p.dir)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	tree, err := repo.Tree(ctx, commit, "")
	if err != nil {
		return nil, err
	}
	pool, problems, err := rule.Load(tree)
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("rule %s", problems[0])
	}
	if err != nil {
		return nil, err
	}
	return pool.Rules(), nil
}

// teach plays the first pull request: crev reviews it, people answer, crev
// learns. It returns what became of the replies, and the files of crev's commit.
func (p *pairPlay) teach(ctx context.Context) ([]string, map[string][]byte, error) {
	t := p.pair.Teaching
	head, err := p.branch(ctx, "teach", p.base, p.pair.Teach)
	if err != nil {
		return nil, nil, err
	}
	m := &pairModel{pair: p.pair}
	if t.Comment != nil {
		m.findings = []bench.PairFinding{*t.Comment}
	}
	forge := &storyForge{head: head}
	in := review.Request{PR: storyPR, Base: p.base, Head: head, BaseRef: "main", Author: t.Author, LedgerMode: review.LedgerLocal}
	if _, err := p.review(ctx, in, forge, m); err != nil {
		return nil, nil, err
	}
	var files map[string][]byte
	talk := &pairTalk{storyForge: forge, author: t.Author, base: p.base, head: head, may: map[string]string{t.Author: "write"},
		commit: func(fs map[string][]byte) error { files = fs; return nil }}
	for _, r := range t.Replies {
		p.at = p.at.Add(time.Minute)
		if err := talk.speak(r, p.at); err != nil {
			return nil, nil, err
		}
	}
	learned, err := p.learn(ctx, talk, m)
	if err != nil {
		return nil, nil, err
	}
	var outcomes []string
	for _, o := range learned.Replies {
		outcomes = append(outcomes, strings.TrimSpace(string(o.Outcome)+" "+o.Rule))
	}
	return outcomes, files, nil
}

func (p *pairPlay) learn(ctx context.Context, talk *pairTalk, m review.Model) (*review.Learned, error) {
	repo, err := git.Open(ctx, p.dir)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	if talk.tree, err = repo.Tree(ctx, p.base, ""); err != nil {
		return nil, err
	}
	p.tick()
	d := p.deps(repo, talk, m)
	d.Conversation = talk
	d.Ledgers = func(context.Context, string) ([]fs.FS, error) { return []fs.FS{os.DirFS(p.path(".crev/ledger"))}, nil }
	out, err := review.Learn(ctx, review.Request{Run: p.run(), Base: p.base, Head: p.base, BaseRef: "main",
		RepoURL: "https://github.com/acme/shop", LedgerMode: review.LedgerBranch, ModelName: "scripted"}, d)
	if err != nil {
		return nil, err
	}
	if out.Waiting > 0 {
		return nil, fmt.Errorf("%d replies wait; %s", out.Waiting, strings.Join(out.Notes, "; "))
	}
	return out, nil
}

// followUp reviews the second pull request on a base. The arms differ in nothing
// but the base's rules and the model's manners.
func (p *pairPlay) followUp(ctx context.Context, base string, hostile bool) (bench.Seen, error) {
	pr := storyPR + 1
	head, err := p.branch(ctx, "follow-up", base, p.pair.Head)
	if err != nil {
		return bench.Seen{}, err
	}
	m := &pairModel{pair: p.pair, findings: p.pair.Review.Findings, asked: p.pair.Review.Asked, hostile: hostile}
	forge := &storyForge{head: head}
	in := review.Request{PR: pr, Base: base, Head: head, BaseRef: "main", Author: p.pair.Author, LedgerMode: review.LedgerReport}
	out, err := p.review(ctx, in, forge, m)
	if err != nil {
		return bench.Seen{}, err
	}
	return bench.Seen{PR: pr, Events: out.Events, Threads: forge.shown()}, nil
}

// branch makes a branch with files on top of a commit and returns its head.
func (p *pairPlay) branch(ctx context.Context, name, from string, files bench.Tree) (string, error) {
	if _, err := p.git(ctx, "switch", "-q", "-C", name, from); err != nil {
		return "", err
	}
	if err := p.lay(files); err != nil {
		return "", err
	}
	return p.commit(ctx, "Change")
}

func (p *pairPlay) review(ctx context.Context, in review.Request, forge *storyForge, m review.Model) (*review.Outcome, error) {
	repo, err := git.Open(ctx, p.dir)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	p.tick()
	in.Run, in.Title, in.ModelName = p.run(), "Change", "scripted"
	out, err := review.Run(ctx, in, p.deps(repo, forge, m))
	if err != nil {
		return nil, err
	}
	if out.Report.Conclusion != projection.Passed {
		return nil, fmt.Errorf("the review ended %s: %s %s", out.Report.Conclusion, out.Report.Reason, strings.Join(out.Report.Notes, "; "))
	}
	return out, nil
}

func (p *pairPlay) tick() {
	p.at = p.at.Add(time.Hour)
	p.runs++
}

func (p *pairPlay) run() string { return fmt.Sprintf("pair-%d.1", p.runs) }

func (p *pairPlay) deps(repo *git.Repo, forge review.Forge, m review.Model) review.Deps {
	return review.Deps{
		Repo: repo, Forge: forge, Rand: rand.Reader, Now: func() time.Time { return p.at },
		Connect: func(review.ModelConfig) (review.Model, string, error) { return m, "", nil },
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}
