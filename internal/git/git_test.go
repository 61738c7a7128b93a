package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fixture is a real repository to test against, made with plain git.
type fixture struct {
	t   *testing.T
	dir string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir()}
	f.git("init", "--quiet", "--initial-branch=main")
	return f
}

// git runs plain git in the fixture and returns what it prints, trimmed.
func (f *fixture) git(args ...string) string {
	f.t.Helper()
	out, err := f.command(args...).CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// command prepares plain git, as a user would run it.
func (f *fixture) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=1700000000 +0000")
	return cmd
}

// write writes a file of the work tree.
func (f *fixture) write(path, content string) {
	f.t.Helper()
	full := filepath.Join(f.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// link makes a symbolic link in the work tree.
func (f *fixture) link(target, path string) {
	f.t.Helper()
	full := filepath.Join(f.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Symlink(target, full); err != nil {
		f.t.Fatal(err)
	}
}

// commit commits everything in the work tree and returns its id.
func (f *fixture) commit(message string) string {
	f.t.Helper()
	f.git("add", "-A")
	f.git("commit", "--quiet", "--allow-empty", "-m", message)
	return f.git("rev-parse", "HEAD")
}

// open opens the fixture.
func (f *fixture) open(opts ...Option) *Repo {
	f.t.Helper()
	r, err := Open(f.t.Context(), f.dir, opts...)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := r.Close(); err != nil {
			f.t.Error(err)
		}
	})
	return r
}

func TestOpen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a/b/c.txt", "x\n")
	f.commit("one")
	want, err := filepath.EvalSymlinks(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", "a", "a/b", ".git"} {
		r, err := Open(t.Context(), filepath.Join(f.dir, dir))
		if err != nil {
			t.Fatalf("Open(%q): %v", dir, err)
		}
		if r.Dir() != want {
			t.Errorf("Open(%q).Dir() = %q, want %q", dir, r.Dir(), want)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(f.dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of no directory: %v, want fs.ErrNotExist", err)
	}
	if _, err := Open(t.Context(), t.TempDir()); !errors.Is(err, ErrNotARepository) {
		t.Errorf("Open outside a repository: %v, want ErrNotARepository", err)
	}
}

func TestOpenLinkedWorkTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "x\n")
	sha := f.commit("one")
	linked := filepath.Join(t.TempDir(), "linked")
	f.git("worktree", "add", "--quiet", "-b", "other", linked)
	r, err := Open(t.Context(), linked)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := r.Resolve(t.Context(), "HEAD"); err != nil || got != sha {
		t.Errorf("Resolve(HEAD) = %q, %v, want %q", got, err, sha)
	}
	if got, err := r.ReadFile(t.Context(), sha, "a.txt"); err != nil || string(got) != "x\n" {
		t.Errorf("ReadFile = %q, %v", got, err)
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "x\n")
	sha := f.commit("one")
	r := f.open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Resolve(ctx, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("Resolve with an ended context: %v, want context.Canceled", err)
	}
	if _, err := r.ReadFile(ctx, sha, "a.txt"); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadFile with an ended context: %v, want context.Canceled", err)
	}
	if got, err := r.ReadFile(t.Context(), sha, "a.txt"); err != nil || string(got) != "x\n" {
		t.Errorf("ReadFile afterwards = %q, %v", got, err)
	}
}
