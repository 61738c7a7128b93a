package crevtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contradicted are the examples that break the schema they illustrate, in
// GitHub's own text; see testdata/openapi/PROVENANCE.
var contradicted = map[string]bool{
	"issues.get": true, "pulls.create": true, "pulls.get": true, "pulls.list": true, "pulls.update": true,
	"pulls.list-requested-reviewers": true, "repos.list-pull-requests-associated-with-commit": true,
	"repos.get-collaborator-permission-level": true, "repos.get-commit": true, "repos.get": true,
	"users.get-authenticated": true, "users.get-by-username": true,
}

// The checks are worth something only if they accept what GitHub sends.
func TestContractAcceptsGitHubsExamples(t *testing.T) {
	t.Parallel()
	c, err := githubContract()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(c.examples, "*.response.*.json"))
	if err != nil || len(files) < 80 {
		t.Fatalf("%d examples, error %v", len(files), err)
	}
	paths := map[string]*http.Request{}
	for path, item := range githubPaths(t) {
		for method, op := range item {
			url := strings.NewReplacer("{", "", ":.+}", "", "}", "").Replace(path)
			for _, number := range []string{"pull_number", "issue_number", "comment_id", "review_id", "check_run_id", "check_suite_id", "run_id", "reaction_id"} {
				url = strings.ReplaceAll(url, number, "1")
			}
			req, err := http.NewRequest(strings.ToUpper(method), "http://localhost"+apiPath+url, nil)
			if err != nil {
				t.Fatal(err)
			}
			paths[op] = req
		}
	}
	accepted, refused := 0, 0
	for _, file := range files {
		operation, rest, _ := strings.Cut(filepath.Base(file), ".response.")
		operation = strings.TrimSuffix(operation, ".request")
		var status int
		if _, err := fmt.Sscanf(rest, "%d.", &status); err != nil {
			t.Fatalf("%s: no status in the name", file)
		}
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		req := paths[strings.Replace(operation, ".", "/", 1)]
		if req == nil {
			t.Errorf("%s: no operation %s", file, operation)
			continue
		}
		// The request is here for the route only.
		checked, err := c.request(req, nil)
		if checked == nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		err = c.answer(checked, status, http.Header{"Content-Type": {"application/json"}}, body)
		switch {
		case err == nil:
			accepted++
		case contradicted[operation]:
			refused++
		default:
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
	if accepted < 75 || refused == 0 {
		t.Errorf("%d examples accepted and %d refused: is anything checked?", accepted, refused)
	}
}

// githubPaths reads which operations are at which paths.
func githubPaths(t *testing.T) map[string]map[string]string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, "testdata/openapi/github-subset.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]string{}
	for path, item := range doc.Paths {
		found[path] = map[string]string{}
		for method, raw := range item {
			var op struct {
				OperationID string `json:"operationId"`
			}
			if json.Unmarshal(raw, &op) == nil && op.OperationID != "" {
				found[path][method] = op.OperationID
			}
		}
	}
	return found
}

