package crevtest

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// operation is how one REST operation is served; needs is the permission that
// must be write.
type operation struct {
	needs string
	do    func(*call) *reply
}

// operations are the operations that this server knows, by OpenAPI id. Another
// one is a violation, not a 404: crev should not use what is not tested.
var operations = map[string]operation{
	"repos/get":               {do: (*call).getRepo},
	"users/get-authenticated": {do: (*call).getUser},
	"rate-limit/get":          {do: (*call).getRate},
	"repos/get-collaborator-permission-level": {do: (*call).getPermission},
	"repos/list-commits":                      {do: (*call).listCommits},
	"pulls/get":                               {do: (*call).getPull},
	"pulls/list":                              {do: (*call).listPulls},
	"pulls/create":                            {needs: "pull_requests", do: (*call).createPull},
	"pulls/update":                            {needs: "pull_requests", do: (*call).updatePull},
	"pulls/list-files":                        {do: (*call).listFiles},
	"repos/list-pull-requests-associated-with-commit":  {do: (*call).pullsOfCommit},
	"pulls/list-reviews":                               {do: (*call).listReviews},
	"pulls/create-review":                              {needs: "pull_requests", do: (*call).createReview},
	"pulls/list-comments-for-review":                   {do: (*call).listReviewComments},
	"pulls/list-review-comments":                       {do: (*call).listPullComments},
	"pulls/list-review-comments-for-repo":              {do: (*call).listRepoReviewComments},
	"pulls/create-review-comment":                      {needs: "pull_requests", do: (*call).createReviewComment},
	"pulls/get-review-comment":                         {do: (*call).getReviewComment},
	"pulls/update-review-comment":                      {needs: "pull_requests", do: (*call).updateReviewComment},
	"pulls/delete-review-comment":                      {needs: "pull_requests", do: (*call).deleteReviewComment},
	"reactions/create-for-pull-request-review-comment": {needs: "pull_requests", do: (*call).reactToReviewComment},
	"reactions/list-for-pull-request-review-comment":   {do: (*call).listReviewReactions},
	"issues/get":                         {do: (*call).getIssue},
	"issues/list-events-for-timeline":    {do: (*call).listTimeline},
	"issues/list-comments-for-repo":      {do: (*call).listRepoComments},
	"issues/list-comments":               {do: (*call).listComments},
	"issues/create-comment":              {needs: "pull_requests", do: (*call).createComment},
	"issues/get-comment":                 {do: (*call).getComment},
	"issues/update-comment":              {needs: "pull_requests", do: (*call).updateComment},
	"issues/delete-comment":              {needs: "pull_requests", do: (*call).deleteComment},
	"reactions/create-for-issue-comment": {needs: "pull_requests", do: (*call).reactToComment},
	"reactions/list-for-issue-comment":   {do: (*call).listReactions},
	"checks/create":                      {needs: "checks", do: (*call).createCheck},
	"checks/update":                      {needs: "checks", do: (*call).updateCheck},
	"checks/list-for-ref":                {do: (*call).listChecks},
	"repos/create-commit-status":         {needs: "statuses", do: (*call).createStatus},
	"repos/list-commit-statuses-for-ref": {do: (*call).listStatuses},
	"git/get-ref":                        {do: (*call).getRef},
	"git/create-ref":                     {needs: "contents", do: (*call).createRef},
	"git/update-ref":                     {needs: "contents", do: (*call).updateRef},
	"git/delete-ref":                     {needs: "contents", do: (*call).deleteRef},
	"git/get-commit":                     {do: (*call).getCommit},
	"git/create-commit":                  {needs: "contents", do: (*call).createCommit},
	"git/create-tree":                    {needs: "contents", do: (*call).createTree},
	"git/get-tree":                       {do: (*call).getTree},
	"git/create-blob":                    {needs: "contents", do: (*call).createBlob},
	"git/get-blob":                       {do: (*call).getBlob},
}

func (c *call) getRepo() *reply {
	full, err := c.g.example("repos.get.response.200.default-response")
	if err != nil {
		return c.g.broken(c, err)
	}
	full["name"], full["full_name"] = c.g.Repo, c.g.Owner+"/"+c.g.Repo
	full["owner"], full["node_id"] = c.g.user(c.g.Owner), repositoryID
	full["default_branch"] = c.g.DefaultBranch
	for _, relative := range []string{"source", "parent", "template_repository", "organization"} {
		delete(full, relative)
	}
	// The example lacks what the schema requires.
	full["language"] = nil
	write := c.token.may["contents"] == "write"
	full["permissions"] = object{"admin": false, "push": write, "pull": true}
	return ok(full)
}

