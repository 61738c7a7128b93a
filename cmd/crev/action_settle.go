package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
)

// settle records how pull requests ended: the one that the event closes, or those
// that a push to the default branch brought in.
func (a *action) settle(ctx context.Context) error {
	client, err := a.client(a.in.githubToken)
	if err != nil {
		return err
	}
	if client == nil {
		return usagef("action: settle needs the input github_token to find the pull requests")
	}
	in := review.Request{Run: a.runID()}
	var ended []review.Ended
	switch pr := a.event.PullRequest; {
	case pr != nil:
		in.Base, in.Head, in.BaseRef = pr.BaseSHA, pr.BaseSHA, pr.BaseRef
		ended = append(ended, review.Ended{PR: pr.Number, Head: pr.HeadSHA, Commit: pr.MergeCommit})
	case a.event.Push != nil:
		in.Base, in.Head, in.BaseRef = a.event.Push.After, a.event.Push.After, a.event.DefaultBranch
		found, err := client.PullRequestsOf(ctx, a.event.Push.After)
		if err != nil {
			return err
		}
		for _, p := range found {
			if p.Merged {
				ended = append(ended, review.Ended{PR: p.Number, Head: p.HeadSHA, Commit: p.MergeCommit})
			}
		}
	default:
		fmt.Fprintf(a.w.out, "crev skipped: nothing to settle for a %s event\n", a.rt.EventName)
		return nil
	}
	repo, auth, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	if err := a.fetch(ctx, repo, in, auth); err != nil {
		return err
	}
	d := a.deps(ctx, repo)
	if err := a.equip(repo, auth, &in, &d); err != nil {
		return err
	}
	in.NoModel = "settling asks no model"
	where, events, err := review.Settle(ctx, in, ended, d)
	if err != nil {
		return err
	}
	if len(events) == 0 {
		what := "nothing new"
		if where != "" {
			what = "the rules were tended, " + where
		}
		fmt.Fprintf(a.w.out, "crev settle: %s\n", what)
		return nil
	}
	fmt.Fprintf(a.w.out, "crev settle: %s recorded, %s\n", settled(events), where)
	return nil
}

// settled says in a few words what was recorded.
func settled(events []ledger.Event) string {
	ends, promoted, retired := 0, 0, 0
	for _, e := range events {
		switch {
		case e.Promoted != nil:
			promoted++
		case e.Retired != nil:
			retired++
		case e.MergedPR != nil, e.ClosedPR != nil:
			ends++
		}
	}
	var parts []string
	for _, p := range []struct {
		n          int
		what, noun string
	}{{ends, "the end of ", "pull request"}, {promoted, "the promotion of ", "class"}, {retired, "the retirement of ", "class"}} {
		if p.n > 0 {
			parts = append(parts, p.what+plural(p.n, p.noun))
		}
	}
	switch len(parts) {
	case 0:
		return plural(len(events), "event") + " are"
	case 1:
		return parts[0] + " is"
	}
	return strings.Join(parts, " and ") + " are"
}
