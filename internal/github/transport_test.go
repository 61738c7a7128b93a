package github_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

func TestNew(t *testing.T) {
	t.Parallel()
	good := github.Config{Token: "t", Owner: "acme", Repo: "shop"}
	tests := map[string]struct {
		change func(*github.Config)
		want   string
	}{
		"no token":      {func(c *github.Config) { c.Token = "" }, "set github_token or GITHUB_TOKEN"},
		"no repository": {func(c *github.Config) { c.Repo = "" }, "set GITHUB_REPOSITORY"},
		"no scheme":     {func(c *github.Config) { c.APIURL = "ghe.example.com/api/v3" }, "is not an http(s) URL"},
		"another one":   {func(c *github.Config) { c.GraphQLURL = "file:///etc/passwd" }, "is not an http(s) URL"},
	}
	if _, err := github.New(good); err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := good
			tt.change(&cfg)
			if _, err := github.New(cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New: %v, want %q in it", err, tt.want)
			}
		})
	}
}

// recorder is a server that remembers where requests went and with what.
type recorder struct {
	*httptest.Server
	mu     sync.Mutex
	paths  []string
	tokens []string
}

func newRecorder(t *testing.T, answer func(http.ResponseWriter, *http.Request)) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.paths = append(r.paths, req.Method+" "+req.URL.RequestURI())
		r.tokens = append(r.tokens, req.Header.Get("Authorization"))
		r.mu.Unlock()
		answer(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) client(t *testing.T, clk *clock, log *slog.Logger) *github.Client {
	t.Helper()
	c, err := github.New(github.Config{
		APIURL: r.URL + "/api/v3", GraphQLURL: r.URL + "/api/graphql", ServerURL: r.URL + "/",
		Token: "ghs_secret", Owner: "acme", Repo: "shop", Sleep: clk.Sleep, Now: clk.Now, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// On an Enterprise Server every request goes to the URLs of the runner.
func TestEnterpriseServer(t *testing.T) {
	t.Parallel()
	r := newRecorder(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/api/graphql" {
			fmt.Fprint(w, `{"data":{"viewer":{"id":"U_1","login":"crev[bot]"}}}`)
			return
		}
		fmt.Fprint(w, `{"number":1,"head":{"sha":"a"},"base":{"sha":"b"}}`)
	})
	c := r.client(t, &clock{}, nil)
	if _, err := c.PullRequest(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	me, err := c.Self(t.Context())
	if err != nil || me.Login != "crev[bot]" {
		t.Errorf("Self = %+v, %v", me, err)
	}
	want := []string{"GET /api/v3/repos/acme/shop/pulls/1", "POST /api/graphql"}
	if diff := cmp.Diff(want, r.paths); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Bearer ghs_secret", "Bearer ghs_secret"}, r.tokens); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	links := []string{c.RepositoryURL(), c.PullRequestURL(7), c.CompareURL("main", "feat/$(id)#x")}
	wantLinks := []string{
		r.URL + "/acme/shop", r.URL + "/acme/shop/pull/7",
		r.URL + "/acme/shop/compare/main...feat/$%28id%29%23x?expand=1",
	}
	for i := range links {
		if links[i] != wantLinks[i] {
			t.Errorf("link %q, want %q", links[i], wantLinks[i])
		}
	}
}

// A redirect to another host is followed without the token.
func TestTokenStaysHome(t *testing.T) {
	t.Parallel()
	elsewhere := newRecorder(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"number":1}`) })
	r := newRecorder(t, func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, elsewhere.URL+"/x", http.StatusFound)
	})
	if _, err := r.client(t, &clock{}, nil).PullRequest(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{""}, elsewhere.tokens); diff != "" {
		t.Errorf("tokens sent to another host (-want +got):\n%s", diff)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	fail := func(code int, header map[string]string, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for k, v := range header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	cut := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	read := func(ctx context.Context, c *github.Client) error { _, err := c.PullRequest(ctx, 1); return err }
	ask := func(ctx context.Context, c *github.Client) error { _, err := c.Self(ctx); return err }
	write := func(ctx context.Context, c *github.Client) error { return c.EditComment(ctx, 1, "x") }
	const limited = `{"message":"API rate limit exceeded","documentation_url":"https://docs.github.com/rest"}`
	tests := map[string]struct {
		call func(context.Context, *github.Client) error
		// fail answers the first failures requests.
		fail     http.HandlerFunc
		failures int
		deadline time.Duration
		want     error
		requests int
		// atLeast is the least total wait.
		atLeast time.Duration
	}{
		"a read after a bad gateway":      {call: read, fail: fail(502, nil, "<html>"), failures: 2, requests: 3, atLeast: 3 * time.Second},
		"a read after a cut":              {call: read, fail: cut, failures: 2, requests: 3, atLeast: 3 * time.Second},
		"a GraphQL query after a cut":     {call: ask, fail: cut, failures: 1, requests: 2, atLeast: time.Second},
		"a read that stays broken":        {call: read, fail: fail(500, nil, ""), failures: 99, want: errAny, requests: 5},
		"a write after a bad gateway":     {call: write, fail: fail(502, nil, ""), failures: 1, want: errAny, requests: 1},
		"a write after a cut":             {call: write, fail: cut, failures: 1, want: errAny, requests: 1},
		"a permission":                    {call: write, fail: fail(403, nil, `{"message":"Resource not accessible by integration"}`), failures: 1, want: github.ErrForbidden, requests: 1},
		"not found":                       {call: read, fail: fail(404, nil, `{"message":"Not Found"}`), failures: 1, want: github.ErrNotFound, requests: 1},
		"a wrong token":                   {call: read, fail: fail(401, nil, `{"message":"Bad credentials"}`), failures: 1, want: errAny, requests: 1},
		"429":                             {call: write, fail: fail(429, map[string]string{"Retry-After": "9"}, "{}"), failures: 1, requests: 2, atLeast: 9 * time.Second},
		"429 without a header":            {call: write, fail: fail(429, nil, "{}"), failures: 1, requests: 2, atLeast: time.Minute},
		"the hourly limit":                {call: read, fail: fail(403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(now.Unix() + 90)}, limited), failures: 1, requests: 2, atLeast: 90 * time.Second},
		"the hourly limit, just over":     {call: read, fail: fail(403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(now.Unix() - 5)}, limited), failures: 1, requests: 2},
		"the hourly limit, far off":       {call: read, fail: fail(403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(now.Unix() + 3000)}, limited), failures: 1, want: github.ErrRateLimited, requests: 1},
		"GraphQL's limit":                 {call: ask, fail: fail(200, nil, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`), failures: 1, requests: 2},
		"a wait beyond the deadline":      {call: write, fail: fail(429, map[string]string{"Retry-After": "60"}, "{}"), failures: 1, deadline: 30 * time.Second, want: github.ErrRateLimited, requests: 1},
		"abuse is no wrong content":       {call: write, fail: fail(422, nil, `{"message":"Validation Failed","errors":[{"code":"abuse"}]}`), failures: 1, requests: 2, atLeast: time.Minute},
		"wrong content is no abuse":       {call: write, fail: fail(422, nil, `{"message":"Validation Failed","errors":["x"]}`), failures: 1, want: errAny, requests: 1},
		"a body that is not what it says": {call: read, fail: fail(200, nil, "<html>"), failures: 1, want: errAny, requests: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			r := newRecorder(t, func(w http.ResponseWriter, req *http.Request) {
				if int(n.Add(1)) <= tt.failures {
					tt.fail(w, req)
					return
				}
				fmt.Fprint(w, `{"number":1,"data":{"viewer":{"login":"x"}}}`)
			})
			// Go's own transport repeats a GET on a reused connection.
			r.Config.SetKeepAlivesEnabled(false)
			clk := &clock{now: now}
			var log bytes.Buffer
			ctx := t.Context()
			if tt.deadline != 0 {
				// The context ends by the real clock, which is far
				// from there; the client measures with its own.
				end := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
				var cancel context.CancelFunc
				ctx, cancel = context.WithDeadline(ctx, end)
				defer cancel()
				clk.now = end.Add(-tt.deadline)
			}
			err := tt.call(ctx, r.client(t, clk, slog.New(slog.NewTextHandler(&log, nil))))
			if tt.want == nil && err != nil || tt.want == errAny && err == nil || tt.want != nil && tt.want != errAny && !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if got := int(n.Load()); got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
			var total time.Duration
			for _, d := range clk.slept {
				total += d
			}
			if total < tt.atLeast {
				t.Errorf("waited %v in all, want at least %v", total, tt.atLeast)
			}
			if len(clk.slept) > 0 && !strings.Contains(log.String(), "waiting before the next try") {
				t.Errorf("the wait is not logged: %q", log.String())
			}
			if text := fmt.Sprint(err) + log.String(); strings.Contains(text, "ghs_secret") {
				t.Errorf("the token is in %q", text)
			}
		})
	}
}

// GitHub allows 80 requests that create content a minute.
func TestPace(t *testing.T) {
	t.Parallel()
	r := newRecorder(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) })
	clk := &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	c := r.client(t, clk, nil)
	for range 100 {
		if err := c.EditComment(t.Context(), 1, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if got := clk.now.Sub(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)); got != 80*time.Second {
		t.Errorf("100 writes took %v, want 20 at once and 80 in as many seconds", got)
	}
}

// When a run is cancelled while it waits, it ends.
func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	ctx, cancel := context.WithCancel(t.Context())
	w.clock.onWait = cancel
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultSecondary, Match: "PATCH", RetryAfter: 5, Times: 9})
	if err := c.EditComment(ctx, 1, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("EditComment: %v, want context.Canceled", err)
	}
}