// send makes one raw request and returns the status and the message.
func send(t *testing.T, g *GitHub, token, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// What a client must not send is recorded and answered with 500.
func TestViolations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, path, body string
		want               string
	}{
		"an operation that GitHub does not have": {
			"GET", "/repos/acme/shop/nonsense", "", "no such operation",
		},
		"one that this server does not have": {
			"GET", "/repos/acme/shop/branches/main", "", "this server cannot do that",
		},
		"an enum": {
			"POST", "/repos/acme/shop/pulls/1/reviews", `{"event":"LGTM"}`, "LGTM",
		},
		"a type": {
			"POST", "/repos/acme/shop/issues/1/comments", `{"body":7}`, "body",
		},
		"a number in the path": {
			"GET", "/repos/acme/shop/pulls/one", "", "pull_number",
		},
		"51 annotations": {
			"POST", "/repos/acme/shop/check-runs", `{"name":"crev","head_sha":"x","output":{"title":"t","summary":"s","annotations":[` +
				strings.TrimSuffix(strings.Repeat(`{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"},`, 51), ",") + `]}}`,
			"maximum number of items is 50",
		},
		"GraphQL syntax":           {"POST", "graphql", `{"query":"{ viewer {"}`, "GraphQL request"},
		"a GraphQL field":          {"POST", "graphql", `{"query":"{ viewer { shoeSize } }"}`, "shoeSize"},
		"a GraphQL variable":       {"POST", "graphql", `{"query":"query($n: Int!) { repository(owner:\"acme\",name:\"shop\") { pullRequest(number:$n) { id } } }","variables":{"n":"one"}}`, "GraphQL variables"},
		"a field not modelled yet": {"POST", "graphql", `{"query":"{ rateLimit { cost } }"}`, "this server has no Query.rateLimit"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Not NewGitHub: these violations are wanted.
			g, err := StartGitHub(GitHubConfig{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			url := g.APIURL + tt.path
			if tt.path == "graphql" {
				url = g.GraphQLURL
			}
			status, _ := send(t, g, g.Token(Maintainer, FullToken), tt.method, url, tt.body)
			got := strings.Join(g.Violations(), "\n")
			if status != http.StatusInternalServerError || !strings.Contains(got, tt.want) {
				t.Errorf("status %d, violations %q; want 500 and %q", status, got, tt.want)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	g := NewGitHub(t, GitHubConfig{})
	if _, err := g.Commit("main", "one", Maintainer, map[string]string{"a.txt": "a\n"}); err != nil {
		t.Fatal(err)
	}
	head, err := g.Commit("topic", "two", Maintainer, map[string]string{"a.txt": "b\n"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.OpenPullRequest(OpenPull{Head: "topic"}); err != nil {
		t.Fatal(err)
	}
	g.User("eve", "read")
	repo := g.APIURL + "/repos/acme/shop"
	type result struct{ Comment, Check, Ref, Permission int }
	got := map[string]result{}
	for name, token := range map[string]string{
		"full":      g.Token(ActionsBot, FullToken),
		"review":    g.Token(ActionsBot, ReviewToken),
		"no-checks": g.Token(ActionsBot, NoChecksToken),
		"read-only": g.Token(ActionsBot, ReadOnlyToken),
		"wrong":     "ghs_wrong",
	} {
		var r result
		r.Comment, _ = send(t, g, token, "POST", repo+"/issues/1/comments", `{"body":"Hello."}`)
		r.Check, _ = send(t, g, token, "POST", repo+"/check-runs", `{"name":"crev","head_sha":"`+head+`"}`)
		r.Ref, _ = send(t, g, token, "POST", repo+"/git/refs", `{"ref":"refs/heads/by-`+name+`","sha":"`+head+`"}`)
		r.Permission, _ = send(t, g, token, "GET", repo+"/collaborators/eve/permission", "")
		got[name] = r
	}
	want := map[string]result{
		"full":      {201, 201, 201, 200},
		"review":    {201, 201, 403, 200},
		"no-checks": {201, 403, 201, 200},
		"read-only": {403, 403, 403, 403},
		"wrong":     {401, 401, 401, 401},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// A comment follows its line over a push, and is outdated when the line
// changed or left the difference.
func TestOutdated(t *testing.T) {
	t.Parallel()
	g := NewGitHub(t, GitHubConfig{})
	text := func(edit map[int]string) string {
		var b strings.Builder
		for i := 1; i <= 40; i++ {
			if s, ok := edit[i]; ok {
				b.WriteString(s)
				continue
			}
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	commit := func(branch string, edit map[int]string) string {
		sha, err := g.Commit(branch, "edit", Maintainer, map[string]string{"a.txt": text(edit)})
		if err != nil {
			t.Fatal(err)
		}
		return sha
	}
	commit("main", nil)
	head := commit("topic", map[int]string{10: "ten\n", 20: "twenty\n", 30: "thirty\n"})
	if _, err := g.OpenPullRequest(OpenPull{Head: "topic"}); err != nil {
		t.Fatal(err)
	}
	token := g.Token(ActionsBot, FullToken)
	status, body := send(t, g, token, "POST", g.APIURL+"/repos/acme/shop/pulls/1/reviews", `{"commit_id":"`+head+`","event":"COMMENT","body":"b","comments":[
		{"path":"a.txt","line":10,"body":"shifts"},
		{"path":"a.txt","line":22,"start_line":20,"body":"shifts with its start"},
		{"path":"a.txt","line":30,"body":"is rewritten"},
		{"path":"a.txt","line":10,"side":"LEFT","body":"on the old side"}]}`)
	if status != 200 {
		t.Fatalf("review: %d %s", status, body)
	}
	commit("topic", map[int]string{1: "zero\nline 1\n", 10: "ten\n", 20: "twenty\n", 30: "THIRTY\n"})
	want := `== thread on #1 a.txt:11 RIGHT, open
-- comment 1001 by github-actions[bot]
shifts
== thread on #1 a.txt:21-23 RIGHT, open
-- comment 1002 by github-actions[bot]
shifts with its start
== thread on #1 a.txt:30 RIGHT outdated, open
-- comment 1003 by github-actions[bot]
is rewritten
== thread on #1 a.txt:10 LEFT, open
-- comment 1004 by github-actions[bot]
on the old side
`
	got, err := g.Show("threads", 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("threads (-want +got):\n%s", diff)
	}
}