func (c *call) getUser() *reply {
	// GITHUB_TOKEN belongs to an installation, which is no user.
	if c.g.account(c.login()).typ == "Bot" {
		return forbidden(notAccessible)
	}
	u, err := c.g.example("users.get-authenticated.response.200.response-with-public-profile-information")
	if err != nil {
		return c.g.broken(c, err)
	}
	for k, v := range c.g.user(c.login()) {
		u[k] = v
	}
	u["user_view_type"] = "public"
	return ok(u)
}

func (c *call) getRate() *reply {
	r, err := c.g.example("rate-limit.get.response.200.default")
	if err != nil {
		return c.g.broken(c, err)
	}
	return ok(r)
}

func (c *call) getPermission() *reply {
	if c.token.may["pull_requests"] != "write" && c.token.may["contents"] != "write" {
		return forbidden("Must have push access to view collaborator permission.")
	}
	a := c.g.accounts[c.params["username"]]
	if a == nil {
		return notFound()
	}
	permission := map[string]string{"maintain": "write", "triage": "read"}[a.role]
	user := c.g.user(a.login)
	user["role_name"] = a.role
	return ok(object{"permission": orElse(permission, a.role), "role_name": a.role, "user": user})
}

func (c *call) getPull() *reply {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	return c.renderPull(p, http.StatusOK)
}

func (c *call) renderPull(p *pull, status int) *reply {
	body, err := c.g.renderPull(p, "pulls.get.response.200.default")
	if err != nil {
		return c.g.broken(c, err)
	}
	return &reply{status: status, body: body}
}

func (c *call) listPulls() *reply {
	state := orElse(c.query.Get("state"), "open")
	var found []*pull
	for _, p := range c.g.pulls {
		owner, _, _ := strings.Cut(p.headRepo, "/")
		head := c.query.Get("head")
		switch {
		case state != "all" && p.state != state:
		case c.query.Get("base") != "" && c.query.Get("base") != p.baseRef:
		// A head without an owner is ignored, as GitHub does.
		case strings.Contains(head, ":") && head != owner+":"+p.headRef:
		default:
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b *pull) int {
		if c.query.Get("sort") == "updated" {
			return a.updated.Compare(b.updated)
		}
		return a.number - b.number
	})
	// GitHub lists the newest first unless it is told otherwise.
	if c.query.Get("direction") != "asc" {
		slices.Reverse(found)
	}
	return c.simplePulls(found)
}

func (c *call) pullsOfCommit() *reply {
	sha := c.g.git.resolve(c.params["commit_sha"])
	if sha == "" {
		return refused("No commit found for SHA: " + c.params["commit_sha"])
	}
	var found []*pull
	for _, p := range c.g.pulls {
		if p.mergeCommit == sha || p.headSHA == sha || c.g.git.contains(p.baseSHA, p.headSHA, sha) {
			found = append(found, p)
		}
	}
	return c.simplePulls(found)
}

func (c *call) simplePulls(found []*pull) *reply {
	var err error
	r := page(c, found, func(p *pull) any {
		body, renderErr := c.g.renderPull(p, "pulls.list.response.200.default")
		if renderErr != nil {
			err = renderErr
		}
		delete(body, "merged")
		return body
	})
	if err != nil {
		return c.g.broken(c, err)
	}
	return r
}

func (c *call) createPull() *reply {
	var in struct {
		Title, Head, Base, Body string
		Draft                   bool
	}
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	if c.g.noPulls && c.login() == ActionsBot {
		return forbidden("GitHub Actions is not permitted to create or approve pull requests.")
	}
	head, base := c.g.git.branch(in.Head), c.g.git.branch(in.Base)
	switch {
	case head == "":
		return invalid("PullRequest", "head", "invalid", "head is invalid")
	case base == "":
		return invalid("PullRequest", "base", "invalid", "base is invalid")
	case c.g.git.mergeBase(base, head) == head:
		return invalid("PullRequest", "base", "custom", "No commits between "+in.Base+" and "+in.Head)
	}
	for _, p := range c.g.pulls {
		if p.state == "open" && p.headRef == in.Head && p.baseRef == in.Base && !c.g.isFork(p) {
			return invalid("PullRequest", "base", "custom", "A pull request already exists for "+c.g.Owner+":"+in.Head+".")
		}
	}
	n, err := c.g.openPull(OpenPull{Head: in.Head, Base: in.Base, Title: in.Title, Body: in.Body, Author: c.login(), Draft: in.Draft})
	if err != nil {
		return c.g.broken(c, err)
	}
	return c.renderPull(c.g.pulls[n-1], http.StatusCreated)
}

func (c *call) updatePull() *reply {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	var in struct{ Title, Body, State *string }
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	p.updated = c.g.tick()
	if in.Title != nil {
		p.title = *in.Title
	}
	if in.Body != nil {
		p.body = *in.Body
	}
	if in.State != nil && !p.merged {
		p.state = *in.State
	}
	return c.renderPull(p, http.StatusOK)
}

