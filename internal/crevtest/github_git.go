package crevtest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// bareRepo is the repository behind the server, driven by the git command.
type bareRepo struct {
	// root holds owner/repo.git, dir is that directory.
	root, dir string
	backend   string
}

func newBareRepo(root, owner, repo, branch, from string) (*bareRepo, error) {
	r := &bareRepo{root: root, dir: filepath.Join(root, owner, repo+".git")}
	if err := os.MkdirAll(filepath.Dir(r.dir), 0o755); err != nil {
		return nil, err
	}
	if _, err := r.run(nil, "init", "--quiet", "--bare", "--initial-branch="+branch, r.dir); err != nil {
		return nil, err
	}
	for _, setting := range []string{"http.receivepack", "uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
		if _, err := r.git("config", setting, "true"); err != nil {
			return nil, err
		}
	}
	if from != "" {
		if _, err := r.git("fetch", "--quiet", "--no-tags", from, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"); err != nil {
			return nil, err
		}
	}
	execPath, err := r.run(nil, "--exec-path")
	if err != nil {
		return nil, err
	}
	r.backend = filepath.Join(strings.TrimSpace(execPath), "git-http-backend")
	return r, nil
}

// git runs a git command in the repository.
func (r *bareRepo) git(args ...string) (string, error) {
	return r.run(nil, append([]string{"--git-dir=" + r.dir}, args...)...)
}

func (r *bareRepo) run(extra []string, args ...string) (string, error) {
	return r.runInput(nil, extra, args...)
}

func (r *bareRepo) runInput(stdin []byte, extra []string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Env = append(r.environ(), extra...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// environ is the whole environment of git: no configuration of this machine.
func (r *bareRepo) environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.root, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}
}

