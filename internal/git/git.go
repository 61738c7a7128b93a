// Package git runs the git command on a repository that may be hostile and
// reads its history, files and diffs.
//
// Two things are true of every call. Nothing the repository holds can make git
// run a program: no hook, pager, filter, textconv or diff driver, monitor,
// credential helper or remote helper. And no file of the checkout, its
// attributes and its index included, changes an answer: git is pointed at the
// object store alone, and each answer is about the commits that were named.
//
// Commits are named by full object ids; Resolve turns a branch or tag into
// one. A Repo may be used by many goroutines at once.
package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What a caller may want to tell apart. A path that is not in a commit is
// fs.ErrNotExist.
var (
	// ErrNotARepository: no directory from the opened one up has a .git.
	ErrNotARepository = errors.New("not a git work tree")
	// ErrUnknownRevision: no branch, tag or commit has this name.
	ErrUnknownRevision = errors.New("unknown revision")
	// ErrNoObject: the object is not in this clone.
	ErrNoObject = errors.New("object is not in this clone")
	// ErrNoMergeBase: the two commits have no common ancestor in this clone.
	ErrNoMergeBase = errors.New("no merge base")
	// ErrNotOnChain: one commit is not among the first parents of the other.
	ErrNotOnChain = errors.New("not among the first parents")
	// ErrTooLarge: a file or an answer is larger than the caller allows.
	ErrTooLarge = errors.New("too large")
)

// Repo is an opened repository. Close it to end its reading process.
type Repo struct {
	dir    string // top level of the work tree
	gitDir string
	auth   Auth
	// remotes are the names of the configured remotes and their URLs.
	remotes map[string]string
	// partial is true for a clone that fetches blobs when they are needed,
	// from the remote that promisor names.
	partial  bool
	promisor string
	batch    batch
}

// Option changes how a repository is opened.
type Option func(*Repo)

// WithAuth gives the token to use wherever git contacts the server: Fetch,
// Deepen, Connect, and the blobs that a partial clone fetches when they are
// read.
func WithAuth(a Auth) Option { return func(r *Repo) { r.auth = a } }

// Open opens the repository that dir is in: dir itself or the nearest
// directory above it that has a .git. Who owns the files does not matter
// (container actions run as another user than the one who made the checkout);
// only this one directory is trusted by it.
func Open(ctx context.Context, dir string, opts ...Option) (*Repo, error) {
	top, err := topLevel(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	r := &Repo{dir: top}
	for _, o := range opts {
		o(r)
	}
	out, err := r.run(ctx, command{
		args: []string{"rev-parse", "--absolute-git-dir"},
		dir:  top,
		config: []setting{
			// Trusted for finding the git directory; every later call
			// names that directory and needs no trust.
			{"safe.directory", top},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	r.gitDir = strings.TrimSuffix(string(out), "\n")
	if err := r.readRemotes(ctx); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return r, nil
}

// topLevel walks up from dir to the first directory with a .git. A bare
// repository that lies around in a checkout has none and is never entered.
func topLevel(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return "", err
	}
	for at := abs; ; at = filepath.Dir(at) {
		switch _, err := os.Lstat(filepath.Join(at, ".git")); {
		case err == nil:
			return at, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		case at == filepath.Dir(at):
			return "", fmt.Errorf("%w; run crev inside a checkout", ErrNotARepository)
		}
	}
}

// Dir returns the top level of the work tree, absolute and without symbolic
// links.
func (r *Repo) Dir() string { return r.dir }

// Close ends the process that reads objects, if one runs. The Repo may still
// be used and starts a new one when needed.
func (r *Repo) Close() error { return r.batch.close() }
