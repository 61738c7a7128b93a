package crevtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// The two accounts that every GitHub has.
const (
	// ActionsBot is the owner of every GITHUB_TOKEN.
	ActionsBot = "github-actions[bot]"
	// Maintainer is a person who may write to the repository.
	Maintainer = "maria"
)

// GitHubConfig describes the repository to serve.
type GitHubConfig struct {
	// Owner and Repo name it; acme/shop by default.
	Owner, Repo string
	// DefaultBranch is "main" by default.
	DefaultBranch string
	// From is a repository on disk whose branches and tags are copied; ""
	// means an empty repository.
	From string
	// PageSize is the most that a REST list gives at once, whatever is asked
	// for; 100 by default, as on GitHub.
	PageSize int
	// Dir is where the bare repository is put; "" means a new temporary
	// directory that Close removes.
	Dir string
}

// GitHub is a server that behaves like GitHub for one repository: the REST
// API below /api/v3, GraphQL at /api/graphql and git over HTTP at
// /OWNER/REPO.git. What it holds is a real bare git repository, so that a diff,
// a merge or a commit is what git says it is.
//
// It is a witness as well: every request is checked against GitHub's own
// OpenAPI and GraphQL schemas, and so is every answer. What does not fit is
// recorded in Violations and answered with status 500.
//
// All methods are safe for concurrent use; requests are served one by one.
type GitHub struct {
	// Owner, Repo and DefaultBranch are those of the configuration.
	Owner, Repo, DefaultBranch string
	// APIURL, GraphQLURL and ServerURL are what Actions calls
	// GITHUB_API_URL, GITHUB_GRAPHQL_URL and GITHUB_SERVER_URL.
	APIURL, GraphQLURL, ServerURL string
	// CloneURL is for git clone, fetch and push.
	CloneURL string

	server    *httptest.Server
	contract  *contract
	schema    *ast.Schema
	git       *bareRepo
	temporary string

	mu         sync.Mutex
	now        time.Time
	lastID     map[string]int64
	accounts   map[string]*account
	tokens     map[string]*token
	pulls      []*pull
	issues     []*issue
	checks     []*checkRun
	statuses   []*commitStatus
	faults     []*Fault
	requests   []Request
	violations []string
	noPulls    bool
	pageSize   int
	// examples are GitHub's example answers with this server's addresses.
	examples map[string][]byte
}

// account is a user or a bot.
type account struct {
	login string
	typ   string
	id    int64
	// role is the repository role: admin, maintain, write, triage, read or
	// none.
	role string
	// emails are addresses tied to the account, in lower case.
	emails []string
	// private is true for a member whose membership outsiders do not see:
	// GitHub then says CONTRIBUTOR in author_association.
	private bool
}

// token is a credential: who it belongs to and what it may do.
type token struct {
	login string
	// may maps contents, pull_requests, checks, issues and statuses to read
	// or write.
	may map[string]string
}

// TokenKind says what a token may do.
type TokenKind string

// The kinds of token that crev meets.
const (
	// FullToken may write contents, pull requests, checks and issues.
	FullToken TokenKind = "full"
	// ReviewToken is the documented minimum: contents: read, pull-requests:
	// write, checks: write. It may not resolve threads.
	ReviewToken TokenKind = "review"
	// NoChecksToken is FullToken without checks.
	NoChecksToken TokenKind = "no-checks"
	// ReadOnlyToken is what jobs for forks and Dependabot get.
	ReadOnlyToken TokenKind = "read-only"
)

// Request is one line of the request log.
type Request struct {
	Method, Path string
	// Operation is the OpenAPI operation id, "graphql" with the root fields
	// behind it, or "git".
	Operation string
	Login     string
	Status    int
	// Fault is the kind of the fault that struck, "" for none.
	Fault string
}

