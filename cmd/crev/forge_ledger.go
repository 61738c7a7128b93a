package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/rule"
)

// ledgerTries bounds how often a lost race on the ledger branch is run again.
const ledgerTries = 5

// CommitLedger adds files to the ledger branch and keeps one pull request open
// that brings them to the default branch.
func (f *forge) CommitLedger(ctx context.Context, branch, base string, files map[string][]byte, message string) (string, error) {
	return f.commitLedger(ctx, branch, base, message, func(string) (map[string][]byte, error) { return files, nil })
}

// commitLedger commits what build returns for the head of the ledger branch, and
// nothing where that is nothing. The parent of the commit is the head that was
// read: a race that is lost is run again on the new head, also when the branch
// was deleted meanwhile.
func (f *forge) commitLedger(ctx context.Context, branch, base, message string, build func(head string) (map[string][]byte, error)) (string, error) {
	if f.defaultBranch != "" {
		base = f.defaultBranch
	}
	var sha string
	for try := 1; ; try++ {
		head, err := f.ledgerHead(ctx, branch, base)
		if err == nil {
			head, err = f.renew(ctx, branch, base, head)
		}
		if errors.Is(err, github.ErrMoved) && try < ledgerTries {
			continue
		}
		if err != nil {
			return "", err
		}
		files, err := build(head)
		if err != nil || len(files) == 0 {
			return "", err
		}
		var changes []github.File
		for p, content := range files {
			changes = append(changes, github.File{Path: p, Content: content})
		}
		sha, err = f.CommitFiles(ctx, branch, head, changes, message)
		if err == nil {
			break
		}
		gone := errors.Is(err, github.ErrMoved) || errors.Is(err, github.ErrNotFound)
		if !gone || try == ledgerTries {
			return "", err
		}
	}
	where := f.RepositoryURL() + "/commit/" + sha
	n, _, err := f.EnsurePullRequest(ctx, branch, base, "crev: ledger", ledgerPullRequest)
	switch {
	case errors.Is(err, github.ErrNothingToMerge):
		return where, nil
	case err != nil:
		return fmt.Sprintf("%s; its pull request could not be opened: %v", where, err), nil
	}
	return f.PullRequestURL(n), nil
}

// ledgerHead returns the head of the ledger branch, which is made from the base
// branch when it is not there.
func (f *forge) ledgerHead(ctx context.Context, branch, base string) (string, error) {
	head, err := f.BranchHead(ctx, branch)
	if !errors.Is(err, github.ErrNotFound) {
		return head, err
	}
	from, err := f.BranchHead(ctx, base)
	if err != nil {
		return "", err
	}
	if err := f.CreateBranch(ctx, branch, from); err != nil && !errors.Is(err, github.ErrExists) {
		return "", err
	}
	return f.BranchHead(ctx, branch)
}

// renew lets the ledger branch go on from the base where that got ahead of it,
// and returns the head to commit on. People merge its pull request in three ways,
// and after two of them the branch holds commits that the base never gets: the
// next pull request would show old files again, and conflict where both sides
// changed one.
//
// Without an open pull request the branch begins anew at the head of the base;
// what only the branch has is carried over as its first commit. With one the
// branch is not rewritten: the base is merged into it, unless people have to
// decide which of two records counts. Nothing is lost in any case, and when it
// cannot be done the branch stays as it is.
func (f *forge) renew(ctx context.Context, branch, base, head string) (string, error) {
	if f.repo == nil {
		return head, nil
	}
	next, err := f.renewed(ctx, branch, base, head)
	switch {
	case err == nil:
		return next, nil
	case errors.Is(err, github.ErrMoved), ctx.Err() != nil:
		return "", err
	}
	f.log.Warn(fmt.Sprintf("the branch %s stays behind %s: %v", branch, base, err))
	return head, nil
}

func (f *forge) renewed(ctx context.Context, branch, base, head string) (string, error) {
	d, err := f.drift(ctx, branch, base, head)
	if err != nil || !d.behind() || d.outside {
		return head, err
	}
	open, err := f.OpenPullRequest(ctx, branch, base)
	if err != nil {
		return "", err
	}
	c := github.Composition{Base: d.base, Parents: []string{d.base}, Blobs: d.left,
		Message: "crev: what " + base + " does not have yet"}
	switch {
	case open == 0 && len(d.left) == 0:
		return d.base, f.MoveBranch(ctx, branch, head, d.base, true)
	case open != 0 && (len(d.both) > 0 || !d.merged && !d.index):
		return head, nil
	case open != 0:
		c.Parents, c.Message = []string{head, d.base}, "crev: merge "+base
	}
	if c.Files, err = f.index(ctx, d, head); err != nil {
		return "", err
	}
	sha, err := f.Compose(ctx, c)
	if err != nil {
		return "", err
	}
	return sha, f.MoveBranch(ctx, branch, head, sha, open == 0)
}

