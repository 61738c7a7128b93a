package github

import (
	"context"
	"fmt"

	gh "github.com/google/go-github/v66/github"
)

// reactionNames maps GraphQL's names to those of the REST API.
var reactionNames = map[string]string{
	"THUMBS_UP": "+1", "THUMBS_DOWN": "-1", "LAUGH": "laugh", "CONFUSED": "confused",
	"HEART": "heart", "HOORAY": "hooray", "ROCKET": "rocket", "EYES": "eyes",
}

const (
	needsPulls  = "pull-requests: write"
	needsThread = "contents: write and pull-requests: write"
)

// FileComment is a comment on a whole file, for a finding whose line is not in
// the diff.
type FileComment struct {
	// Marker stands in Body and is how the comment is found again.
	Marker string
	// Commit is the head that was reviewed, Path a file the pull request
	// changes.
	Commit, Path, Body string
}

// CreateFileComment posts a comment on a file of pull request n. When an own
// comment with the marker is already there, it returns that one.
func (c *Client) CreateFileComment(ctx context.Context, n int, f FileComment) (Placed, error) {
	doing := fmt.Sprintf("comment on %s in pull request %d", f.Path, n)
	find := func(ctx context.Context) (Placed, bool, error) {
		placed, err := c.placed(ctx, n)
		p, ok := placed.find(f.Marker)
		return p, ok, err
	}
	if p, ok, err := find(ctx); err != nil || ok {
		return p, err
	}
	fileSubject := "file"
	if _, err := once(ctx, c, find, func(ctx context.Context) (Placed, error) {
		m, _, err := c.rest.PullRequests.CreateComment(ctx, c.owner, c.repo, n, &gh.PullRequestComment{
			Body: &f.Body, CommitID: &f.Commit, Path: &f.Path, SubjectType: &fileSubject,
		})
		return Placed{Marker: f.Marker, CommentID: m.GetID()}, err
	}); err != nil {
		return Placed{}, explain(err, doing, needsPulls)
	}
	for attempt := 1; ; attempt++ {
		p, ok, err := find(ctx)
		if err != nil || ok {
			return p, err
		}
		if attempt == readBackAttempts {
			return Placed{}, fmt.Errorf("%s: %s", doing, reasonInvisible)
		}
		if err := c.settle(ctx, attempt); err != nil {
			return Placed{}, err
		}
	}
}

// EditReviewComment replaces the body of an own comment in a thread.
func (c *Client) EditReviewComment(ctx context.Context, id int64, body string) error {
	_, _, err := c.rest.PullRequests.EditComment(ctx, c.owner, c.repo, id, &gh.PullRequestComment{Body: &body})
	return explain(err, fmt.Sprintf("edit review comment %d", id), needsPulls)
}

// EditComment replaces the body of an own comment in the conversation.
func (c *Client) EditComment(ctx context.Context, id int64, body string) error {
	_, _, err := c.rest.Issues.EditComment(ctx, c.owner, c.repo, id, &gh.IssueComment{Body: &body})
	return explain(err, fmt.Sprintf("edit comment %d", id), needsPulls)
}

// UpsertSticky keeps one own comment with the marker in the conversation of
// pull request n and returns its id. An unchanged body is not written again. A
// comment of somebody else that carries the marker is left alone.
func (c *Client) UpsertSticky(ctx context.Context, n int, marker, body string) (int64, error) {
	doing := fmt.Sprintf("post the summary on pull request %d", n)
	find := func(ctx context.Context) (Comment, bool, error) {
		all, err := c.Comments(ctx, n)
		for _, m := range all {
			if m.has(marker) {
				return m, true, nil
			}
		}
		return Comment{}, false, err
	}
	m, ok, err := find(ctx)
	if err != nil {
		return 0, err
	}
	if ok {
		if sameText(m.Body, body) {
			return m.ID, nil
		}
		return m.ID, c.EditComment(ctx, m.ID, body)
	}
	m, err = once(ctx, c, find, func(ctx context.Context) (Comment, error) {
		m, _, err := c.rest.Issues.CreateComment(ctx, c.owner, c.repo, n, &gh.IssueComment{Body: &body})
		return Comment{ID: m.GetID()}, err
	})
	return m.ID, explain(err, doing, needsPulls)
}

// Reply answers in a thread and returns the id of the answer. root is the first
// comment of the thread; GitHub accepts no other. An answer whose outcome is
// unknown is looked up before it is given again.
func (c *Client) Reply(ctx context.Context, n int, root int64, body string) (int64, error) {
	find := func(ctx context.Context) (int64, bool, error) {
		threads, err := c.Threads(ctx, n)
		for _, t := range threads {
			if len(t.Comments) == 0 || t.Comments[0].ID != root {
				continue
			}
			for _, m := range t.Comments[1:] {
				if m.Mine && sameText(m.Body, body) {
					return m.ID, true, nil
				}
			}
		}
		return 0, false, err
	}
	id, err := once(ctx, c, find, func(ctx context.Context) (int64, error) {
		m, _, err := c.rest.PullRequests.CreateCommentInReplyTo(ctx, c.owner, c.repo, n, body, root)
		return m.GetID(), err
	})
	return id, explain(err, fmt.Sprintf("reply to comment %d", root), needsPulls)
}

// ResolveThread marks a thread as resolved. With contents: read GitHub refuses
// a GITHUB_TOKEN; the error is then an ErrForbidden that names what is missing
// and the caller says in the comment what it could not say with the state.
func (c *Client) ResolveThread(ctx context.Context, threadID string) error {
	return c.setResolved(ctx, "resolve a review thread", "resolveReviewThread", threadID)
}

// UnresolveThread opens a resolved thread again. See ResolveThread.
func (c *Client) UnresolveThread(ctx context.Context, threadID string) error {
	return c.setResolved(ctx, "reopen a review thread", "unresolveReviewThread", threadID)
}

func (c *Client) setResolved(ctx context.Context, doing, field, threadID string) error {
	text := "mutation($id: ID!) { " + field + "(input: {threadId: $id}) { thread { id isResolved } } }"
	var answer map[string]*struct {
		Thread *struct{ IsResolved bool }
	}
	err := c.mutate(ctx, text, map[string]any{"id": threadID}, &answer)
	if unknownOutcome(err) {
		// The state is set, not toggled: saying it again changes nothing.
		err = c.mutate(ctx, text, map[string]any{"id": threadID}, &answer)
	}
	if err != nil {
		return explainGraphQL(err, doing, needsThread)
	}
	want := field == "resolveReviewThread"
	if got := answer[field]; got == nil || got.Thread == nil || got.Thread.IsResolved != want {
		return fmt.Errorf("%s: GitHub accepted it and changed nothing", doing)
	}
	return nil
}

// React adds a reaction to a comment of a thread, or to one in the conversation
// when review is false. Content is a REST name such as "+1" or "eyes". Reacting
// twice is the same as once.
func (c *Client) React(ctx context.Context, review bool, commentID int64, content string) error {
	var err error
	if review {
		_, _, err = c.rest.Reactions.CreatePullRequestCommentReaction(ctx, c.owner, c.repo, commentID, content)
	} else {
		_, _, err = c.rest.Reactions.CreateIssueCommentReaction(ctx, c.owner, c.repo, commentID, content)
	}
	return explain(err, fmt.Sprintf("react to comment %d", commentID), needsPulls)
}