func (c *call) listFiles() *reply {
	p := c.pull("pull_number")
	if p == nil {
		return notFound()
	}
	files, err := c.g.git.diff(c.g.git.mergeBase(p.baseSHA, p.headSHA), p.headSHA, 3)
	if err != nil {
		return c.g.broken(c, err)
	}
	return page(c, files, func(f fileDiff) any {
		out := object{
			"sha": f.newBlob, "filename": f.path, "status": f.status,
			"additions": f.added, "deletions": f.removed, "changes": f.added + f.removed,
			"blob_url": c.g.html("blob", p.headSHA, f.path), "raw_url": c.g.html("raw", p.headSHA, f.path),
			"contents_url": c.g.api("contents", f.path) + "?ref=" + p.headSHA,
		}
		if f.patch != "" {
			out["patch"] = f.patch
		}
		if f.status == "renamed" {
			out["previous_filename"] = f.oldPath
		}
		return out
	})
}

// maxBody is the longest comment in characters.
const maxBody = 65536

// tooLong is the refusal of a long body, nil when it is short enough.
func tooLong(resource, body string) *reply {
	if utf8.RuneCountInString(body) <= maxBody {
		return nil
	}
	return invalid(resource, "body", "custom", "body is too long (maximum is 65536 characters)")
}

func (c *call) listComments() *reply {
	p := c.pull("issue_number")
	if p == nil {
		return notFound()
	}
	return page(c, p.comments, func(m *comment) any { return c.g.renderComment(m) })
}

func (c *call) createComment() *reply {
	p := c.pull("issue_number")
	if p == nil {
		return notFound()
	}
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	if r := tooLong("IssueComment", in.Body); r != nil {
		return r
	}
	if strings.TrimSpace(in.Body) == "" {
		return invalid("IssueComment", "body", "missing_field", "body can't be blank")
	}
	return created(c.g.renderComment(c.g.addComment(p, c.login(), in.Body)))
}

func (g *GitHub) addComment(p *pull, login, body string) *comment {
	at := g.tick()
	m := &comment{id: g.next("comment"), author: login, body: body, created: at, updated: at, pull: p}
	p.comments = append(p.comments, m)
	p.updated = at
	return m
}

// issueComment returns the comment in the path, nil for none.
func (c *call) issueComment() *comment {
	id := c.number("comment_id")
	for _, p := range c.g.pulls {
		for _, m := range p.comments {
			if m.id == id {
				return m
			}
		}
	}
	return nil
}

func (c *call) getComment() *reply {
	m := c.issueComment()
	if m == nil {
		return notFound()
	}
	return ok(c.g.renderComment(m))
}

func (c *call) updateComment() *reply {
	m := c.issueComment()
	if m == nil {
		return notFound()
	}
	if r := c.edit(m, "IssueComment"); r != nil {
		return r
	}
	return ok(c.g.renderComment(m))
}

// edit changes a body; only the author may. It returns nil when it did.
func (c *call) edit(m *comment, resource string) *reply {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	if m.author != c.login() {
		return forbidden("Must have admin rights to Repository.")
	}
	if r := tooLong(resource, in.Body); r != nil {
		return r
	}
	m.body, m.updated, m.edited = in.Body, c.g.tick(), true
	return nil
}

func (c *call) deleteComment() *reply {
	m := c.issueComment()
	if m == nil {
		return notFound()
	}
	for i, other := range m.pull.comments {
		if other == m {
			m.pull.comments = append(m.pull.comments[:i:i], m.pull.comments[i+1:]...)
			break
		}
	}
	return &reply{status: http.StatusNoContent}
}

func (c *call) reactToComment() *reply      { return c.react(c.issueComment()) }
func (c *call) listReactions() *reply       { return c.reactions(c.issueComment()) }
func (c *call) listReviewReactions() *reply { return c.reactions(c.reviewComment()) }
func (c *call) reactToReviewComment() *reply {
	return c.react(c.reviewComment())
}

func (c *call) react(m *comment) *reply {
	if m == nil {
		return notFound()
	}
	var in struct{ Content string }
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	r, fresh := c.g.addReaction(m, c.login(), in.Content)
	if fresh {
		return created(c.g.renderReaction(r))
	}
	return ok(c.g.renderReaction(r))
}

func (g *GitHub) addReaction(m *comment, login, content string) (reaction, bool) {
	for _, r := range m.reactions {
		if r.by == login && r.content == content {
			return r, false
		}
	}
	r := reaction{id: g.next("reaction"), content: content, by: login, at: g.tick()}
	m.reactions = append(m.reactions, r)
	return r, true
}

func (c *call) reactions(m *comment) *reply {
	if m == nil {
		return notFound()
	}
	return page(c, m.reactions, func(r reaction) any { return c.g.renderReaction(r) })
}
