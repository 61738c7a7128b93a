package github

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"
)

// Reply is a comment on a pull request as a poll finds it.
type Reply struct {
	ID int64
	// PR is the pull request.
	PR int
	// Review is true for a comment in a thread on the diff, false for one in
	// the conversation.
	Review bool
	// Root is the first comment of the thread, which is the comment itself
	// where it opens one; 0 in the conversation.
	Root int64
	URL  string
	Body string
	// Author is a login, "ghost" when the account is gone; AuthorType is
	// "User", "Bot" or another word of GitHub's, "" for a ghost.
	Author, AuthorType string
	// Path and Line are where a thread stands now; Line is 0 when it stands
	// at no line any more. Commit is what it is shown on.
	Path   string
	Line   int
	Commit string
	// UpdatedAt is later than CreatedAt when the body was changed.
	CreatedAt, UpdatedAt time.Time
}

// IsBot reports whether a program wrote the comment.
func (r *Reply) IsBot() bool {
	return r.AuthorType == "Bot" || strings.HasSuffix(r.Author, "[bot]")
}

// RepliesSince returns the comments on pull requests, in threads and in the
// conversation, that were written or changed at or after a time, the change that
// was made first first. A comment that was deleted is not among them.
//
// GitHub pages a list that may change while it is read: a comment that is edited
// meanwhile moves to the end and another can slip past the border of a page. The
// caller reads with some overlap.
func (c *Client) RepliesSince(ctx context.Context, since time.Time) ([]Reply, error) {
	all, err := c.threadReplies(ctx, since)
	if err != nil {
		return nil, err
	}
	talk, err := c.conversationReplies(ctx, since)
	if err != nil {
		return nil, err
	}
	all = append(all, talk...)
	slices.SortStableFunc(all, func(a, b Reply) int {
		if d := a.UpdatedAt.Compare(b.UpdatedAt); d != 0 {
			return d
		}
		return int(max(-1, min(1, a.ID-b.ID)))
	})
	return all, nil
}

func (c *Client) threadReplies(ctx context.Context, since time.Time) ([]Reply, error) {
	var all []Reply
	opts := &gh.PullRequestListCommentsOptions{
		Sort: "updated", Direction: "asc", Since: since, ListOptions: gh.ListOptions{PerPage: 100},
	}
	for {
		page, resp, err := c.rest.PullRequests.ListComments(ctx, c.owner, c.repo, 0, opts)
		if err != nil {
			return nil, explain(err, "list the replies", "pull-requests: read")
		}
		for _, m := range page {
			r := Reply{
				ID: m.GetID(), PR: numberAtEnd(m.GetPullRequestURL()), Review: true, Root: m.GetInReplyTo(),
				URL: m.GetHTMLURL(), Body: m.GetBody(), Author: ghostly(m.GetUser().GetLogin()), AuthorType: m.GetUser().GetType(),
				Path: m.GetPath(), Line: m.GetLine(), Commit: m.GetCommitID(),
				CreatedAt: m.GetCreatedAt().Time, UpdatedAt: m.GetUpdatedAt().Time,
			}
			if r.Root == 0 {
				r.Root = r.ID
			}
			all = append(all, r)
		}
		if resp.NextPage == 0 {
			return all, nil
		}
		opts.Page = resp.NextPage
	}
}

func (c *Client) conversationReplies(ctx context.Context, since time.Time) ([]Reply, error) {
	var all []Reply
	updated, ascending := "updated", "asc"
	opts := &gh.IssueListCommentsOptions{
		Sort: &updated, Direction: &ascending, Since: &since, ListOptions: gh.ListOptions{PerPage: 100},
	}
	for {
		page, resp, err := c.rest.Issues.ListComments(ctx, c.owner, c.repo, 0, opts)
		if err != nil {
			return nil, explain(err, "list the comments", "issues: read")
		}
		for _, m := range page {
			// The list holds comments on issues as well; only the address
			// for people tells them apart.
			if !strings.Contains(m.GetHTMLURL(), "/pull/") {
				continue
			}
			all = append(all, Reply{
				ID: m.GetID(), PR: numberAtEnd(m.GetIssueURL()), URL: m.GetHTMLURL(), Body: m.GetBody(),
				Author: ghostly(m.GetUser().GetLogin()), AuthorType: m.GetUser().GetType(),
				CreatedAt: m.GetCreatedAt().Time, UpdatedAt: m.GetUpdatedAt().Time,
			})
		}
		if resp.NextPage == 0 {
			return all, nil
		}
		opts.Page = resp.NextPage
	}
}

// numberAtEnd is the number that ends an API address, 0 for none.
func numberAtEnd(address string) int {
	n, err := strconv.Atoi(path.Base(address))
	if err != nil {
		return 0
	}
	return n
}

// Say writes a comment into the conversation of pull request n and returns its
// id. One of crev's own with the same text is not written again.
func (c *Client) Say(ctx context.Context, n int, body string) (int64, error) {
	find := func(ctx context.Context) (int64, bool, error) {
		all, err := c.Comments(ctx, n)
		for _, m := range all {
			if m.Mine && sameText(m.Body, body) {
				return m.ID, true, nil
			}
		}
		return 0, false, err
	}
	id, err := once(ctx, c, find, func(ctx context.Context) (int64, error) {
		m, _, err := c.rest.Issues.CreateComment(ctx, c.owner, c.repo, n, &gh.IssueComment{Body: &body})
		return m.GetID(), err
	})
	return id, explain(err, fmt.Sprintf("comment on pull request %d", n), needsPulls)
}
