package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/git"
)

// historyFile is the cached history's name in its directory.
const historyFile = "history"

// maxHistoryFile is the largest cache that is read: far above that of any
// public repository (100,000 commits take 4 MB).
const maxHistoryFile = 1 << 30

// errShallow tells the user what to change.
var errShallow = fmt.Errorf("%w: the clone is shallow; set fetch-depth: 0 and filter: blob:none on actions/checkout "+
	"(or run git fetch --unshallow --filter=blob:none)", ErrNoHistory)

// read returns the history of the head from a moment on: the cached one, with
// what has come since, or a new one.
func (x *Experts) read(ctx context.Context, since time.Time) (*expertise.History, error) {
	known := x.history
	if known == nil {
		known = x.cached()
	}
	if known != nil && !known.Covers(since) {
		known = nil
	}
	if known != nil && known.Head == x.Head {
		return known, nil
	}
	if known != nil {
		newer, err := x.update(ctx, known)
		if err != nil {
			return nil, err
		}
		if newer != nil {
			x.keep(newer)
			return newer, nil
		}
	}
	h, err := x.full(ctx, since)
	if err != nil {
		return nil, err
	}
	x.keep(h)
	return h, nil
}

// update returns known with the commits up to the head, nil when the branch
// was rewritten or the clone is too shallow to tell.
func (x *Experts) update(ctx context.Context, known *expertise.History) (*expertise.History, error) {
	have, err := x.Repo.HasCommit(ctx, known.Head)
	if err != nil || !have {
		return nil, err
	}
	ahead, err := x.Repo.IsAncestor(ctx, known.Head, x.Head)
	if err != nil || !ahead {
		return nil, err
	}
	h, complete, err := recordHistory(ctx, x.Repo, known, git.LogOptions{Head: x.Head, After: known.Head, Since: known.Since})
	if err != nil || !complete {
		return nil, noHistory(err)
	}
	return h, nil
}

// full reads the history without help, and fetches what a shallow clone lacks
// if that is allowed.
func (x *Experts) full(ctx context.Context, since time.Time) (*expertise.History, error) {
	o := git.LogOptions{Head: x.Head, Since: since}
	h, complete, err := recordHistory(ctx, x.Repo, nil, o)
	if err != nil {
		return nil, noHistory(err)
	}
	if complete {
		return h, nil
	}
	if x.Remote == "" {
		return nil, errShallow
	}
	if err := x.Repo.Unshallow(ctx, x.Remote, []string{x.Head}, x.Auth); err != nil {
		return nil, fmt.Errorf("%w; fetching the rest did not work: %w", errShallow, err)
	}
	// The clone is a partial one now, which x.Repo does not know.
	repo, err := git.Open(ctx, x.Repo.Dir(), git.WithAuth(x.Auth))
	if err != nil {
		return nil, noHistory(err)
	}
	h, complete, err = recordHistory(ctx, repo, nil, o)
	if err = errors.Join(err, repo.Close()); err != nil {
		return nil, noHistory(err)
	}
	if !complete {
		return nil, errShallow
	}
	return h, nil
}

// noHistory makes any error one of ErrNoHistory.
func noHistory(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrNoHistory, err)
}

// recordHistory runs one pass over the log.
func recordHistory(ctx context.Context, repo *git.Repo, base *expertise.History, o git.LogOptions) (*expertise.History, bool, error) {
	rec := expertise.NewRecorder(base)
	var one expertise.Commit
	complete, err := repo.History(ctx, o, func(c *git.LogCommit) error {
		one.ID, one.Time, one.Name, one.Email, one.People = c.ID, c.Time, c.Name, c.Email, c.People
		one.Changes = one.Changes[:0]
		for _, ch := range c.Changes {
			one.Changes = append(one.Changes, expertise.Change(ch))
		}
		rec.Add(&one)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return rec.History(o.Head, o.Since), complete, nil
}

// cached returns the history of an earlier run; nil if there is none, or what
// there is cannot be used.
func (x *Experts) cached() *expertise.History {
	if x.Cache == "" {
		return nil
	}
	path := filepath.Join(x.Cache, historyFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxHistoryFile) {
		err = expertise.ErrNotAHistory
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	var h *expertise.History
	if err == nil {
		h, err = expertise.Decode(text)
	}
	if err != nil {
		x.notes = append(x.notes, fmt.Sprintf("the cached history is read anew: %v", err))
		return nil
	}
	return h
}

// keep writes the history for later runs. It appears whole or not at all, for
// one user's eyes: it holds people's addresses.
func (x *Experts) keep(h *expertise.History) {
	if x.Cache == "" {
		return
	}
	if err := writeWhole(x.Cache, historyFile, h.Encode()); err != nil {
		x.notes = append(x.notes, fmt.Sprintf("the history is not kept for the next run: %v", err))
	}
}

func writeWhole(dir, name string, content []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, name+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}
