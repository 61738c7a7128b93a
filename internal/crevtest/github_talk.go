package crevtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// What people do on GitHub.

// Comment writes into the conversation of a pull request and returns the id.
func (g *GitHub) Comment(n int, login, body string) (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.pull(n)
	if err != nil {
		return 0, err
	}
	g.account(login)
	return g.addComment(p, login, body).id, nil
}

// Reply answers in the thread of a comment and returns the id.
func (g *GitHub) Reply(which, login, body string) (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m, err := g.find(which)
	if err != nil {
		return 0, err
	}
	if m.thread == nil {
		return 0, fmt.Errorf("comment %d is in no thread", m.id)
	}
	g.account(login)
	rev := g.addReview(m.pull, login, "", m.pull.headSHA)
	return g.addReviewComment(m.thread, rev.id, login, body, rev.submitted).id, nil
}

// Edit changes a comment as its author would.
func (g *GitHub) Edit(which, body string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m, err := g.find(which)
	if err != nil {
		return err
	}
	m.body, m.updated, m.edited = body, g.tick(), true
	return nil
}

// React adds a reaction, such as "+1", to a comment.
func (g *GitHub) React(which, login, content string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m, err := g.find(which)
	if err != nil {
		return err
	}
	if reactionEnum[content] == "" {
		return fmt.Errorf("no reaction %q", content)
	}
	g.account(login)
	g.addReaction(m, login, content)
	return nil
}

// Resolve resolves the thread of a comment, or opens it again.
func (g *GitHub) Resolve(which, login string, resolved bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m, err := g.find(which)
	if err != nil {
		return err
	}
	if m.thread == nil {
		return fmt.Errorf("comment %d is in no thread", m.id)
	}
	m.thread.resolved, m.thread.resolvedBy = resolved, ""
	if resolved {
		m.thread.resolvedBy = login
	}
	g.tick()
	return nil
}

// find returns the comment with an id, or the only one whose text has a piece;
// a comment that opens a thread wins over its replies.
func (g *GitHub) find(which string) (*comment, error) {
	id, err := strconv.ParseInt(which, 10, 64)
	isID := err == nil
	var found, opening []*comment
	for _, p := range g.pulls {
		for _, m := range append(p.shownComments(), p.comments...) {
			if isID && m.id == id {
				return m, nil
			}
			if !isID && strings.Contains(m.body, which) {
				found = append(found, m)
				if m.thread != nil && m.thread.comments[0] == m {
					opening = append(opening, m)
				}
			}
		}
	}
	if len(opening) == 1 {
		return opening[0], nil
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return nil, fmt.Errorf("%d comments fit %q, want one", len(found), which)
}

func (s *githubScript) comment(ts *testscript.TestScript, o *options) error {
	o.only(ts, "as")
	n, err := o.pull(0)
	if err != nil {
		return err
	}
	text, err := o.text(1)
	if err != nil {
		return err
	}
	id, err := s.g.Comment(n, o.as(), text)
	if err == nil {
		fmt.Fprintln(ts.Stdout(), id)
	}
	return err
}

func (s *githubScript) reply(ts *testscript.TestScript, o *options) error {
	o.only(ts, "as")
	if _, err := o.pull(0); err != nil {
		return err
	}
	which, err := o.arg(1, "the comment")
	if err != nil {
		return err
	}
	text, err := o.text(2)
	if err != nil {
		return err
	}
	id, err := s.g.Reply(which, o.as(), text)
	if err == nil {
		fmt.Fprintln(ts.Stdout(), id)
	}
	return err
}

func (s *githubScript) edit(ts *testscript.TestScript, o *options) error {
	o.only(ts)
	which, err := o.arg(0, "the comment")
	if err != nil {
		return err
	}
	text, err := o.text(1)
	if err != nil {
		return err
	}
	return s.g.Edit(which, text)
}

func (s *githubScript) react(ts *testscript.TestScript, o *options) error {
	o.only(ts, "as")
	which, err := o.arg(0, "the comment")
	if err != nil {
		return err
	}
	content, err := o.arg(1, "the reaction")
	if err != nil {
		return err
	}
	return s.g.React(which, o.as(), content)
}

func (s *githubScript) resolve(ts *testscript.TestScript, o *options) error {
	o.only(ts, "as")
	which, err := o.arg(0, "the comment")
	if err != nil {
		return err
	}
	return s.g.Resolve(which, o.as(), o.name == "resolve")
}
