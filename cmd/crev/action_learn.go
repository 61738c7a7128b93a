package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/review"
)

// learn reads what people said since the last time. The event wakes it and lends
// its comment as it was written; everything else is polled, because reactions and
// resolved threads cause no event and replies on forks come without a token.
func (a *action) learn(ctx context.Context) error {
	client, err := a.client(a.in.githubToken)
	if err != nil {
		return err
	}
	if client == nil {
		return usagef("action: learn needs the input github_token to read the replies")
	}
	if a.event.Comment != nil && a.event.IsBot() {
		fmt.Fprintln(a.w.out, "crev skipped: a program wrote this comment")
		return nil
	}
	// Schedules and dispatches run on the default branch, whatever their payload
	// leaves out.
	branch := cmp.Or(a.event.DefaultBranch, strings.TrimPrefix(a.rt.Ref, "refs/heads/"))
	head, err := client.BranchHead(ctx, branch)
	if err != nil {
		return err
	}
	repo, auth, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	in := review.Request{Run: a.runID(), Base: head, Head: head, BaseRef: branch,
		RepoURL: client.RepositoryURL(), Heard: a.heard(), Issue: a.event.Issue}
	if err := a.fetch(ctx, repo, in, auth); err != nil {
		return err
	}
	d := a.deps(ctx, repo)
	if err := a.equip(repo, auth, &in, &d); err != nil {
		return err
	}
	listen(&d, &forge{Client: client, run: in.Run, defaultBranch: branch, repo: repo, auth: auth, log: a.log}, head)
	got, err := review.Learn(ctx, in, d)
	if err != nil {
		return err
	}
	return printLearned(a.w.out, got)
}

// heard is the comment of the event as it was then, nil for none. What was
// deleted is not heard.
func (a *action) heard() *review.Said {
	m, pr := a.event.Comment, a.event.PullRequest
	if m == nil || pr == nil || a.event.Action == "deleted" || a.event.Kind == github.KindReview {
		return nil
	}
	s := &review.Said{
		ID: m.ID, PR: pr.Number, URL: m.URL, Body: m.Body, By: m.Author, Bot: m.AuthorType == "Bot" || m.Author == "ghost",
		Path: m.Path, Line: m.Line, At: m.UpdatedAt,
	}
	if a.event.Kind == github.KindReviewComment {
		if s.Root = m.InReplyTo; s.Root == 0 {
			s.Root = m.ID
		}
	}
	return s
}
