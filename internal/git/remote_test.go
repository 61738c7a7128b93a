package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// server is a repository to clone from: main with n commits after the point
// where refs/pull/7/head branched off.
type server struct {
	*fixture
	branched, main, pull string
}

func newServer(t *testing.T, n int) *server {
	t.Helper()
	s := &server{fixture: newFixture(t)}
	s.write("a.txt", "a\n")
	s.branched = s.commit("branched")
	s.write("b.txt", "pull\n")
	s.pull = s.commit("pull request")
	s.git("update-ref", "refs/pull/7/head", s.pull)
	s.git("reset", "--quiet", "--hard", s.branched)
	var stream strings.Builder
	for i := range n {
		fmt.Fprint(&stream, "commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n")
		if i == 0 {
			fmt.Fprintf(&stream, "from %s\n", s.branched)
		}
		fmt.Fprintf(&stream, "M 100644 inline m.txt\ndata %d\n%d\n\n", len(fmt.Sprint(i))+1, i)
	}
	s.fastImport(stream.String())
	s.main = s.git("rev-parse", "main")
	s.git("config", "uploadpack.allowFilter", "true")
	s.git("config", "uploadpack.allowAnySHA1InWant", "true")
	return s
}

// clone clones the server with these flags.
func (s *server) clone(flags ...string) *fixture {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "clone")
	s.git(append(append([]string{"clone", "--quiet"}, flags...), "file://"+s.dir, dir)...)
	return &fixture{t: s.t, dir: dir}
}