// drift is how the ledger branch and the base have grown apart.
type drift struct {
	// fork is where they parted, base the head of the base.
	fork, base string
	// left is what only the branch has. The index of the rules is never
	// among it: it is generated.
	left []github.Blob
	// both are the paths of left that the base has changed, too.
	both []string
	// merged is true when some of what the branch changed is in the base, index
	// when both have changed the index.
	merged, index bool
	// outside is true when the branch has changes that are not below .crev/.
	outside bool
}

// ledgerHome holds all that crev commits. maxOutside bounds how many other files
// that somebody committed to the branch are looked for in the base.
const (
	ledgerHome = ".crev/"
	maxOutside = 100
)

// behind reports whether the base has commits that the branch has not.
func (d drift) behind() bool { return d.fork != d.base }

// drift compares the branch with the base, in the clone.
func (f *forge) drift(ctx context.Context, branch, base, head string) (drift, error) {
	d := drift{}
	var err error
	if d.base, err = f.BranchHead(ctx, base); err != nil {
		return d, err
	}
	if d.fork = d.base; head == d.base {
		return d, nil
	}
	refs := []string{"refs/heads/" + base, "refs/heads/" + branch}
	if d.fork, err = f.repo.Connect(ctx, "origin", d.base, head, refs, f.auth); err != nil || !d.behind() {
		return d, err
	}
	mine, err := f.repo.Changes(ctx, d.fork, head)
	if err != nil {
		return d, err
	}
	paths := []string{ledgerHome}
	for _, c := range mine {
		if !strings.HasPrefix(c.Path, ledgerHome) {
			paths = append(paths, c.Path)
		}
	}
	if d.outside = len(paths) > maxOutside; d.outside {
		return d, nil
	}
	ever, err := f.repo.EveryChange(ctx, d.fork, d.base, paths...)
	if err != nil {
		return d, err
	}
	now, err := f.repo.Changes(ctx, d.fork, d.base, paths...)
	if err != nil {
		return d, err
	}
	d.compare(mine, now, ever)
	return d, nil
}

// compare fills in what the branch has and the base has not. mine is what the
// branch changed since the two parted, now what the base did, and ever what each
// of the base's commits did: a content that once stood in the base was merged,
// and what became of it there counts.
func (d *drift) compare(mine, now, ever []git.Change) {
	current := map[string]string{}
	for _, c := range now {
		current[c.Path] = c.New
	}
	stood := map[git.Change]bool{}
	for _, c := range ever {
		stood[git.Change{Path: c.Path, New: c.New}] = true
	}
	for _, c := range mine {
		theirs, changed := current[c.Path]
		switch {
		case c.Path == rule.IndexPath:
			d.index = changed && theirs != c.New
			d.merged = d.merged || changed && theirs == c.New
		case changed && theirs == c.New, stood[git.Change{Path: c.Path, New: c.New}]:
			d.merged = true
		case !strings.HasPrefix(c.Path, ledgerHome):
			d.outside = true
		default:
			d.left = append(d.left, github.Blob{Path: c.Path, SHA: c.New})
			if changed {
				d.both = append(d.both, c.Path)
			}
		}
	}
}

// index is the index of the rules for the base with what is left laid over it,
// nothing where that leaves it as the base has it.
func (f *forge) index(ctx context.Context, d drift, head string) ([]github.File, error) {
	touched := func(b github.Blob) bool { return strings.HasPrefix(b.Path, rule.Folder+"/") }
	if !slices.ContainsFunc(d.left, touched) {
		return nil, nil
	}
	var pools [2]*rule.Pool
	for i, commit := range []string{d.base, head} {
		tree, err := f.repo.Tree(ctx, commit, "")
		if err != nil {
			return nil, err
		}
		if pools[i], _, err = rule.Load(tree); err != nil {
			return nil, err
		}
	}
	rules := slices.DeleteFunc(pools[0].Rules(), func(r rule.Rule) bool {
		return slices.Contains(d.left, github.Blob{Path: r.Path()})
	})
	for _, b := range d.left {
		for _, r := range pools[1].Rules() {
			if r.Path() == b.Path {
				rules = append(rules, r)
			}
		}
	}
	return []github.File{{Path: rule.IndexPath, Content: rule.NewPool(rules...).Generate()}}, nil
}
