package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v66/github"
)

const (
	// maxRefusals bounds the search for the comments that GitHub refuses,
	// so that a review it refuses as a whole does not cost the write budget.
	maxRefusals = 24
	// readBackAttempts bounds how often a listing is read until it shows
	// what was just posted.
	readBackAttempts = 3
)

// reasonInvisible is said of a comment that GitHub took and does not show.
const reasonInvisible = "GitHub accepted the comment and does not show it"

// Review is one review to post: a body and comments on lines, as one request
// and one notification. It never approves and never requests changes.
type Review struct {
	// Commit is the head that was reviewed. GitHub moves comments along to a
	// newer head by itself, and later answers with the newer one.
	Commit string
	// Body may be empty when there are comments. It should name Commit: an
	// own review with the same body is taken for this one.
	Body     string
	Comments []LineComment
}

// LineComment is a comment on one or more lines of the diff.
type LineComment struct {
	// Marker stands in Body and is how the comment is found again. It must
	// be unique on the pull request.
	Marker string
	Path   string
	// Line is the last line, StartLine the first; 0 or Line for a single
	// one. Both must lie in one hunk.
	Line, StartLine int
	// Side is "RIGHT" (also when empty) or "LEFT"; StartSide is Side when
	// empty.
	Side, StartSide string
	Body            string
}

// Placed is a comment that GitHub shows.
type Placed struct {
	Marker    string
	CommentID int64
	ThreadID  string
}

// Unplaced is a comment that GitHub does not show, with the reason in plain
// words. Its text belongs in the summary.
type Unplaced struct {
	Marker, Reason string
}

// CreateReview posts a review on pull request n and reports what GitHub shows
// afterwards; every comment of r is in exactly one of the two lists, in the
// order of r. Comments whose marker is already on the pull request in an own
// thread are not posted again and count as placed. When GitHub refuses the
// review because of a comment, the others are posted without it.
//
// The lists are also valid when the error is not nil: what was posted before
// the error is reported as placed if it could still be read back.
func (c *Client) CreateReview(ctx context.Context, n int, r Review) ([]Placed, []Unplaced, error) {
	doing := fmt.Sprintf("post the review on pull request %d", n)
	for _, m := range r.Comments {
		if m.Marker == "" || !strings.Contains(m.Body, m.Marker) {
			return nil, nil, fmt.Errorf("%s: the comment on %s:%d does not carry its marker", doing, m.Path, m.Line)
		}
	}
	p := &poster{c: c, n: n, review: r, refused: map[string]string{}}
	todo, err := p.missing(ctx, r.Comments)
	if err != nil {
		return nil, r.unplaced(err.Error()), err
	}
	if len(todo) > 0 {
		err = p.post(ctx, todo)
	}
	if err == nil && !p.bodyPosted && r.Body != "" {
		err = p.post(ctx, nil)
	}
	placed, unplaced, readErr := p.report(ctx, err)
	if err != nil {
		return placed, unplaced, explain(err, doing, needsPulls)
	}
	return placed, unplaced, readErr
}

// unplaced reports every comment as not placed.
func (r *Review) unplaced(reason string) []Unplaced {
	var all []Unplaced
	for _, m := range r.Comments {
		all = append(all, Unplaced{Marker: m.Marker, Reason: reason})
	}
	return all
}

// poster posts one review, in as many requests as GitHub makes necessary.
type poster struct {
	c      *Client
	n      int
	review Review
	// bodyPosted is true when an own review shows the body.
	bodyPosted bool
	// refused holds GitHub's reason by marker; refusals counts the requests
	// that it turned down.
	refused  map[string]string
	refusals int
}

// missing returns the comments that are not on the pull request yet, and looks
// whether the body is.
func (p *poster) missing(ctx context.Context, comments []LineComment) ([]LineComment, error) {
	placed, err := p.c.placed(ctx, p.n)
	if err != nil {
		return nil, err
	}
	if p.review.Body != "" && !p.bodyPosted {
		if p.bodyPosted, err = p.c.reviewed(ctx, p.n, p.review.Body); err != nil {
			return nil, err
		}
	}
	var todo []LineComment
	for _, m := range comments {
		if _, ok := placed.find(m.Marker); !ok {
			todo = append(todo, m)
		}
	}
	return todo, nil
}

// post sends comments as one review. A refusal is narrowed down by halves; an
// unknown outcome is looked up before anything is sent again.
func (p *poster) post(ctx context.Context, comments []LineComment) error {
	for attempt := 1; ; attempt++ {
		err := p.send(ctx, comments)
		switch {
		case err == nil:
			p.bodyPosted = true
			return nil
		case status(err) == http.StatusUnprocessableEntity && len(comments) > 0:
			p.refusals++
			if len(comments) == 1 || p.refusals >= maxRefusals {
				for _, m := range comments {
					p.refused[m.Marker] = "GitHub refuses the comment: " + message(err)
				}
				return nil
			}
			half := len(comments) / 2
			if err := p.post(ctx, comments[:half]); err != nil {
				return err
			}
			return p.post(ctx, comments[half:])
		case !unknownOutcome(err) || attempt == createAttempts:
			return err
		}
		if err := p.c.settle(ctx, attempt); err != nil {
			return err
		}
		var findErr error
		if comments, findErr = p.missing(ctx, comments); findErr != nil {
			return fmt.Errorf("%w (and looking for what was posted: %w)", err, findErr)
		}
		if len(comments) == 0 && (p.bodyPosted || p.review.Body == "") {
			return nil
		}
	}
}

