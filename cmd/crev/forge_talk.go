package main

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
)

// talkForge fits the GitHub client to what learning needs: it is a forge that
// also listens, and brings the commits it speaks of into the clone.
type talkForge struct {
	*forge

	self func(context.Context) (string, error)
}

// newTalkForge returns a forge that asks once who it is.
func newTalkForge(f *forge) *talkForge {
	var once sync.Once
	var login string
	var err error
	return &talkForge{forge: f, self: func(ctx context.Context) (string, error) {
		once.Do(func() {
			var me github.Identity
			me, err = f.Self(ctx)
			login = me.Login
		})
		return login, err
	}}
}

// Said lists comments on pull requests. A comment is crev's own when its
// identity wrote it with a marker: under a person's token the same login speaks
// for the person.
func (f *talkForge) Said(ctx context.Context, since time.Time) ([]review.Said, error) {
	all, err := f.RepliesSince(ctx, since)
	if err != nil {
		return nil, err
	}
	self, err := f.self(ctx)
	if err != nil {
		return nil, err
	}
	var out []review.Said
	for _, r := range all {
		out = append(out, review.Said{
			ID: r.ID, PR: r.PR, Root: r.Root, URL: r.URL, Body: r.Body, By: r.Author, Bot: r.IsBot() || r.Author == "ghost",
			Mine: strings.EqualFold(r.Author, self) && (r.IsBot() || len(github.Markers(r.Body)) > 0),
			Path: r.Path, Line: r.Line, At: r.UpdatedAt,
		})
	}
	return out, nil
}

// Talk describes a pull request and fetches both its ends. A head that is gone
// leaves Head empty.
func (f *talkForge) Talk(ctx context.Context, n int) (review.Talk, error) {
	pr, err := f.PullRequest(ctx, n)
	if err != nil {
		return review.Talk{}, err
	}
	t := review.Talk{PR: n, Author: pr.Author, Base: pr.BaseSHA, Head: pr.HeadSHA, Open: pr.State == "open"}
	refs := []string{"refs/heads/" + pr.BaseRef, fmt.Sprintf("refs/pull/%d/head", n)}
	if _, err := f.repo.Connect(ctx, "origin", pr.BaseSHA, pr.HeadSHA, refs, f.auth); err != nil {
		if ctx.Err() != nil {
			return review.Talk{}, err
		}
		t.Head = ""
		if ok, err := f.repo.HasCommit(ctx, t.Base); err != nil || !ok {
			t.Base = ""
		}
	}
	threads, err := f.Client.Threads(ctx, n)
	if err != nil {
		return review.Talk{}, err
	}
	self, err := f.self(ctx)
	if err != nil {
		return review.Talk{}, err
	}
	for _, one := range threads {
		if len(one.Comments) > 0 {
			t.Threads = append(t.Threads, talkThread(one, self))
		}
	}
	return t, nil
}

func talkThread(one github.Thread, self string) review.TalkThread {
	first := one.Comments[0]
	t := review.TalkThread{ID: one.ID, Root: first.ID, By: first.Author, URL: first.URL, Path: one.Path, Line: one.Line}
	if id, ok := projection.DefectOf(first.Body); ok && first.Mine {
		t.Mine, t.Defect = true, id
	}
	bare := strings.TrimSuffix(self, "[bot]")
	if one.Resolved && !strings.EqualFold(one.ResolvedBy, self) && !strings.EqualFold(one.ResolvedBy, bare) {
		t.ResolvedBy = one.ResolvedBy
	}
	for _, r := range first.Reactions {
		if r.By != "ghost" && !strings.EqualFold(r.By, self) {
			t.Moods = append(t.Moods, review.Mood{By: r.By, Content: r.Content})
		}
	}
	return t
}

func (f *talkForge) Permission(ctx context.Context, login string) (string, error) {
	p, err := f.Client.Permission(ctx, login)
	return string(p), err
}

// Story reads an issue. What it says of commits is held against the base later.
func (f *talkForge) Story(ctx context.Context, issue int, label string) (review.Story, error) {
	s, err := f.Client.Story(ctx, issue, label)
	return review.Story{URL: s.URL, Title: s.Title, LabelledBy: s.LabelledBy, Fixes: s.Fixes}, err
}

func (f *talkForge) Answer(ctx context.Context, s review.Said, body string) error {
	var err error
	if s.Root != 0 {
		_, err = f.Reply(ctx, s.PR, s.Root, body)
	} else {
		_, err = f.Say(ctx, s.PR, body)
	}
	return err
}

func (f *talkForge) React(ctx context.Context, s review.Said, content string) error {
	return f.Client.React(ctx, s.Root != 0, s.ID, content)
}

// treeAt is the tree of a commit of a branch, fetched when it is not here.
func (f *talkForge) treeAt(ctx context.Context, branch, sha string) (fs.FS, error) {
	if ok, err := f.repo.HasCommit(ctx, sha); err != nil || !ok {
		if err := f.repo.Fetch(ctx, "origin", []string{"+refs/heads/" + branch + ":refs/crev/ledger"}, f.auth); err != nil {
			return nil, err
		}
	}
	return f.repo.Tree(ctx, sha, "")
}

func (f *talkForge) CommitMemory(ctx context.Context, branch, base string, build func(fs.FS) (map[string][]byte, error), message string) (string, error) {
	return f.commitLedger(ctx, branch, base, message, func(head string) (map[string][]byte, error) {
		tree, err := f.treeAt(ctx, branch, head)
		if err != nil {
			return nil, err
		}
		return build(tree)
	})
}
