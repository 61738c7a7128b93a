package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"
)

// PullRequest is what the API says about a pull request at this moment. The
// head may move while a run lasts; a run keeps to the SHA it started with.
type PullRequest struct {
	Number      int
	NodeID      string
	URL         string
	Title, Body string
	// Author is the login; "ghost" when the account is gone. AuthorType is
	// "User", "Bot", "Organization" or "".
	Author, AuthorType string
	// Association is GitHub's author_association. It is computed without
	// the rights of an organisation: use Permission to admit somebody.
	Association string
	// State is "open" or "closed"; a merged one is closed.
	State         string
	Draft, Merged bool
	// MergeCommit is the commit that merged it, also after a squash or a
	// rebase; "" unless Merged.
	MergeCommit      string
	HeadSHA, HeadRef string
	// HeadRepo is owner/name, "" when the fork was deleted.
	HeadRepo string
	// Fork is true unless the head is in this repository; a head repository
	// that is gone counts as a fork.
	Fork             bool
	BaseSHA, BaseRef string
	Labels           []string
	CreatedAt        time.Time
	UpdatedAt        time.Time
	// MergedAt and ClosedAt are zero while it is open.
	MergedAt, ClosedAt time.Time
}

// PullRequest returns pull request n, or ErrNotFound.
func (c *Client) PullRequest(ctx context.Context, n int) (PullRequest, error) {
	pr, _, err := c.rest.PullRequests.Get(ctx, c.owner, c.repo, n)
	if err != nil {
		return PullRequest{}, explain(err, fmt.Sprintf("read pull request %d", n), "pull-requests: read")
	}
	return c.pullRequest(pr), nil
}

// PullRequestsOf returns the pull requests that hold a commit, merged ones
// included. The commit that GitHub makes when it squashes or rebases leads to
// the pull request it came from.
func (c *Client) PullRequestsOf(ctx context.Context, commit string) ([]PullRequest, error) {
	var all []PullRequest
	opts := &gh.ListOptions{PerPage: 100}
	for {
		page, resp, err := c.rest.PullRequests.ListPullRequestsWithCommit(ctx, c.owner, c.repo, commit, opts)
		if err != nil {
			return nil, explain(err, "read the pull requests of commit "+commit, "pull-requests: read")
		}
		for _, pr := range page {
			all = append(all, c.pullRequest(pr))
		}
		if resp.NextPage == 0 {
			return all, nil
		}
		opts.Page = resp.NextPage
	}
}

func (c *Client) pullRequest(pr *gh.PullRequest) PullRequest {
	p := PullRequest{
		Number:      pr.GetNumber(),
		NodeID:      pr.GetNodeID(),
		URL:         pr.GetHTMLURL(),
		Title:       pr.GetTitle(),
		Body:        pr.GetBody(),
		Author:      ghostly(pr.GetUser().GetLogin()),
		AuthorType:  pr.GetUser().GetType(),
		Association: pr.GetAuthorAssociation(),
		State:       pr.GetState(),
		Draft:       pr.GetDraft(),
		// Lists of pull requests leave merged out and give merged_at.
		Merged:    pr.GetMerged() || pr.MergedAt != nil,
		HeadSHA:   pr.GetHead().GetSHA(),
		HeadRef:   pr.GetHead().GetRef(),
		HeadRepo:  pr.GetHead().GetRepo().GetFullName(),
		BaseSHA:   pr.GetBase().GetSHA(),
		BaseRef:   pr.GetBase().GetRef(),
		CreatedAt: pr.GetCreatedAt().Time,
		UpdatedAt: pr.GetUpdatedAt().Time,
		MergedAt:  pr.GetMergedAt().Time,
		ClosedAt:  pr.GetClosedAt().Time,
	}
	p.Fork = !strings.EqualFold(p.HeadRepo, c.Repository())
	if p.Merged {
		p.MergeCommit = pr.GetMergeCommitSHA()
	}
	for _, l := range pr.Labels {
		p.Labels = append(p.Labels, l.GetName())
	}
	return p
}

// EnsurePullRequest keeps one open pull request from the branch head of this
// repository into base: it opens one, or brings title and body of the open one
// up to date. When there is nothing to merge it returns ErrNothingToMerge, and
// when the token may not open one a *PullRequestRefusedError with a link.
func (c *Client) EnsurePullRequest(ctx context.Context, head, base, title, body string) (n int, created bool, err error) {
	doing := fmt.Sprintf("open a pull request from %s to %s", head, base)
	find := func(ctx context.Context) (*gh.PullRequest, bool, error) { return c.openPullRequest(ctx, head, base) }
	pr, found, err := find(ctx)
	if err != nil {
		return 0, false, err
	}
	if !found {
		pr, err = once(ctx, c, find, func(ctx context.Context) (*gh.PullRequest, error) {
			pr, _, err := c.rest.PullRequests.Create(ctx, c.owner, c.repo, &gh.NewPullRequest{
				Title: &title, Head: &head, Base: &base, Body: &body,
			})
			return pr, err
		})
		if err != nil {
			return 0, false, c.explainOpen(err, doing, base, head)
		}
		return pr.GetNumber(), true, nil
	}
	n = pr.GetNumber()
	if pr.GetTitle() == title && sameText(pr.GetBody(), body) {
		return n, false, nil
	}
	_, _, err = c.rest.PullRequests.Edit(ctx, c.owner, c.repo, n, &gh.PullRequest{Title: &title, Body: &body})
	return n, false, explain(err, fmt.Sprintf("edit pull request %d", n), "pull-requests: write")
}

// OpenPullRequest returns the number of the open pull request from the branch
// head of this repository into base, 0 for none.
func (c *Client) OpenPullRequest(ctx context.Context, head, base string) (int, error) {
	pr, _, err := c.openPullRequest(ctx, head, base)
	return pr.GetNumber(), err
}

func (c *Client) openPullRequest(ctx context.Context, head, base string) (*gh.PullRequest, bool, error) {
	open, _, err := c.rest.PullRequests.List(ctx, c.owner, c.repo, &gh.PullRequestListOptions{
		State: "open", Head: c.owner + ":" + head, Base: base,
		ListOptions: gh.ListOptions{PerPage: 100},
	})
	if err != nil {
		return nil, false, explain(err, fmt.Sprintf("look for a pull request from %s to %s", head, base), "pull-requests: read")
	}
	// GitHub ignores a head filter it cannot parse and lists everything.
	for _, pr := range open {
		if pr.GetHead().GetRef() == head && pr.GetBase().GetRef() == base &&
			strings.EqualFold(pr.GetHead().GetRepo().GetFullName(), c.Repository()) {
			return pr, true, nil
		}
	}
	return nil, false, nil
}

// explainOpen is explain for the creation of a pull request.
func (c *Client) explainOpen(err error, doing, base, head string) error {
	switch text := message(err); {
	case status(err) == http.StatusForbidden:
		return &PullRequestRefusedError{CompareURL: c.CompareURL(base, head), Message: text}
	case status(err) == http.StatusUnprocessableEntity && strings.Contains(text, "No commits between"):
		return fmt.Errorf("%s: %w", doing, ErrNothingToMerge)
	}
	return explain(err, doing, "pull-requests: write")
}

// sameText compares two bodies the way GitHub stores them: line ends are made
// alike and blanks at both ends are dropped.
func sameText(a, b string) bool {
	clean := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return clean(a) == clean(b)
}

// ghostly names the account that GitHub shows for one that was deleted.
func ghostly(login string) string {
	if login == "" {
		return "ghost"
	}
	return login
}