// StartGitHub starts a server. The caller closes it.
func StartGitHub(cfg GitHubConfig) (*GitHub, error) {
	g := &GitHub{
		Owner:         orElse(cfg.Owner, "acme"),
		Repo:          orElse(cfg.Repo, "shop"),
		DefaultBranch: orElse(cfg.DefaultBranch, "main"),
		now:           time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		lastID:        map[string]int64{},
		accounts:      map[string]*account{},
		tokens:        map[string]*token{},
		examples:      map[string][]byte{},
		pageSize:      cfg.PageSize,
	}
	if g.pageSize == 0 {
		g.pageSize = 100
	}
	var err error
	if g.contract, err = githubContract(); err != nil {
		return nil, err
	}
	if g.schema, err = githubSchema(); err != nil {
		return nil, err
	}
	dir := cfg.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "crevtest-github-"); err != nil {
			return nil, err
		}
		g.temporary = dir
	}
	if g.git, err = newBareRepo(dir, g.Owner, g.Repo, g.DefaultBranch, cfg.From); err != nil {
		if g.temporary != "" {
			_ = os.RemoveAll(g.temporary)
		}
		return nil, err
	}
	mux := http.NewServeMux()
	g.server = httptest.NewServer(mux)
	g.ServerURL = g.server.URL
	g.APIURL = g.ServerURL + apiPath
	g.GraphQLURL = g.ServerURL + "/api/graphql"
	g.CloneURL = fmt.Sprintf("%s/%s/%s.git", g.ServerURL, g.Owner, g.Repo)
	mux.HandleFunc(apiPath+"/", g.serve(g.serveREST))
	mux.HandleFunc("/api/graphql", g.serve(g.serveGraphQL))
	mux.HandleFunc("/", g.serveGit)
	g.User(ActionsBot, "none")
	g.User(Maintainer, "write")
	return g, nil
}

// NewGitHub starts a server for one test, which fails when a request or an
// answer broke GitHub's schemas.
func NewGitHub(t testing.TB, cfg GitHubConfig) *GitHub {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	g, err := StartGitHub(cfg)
	if err != nil {
		t.Fatalf("start GitHub: %v", err)
	}
	t.Cleanup(func() {
		g.Close()
		for _, v := range g.Violations() {
			t.Errorf("contract violation: %s", v)
		}
	})
	return g
}

// Close stops the server.
func (g *GitHub) Close() {
	g.server.Close()
	if g.temporary != "" {
		_ = os.RemoveAll(g.temporary)
	}
}

// Violations returns what broke GitHub's schemas or was asked of this server
// although it cannot do it, oldest first.
func (g *GitHub) Violations() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.violations...)
}

// Requests returns the log of API requests, oldest first. Git traffic is left
// out.
func (g *GitHub) Requests() []Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]Request(nil), g.requests...)
}

// User adds an account, or changes its role: admin, maintain, write, triage,
// read or none. A login that ends in [bot] is a bot.
func (g *GitHub) User(login, role string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.account(login).role = role
}

// PrivateMember adds a member with a role whose membership is private, so that
// author_association does not show it.
func (g *GitHub) PrivateMember(login, role string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.account(login)
	a.role, a.private = role, true
}

// Token makes a token for a login and returns it.
func (g *GitHub) Token(login string, kind TokenKind) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.account(login)
	may := map[string]string{
		"contents": "write", "pull_requests": "write", "checks": "write",
		"issues": "write", "statuses": "write",
	}
	switch kind {
	case ReviewToken:
		may["contents"] = "read"
	case NoChecksToken:
		delete(may, "checks")
	case ReadOnlyToken:
		for name := range may {
			may[name] = "read"
		}
	}
	name := fmt.Sprintf("ghs_%s_%s_%d", strings.Trim(login, "[]"), kind, g.next("token"))
	g.tokens[name] = &token{login: login, may: may}
	return name
}

// ForbidPullRequests turns off the setting that lets Actions create pull
// requests.
func (g *GitHub) ForbidPullRequests() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.noPulls = true
}

// account returns an account and makes it when it is new: a reader.
func (g *GitHub) account(login string) *account {
	if a := g.accounts[login]; a != nil {
		return a
	}
	a := &account{login: login, typ: "User", id: g.next("user"), role: "read"}
	if strings.HasSuffix(login, "[bot]") {
		a.typ, a.role = "Bot", "none"
	}
	g.accounts[login] = a
	return a
}

// next counts ids of one kind; each kind starts at its own thousand, so that
// an id says what it is.
func (g *GitHub) next(kind string) int64 {
	start := map[string]int64{
		"review comment": 1000, "comment": 2000, "review": 3000, "check": 4000,
		"reaction": 5000, "status": 6000, "thread": 7000, "user": 100,
	}
	if g.lastID[kind] == 0 {
		g.lastID[kind] = start[kind]
	}
	g.lastID[kind]++
	return g.lastID[kind]
}

// tick moves the clock on by a second and returns it: no two writes happen at
// the same time.
func (g *GitHub) tick() time.Time {
	g.now = g.now.Add(time.Second)
	return g.now
}

func (g *GitHub) violate(format string, args ...any) {
	g.violations = append(g.violations, fmt.Sprintf(format, args...))
}

// moduleRoot finds the directory of go.mod above the working directory, which
// for a test is the directory of its package.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("find testdata: no go.mod above the working directory")
		}
		dir = parent
	}
}

func orElse(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
