// Package github speaks to the GitHub API: it reads pull requests, threads and
// events, and writes reviews, comments, checks and ledger commits. It is the
// only package that knows GitHub's libraries, wire formats, limits and errors;
// everybody else sees the small structs declared here.
//
// Three rules hold in every method. Nothing is posted twice: a write whose
// outcome is unknown is looked up before it is repeated. Nothing is reported
// that was not read back: a comment counts as placed when a later listing shows
// it. And a comment is crev's own only when GitHub says that the token's owner
// wrote it, never because it carries a marker, which anybody can paste.
package github

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"
)

// Config says where GitHub is and who asks. Owner, Repo and Token are required.
type Config struct {
	// APIURL, GraphQLURL and ServerURL are GITHUB_API_URL,
	// GITHUB_GRAPHQL_URL and GITHUB_SERVER_URL; "" means github.com. On an
	// Enterprise Server they are the only places the token is sent to.
	APIURL, GraphQLURL, ServerURL string
	// Token is a GITHUB_TOKEN, an App installation token or a personal one.
	Token string
	// Owner and Repo name the repository.
	Owner, Repo string
	// HTTPClient carries the requests; nil means a client that honours
	// HTTPS_PROXY and NO_PROXY. It is copied, not changed.
	HTTPClient *http.Client
	// Log receives one line for each wait; nil discards them.
	Log *slog.Logger
	// Sleep waits for a while or until the context ends, Now tells the time
	// that limits are measured against. nil means the real ones.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
}

// Client is one identity at one repository. It is safe for concurrent use;
// writes are sent one after the other, as GitHub asks.
type Client struct {
	rest        *gh.Client
	graphQLURL  string
	serverURL   string
	owner, repo string
	sleep       func(context.Context, time.Duration) error
}

// New returns a client. It makes no request.
func New(cfg Config) (*Client, error) {
	api, err := endpoint("API", cfg.APIURL, "https://api.github.com")
	if err != nil {
		return nil, err
	}
	graphQL, err := endpoint("GraphQL", cfg.GraphQLURL, "https://api.github.com/graphql")
	if err != nil {
		return nil, err
	}
	server, err := endpoint("server", cfg.ServerURL, "https://github.com")
	if err != nil {
		return nil, err
	}
	if cfg.Token == "" {
		return nil, fmt.Errorf("connect to GitHub: no token; set github_token or GITHUB_TOKEN")
	}
	if cfg.Owner == "" || cfg.Repo == "" {
		return nil, fmt.Errorf("connect to GitHub: no repository; set GITHUB_REPOSITORY to owner/name")
	}

	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	httpClient := http.Client{}
	if cfg.HTTPClient != nil {
		httpClient = *cfg.HTTPClient
	}
	base := httpClient.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	httpClient.Transport = newTransport(base, cfg, api.Host, graphQL.Host)

	rest := gh.NewClient(&httpClient)
	rest.UserAgent = "crev"
	// WithEnterpriseURLs would append /api/v3 to hosts it does not know; the
	// runner's URL is already complete but for the slash.
	rest.BaseURL = api.JoinPath("/")
	return &Client{
		rest:       rest,
		graphQLURL: graphQL.String(),
		serverURL:  strings.TrimSuffix(server.String(), "/"),
		owner:      cfg.Owner,
		repo:       cfg.Repo,
		sleep:      cfg.Sleep,
	}, nil
}

// endpoint parses one of the three base URLs.
func endpoint(name, given, def string) (*url.URL, error) {
	if given == "" {
		given = def
	}
	u, err := url.Parse(given)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, fmt.Errorf("connect to GitHub: %s URL %q is not an http(s) URL", name, given)
	}
	return u, nil
}

// Repository returns the repository as owner/name.
func (c *Client) Repository() string { return c.owner + "/" + c.repo }

// RepositoryURL returns the repository's address for people.
func (c *Client) RepositoryURL() string { return c.serverURL + "/" + c.Repository() }

// PullRequestURL returns the address of a pull request for people.
func (c *Client) PullRequestURL(n int) string {
	return fmt.Sprintf("%s/pull/%d", c.RepositoryURL(), n)
}

// CompareURL returns the page on which a person can open a pull request from
// head into base by hand.
func (c *Client) CompareURL(base, head string) string {
	return fmt.Sprintf("%s/compare/%s...%s?expand=1",
		c.RepositoryURL(), escapeRef(base), escapeRef(head))
}

// escapeRef escapes a ref for a URL path and keeps its slashes.
func escapeRef(ref string) string {
	parts := strings.Split(ref, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// restURL joins a path below the repository's API root.
func (c *Client) restURL(format string, args ...any) string {
	return fmt.Sprintf("repos/%s/%s/", c.owner, c.repo) + fmt.Sprintf(format, args...)
}

// call sends one REST request for which go-github has no method that fits, and
// decodes the answer into out unless it is nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	req, err := c.rest.NewRequest(method, path, in)
	if err != nil {
		return err
	}
	_, err = c.rest.Do(ctx, req, out)
	return err
}

// sleep waits for d or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
