package github_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

// world is a GitHub with one pull request and a client for it.
type world struct {
	*crevtest.GitHub
	t *testing.T
	// pr is the pull request, head and base its commits.
	pr         int
	head, base string
	clock      *clock
}

// clock is a clock that sleeping moves on.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	slept  []time.Duration
	onWait func()
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	c.mu.Unlock()
	if c.onWait != nil {
		c.onWait()
	}
	return ctx.Err()
}

// waits returns how long the client slept, in whole seconds, jitter left out.
func (c *clock) waits() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []int
	for _, d := range c.slept {
		all = append(all, int(d/time.Second))
	}
	return all
}

// newWorld makes the repository: app.go has 60 lines on main; the pull request
// changes lines 10 and 40 and adds new.go with five lines.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		// Small pages, so that lists have more than one.
		GitHub: crevtest.NewGitHub(t, crevtest.GitHubConfig{PageSize: 3}),
		t:      t,
		clock:  &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)},
	}
	w.base = w.commit("main", map[string]string{"app.go": lines(60), "README.md": "shop\n"})
	w.head = w.commit("feature", map[string]string{
		"app.go": edited(lines(60), 10, 40), "new.go": lines(5),
	})
	n, err := w.OpenPullRequest(crevtest.OpenPull{Head: "feature", Title: "Change things", Body: "Because.", Author: "omar"})
	if err != nil {
		t.Fatal(err)
	}
	w.pr = n
	return w
}

func (w *world) commit(branch string, files map[string]string) string {
	w.t.Helper()
	sha, err := w.Commit(branch, "change "+branch, crevtest.Maintainer, files)
	if err != nil {
		w.t.Fatal(err)
	}
	return sha
}

// client returns a client with GITHUB_TOKEN of some kind.
func (w *world) client(kind crevtest.TokenKind) *github.Client {
	w.t.Helper()
	return w.as(crevtest.ActionsBot, kind)
}

func (w *world) as(login string, kind crevtest.TokenKind) *github.Client {
	w.t.Helper()
	c, err := github.New(github.Config{
		APIURL: w.APIURL, GraphQLURL: w.GraphQLURL, ServerURL: w.ServerURL,
		Token: w.Token(login, kind), Owner: w.Owner, Repo: w.Repo,
		Sleep: w.clock.Sleep, Now: w.clock.Now,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) breakNext(f crevtest.Fault) {
	w.t.Helper()
	if err := w.Break(f); err != nil {
		w.t.Fatal(err)
	}
}

// count returns how many requests were made of an operation.
func (w *world) count(operation string) int {
	n := 0
	for _, r := range w.Requests() {
		if r.Operation == operation {
			n++
		}
	}
	return n
}

func lines(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func edited(text string, at ...int) string {
	all := strings.Split(text, "\n")
	for _, n := range at {
		all[n-1] += " changed"
	}
	return strings.Join(all, "\n")
}

// marker is what a comment about a defect carries.
func marker(id string) string { return "<!-- crev:1 id=" + id + " fp=334cece5d8ab7d10 -->" }

// on is a comment about a defect at a line.
func on(id, path string, line int) github.LineComment {
	return github.LineComment{Marker: marker(id), Path: path, Line: line, Body: "Look at this.\n\n" + marker(id)}
}
