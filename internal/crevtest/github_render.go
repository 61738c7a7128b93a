package crevtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// example returns one of GitHub's example answers with this repository's
// addresses in it.
func (g *GitHub) example(name string) (object, error) {
	text, ok := g.examples[name]
	if !ok {
		raw, err := g.contract.example(name)
		if err != nil {
			return nil, err
		}
		text = []byte(strings.NewReplacer(
			"octocat/Hello-World", g.Owner+"/"+g.Repo,
			"https://api.github.com", g.APIURL, "https://github.com", g.ServerURL,
		).Replace(string(raw)))
		g.examples[name] = text
	}
	var out object
	return out, json.Unmarshal(text, &out)
}

// api and html are addresses below the repository.
func (g *GitHub) api(parts ...string) string {
	return strings.Join(append([]string{g.APIURL, "repos", g.Owner, g.Repo}, parts...), "/")
}

func (g *GitHub) html(parts ...string) string {
	return strings.Join(append([]string{g.ServerURL, g.Owner, g.Repo}, parts...), "/")
}

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// user renders an account.
func (g *GitHub) user(login string) object {
	a := g.account(login)
	base := g.APIURL + "/users/" + login
	return object{
		"login": login, "id": a.id, "node_id": nodeID(a), "type": a.typ, "site_admin": false,
		"avatar_url": g.ServerURL + "/avatars/" + login, "gravatar_id": "",
		"url": base, "html_url": g.ServerURL + "/" + login,
		"followers_url": base + "/followers", "following_url": base + "/following{/other_user}",
		"gists_url": base + "/gists{/gist_id}", "starred_url": base + "/starred{/owner}{/repo}",
		"subscriptions_url": base + "/subscriptions", "organizations_url": base + "/orgs",
		"repos_url": base + "/repos", "events_url": base + "/events{/privacy}",
		"received_events_url": base + "/received_events",
	}
}

func nodeID(a *account) string {
	if a.typ == "Bot" {
		return fmt.Sprintf("BOT_%d", a.id)
	}
	return fmt.Sprintf("U_%d", a.id)
}

// association is GitHub's author_association as an outsider sees it: private
// members are mere contributors.
func (g *GitHub) association(login string) string {
	a := g.account(login)
	switch {
	case login == g.Owner:
		return "OWNER"
	case a.private:
		return "CONTRIBUTOR"
	case a.role == "write" || a.role == "maintain" || a.role == "admin" || a.role == "triage":
		return "MEMBER"
	}
	return "NONE"
}

// renderPull builds a pull request on one of GitHub's examples.
func (g *GitHub) renderPull(p *pull, example string) (object, error) {
	o, err := g.example(example)
	if err != nil {
		return nil, err
	}
	number := fmt.Sprint(p.number)
	replaceIn(o, "/1347", "/"+number)
	base := o["base"].(object)["repo"].(object)
	base["full_name"], base["name"], base["owner"] = g.Owner+"/"+g.Repo, g.Repo, g.user(g.Owner)
	base["default_branch"] = g.DefaultBranch
	o["base"] = object{"label": g.Owner + ":" + p.baseRef, "ref": p.baseRef, "sha": p.baseSHA, "user": g.user(g.Owner), "repo": base}
	head := object{"label": p.headRef, "ref": p.headRef, "sha": p.headSHA, "user": g.user(p.author), "repo": nil}
	if p.headRepo != "" {
		owner, name, _ := strings.Cut(p.headRepo, "/")
		headRepo := object{}
		for k, v := range base {
			headRepo[k] = v
		}
		headRepo["full_name"], headRepo["name"], headRepo["owner"] = p.headRepo, name, g.user(owner)
		headRepo["fork"] = g.isFork(p)
		head["label"], head["user"], head["repo"] = owner+":"+p.headRef, g.user(owner), headRepo
	}
	o["head"] = head
	for k, v := range (object{
		"id": 9000 + p.number, "node_id": fmt.Sprintf("PR_%d", p.number), "number": p.number,
		"title": p.title, "body": p.body, "user": g.user(p.author), "state": p.state, "draft": p.draft,
		"locked": false, "author_association": g.association(p.author),
		"created_at": stamp(p.created), "updated_at": stamp(p.updated),
		"closed_at": stamp(p.closedAt), "merged_at": stamp(p.mergedAt),
		"merge_commit_sha": nullable(orElse(p.mergeCommit, p.mergeSHA)),
		"html_url":         g.html("pull", number), "url": g.api("pulls", number),
		"labels": []any{}, "requested_reviewers": []any{}, "requested_teams": []any{},
		"assignee": nil, "assignees": []any{}, "milestone": nil, "auto_merge": nil, "active_lock_reason": nil,
	}) {
		o[k] = v
	}
	if _, full := o["merged"]; full {
		o["merged"], o["mergeable"] = p.merged, p.mergeSHA != ""
		o["mergeable_state"] = map[bool]string{true: "clean", false: "dirty"}[p.mergeSHA != ""]
		o["merged_by"] = nil
		if p.merged {
			o["merged_by"] = g.user(Maintainer)
		}
		o["comments"], o["review_comments"] = len(p.comments), len(p.shownComments())
	}
	return o, nil
}

