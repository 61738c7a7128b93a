package crevtest

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// listRepoReviewComments lists the comments in threads of all pull requests.
func (c *call) listRepoReviewComments() *reply {
	var all []*comment
	for _, p := range c.g.pulls {
		all = append(all, p.shownComments()...)
	}
	return page(c, c.changed(all), func(m *comment) any { return c.g.renderReviewComment(m) })
}

// listRepoComments lists the comments in all conversations.
func (c *call) listRepoComments() *reply {
	var all []*comment
	for _, p := range c.g.pulls {
		all = append(all, p.comments...)
	}
	return page(c, c.changed(all), func(m *comment) any { return c.g.renderComment(m) })
}

// changed filters and orders comments as the query asks.
func (c *call) changed(all []*comment) []*comment {
	if since, err := time.Parse(time.RFC3339, c.query.Get("since")); err == nil {
		all = slices.DeleteFunc(all, func(m *comment) bool { return m.updated.Before(since) })
	}
	slices.SortStableFunc(all, func(a, b *comment) int {
		if c.query.Get("sort") == "updated" {
			return a.updated.Compare(b.updated)
		}
		return a.created.Compare(b.created)
	})
	// Like GitHub, the newest first only where it is asked for.
	if c.query.Get("direction") == "desc" {
		slices.Reverse(all)
	}
	return all
}

// ReviewComment opens a thread at a line of the new version of a file, as a
// person who reviews pull request n, and returns the id of the comment.
func (g *GitHub) ReviewComment(n int, login, path string, line int, body string) (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.pull(n)
	if err != nil {
		return 0, err
	}
	g.account(login)
	c := &call{g: g, token: &token{login: login}}
	commit, files, r := c.commitOf(p, "")
	if r != nil {
		return 0, fmt.Errorf("comment on pull request %d: no commit", n)
	}
	a := anchor{Path: path, Line: line, Body: body}
	h, r := a.place(files)
	if r != nil {
		return 0, fmt.Errorf("comment on %s:%d of pull request %d: it is not in the diff", path, line, n)
	}
	rev := g.addReview(p, login, "", commit)
	return c.addThread(p, rev, a, commit, h, false).id, nil
}

// Delete removes a comment as its author would; the thread goes with its last
// one.
func (g *GitHub) Delete(which string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m, err := g.find(which)
	if err != nil {
		return err
	}
	c := &call{g: g, params: map[string]string{"comment_id": strconv.FormatInt(m.id, 10)}}
	if m.thread != nil {
		c.deleteReviewComment()
	} else {
		c.deleteComment()
	}
	return nil
}

// ghost is the account that GitHub shows for those that were deleted. GraphQL
// shows none: https://docs.github.com/en/graphql/reference/interfaces#comment
const ghost = "ghost"

// Leave deletes an account: what it wrote is a ghost's from then on.
func (g *GitHub) Leave(login string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.pulls {
		for _, m := range append(p.shownComments(), p.comments...) {
			if m.author == login {
				m.author = ghost
			}
		}
	}
	delete(g.accounts, login)
}

func (s *githubScript) reviewComment(ts *testscript.TestScript, o *options) error {
	o.only(ts, "as")
	n, err := o.pull(0)
	if err != nil {
		return err
	}
	path, err := o.arg(1, "the path")
	if err != nil {
		return err
	}
	word, err := o.arg(2, "the line")
	if err != nil {
		return err
	}
	line, err := strconv.Atoi(word)
	if err != nil {
		return fmt.Errorf("line %q is no number", word)
	}
	text, err := o.text(3)
	if err != nil {
		return err
	}
	id, err := s.g.ReviewComment(n, o.as(), path, line, text)
	if err == nil {
		fmt.Fprintln(ts.Stdout(), id)
	}
	return err
}

func (s *githubScript) delete(ts *testscript.TestScript, o *options) error {
	o.only(ts)
	which, err := o.arg(0, "the comment")
	if err != nil {
		return err
	}
	return s.g.Delete(which)
}