// resolve returns the commit that a revision names, "" when there is none.
func (r *bareRepo) resolve(rev string) string {
	out, err := r.git("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

func (r *bareRepo) branch(name string) string { return r.resolve("refs/heads/" + name) }

func (r *bareRepo) mergeBase(a, b string) string {
	out, err := r.git("merge-base", a, b)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// contains reports whether a commit is among those that head adds to base.
func (r *bareRepo) contains(base, head, commit string) bool {
	out, err := r.git("rev-list", head, "^"+base)
	return err == nil && strings.Contains("\n"+out, "\n"+commit+"\n")
}

func (r *bareRepo) setRef(ref, sha string) error {
	_, err := r.git("update-ref", ref, sha)
	return err
}

// author is the environment that makes a commit of somebody at some time.
func author(login string, at time.Time) []string {
	date := strconv.FormatInt(at.Unix(), 10) + " +0000"
	email := strings.Trim(login, "[]") + "@users.noreply.github.com"
	return []string{
		"GIT_AUTHOR_NAME=" + login, "GIT_AUTHOR_EMAIL=" + email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + login, "GIT_COMMITTER_EMAIL=" + email, "GIT_COMMITTER_DATE=" + date,
	}
}

// change is the new content of one path, or its removal.
type change struct {
	path    string
	content []byte
	remove  bool
}

// commit writes a commit on top of parent ("" for none) and returns it. It
// moves no ref.
func (r *bareRepo) commit(parent, message, login string, at time.Time, changes []change) (string, error) {
	env := append(author(login, at), "GIT_DIR="+r.dir)
	var info bytes.Buffer
	for _, c := range changes {
		if c.remove {
			fmt.Fprintf(&info, "0 %s\t%s\x00", noCommit, c.path)
			continue
		}
		blob, err := r.runInput(c.content, env, "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&info, "100644 %s\t%s\x00", strings.TrimSpace(blob), c.path)
	}
	tree, err := r.tree(parent, info.Bytes())
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	sha, err := r.runInput([]byte(message), env, args...)
	return strings.TrimSpace(sha), err
}

// merge makes the merge commit of base and head as GitHub would, or returns ""
// when they conflict.
func (r *bareRepo) merge(base, head, message, login string, at time.Time, parents ...string) (string, error) {
	env := append(author(login, at), "GIT_DIR="+r.dir)
	// Like GitHub's merge button, this reads no .gitattributes: a bare
	// repository has none.
	tree, err := r.run(env, "merge-tree", "--write-tree", base, head)
	if err != nil {
		return "", nil
	}
	args := []string{"commit-tree", strings.TrimSpace(strings.SplitN(tree, "\n", 2)[0])}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	sha, err := r.runInput([]byte(message), env, args...)
	return strings.TrimSpace(sha), err
}

// rebase copies the commits that head adds onto base one by one, as GitHub's
// "Rebase and merge" does, or returns "" when one conflicts. Merge commits are
// left out.
func (r *bareRepo) rebase(base, head string, at time.Time) (string, error) {
	out, err := r.git("rev-list", "--reverse", "--no-merges", head, "^"+base)
	if err != nil {
		return "", err
	}
	env := append(author(Maintainer, at), "GIT_DIR="+r.dir)
	for _, one := range strings.Fields(out) {
		// As if base had been made of the copied commit's parent: a three-way
		// merge from that parent, in every version of git.
		onto, err := r.runInput([]byte("onto"), env, "commit-tree", base+"^{tree}", "-p", one+"^")
		if err != nil {
			return "", err
		}
		tree, err := r.run(env, "merge-tree", "--write-tree", strings.TrimSpace(onto), one)
		if err != nil {
			return "", nil
		}
		message, err := r.git("show", "-s", "--format=%B", one)
		if err != nil {
			return "", err
		}
		copied, err := r.runInput([]byte(message), env, "commit-tree", strings.TrimSpace(strings.SplitN(tree, "\n", 2)[0]), "-p", base)
		if err != nil {
			return "", err
		}
		base = strings.TrimSpace(copied)
	}
	return base, nil
}

// serveGit serves clone, fetch and push. What was pushed is then looked at as
// GitHub would: open pull requests move along.
func (g *GitHub) serveGit(w http.ResponseWriter, req *http.Request) {
	name := "/" + g.Owner + "/" + g.Repo
	rest, ok := strings.CutPrefix(req.URL.Path, name)
	if !ok {
		http.NotFound(w, req)
		return
	}
	// GitHub serves a repository with and without .git.
	rest = strings.TrimPrefix(rest, ".git")
	req = req.Clone(req.Context())
	req.URL.Path = name + ".git" + rest
	handler := &cgi.Handler{
		Path: g.git.backend,
		Env: append(g.git.environ(), "GIT_PROJECT_ROOT="+g.git.root,
			"GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=git", "GIT_PROTOCOL="+req.Header.Get("Git-Protocol")),
	}
	handler.ServeHTTP(w, req)
	if strings.HasSuffix(rest, "/git-receive-pack") && req.Method == http.MethodPost {
		g.mu.Lock()
		defer g.mu.Unlock()
		if err := g.refresh(); err != nil {
			g.violate("look at what was pushed: %v", err)
		}
	}
}

// Commit puts a commit with some files on a branch, as somebody with a clone
// would push it, and returns its SHA. A branch that is missing starts at the
// default branch. An empty content deletes the file.
func (g *GitHub) Commit(branch, message, login string, files map[string]string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	parent := g.git.branch(branch)
	if parent == "" {
		parent = g.git.branch(g.DefaultBranch)
	}
	var changes []change
	for _, path := range sortedKeys(files) {
		changes = append(changes, change{path: path, content: []byte(files[path]), remove: files[path] == ""})
	}
	sha, err := g.git.commit(parent, message, login, g.tick(), changes)
	if err != nil {
		return "", err
	}
	if err := g.git.setRef("refs/heads/"+branch, sha); err != nil {
		return "", err
	}
	return sha, g.refresh()
}

// Head returns the commit of a branch, "" when there is no such branch.
func (g *GitHub) Head(branch string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.git.branch(branch)
}

// ReadFile returns a file at a revision.
func (g *GitHub) ReadFile(rev, path string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.git.git("cat-file", "blob", rev+":"+path)
}

// Push takes branches of a repository on disk over, all when none are named,
// and moves pull requests along. A branch that is the head of an open pull
// request from a fork moves that one only.
func (g *GitHub) Push(dir string, branches ...string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	forks := map[string]*pull{}
	for _, p := range g.pulls {
		if p.state == "open" && g.isFork(p) {
			forks[p.headRef] = p
		}
	}
	if len(branches) == 0 {
		out, err := g.git.run(nil, "-C", dir, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
		if err != nil {
			return err
		}
		branches = strings.Fields(out)
	}
	for _, b := range branches {
		to := "refs/heads/" + b
		if p := forks[b]; p != nil {
			to = "refs/pull/" + strconv.Itoa(p.number) + "/head"
		}
		if _, err := g.git.git("fetch", "--quiet", "--no-tags", dir, "+refs/heads/"+b+":"+to); err != nil {
			return err
		}
	}
	return g.refresh()
}

// Import brings a commit of a repository on disk here without a branch and
// returns its SHA.
func (g *GitHub) Import(dir, rev string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	sha, err := g.git.run(nil, "-C", dir, "rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", err
	}
	sha = strings.TrimSpace(sha)
	_, err = g.git.git("fetch", "--quiet", "--no-tags", dir, sha)
	return sha, err
}
