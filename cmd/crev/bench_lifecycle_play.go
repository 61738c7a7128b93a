package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// storyPR is the pull request of every story.
const storyPR = 7

// storyBranch is the branch of the change; the base is main.
const storyBranch = "change"

// storyRunner plays stories in throw-away repositories: real git, the real run,
// scripted reviewers, and a stand-in for GitHub that only keeps threads.
type storyRunner struct {
	sandbox func([]string) *sandbox.Runner
}

// storyPlay is one story under way.
type storyPlay struct {
	*scratch
	story   *bench.Story
	runner  *storyRunner
	commits []string
	events  []ledger.Event
	rounds  map[string]int
	forge   *storyForge
}

// Begin makes the repository and the base's first commit.
func (sr *storyRunner) Begin(ctx context.Context, s *bench.Story) (bench.Play, error) {
	repo, err := newScratch(ctx, "crev-story-")
	if repo == nil {
		return nil, err
	}
	p := &storyPlay{scratch: repo, story: s, runner: sr, rounds: map[string]int{}, forge: &storyForge{}}
	if err != nil {
		return nil, errors.Join(err, p.End())
	}
	if err := p.begin(ctx); err != nil {
		return nil, errors.Join(err, p.End())
	}
	return p, nil
}

func (p *storyPlay) begin(ctx context.Context) error {
	if err := p.lay(p.story.Base); err != nil {
		return err
	}
	if _, err := p.commit(ctx, "Base"); err != nil {
		return err
	}
	_, err := p.git(ctx, "switch", "-q", "-c", storyBranch)
	return err
}

// End removes the repository.
func (p *storyPlay) End() error { return p.remove() }

// Step makes the commit of a round and reviews it.
func (p *storyPlay) Step(ctx context.Context, r *bench.Round) (bench.Seen, error) {
	p.at = p.at.Add(time.Hour)
	if err := p.push(ctx, r); err != nil {
		return bench.Seen{}, err
	}
	m := &storyModel{story: p.story, round: r}
	out, err := p.review(ctx, r, m)
	if err != nil {
		return bench.Seen{}, err
	}
	p.events = append(p.events, out.Events...)
	return bench.Seen{
		PR: storyPR, Events: slices.Clone(p.events), Rounds: maps.Clone(p.rounds), Threads: p.forge.shown(),
		Inspections: m.inspections, Adjudications: m.adjudications,
	}, nil
}

// push brings the branch to where the round has it, and checks that it is there.
func (p *storyPlay) push(ctx context.Context, r *bench.Round) error {
	amend, forget := false, false
	for _, op := range r.Ops {
		amend = amend || op.Amend || op.Revert != 0 || op.MergeBase != 0
		forget = forget || op.Forget
		if err := p.apply(ctx, r, op); err != nil {
			return err
		}
	}
	if err := p.lay(r.Files); err != nil {
		return err
	}
	args := []string{"commit", "-q", "--allow-empty", "-m", r.Says}
	if amend {
		args = []string{"commit", "-q", "--amend", "--allow-empty", "--no-edit"}
	}
	if err := p.stage(ctx); err != nil {
		return err
	}
	if _, err := p.git(ctx, args...); err != nil {
		return err
	}
	if forget {
		if _, err := p.git(ctx, "reflog", "expire", "--expire=now", "--all"); err != nil {
			return err
		}
		if _, err := p.git(ctx, "gc", "-q", "--prune=now"); err != nil {
			return err
		}
	}
	head, err := p.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	p.commits = append(p.commits, head)
	return p.check(r.Tree)
}

func (p *storyPlay) apply(ctx context.Context, r *bench.Round, op bench.Op) error {
	run := func(args ...string) error {
		_, err := p.git(ctx, args...)
		return err
	}
	switch {
	case op.Delete != "":
		return run("rm", "-q", "--", op.Delete)
	case op.Rename != nil:
		if err := os.MkdirAll(filepath.Dir(p.path(op.Rename.To)), 0o755); err != nil {
			return err
		}
		return run("mv", "--", op.Rename.From, op.Rename.To)
	case op.Rebase > 0:
		if err := p.advance(ctx, r, op.Rebase); err != nil {
			return err
		}
		return run("rebase", "-q", "-X", "theirs", "main")
	case op.MergeBase > 0:
		if err := p.advance(ctx, r, op.MergeBase); err != nil {
			return err
		}
		return run("merge", "-q", "--no-ff", "-X", "ours", "-m", r.Says, "main")
	case op.Squash:
		base, err := p.git(ctx, "merge-base", "main", "HEAD")
		if err != nil {
			return err
		}
		return run("reset", "-q", "--soft", base)
	case op.Revert > 0:
		return run("revert", "--no-edit", p.commits[op.Revert-1])
	case op.Promote != nil:
		return p.promote(*op.Promote)
	}
	return nil
}