// send makes one request. The body goes with the first one that GitHub takes.
func (p *poster) send(ctx context.Context, comments []LineComment) error {
	body := p.review.Body
	if p.bodyPosted && body != "" {
		body = fmt.Sprintf("More comments of the review of %.12s.", p.review.Commit)
	}
	event := "COMMENT"
	req := &gh.PullRequestReviewRequest{CommitID: &p.review.Commit, Body: &body, Event: &event}
	for _, m := range comments {
		req.Comments = append(req.Comments, m.draft())
	}
	_, _, err := p.c.rest.PullRequests.CreateReview(ctx, p.c.owner, p.c.repo, p.n, req)
	return err
}

// draft gives the comment the form GitHub accepts: a single line has no start,
// and the start is before the end.
func (m LineComment) draft() *gh.DraftReviewComment {
	if m.Side == "" {
		m.Side = "RIGHT"
	}
	if m.StartSide == "" {
		m.StartSide = m.Side
	}
	d := &gh.DraftReviewComment{Path: &m.Path, Body: &m.Body, Line: &m.Line, Side: &m.Side}
	if m.StartLine == 0 || (m.StartLine == m.Line && m.StartSide == m.Side) {
		return d
	}
	if m.StartSide == m.Side && m.StartLine > m.Line {
		m.StartLine, m.Line = m.Line, m.StartLine
	}
	d.StartLine, d.StartSide = &m.StartLine, &m.StartSide
	return d
}

// report reads back what GitHub shows and sorts the comments into the two
// lists. failed is why posting stopped early, nil when it did not.
func (p *poster) report(ctx context.Context, failed error) ([]Placed, []Unplaced, error) {
	var shown placedComments
	for attempt := 1; ; attempt++ {
		var err error
		if shown, err = p.c.placed(ctx, p.n); err != nil {
			return nil, p.review.unplaced("what was posted could not be read back"), err
		}
		if failed != nil || p.complete(shown) || attempt == readBackAttempts {
			break
		}
		if err := p.c.settle(ctx, attempt); err != nil {
			return nil, p.review.unplaced("what was posted could not be read back"), err
		}
	}
	var placed []Placed
	var unplaced []Unplaced
	for _, m := range p.review.Comments {
		reason, refused := p.refused[m.Marker]
		if at, ok := shown.find(m.Marker); ok {
			placed = append(placed, at)
			continue
		}
		switch {
		case refused:
		case failed != nil:
			reason = "not posted: " + reasonOf(failed)
		default:
			reason = reasonInvisible
		}
		unplaced = append(unplaced, Unplaced{Marker: m.Marker, Reason: reason})
	}
	return placed, unplaced, nil
}

// complete reports whether every comment that was not refused is shown.
func (p *poster) complete(shown placedComments) bool {
	for _, m := range p.review.Comments {
		if _, ok := shown.find(m.Marker); !ok && p.refused[m.Marker] == "" {
			return false
		}
	}
	return true
}

// reasonOf says in a few words why posting stopped.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, ErrRateLimited):
		return "GitHub's rate limit is reached"
	case status(err) == http.StatusForbidden:
		return "the token lacks pull-requests: write"
	case status(err) >= 500 || status(err) == 0:
		return "GitHub did not answer"
	}
	return message(err)
}

// placedComments are the own comments that open a thread, by what they say.
type placedComments []placedComment

type placedComment struct {
	body string
	at   Placed
}

// find returns the oldest own thread that carries the marker.
func (all placedComments) find(marker string) (Placed, bool) {
	for _, p := range all {
		if strings.Contains(p.body, marker) {
			p.at.Marker = marker
			return p.at, true
		}
	}
	return Placed{}, false
}

// placed lists the own threads of a pull request.
func (c *Client) placed(ctx context.Context, n int) (placedComments, error) {
	threads, err := c.Threads(ctx, n)
	if err != nil {
		return nil, err
	}
	var all placedComments
	for _, t := range threads {
		if t.Mine() {
			first := t.Comments[0]
			all = append(all, placedComment{
				body: first.Body,
				at:   Placed{CommentID: first.ID, ThreadID: t.ID},
			})
		}
	}
	return all, nil
}

// reviewed reports whether an own review has exactly this body. The commit of
// a review is no evidence: GitHub moves it along with the head. A token that
// may not ask who it belongs to has no provable review, so that nothing is
// held back because of somebody else's.
func (c *Client) reviewed(ctx context.Context, n int, body string) (bool, error) {
	me, err := c.Self(ctx)
	if errors.Is(err, ErrForbidden) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	opts := &gh.ListOptions{PerPage: 100}
	for {
		page, resp, err := c.rest.PullRequests.ListReviews(ctx, c.owner, c.repo, n, opts)
		if err != nil {
			return false, explain(err, fmt.Sprintf("list the reviews of pull request %d", n), "pull-requests: read")
		}
		for _, r := range page {
			if r.GetUser().GetLogin() == me.Login && sameText(r.GetBody(), body) {
				return true, nil
			}
		}
		if resp.NextPage == 0 {
			return false, nil
		}
		opts.Page = resp.NextPage
	}
}