// replaceIn replaces text in all strings of an object.
func replaceIn(o object, old, new string) {
	for k, v := range o {
		switch v := v.(type) {
		case string:
			o[k] = strings.ReplaceAll(v, old, new)
		case object:
			replaceIn(v, old, new)
		}
	}
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (g *GitHub) renderReview(p *pull, r *review) object {
	return object{
		"id": r.id, "node_id": fmt.Sprintf("PRR_%d", r.id), "user": g.user(r.author), "body": r.body,
		"state": "COMMENTED", "commit_id": r.commit, "submitted_at": stamp(r.submitted),
		"html_url":           g.html("pull", fmt.Sprint(p.number)) + fmt.Sprintf("#pullrequestreview-%d", r.id),
		"pull_request_url":   g.api("pulls", fmt.Sprint(p.number)),
		"author_association": g.association(r.author),
		"_links": object{
			"html":         object{"href": g.html("pull", fmt.Sprint(p.number))},
			"pull_request": object{"href": g.api("pulls", fmt.Sprint(p.number))},
		},
	}
}

func (g *GitHub) renderReviewComment(m *comment) object {
	t := m.thread
	pullURL, url := g.api("pulls", fmt.Sprint(m.pull.number)), g.api("pulls/comments", fmt.Sprint(m.id))
	html := g.html("pull", fmt.Sprint(m.pull.number)) + fmt.Sprintf("#discussion_r%d", m.id)
	o := object{
		"id": m.id, "node_id": fmt.Sprintf("PRRC_%d", m.id), "pull_request_review_id": m.review,
		"url": url, "html_url": html, "pull_request_url": pullURL,
		"diff_hunk": t.hunk, "path": t.path, "position": 1, "original_position": 1,
		"commit_id": m.pull.headSHA, "original_commit_id": t.original.commit,
		"user": g.user(m.author), "body": m.body, "author_association": g.association(m.author),
		"created_at": stamp(m.created), "updated_at": stamp(m.updated),
		"subject_type": "line", "side": t.side,
		"_links": object{
			"self": object{"href": url}, "html": object{"href": html}, "pull_request": object{"href": pullURL},
		},
	}
	if t.file {
		o["subject_type"] = "file"
		delete(o, "side")
	} else {
		o["original_line"] = t.original.line
		if t.line != 0 {
			o["line"] = t.line
		}
		if t.original.start != 0 {
			o["original_start_line"], o["start_side"] = t.original.start, orElse(t.startSide, t.side)
			if t.start != 0 {
				o["start_line"] = t.start
			}
		}
	}
	if first := t.comments[0]; first != m {
		o["in_reply_to_id"] = first.id
	}
	return o
}

func (g *GitHub) renderComment(m *comment) object {
	number := fmt.Sprint(m.pull.number)
	return object{
		"id": m.id, "node_id": fmt.Sprintf("IC_%d", m.id), "url": g.api("issues/comments", fmt.Sprint(m.id)),
		"html_url":  g.html("pull", number) + fmt.Sprintf("#issuecomment-%d", m.id),
		"issue_url": g.api("issues", number), "user": g.user(m.author), "body": m.body,
		"author_association": g.association(m.author), "performed_via_github_app": nil,
		"created_at": stamp(m.created), "updated_at": stamp(m.updated),
	}
}

func (g *GitHub) renderReaction(r reaction) object {
	return object{
		"id": r.id, "node_id": fmt.Sprintf("REA_%d", r.id), "user": g.user(r.by),
		"content": r.content, "created_at": stamp(r.at),
	}
}