// advance adds commits to the base: notes that concern nobody, and the round's
// own files in the last one.
func (p *storyPlay) advance(ctx context.Context, r *bench.Round, n int) error {
	if _, err := p.git(ctx, "switch", "-q", "main"); err != nil {
		return err
	}
	for i := range n {
		note := bench.Tree{fmt.Sprintf("notes/%d-%03d.md", r.Number, i): "A note of the base.\n"}
		if i == n-1 {
			maps.Copy(note, r.BaseFiles)
		}
		if err := p.lay(note); err != nil {
			return err
		}
		if _, err := p.commit(ctx, fmt.Sprintf("Base goes on, %d", i)); err != nil {
			return err
		}
	}
	_, err := p.git(ctx, "switch", "-q", storyBranch)
	return err
}

// promote adds the event that a person's "crev ledger promote" would.
func (p *storyPlay) promote(op bench.Promotion) error {
	fp := ""
	for _, e := range p.events {
		if e.Opened == nil || len(e.Opened.Locations) == 0 {
			continue
		}
		at := e.Opened.Locations[0]
		if p.story.DefectAt(p.rounds[e.Run], e.Opened.Claim, at.Path, at.Start) == op.Defect {
			fp = e.FP
		}
	}
	if fp == "" {
		return fmt.Errorf("promote: %s is not in the ledger yet", op.Defect)
	}
	folder := ".crev/validators/" + op.Validator
	hash, err := ledger.HashValidator(os.DirFS(p.path(folder)))
	if err != nil {
		return fmt.Errorf("promote: %w", err)
	}
	run := fmt.Sprintf("promote-%d.1", len(p.commits)+1)
	e, err := ledger.Seal(ledger.Event{FP: fp, Run: run, At: p.at, By: "maintainer", Payload: ledger.Payload{
		Promoted: &ledger.Promoted{Validator: op.Validator, Hash: hash}}})
	if err != nil {
		return fmt.Errorf("promote: %w", err)
	}
	store, err := ledger.OpenStore(p.dir)
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := store.WriteRun(0, run, p.at, []ledger.Event{e}); err != nil {
		return err
	}
	p.events = append(p.events, e)
	return nil
}

func (p *storyPlay) review(ctx context.Context, r *bench.Round, m review.Model) (*review.Outcome, error) {
	repo, err := git.Open(ctx, p.dir)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	run := fmt.Sprintf("story-%d.1", r.Number)
	p.rounds[run] = r.Number
	p.forge.head = p.commits[len(p.commits)-1]
	return review.Run(ctx, review.Request{
		Run: run, PR: storyPR, Base: "main", Head: p.forge.head,
		Title: r.Says, LedgerMode: review.LedgerLocal, ModelName: "scripted",
	}, review.Deps{
		Repo: repo, Runner: p.runner.sandbox, Forge: p.forge,
		Rand: rand.Reader, Now: func() time.Time { return p.at },
		Connect: func(review.ModelConfig) (review.Model, string, error) { return m, "", nil },
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
		Ledgers: func(context.Context, string) ([]fs.FS, error) {
			return []fs.FS{os.DirFS(p.path(".crev/ledger"))}, nil
		},
	})
}

// check compares the work tree with what the story says is in it.
func (p *storyPlay) check(tree bench.Tree) error {
	tracked := 0
	err := filepath.WalkDir(p.dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(full, p.dir+string(filepath.Separator)))
		if d.IsDir() {
			if name == ".git" || name == ".crev/ledger" || name == "notes" {
				return fs.SkipDir
			}
			return nil
		}
		tracked++
		b, err := os.ReadFile(full)
		if err == nil && string(b) != tree[name] {
			err = fmt.Errorf("%s is not what the story says it is after this round", name)
		}
		return err
	})
	if err == nil && tracked != len(tree) {
		err = fmt.Errorf("the tree has %d files after this round, and the story says %d", tracked, len(tree))
	}
	return err
}
