package crevtest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// anchor is where a new comment is to go.
type anchor struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	StartLine *int   `json:"start_line"`
	Side      string `json:"side"`
	StartSide string `json:"start_side"`
	Body      string `json:"body"`
}

// lineRefused is what GitHub says of a line that is not in the diff. It does
// not say which one.
func lineRefused() *reply {
	return refused("Unprocessable Entity",
		"Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank")
}

// place checks an anchor against the difference between the merge base and the
// commit. It returns the refusal, nil for a good one.
func (a *anchor) place(files []fileDiff) (*hunk, *reply) {
	a.Side = orElse(a.Side, "RIGHT")
	a.StartSide = orElse(a.StartSide, a.Side)
	for i := range files {
		f := &files[i]
		if f.path != a.Path {
			continue
		}
		end := f.hunkAt(a.Side, a.Line)
		if end < 0 {
			return nil, lineRefused()
		}
		if a.StartLine != nil {
			if a.StartSide == a.Side && *a.StartLine >= a.Line {
				return nil, refused("Unprocessable Entity",
					"Pull request review thread start line must precede the end line.")
			}
			if f.hunkAt(a.StartSide, *a.StartLine) != end {
				return nil, refused("Unprocessable Entity",
					"Pull request review thread start line must be part of the same hunk as the line.")
			}
		}
		return &f.hunks[end], nil
	}
	return nil, refused("Unprocessable Entity", "Path could not be resolved")
}

// commitOf finds the commit of a review and what it changes. GitHub takes the
// commits of the pull request only.
func (c *call) commitOf(p *pull, sha string) (string, []fileDiff, *reply) {
	sha = orElse(sha, p.headSHA)
	commit := c.g.git.resolve(sha)
	if commit == "" || commit != p.headSHA && !c.g.git.contains(p.baseSHA, p.headSHA, commit) {
		return "", nil, refused("No commit found for SHA: " + sha)
	}
	files, err := c.g.git.diff(c.g.git.mergeBase(p.baseSHA, commit), commit, 3)
	if err != nil {
		return "", nil, c.g.broken(c, err)
	}
	return commit, files, nil
}

func (c *call) createReview() *reply {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	var in struct {
		CommitID string `json:"commit_id"`
		Body     string `json:"body"`
		Event    string `json:"event"`
		Comments []anchor
	}
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	if in.Event != "COMMENT" {
		return c.g.broken(c, fmt.Errorf("pulls/create-review: crev only comments, not %q", in.Event))
	}
	commit, files, r := c.commitOf(p, in.CommitID)
	if r != nil {
		return r
	}
	if strings.TrimSpace(in.Body) == "" && len(in.Comments) == 0 {
		return refused("Unprocessable Entity", "Could not comment pull request review. You need to leave a comment indicating the requested changes.")
	}
	if r := tooLong("PullRequestReview", in.Body); r != nil {
		return refused("Unprocessable Entity", "Body is too long (maximum is 65536 characters)")
	}
	hunks := make([]*hunk, len(in.Comments))
	for i := range in.Comments {
		a := &in.Comments[i]
		if tooLong("", a.Body) != nil {
			return refused("Unprocessable Entity", "Body is too long (maximum is 65536 characters)")
		}
		if hunks[i], r = a.place(files); r != nil {
			return r
		}
	}
	rev := c.g.addReview(p, c.login(), in.Body, commit)
	for i, a := range in.Comments {
		c.addThread(p, rev, a, commit, hunks[i], false)
	}
	return ok(c.g.renderReview(p, rev))
}

func (g *GitHub) addReview(p *pull, login, body, commit string) *review {
	rev := &review{id: g.next("review"), author: login, body: body, commit: commit, submitted: g.tick()}
	p.reviews = append(p.reviews, rev)
	return rev
}

// addThread opens a thread with its first comment.
func (c *call) addThread(p *pull, rev *review, a anchor, commit string, h *hunk, file bool) *comment {
	t := &thread{
		id: fmt.Sprintf("PRRT_%d", c.g.next("thread")), pull: p, path: a.Path, file: file,
		side: orElse(a.Side, "RIGHT"), startSide: a.StartSide, line: a.Line, hidden: c.invisible,
	}
	if a.StartLine != nil {
		t.start = *a.StartLine
	}
	t.original.line, t.original.start, t.original.commit = t.line, t.start, commit
	if h != nil {
		t.hunk = h.text
	}
	p.threads = append(p.threads, t)
	return c.g.addReviewComment(t, rev.id, c.login(), a.Body, rev.submitted)
}

