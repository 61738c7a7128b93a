package crevtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Every operation that the server knows is called here, in an order in which
// each finds what it needs; NewGitHub checks that requests and answers fit
// GitHub's schemas.
func TestOperations(t *testing.T) {
	t.Parallel()
	g := NewGitHub(t, GitHubConfig{})
	commit := func(branch string, files map[string]string) string {
		sha, err := g.Commit(branch, "edit", Maintainer, files)
		if err != nil {
			t.Fatal(err)
		}
		return sha
	}
	base := commit("main", map[string]string{"a.txt": "a\n", "dir/old.txt": "one\ntwo\nthree\n", "gone.txt": "x\n"})
	head := commit("topic", map[string]string{"a.txt": "b\n", "dir/old.txt": "", "dir/new.txt": "one\ntwo\nthree\n", "gone.txt": "", "plus.txt": "p\n"})
	commit("other", map[string]string{"o.txt": "o\n"})
	if _, err := g.OpenPullRequest(OpenPull{Head: "topic"}); err != nil {
		t.Fatal(err)
	}
	g.OpenIssue("Refunds", "A refund names its order.", "")
	for _, m := range []IssueMoment{
		{Event: "labeled", Label: "bug"}, {Event: "referenced", Commit: head}, {Event: "cross-referenced", Pull: 1},
		{Event: "unlabeled", Label: "bug"}, {Event: "closed", Commit: head},
	} {
		if err := g.Happen(firstIssue, m); err != nil {
			t.Fatal(err)
		}
	}
	bot := g.Token(ActionsBot, FullToken)
	person := g.Token(Maintainer, FullToken)
	tests := []struct {
		token, operation, method, path, body string
		status                               int
		want                                 string
	}{
		{bot, "repos/get", "GET", "", "", 200, `"full_name":"acme/shop"`},
		{person, "users/get-authenticated", "GET", "/user", "", 200, `"login":"maria"`},
		{bot, "users/get-authenticated", "GET", "/user", "", 403, notAccessible},
		{bot, "rate-limit/get", "GET", "/rate_limit", "", 200, `"core"`},
		{bot, "repos/get-collaborator-permission-level", "GET", "/collaborators/maria/permission", "", 200, `"role_name":"write"`},
		{bot, "repos/list-commits", "GET", "/commits?author=maria", "", 200, `"login":"maria"`},
		{bot, "repos/list-commits", "GET", "/commits?author=omar", "", 200, `[]`},
		{bot, "pulls/get", "GET", "/pulls/1", "", 200, `"number":1`},
		{bot, "pulls/get", "GET", "/pulls/9", "", 404, "Not Found"},
		{bot, "issues/get", "GET", "/issues/100", "", 200, `"title":"Refunds"`},
		{bot, "issues/get", "GET", "/issues/7", "", 404, "Not Found"},
		{bot, "pulls/list", "GET", "/pulls?state=all&head=acme:topic", "", 200, `"number":1`},
		{bot, "pulls/create", "POST", "/pulls", `{"title":"O","head":"other","base":"main"}`, 201, `"number":2`},
		{bot, "pulls/create", "POST", "/pulls", `{"title":"O","head":"other","base":"main"}`, 422, "already exists"},
		{bot, "pulls/create", "POST", "/pulls", `{"title":"O","head":"nowhere","base":"main"}`, 422, "head"},
		{bot, "pulls/update", "PATCH", "/pulls/2", `{"title":"P","body":"new","state":"closed"}`, 200, `"title":"P"`},
		{bot, "pulls/list-files", "GET", "/pulls/1/files?per_page=100", "", 200, `"previous_filename":"dir/old.txt"`},
		{bot, "repos/list-pull-requests-associated-with-commit", "GET", "/commits/" + head + "/pulls", "", 200, `"number":1`},
		{bot, "pulls/create-review", "POST", "/pulls/1/reviews", `{"event":"COMMENT","body":"r","comments":[{"path":"a.txt","line":1,"body":"c"}]}`, 200, `"id":3001`},
		{bot, "pulls/create-review", "POST", "/pulls/1/reviews", `{"event":"COMMENT"}`, 422, "comment"},
		{bot, "pulls/list-reviews", "GET", "/pulls/1/reviews", "", 200, `"id":3001`},
		{bot, "pulls/list-comments-for-review", "GET", "/pulls/1/reviews/3001/comments", "", 200, `"id":1001`},
		{bot, "pulls/list-review-comments", "GET", "/pulls/1/comments", "", 200, `"id":1001`},
		{bot, "pulls/list-review-comments-for-repo", "GET", "/pulls/comments?since=2026-01-01T00:00:00Z&sort=updated", "", 200, `"id":1001`},
		{bot, "pulls/list-review-comments-for-repo", "GET", "/pulls/comments?since=2027-01-01T00:00:00Z&direction=desc", "", 200, `[]`},
		{bot, "pulls/create-review-comment", "POST", "/pulls/1/comments", `{"body":"f","commit_id":"` + head + `","path":"a.txt","subject_type":"file"}`, 201, `"subject_type":"file"`},
		{bot, "pulls/create-review-comment", "POST", "/pulls/1/comments", `{"body":"l","commit_id":"` + head + `","path":"a.txt","line":99,"side":"RIGHT"}`, 422, "must be part of the diff"},
		{bot, "pulls/create-review-comment", "POST", "/pulls/1/comments", `{"body":"r","in_reply_to":1001}`, 201, `"in_reply_to_id":1001`},
		{bot, "pulls/create-review-comment", "POST", "/pulls/1/comments", `{"body":"r","in_reply_to":1003}`, 422, "in_reply_to"},
		{bot, "pulls/get-review-comment", "GET", "/pulls/comments/1001", "", 200, `"body":"c"`},
		{bot, "pulls/update-review-comment", "PATCH", "/pulls/comments/1001", `{"body":"d"}`, 200, `"body":"d"`},
		{person, "pulls/update-review-comment", "PATCH", "/pulls/comments/1001", `{"body":"e"}`, 403, "admin rights"},
		{bot, "reactions/create-for-pull-request-review-comment", "POST", "/pulls/comments/1001/reactions", `{"content":"eyes"}`, 201, `"eyes"`},
		{bot, "reactions/create-for-pull-request-review-comment", "POST", "/pulls/comments/1001/reactions", `{"content":"eyes"}`, 200, `"eyes"`},
		{bot, "reactions/list-for-pull-request-review-comment", "GET", "/pulls/comments/1001/reactions", "", 200, `"eyes"`},
		{bot, "pulls/delete-review-comment", "DELETE", "/pulls/comments/1002", "", 204, ""},
		{bot, "pulls/get-review-comment", "GET", "/pulls/comments/1002", "", 404, ""},
		{bot, "issues/create-comment", "POST", "/issues/1/comments", `{"body":"c"}`, 201, `"id":2001`},
		{bot, "issues/create-comment", "POST", "/issues/1/comments", `{"body":" "}`, 422, "blank"},
		{bot, "issues/list-comments", "GET", "/issues/1/comments", "", 200, `"id":2001`},
		{bot, "issues/list-comments-for-repo", "GET", "/issues/comments?since=2026-01-01T00:00:00Z", "", 200, `"id":2001`},
		{bot, "issues/get-comment", "GET", "/issues/comments/2001", "", 200, `"body":"c"`},
		{bot, "issues/update-comment", "PATCH", "/issues/comments/2001", `{"body":"d"}`, 200, `"body":"d"`},
		{bot, "reactions/create-for-issue-comment", "POST", "/issues/comments/2001/reactions", `{"content":"+1"}`, 201, `"+1"`},
		{bot, "reactions/list-for-issue-comment", "GET", "/issues/comments/2001/reactions", "", 200, `"+1"`},
		{bot, "issues/delete-comment", "DELETE", "/issues/comments/2001", "", 204, ""},
		{bot, "issues/list-events-for-timeline", "GET", "/issues/100/timeline", "", 200, `"event":"cross-referenced"`},
		{bot, "issues/list-events-for-timeline", "GET", "/issues/99/timeline", "", 404, ""},
		{bot, "checks/create", "POST", "/check-runs", `{"name":"crev","head_sha":"` + head + `","conclusion":"success","output":{"title":"t","summary":"s"}}`, 201, `"status":"completed"`},
		{bot, "checks/create", "POST", "/check-runs", `{"name":"crev","head_sha":"` + noCommit + `"}`, 422, "No commit found"},
		{bot, "checks/update", "PATCH", "/check-runs/4001", `{"conclusion":"failure"}`, 200, `"failure"`},
		{bot, "checks/list-for-ref", "GET", "/commits/" + head + "/check-runs?check_name=crev", "", 200, `"total_count":1`},
		{bot, "repos/create-commit-status", "POST", "/statuses/" + head, `{"state":"success","context":"test"}`, 201, `"context":"test"`},
		{bot, "repos/list-commit-statuses-for-ref", "GET", "/commits/" + head + "/statuses", "", 200, `"context":"test"`},
		{bot, "git/get-ref", "GET", "/git/ref/heads/topic", "", 200, head},
		{bot, "git/get-ref", "GET", "/git/ref/pull/1/head", "", 200, head},
		{bot, "git/create-ref", "POST", "/git/refs", `{"ref":"refs/heads/crev/ledger","sha":"` + base + `"}`, 201, "refs/heads/crev/ledger"},
		{bot, "git/create-ref", "POST", "/git/refs", `{"ref":"refs/heads/crev/ledger","sha":"` + base + `"}`, 422, "already exists"},
		{bot, "git/create-ref", "POST", "/git/refs", `{"ref":"ledger","sha":"` + base + `"}`, 422, "refs/"},
		{bot, "git/update-ref", "PATCH", "/git/refs/heads/crev/ledger", `{"sha":"` + head + `"}`, 200, head},
		{bot, "git/update-ref", "PATCH", "/git/refs/heads/crev/ledger", `{"sha":"` + base + `"}`, 422, "not a fast forward"},
		{bot, "git/delete-ref", "DELETE", "/git/refs/heads/crev/ledger", "", 204, ""},
		{bot, "git/get-commit", "GET", "/git/commits/" + head, "", 200, `"message":"edit"`},
		{bot, "git/get-tree", "GET", "/git/trees/" + head + "?recursive=1", "", 200, `"path":"dir/new.txt"`},
		{bot, "git/create-tree", "POST", "/git/trees", `{"base_tree":"` + head + `","tree":[{"path":"dir/b","mode":"100644","type":"blob","content":"b"},{"path":"dir/new.txt","mode":"100644","type":"blob","sha":null}]}`, 201, `"path":"dir"`},
		{bot, "git/create-tree", "POST", "/git/trees", `{"tree":[{"path":"b","mode":"100644","type":"blob","sha":"` + head + `"}]}`, 422, "not a valid blob"},
		{bot, "git/create-commit", "POST", "/git/commits", `{"message":"m","tree":"1111111111111111111111111111111111111111","parents":["` + base + `","` + head + `"]}`, 422, "Tree SHA"},
		{bot, "git/create-commit", "POST", "/git/commits", `{"message":"m","tree":"TREE","parents":["` + base + `","` + head + `"]}`, 201, `"message":"m"`},
		{bot, "git/create-blob", "POST", "/git/blobs", `{"content":"cA==","encoding":"base64"}`, 201, "sha"},
		{bot, "git/get-blob", "GET", "/git/blobs/BLOB", "", 200, `"content":"cA=="`},
	}
	called := map[string]bool{}
	blob, tree := "", ""
	for _, tt := range tests {
		called[tt.operation] = true
		url := g.APIURL + "/repos/acme/shop" + tt.path
		if tt.path == "/user" || tt.path == "/rate_limit" {
			url = g.APIURL + tt.path
		}
		status, body := send(t, g, tt.token, tt.method, strings.Replace(url, "BLOB", blob, 1), strings.Replace(tt.body, "TREE", tree, 1))
		if tt.operation == "git/create-blob" {
			var made struct{ SHA string }
			if err := json.Unmarshal([]byte(body), &made); err != nil {
				t.Fatal(err)
			}
			blob, tt.want = made.SHA, made.SHA
		}
		if tt.operation == "git/create-tree" && status == 201 {
			var made struct{ SHA string }
			if err := json.Unmarshal([]byte(body), &made); err != nil {
				t.Fatal(err)
			}
			tree = made.SHA
		}
		if status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s: %d %.300s, want %d and %s", tt.method, tt.path, status, body, tt.status, tt.want)
		}
	}
	for _, r := range g.Requests() {
		if !called[r.Operation] {
			t.Errorf("the log has %q, which was not called", r.Operation)
		}
	}
	if want, got := slices.Sorted(maps.Keys(operations)), slices.Sorted(maps.Keys(called)); !slices.Equal(want, got) {
		t.Errorf("operations called:\n%s\nwant all of:\n%s", fmt.Sprint(got), fmt.Sprint(want))
	}
}
