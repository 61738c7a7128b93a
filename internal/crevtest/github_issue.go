package crevtest

import (
	"fmt"
	"net/http"
	"time"
)

// issue is an issue that is no pull request.
type issue struct {
	number      int
	title, body string
	author      string
	at          time.Time
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

func (c *call) getIssue() *reply {
	n := int(c.number("issue_number"))
	for _, i := range c.g.issues {
		if i.number == n {
			return c.renderIssue(i)
		}
	}
	return notFound()
}

func (c *call) renderIssue(i *issue) *reply {
	number := fmt.Sprint(i.number)
	return &reply{status: http.StatusOK, body: object{
		"id": 700_000 + i.number, "node_id": "I_" + number, "number": i.number, "title": i.title, "body": i.body,
		"user": c.g.user(i.author), "author_association": c.g.association(i.author), "state": "open",
		"created_at": stamp(i.at), "updated_at": stamp(i.at), "closed_at": nil, "closed_by": nil,
		"labels": []any{}, "assignee": nil, "assignees": []any{}, "milestone": nil, "comments": 0, "locked": false,
		"url": c.g.api("issues", number), "html_url": c.g.html("issues", number), "repository_url": c.g.api(),
		"comments_url": c.g.api("issues", number, "comments"), "events_url": c.g.api("issues", number, "events"),
		"labels_url": c.g.api("issues", number, "labels{/name}"),
	}}
}
