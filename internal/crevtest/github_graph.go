package crevtest

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// The graph: what each type's fields are. Only what crev asks for is here.

// root is the Query type.
func (c *call) root() *node {
	return &node{typ: "Query", fields: map[string]any{
		"viewer": field(func(object) (any, error) {
			a := c.g.account(c.login())
			return &node{typ: "User", fields: map[string]any{"id": nodeID(a), "login": a.login}}, nil
		}),
		"repository": field(func(args object) (any, error) {
			if args["owner"] != c.g.Owner || args["name"] != c.g.Repo {
				return nil, &graphQLError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a Repository with the name '%v/%v'.", args["owner"], args["name"])}
			}
			return c.repository(), nil
		}),
		"node": field(func(args object) (any, error) {
			id, _ := args["id"].(string)
			if t := c.g.thread(id); t != nil {
				return c.threadNode(t), nil
			}
			return nil, notResolved(id)
		}),
	}}
}

func notResolved(id string) error {
	return &graphQLError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'", id)}
}

func (c *call) repository() *node {
	permission := "READ"
	if c.token.may["contents"] == "write" {
		permission = "WRITE"
	}
	return &node{typ: "Repository", fields: map[string]any{
		"id": repositoryID, "name": c.g.Repo, "nameWithOwner": c.g.Owner + "/" + c.g.Repo, "isPrivate": false,
		"viewerPermission": permission,
		"pullRequest": field(func(args object) (any, error) {
			n, _ := integer(args["number"])
			p, err := c.g.pull(n)
			if err != nil {
				return nil, &graphQLError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a PullRequest with the number of %d.", n)}
			}
			return c.pullNode(p), nil
		}),
	}}
}

func (c *call) pullNode(p *pull) *node {
	var threads, comments []*node
	for _, t := range p.threads {
		if !t.hidden {
			threads = append(threads, c.threadNode(t))
		}
	}
	for _, m := range p.comments {
		comments = append(comments, c.commentNode(m))
	}
	return &node{typ: "PullRequest", fields: map[string]any{
		"id": fmt.Sprintf("PR_%d", p.number), "number": p.number, "title": p.title, "body": p.body,
		"headRefOid": p.headSHA, "headRefName": p.headRef, "baseRefOid": p.baseSHA, "baseRefName": p.baseRef,
		"isDraft": p.draft, "merged": p.merged, "isCrossRepository": c.g.isFork(p),
		"reviewThreads": c.connection("PullRequestReviewThreadConnection", threads),
		"comments":      c.connection("IssueCommentConnection", comments),
	}}
}

func (c *call) threadNode(t *thread) *node {
	var comments []*node
	for _, m := range t.comments {
		comments = append(comments, c.reviewCommentNode(m))
	}
	n := &node{typ: "PullRequestReviewThread", fields: map[string]any{
		"id": t.id, "isResolved": t.resolved, "isOutdated": t.outdated, "isCollapsed": t.resolved,
		"path": t.path, "diffSide": t.side, "startDiffSide": nullable(t.startSide),
		"line": positive(t.line), "startLine": positive(t.start),
		"originalLine": positive(t.original.line), "originalStartLine": positive(t.original.start),
		"subjectType":        map[bool]string{true: "FILE", false: "LINE"}[t.file],
		"viewerCanReply":     c.token.may["pull_requests"] == "write",
		"viewerCanResolve":   !t.resolved && c.token.may["pull_requests"] == "write",
		"viewerCanUnresolve": t.resolved && c.token.may["pull_requests"] == "write",
		"resolvedBy":         (*node)(nil),
		"comments":           c.connection("PullRequestReviewCommentConnection", comments),
	}}
	if t.resolvedBy != "" {
		n.fields["resolvedBy"] = &node{typ: "User", fields: map[string]any{"login": t.resolvedBy}}
	}
	return n
}