// L50: the head of a pull request from a fork that is gone.
func TestFetchPullRequest(t *testing.T) {
	t.Parallel()
	s := newServer(t, 3)
	c := s.clone()
	r, ctx := c.open(), t.Context()
	if have, err := r.HasCommit(ctx, s.pull); err != nil || have {
		t.Fatalf("HasCommit before the fetch = %v, %v", have, err)
	}
	if err := r.Fetch(ctx, "origin", []string{"+refs/pull/7/head:refs/crev/pull/7/head"}, Auth{}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Resolve(ctx, "refs/crev/pull/7/head"); err != nil || got != s.pull {
		t.Errorf("Resolve = %q, %v, want %q", got, err, s.pull)
	}
	if shallow, err := r.IsShallow(ctx); err != nil || shallow {
		t.Errorf("a full clone became shallow: %v, %v", shallow, err)
	}
	if _, err := os.Lstat(filepath.Join(c.dir, ".git", "FETCH_HEAD")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("FETCH_HEAD was written: %v", err)
	}
	if err := r.Fetch(ctx, "origin", []string{"refs/pull/8/head"}, Auth{}); err == nil || !strings.Contains(err.Error(), "refs/pull/8/head") {
		t.Errorf("Fetch of a ref that is not there: %v, want its name", err)
	}
}

func TestFetchRefuses(t *testing.T) {
	t.Parallel()
	c := newServer(t, 1).clone()
	r := c.open()
	for name, tt := range map[string]struct {
		remote string
		specs  []string
	}{
		"an option as remote":     {"--upload-pack=evil", []string{"refs/heads/main"}},
		"a URL as remote":         {"https://example.com/x", []string{"refs/heads/main"}},
		"an unknown remote":       {"upstream", []string{"refs/heads/main"}},
		"nothing":                 {"origin", nil},
		"an option as ref":        {"origin", []string{"--output=x"}},
		"a short name":            {"origin", []string{"main"}},
		"a pattern":               {"origin", []string{"refs/heads/*:refs/crev/*"}},
		"a branch to write":       {"origin", []string{"refs/heads/main:refs/heads/main"}},
		"a ref with a line end":   {"origin", []string{"refs/heads/main\n--x"}},
		"everything but a commit": {"origin", []string{"^refs/heads/main"}},
	} {
		if err := r.Fetch(t.Context(), tt.remote, tt.specs, Auth{}); err == nil {
			t.Errorf("Fetch with %s gave no error", name)
		}
	}
}

func TestDefaultBranch(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	c := s.clone()
	c.git("remote", "add", "ssh", "git@github.com:acme/shop.git")
	r, ctx := c.open(), t.Context()
	if got, err := r.DefaultBranch(ctx, "origin"); err != nil || got != "main" {
		t.Errorf("DefaultBranch = %q, %v, want main", got, err)
	}
	c.git("remote", "set-head", "origin", "--delete")
	if got, err := r.DefaultBranch(ctx, "origin"); err != nil || got != "main" {
		t.Errorf("DefaultBranch that was not recorded = %q, %v, want main", got, err)
	}
	if _, err := r.DefaultBranch(ctx, "ssh"); !errors.Is(err, ErrUnknownRevision) {
		t.Errorf("DefaultBranch of a remote never fetched: %v", err)
	}
}

// L38: fetch-depth 1, and the base 500 commits away.
func TestConnectShallow(t *testing.T) {
	t.Parallel()
	s := newServer(t, 500)
	c := s.clone("--depth=1")
	r, ctx := c.open(), t.Context()
	got, err := r.Connect(ctx, "origin", s.main, s.pull, []string{"refs/pull/7/head"}, Auth{})
	if err != nil || got != s.branched {
		t.Fatalf("Connect = %q, %v, want %q", got, err, s.branched)
	}
	files, err := r.Diff(ctx, got, s.pull, DiffOptions{})
	if err != nil || len(files) != 1 || files[0].NewPath != "b.txt" {
		t.Errorf("Diff = %v, %v", describeAll(files), err)
	}
}

// L38: when deepening cannot help, the message says which setting does.
func TestConnectTooShallow(t *testing.T) {
	t.Parallel()
	s := newServer(t, 60)
	c := s.clone("--depth=1")
	r, ctx := c.open(), t.Context()
	if err := r.Fetch(ctx, "origin", []string{"refs/pull/7/head"}, Auth{}); err != nil {
		t.Fatal(err)
	}
	c.git("remote", "set-url", "origin", filepath.Join(s.dir, "gone"))
	_, err := r.Connect(ctx, "origin", s.main, s.pull, nil, Auth{})
	if !errors.Is(err, ErrShallow) || !strings.Contains(err.Error(), "set fetch-depth: 0 on actions/checkout") || strings.Contains(err.Error(), "\n") {
		t.Errorf("Connect without a server: %v, want ErrShallow and the setting", err)
	}
	_, err = r.Connect(ctx, "origin", s.main, strings.Repeat("d", 40), nil, Auth{})
	if !errors.Is(err, ErrNoObject) {
		t.Errorf("Connect of a commit that cannot be had: %v, want ErrNoObject", err)
	}
}

// A full clone is never deepened or made shallow.
func TestConnectFull(t *testing.T) {
	t.Parallel()
	s := newServer(t, 3)
	c := s.clone()
	r, ctx := c.open(), t.Context()
	if got, err := r.Connect(ctx, "origin", s.main, s.pull, []string{"refs/pull/7/head"}, Auth{}); err != nil || got != s.branched {
		t.Errorf("Connect = %q, %v, want %q", got, err, s.branched)
	}
	c.git("checkout", "--quiet", "--orphan", "other")
	other := c.commit("other")
	if _, err := r.Connect(ctx, "origin", s.main, other, nil, Auth{}); !errors.Is(err, ErrNoMergeBase) || errors.Is(err, ErrShallow) {
		t.Errorf("Connect without common history: %v, want ErrNoMergeBase", err)
	}
	if err := r.Deepen(ctx, "origin", 1, []string{s.main}, Auth{}); err != nil {
		t.Error(err)
	}
	if shallow, err := r.IsShallow(ctx); err != nil || shallow {
		t.Errorf("a full clone became shallow: %v, %v", shallow, err)
	}
}

// The recommended checkout: filter: blob:none.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	for i := range 20 {
		s.write(fmt.Sprintf("d/f%d", i), fmt.Sprintf("content %d\n", i))
	}
	s.git("reset", "--quiet", "--hard", "main")
	for i := range 20 {
		s.write(fmt.Sprintf("d/f%d", i), fmt.Sprintf("content %d\n", i))
	}
	head := s.commit("twenty files")
	c := s.clone("--filter=blob:none", "--no-checkout")
	r, ctx := c.open(), t.Context()
	entries, err := r.Files(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	missing, err := r.missing(ctx, blobsOf(entries))
	if err != nil || len(missing) != len(entries) {
		t.Fatalf("%d of %d files are missing, %v; listing must fetch none", len(missing), len(entries), err)
	}
	if have, err := r.HasCommit(ctx, strings.Repeat("d", 40)); err != nil || have {
		t.Errorf("HasCommit of no commit = %v, %v", have, err)
	}
	if got, err := r.ReadFile(ctx, head, "d/f3"); err != nil || string(got) != "content 3\n" {
		t.Errorf("ReadFile = %q, %v", got, err)
	}
	if missing, err = r.missing(ctx, blobsOf(entries)); err != nil || len(missing) != len(entries)-1 {
		t.Errorf("%d files are missing after one was read, %v, want %d", len(missing), err, len(entries)-1)
	}
	dir := t.TempDir()
	if err := r.Export(ctx, head, dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "d/f19")); err != nil || string(got) != "content 19\n" {
		t.Errorf("exported file = %q, %v", got, err)
	}
	if missing, err = r.missing(ctx, blobsOf(entries)); err != nil || len(missing) != 0 {
		t.Errorf("%d files are missing after the export, %v", len(missing), err)
	}
	tree, err := r.Tree(ctx, head, "d")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := fs.Stat(tree, "f19"); err != nil || info.Size() != 11 {
		t.Errorf("Stat = %v, %v, want 11 bytes", info, err)
	}
}

func TestAuthCovers(t *testing.T) {
	t.Parallel()
	auth := Auth{Server: "https://github.com", Token: "t"}
	for remote, want := range map[string]bool{
		"https://github.com/acme/shop":         true,
		"https://GitHub.com/acme/shop.git":     true,
		"http://github.com/acme/shop":          false,
		"https://github.com.evil.example/acme": false,
		"https://github.com:8443/acme/shop":    false,
		"https://evil.example/github.com":      false,
		"https://github.com@evil.example/acme": false,
		"https://user@github.com/acme/shop":    false,
		"git@github.com:acme/shop":             false,
		"ssh://git@github.com/acme/shop":       false,
		"ext::https://github.com":              false,
		"":                                     false,
	} {
		if got := auth.covers(remote); got != want {
			t.Errorf("covers(%q) = %v, want %v", remote, got, want)
		}
	}
	for _, none := range []Auth{{}, {Token: "t"}, {Server: "https://github.com"}, {Server: "http://github.com", Token: "t"}} {
		if none.covers("https://github.com/acme/shop") || none.covers("http://github.com/acme/shop") {
			t.Errorf("%+v covers a remote", none)
		}
	}
}
