package crevtest

import (
	"fmt"
	"slices"
	"time"
)

// issue is an issue that is no pull request.
type issue struct {
	number      int
	title, body string
	author      string
	at          time.Time
	closed      bool
	labels      []string
	timeline    []moment
}

// moment is an entry of an issue's timeline.
type moment struct {
	event, actor  string
	label, commit string
	// pull is the pull request of a cross-reference.
	pull *pull
	at   time.Time
}

// firstIssue keeps the numbers of issues apart from those of pull requests,
// which GitHub counts together.
const firstIssue = 100

// OpenIssue opens an issue and returns its number. author is "" for the
// maintainer.
func (g *GitHub) OpenIssue(title, body, author string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := &issue{number: firstIssue + len(g.issues), title: title, body: body, author: orElse(author, Maintainer), at: g.tick()}
	g.account(i.author)
	g.issues = append(g.issues, i)
	return i.number
}

// IssueMoment is what happens to an issue: Event is labeled, unlabeled, closed,
// referenced or cross-referenced.
type IssueMoment struct {
	Event, Actor  string
	Label, Commit string
	Pull          int
}

// Happen adds to the timeline of an issue.
func (g *GitHub) Happen(n int, m IssueMoment) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := g.issue(n)
	if i == nil {
		return fmt.Errorf("there is no issue %d", n)
	}
	e := moment{event: m.Event, actor: orElse(m.Actor, Maintainer), label: m.Label, commit: m.Commit, at: g.tick()}
	g.account(e.actor)
	switch m.Event {
	case "labeled":
		i.labels = append(i.labels, m.Label)
	case "unlabeled":
		i.labels = slices.DeleteFunc(i.labels, func(l string) bool { return l == m.Label })
	case "closed":
		i.closed = true
	case "referenced":
	case "cross-referenced":
		var err error
		if e.pull, err = g.pull(m.Pull); err != nil {
			return err
		}
	default:
		return fmt.Errorf("nothing called %q happens to an issue", m.Event)
	}
	i.timeline = append(i.timeline, e)
	return nil
}

func (g *GitHub) issue(n int) *issue {
	for _, i := range g.issues {
		if i.number == n {
			return i
		}
	}
	return nil
}

func (c *call) getIssue() *reply {
	i := c.g.issue(int(c.number("issue_number")))
	if i == nil {
		return notFound()
	}
	return ok(c.g.renderIssue(i))
}

func (c *call) listTimeline() *reply {
	i := c.g.issue(int(c.number("issue_number")))
	if i == nil {
		return notFound()
	}
	return page(c, i.timeline, func(m moment) any { return c.g.renderMoment(m) })
}

func (g *GitHub) renderMoment(m moment) object {
	out := object{"event": m.event, "actor": g.user(m.actor), "created_at": stamp(m.at)}
	if m.event == "cross-referenced" {
		number := fmt.Sprint(m.pull.number)
		source := g.renderIssue(&issue{number: m.pull.number, title: m.pull.title, body: m.pull.body, author: m.pull.author,
			at: m.pull.created, closed: m.pull.state == "closed"})
		source["html_url"] = g.html("pull", number)
		source["pull_request"] = object{"url": g.api("pulls", number), "html_url": g.html("pull", number),
			"diff_url": g.html("pull", number+".diff"), "patch_url": g.html("pull", number+".patch")}
		out["source"], out["updated_at"] = object{"type": "issue", "issue": source}, stamp(m.at)
		return out
	}
	id := m.at.Unix()
	out["id"], out["node_id"], out["url"] = id, fmt.Sprintf("E_%d", id), g.api("issues/events", fmt.Sprint(id))
	out["commit_id"], out["commit_url"], out["performed_via_github_app"] = nil, nil, nil
	if m.commit != "" {
		out["commit_id"], out["commit_url"] = m.commit, g.api("commits", m.commit)
	}
	if m.label != "" {
		out["label"] = object{"name": m.label, "color": "d73a4a"}
	}
	if m.event == "closed" {
		out["state_reason"] = nil
	}
	return out
}

func (g *GitHub) renderIssue(i *issue) object {
	number := fmt.Sprint(i.number)
	state, closedAt, labels := "open", any(nil), []any{}
	if i.closed {
		state, closedAt = "closed", stamp(i.at)
	}
	for _, l := range i.labels {
		labels = append(labels, object{"name": l, "color": "d73a4a"})
	}
	return object{
		"id": 700_000 + i.number, "node_id": "I_" + number, "number": i.number, "title": i.title, "body": i.body,
		"user": g.user(i.author), "author_association": g.association(i.author), "state": state,
		"created_at": stamp(i.at), "updated_at": stamp(i.at), "closed_at": closedAt, "closed_by": nil,
		"labels": labels, "assignee": nil, "assignees": []any{}, "milestone": nil, "comments": 0, "locked": false,
		"url": g.api("issues", number), "html_url": g.html("issues", number), "repository_url": g.api(),
		"comments_url": g.api("issues", number, "comments"), "events_url": g.api("issues", number, "events"),
		"labels_url": g.api("issues", number, "labels{/name}"),
	}
}