// positive renders a line number, null for none.
func positive(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// actor renders an author; GraphQL leaves "[bot]" out of a bot's login. With
// nulls the account is gone.
func (c *call) actor(login string) *node {
	if c.nulls || login == ghost {
		return nil
	}
	a := c.g.account(login)
	return &node{typ: a.typ, fields: map[string]any{"login": strings.TrimSuffix(a.login, "[bot]"), "id": nodeID(a)}}
}

// text are the fields that comments of both kinds have.
func (c *call) text(typ, id string, m *comment) *node {
	var reactions []*node
	for _, r := range m.reactions {
		// A bot is no User, so that GraphQL does not say who reacted.
		var user *node
		if a := c.g.account(r.by); a.typ == "User" && !c.nulls {
			user = &node{typ: "User", fields: map[string]any{"login": r.by}}
		}
		reactions = append(reactions, &node{typ: "Reaction", fields: map[string]any{
			"id": fmt.Sprintf("REA_%d", r.id), "content": reactionEnum[r.content], "createdAt": stamp(r.at), "user": user,
		}})
	}
	return &node{typ: typ, fields: map[string]any{
		"id": id, "databaseId": m.id, "fullDatabaseId": fmt.Sprint(m.id), "body": m.body,
		"url":       c.g.html("pull", fmt.Sprint(m.pull.number)) + "#" + id,
		"createdAt": stamp(m.created), "updatedAt": stamp(m.updated), "includesCreatedEdit": m.edited,
		"isMinimized": m.minimized != "", "minimizedReason": nullable(strings.ToLower(m.minimized)),
		"viewerDidAuthor":   m.author == c.login(),
		"authorAssociation": c.g.association(m.author),
		"author":            c.actor(m.author),
		"reactions":         c.connection("ReactionConnection", reactions),
	}}
}

var reactionEnum = map[string]string{
	"+1": "THUMBS_UP", "-1": "THUMBS_DOWN", "laugh": "LAUGH", "confused": "CONFUSED",
	"heart": "HEART", "hooray": "HOORAY", "rocket": "ROCKET", "eyes": "EYES",
}

func (c *call) reviewCommentNode(m *comment) *node {
	n := c.text("PullRequestReviewComment", fmt.Sprintf("PRRC_%d", m.id), m)
	n.fields["path"], n.fields["outdated"] = m.thread.path, m.thread.outdated
	return n
}

func (c *call) commentNode(m *comment) *node {
	return c.text("IssueComment", fmt.Sprintf("IC_%d", m.id), m)
}

// thread finds a thread by its GraphQL id, nil for none.
func (g *GitHub) thread(id string) *thread {
	for _, p := range g.pulls {
		for _, t := range p.threads {
			if t.id == id && !t.hidden {
				return t
			}
		}
	}
	return nil
}

// mutation is the Mutation type.
func (c *call) mutation() *node {
	input := func(do func(in object) (any, error)) field {
		return func(args object) (any, error) {
			in, _ := args["input"].(object)
			return do(in)
		}
	}
	return &node{typ: "Mutation", fields: map[string]any{
		"resolveReviewThread":   input(func(in object) (any, error) { return c.resolve(in, true) }),
		"unresolveReviewThread": input(func(in object) (any, error) { return c.resolve(in, false) }),
		"createCommitOnBranch":  input(c.createCommitOnBranch),
		"updateRefs":            input(c.updateRefs),
		"minimizeComment":       input(c.minimize),
	}}
}

// resolve needs contents: write besides pull-requests: write, as measured on
// GitHub. The author of the pull request may always.
func (c *call) resolve(in object, resolved bool) (any, error) {
	id, _ := in["threadId"].(string)
	t := c.g.thread(id)
	if t == nil {
		return nil, notResolved(id)
	}
	allowed := c.token.may["contents"] == "write" && c.token.may["pull_requests"] == "write"
	if !allowed && t.pull.author != c.login() {
		return nil, &graphQLError{"FORBIDDEN", notAccessible}
	}
	t.resolved, t.resolvedBy = resolved, ""
	if resolved {
		t.resolvedBy = strings.TrimSuffix(c.login(), "[bot]")
	}
	c.g.tick()
	typ := map[bool]string{true: "ResolveReviewThreadPayload", false: "UnresolveReviewThreadPayload"}[resolved]
	return &node{typ: typ, fields: map[string]any{"clientMutationId": nil, "thread": c.threadNode(t)}}, nil
}

func (c *call) minimize(in object) (any, error) {
	id, _ := in["subjectId"].(string)
	if c.token.may["pull_requests"] != "write" {
		return nil, &graphQLError{"FORBIDDEN", notAccessible}
	}
	for _, p := range c.g.pulls {
		for _, m := range append(p.shownComments(), p.comments...) {
			n := c.commentNode(m)
			if m.thread != nil {
				n = c.reviewCommentNode(m)
			}
			if n.fields["id"] == id {
				m.minimized, _ = in["classifier"].(string)
				return &node{typ: "MinimizeCommentPayload", fields: map[string]any{"minimizedComment": n}}, nil
			}
		}
	}
	return nil, notResolved(id)
}

// createCommitOnBranch writes a real commit if the branch is where the caller
// expects it.
func (c *call) createCommitOnBranch(in object) (any, error) {
	if c.token.may["contents"] != "write" {
		return nil, &graphQLError{"FORBIDDEN", notAccessible}
	}
	branch, _ := in["branch"].(object)
	name, _ := branch["branchName"].(string)
	if branch["repositoryNameWithOwner"] != c.g.Owner+"/"+c.g.Repo {
		return nil, &graphQLError{"NOT_FOUND", "Could not resolve to a Repository"}
	}
	name = strings.TrimPrefix(name, "refs/heads/")
	head := c.g.git.branch(name)
	if head == "" {
		return nil, &graphQLError{"NOT_FOUND", "No such branch"}
	}
	expected, _ := in["expectedHeadOid"].(string)
	if expected != head {
		return nil, &graphQLError{"STALE_DATA", fmt.Sprintf("Expected branch to point to %q but it did not.  Pull and try again.", expected)}
	}
	message, _ := in["message"].(object)
	headline, _ := message["headline"].(string)
	if body, _ := message["body"].(string); body != "" {
		headline += "\n\n" + body
	}
	changes, err := fileChanges(in)
	if err != nil {
		return nil, err
	}
	sha, err := c.g.git.commit(head, headline, c.login(), c.g.tick(), changes)
	if err != nil {
		return nil, err
	}
	if err := c.g.git.setRef("refs/heads/"+name, sha); err != nil {
		return nil, err
	}
	if err := c.g.refresh(); err != nil {
		return nil, err
	}
	commit := &node{typ: "Commit", fields: map[string]any{"id": "C_" + sha, "oid": sha, "message": headline}}
	return &node{typ: "CreateCommitOnBranchPayload", fields: map[string]any{"commit": commit, "clientMutationId": nil}}, nil
}

func fileChanges(in object) ([]change, error) {
	files, _ := in["fileChanges"].(object)
	var changes []change
	additions, _ := files["additions"].([]any)
	for _, one := range additions {
		add, _ := one.(object)
		path, _ := add["path"].(string)
		text, _ := add["contents"].(string)
		content, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, &graphQLError{"UNPROCESSABLE", "A file's contents are not Base64"}
		}
		changes = append(changes, change{path: path, content: content})
	}
	deletions, _ := files["deletions"].([]any)
	for _, one := range deletions {
		del, _ := one.(object)
		path, _ := del["path"].(string)
		changes = append(changes, change{path: path, remove: true})
	}
	return changes, nil
}