func (g *GitHub) addReviewComment(t *thread, review int64, login, body string, at time.Time) *comment {
	m := &comment{
		id: g.next("review comment"), review: review, author: login, body: body,
		created: at, updated: at, thread: t, pull: t.pull,
	}
	t.comments = append(t.comments, m)
	t.pull.updated = at
	return m
}

func (c *call) createReviewComment() *reply {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	var in struct {
		anchor
		CommitID    string `json:"commit_id"`
		SubjectType string `json:"subject_type"`
		InReplyTo   int64  `json:"in_reply_to"`
	}
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	if r := tooLong("PullRequestReviewComment", in.Body); r != nil {
		return r
	}
	if in.InReplyTo != 0 {
		for _, t := range p.threads {
			if t.comments[0].id == in.InReplyTo {
				rev := c.g.addReview(p, c.login(), "", p.headSHA)
				m := c.g.addReviewComment(t, rev.id, c.login(), in.Body, rev.submitted)
				return created(c.g.renderReviewComment(m))
			}
		}
		return invalid("PullRequestReviewComment", "in_reply_to", "invalid", "in_reply_to must be the first comment of a thread")
	}
	if in.CommitID == "" || in.Path == "" {
		return c.g.broken(c, fmt.Errorf("pulls/create-review-comment: commit_id and path are required"))
	}
	commit, files, r := c.commitOf(p, in.CommitID)
	if r != nil {
		return invalid("PullRequestReviewComment", "commit_id", "custom", "commit_id is not part of the pull request")
	}
	file := in.SubjectType == "file"
	var h *hunk
	if file {
		found := false
		for _, f := range files {
			found = found || f.path == in.Path
		}
		if !found {
			return invalid("PullRequestReviewComment", "pull_request_review_thread.path", "invalid", "path is not part of the pull request")
		}
	} else if h, r = in.place(files); r != nil {
		return invalid("PullRequestReviewComment", "pull_request_review_thread.line", "invalid", "line must be part of the diff")
	}
	rev := c.g.addReview(p, c.login(), "", commit)
	return created(c.g.renderReviewComment(c.addThread(p, rev, in.anchor, commit, h, file)))
}

func (c *call) listReviews() *reply {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	return page(c, p.reviews, func(r *review) any { return c.g.renderReview(p, r) })
}

// shownComments returns the review comments that GitHub shows.
func (p *pull) shownComments() []*comment {
	var all []*comment
	for _, t := range p.threads {
		if !t.hidden {
			all = append(all, t.comments...)
		}
	}
	return all
}

func (c *call) listReviewComments() *reply {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	var found []*comment
	for _, m := range p.shownComments() {
		if m.review == c.number("review_id") {
			found = append(found, m)
		}
	}
	return page(c, found, func(m *comment) any { return c.g.renderReviewComment(m) })
}

func (c *call) listPullComments() *reply {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	return page(c, p.shownComments(), func(m *comment) any { return c.g.renderReviewComment(m) })
}

// reviewComment returns the comment in the path, nil for none.
func (c *call) reviewComment() *comment { return c.g.reviewComment(c.number("comment_id")) }

func (g *GitHub) reviewComment(id int64) *comment {
	for _, p := range g.pulls {
		for _, m := range p.shownComments() {
			if m.id == id {
				return m
			}
		}
	}
	return nil
}

func (c *call) getReviewComment() *reply {
	m := c.reviewComment()
	if m == nil {
		return notFound()
	}
	return ok(c.g.renderReviewComment(m))
}

func (c *call) updateReviewComment() *reply {
	m := c.reviewComment()
	if m == nil {
		return notFound()
	}
	if r := c.edit(m, "PullRequestReviewComment"); r != nil {
		return r
	}
	return ok(c.g.renderReviewComment(m))
}

func (c *call) deleteReviewComment() *reply {
	m := c.reviewComment()
	if m == nil {
		return notFound()
	}
	t := m.thread
	for i, other := range t.comments {
		if other == m {
			t.comments = append(t.comments[:i:i], t.comments[i+1:]...)
			break
		}
	}
	if len(t.comments) == 0 {
		for i, other := range t.pull.threads {
			if other == t {
				t.pull.threads = append(t.pull.threads[:i:i], t.pull.threads[i+1:]...)
				break
			}
		}
	}
	return &reply{status: http.StatusNoContent}
}
