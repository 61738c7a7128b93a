package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Resolve returns the full id of the commit that rev names: a branch, a tag, a
// remote branch, an id or a prefix of one, or an expression such as HEAD~2. It
// is for names people type; ids from an event need no resolving. The error is
// ErrUnknownRevision when nothing has the name.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.ContainsAny(rev, "\x00\n") {
		return "", fmt.Errorf("resolve %q: %w", rev, ErrUnknownRevision)
	}
	out, err := r.run(ctx, command{
		args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", rev + "^{commit}"},
	})
	if err != nil {
		if exitStatus(err) == 1 {
			return "", fmt.Errorf("resolve %.200q: %w", rev, ErrUnknownRevision)
		}
		return "", fmt.Errorf("resolve %.200q: %w", rev, err)
	}
	sha := strings.TrimSuffix(string(out), "\n")
	if !IsFullID(sha) {
		return "", fmt.Errorf("resolve %.200q: %w", rev, ErrUnknownRevision)
	}
	return sha, nil
}

// HasCommit reports whether the commit is in this clone. It never fetches.
func (r *Repo) HasCommit(ctx context.Context, sha string) (bool, error) {
	if err := checkIDs(sha); err != nil {
		return false, err
	}
	// A promised object would be fetched; an unreachable remote would be an
	// error. rev-list names what it cannot find instead.
	out, err := r.run(ctx, command{
		args: []string{"rev-list", "--no-walk", "--max-count=1", "--missing=allow-any", "--end-of-options", sha, "--"},
	})
	if err == nil {
		return strings.TrimSpace(string(out)) == sha, nil
	}
	if e, ok := errors.AsType[*Error](err); ok && strings.Contains(e.Stderr, "bad object") {
		return false, nil
	}
	return false, fmt.Errorf("look for commit %s: %w", short(sha), err)
}

// MergeBase returns the best common ancestor of two commits. The error is
// ErrNoMergeBase when they have none, which in a shallow clone may only mean
// that it is further back: see Connect.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	if err := checkIDs(a, b); err != nil {
		return "", err
	}
	out, err := r.run(ctx, command{args: []string{"merge-base", "--end-of-options", a, b}})
	if err != nil {
		if exitStatus(err) == 1 {
			err = ErrNoMergeBase
		}
		return "", fmt.Errorf("merge base of %s and %s: %w", short(a), short(b), err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// IsAncestor reports whether commit a is b or an ancestor of b.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if err := checkIDs(a, b); err != nil {
		return false, err
	}
	_, err := r.run(ctx, command{args: []string{"merge-base", "--is-ancestor", "--end-of-options", a, b}})
	if err != nil {
		if exitStatus(err) == 1 {
			return false, nil
		}
		return false, fmt.Errorf("is %s an ancestor of %s: %w", short(a), short(b), err)
	}
	return true, nil
}

// FirstParents returns the commits that lead from one commit to another along
// first parents, oldest first, without from and with to; it is empty when the
// two are equal. The error is ErrNotOnChain when from is not met within max
// steps: after a rebase, after a squash, or too far back.
func (r *Repo) FirstParents(ctx context.Context, from, to string, max int) ([]string, error) {
	if err := checkIDs(from, to); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, command{args: []string{"rev-list", "--first-parent",
		"--max-count=" + strconv.Itoa(max+1), "--end-of-options", to, "--"}})
	if err != nil {
		return nil, fmt.Errorf("list first parents of %s: %w", short(to), err)
	}
	commits := strings.Fields(string(out))
	for i, c := range commits {
		if c == from {
			slices.Reverse(commits[:i])
			return commits[:i:i], nil
		}
	}
	return nil, fmt.Errorf("%s to %s in %d steps: %w", short(from), short(to), max, ErrNotOnChain)
}

// CommitMessage returns the whole message of a commit, as its bytes are.
func (r *Repo) CommitMessage(ctx context.Context, sha string) (string, error) {
	if err := checkIDs(sha); err != nil {
		return "", err
	}
	raw, err := r.object(ctx, sha, "commit", 0)
	if err != nil {
		return "", fmt.Errorf("read message of %s: %w", short(sha), err)
	}
	_, message, _ := bytes.Cut(raw, []byte("\n\n"))
	return string(message), nil
}
