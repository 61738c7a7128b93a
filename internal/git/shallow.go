package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// shallowDepth is how much history a fetch into a shallow clone brings.
const shallowDepth = "50"

// deepenSteps are how many commits each round of Connect adds. Together they
// bound what crev fetches on its own; a base further back than that wants a
// checkout that says so.
var deepenSteps = [...]int{50, 200, 1000, 4000}

// ErrShallow is the error of Connect when the clone has too little history.
var ErrShallow = errors.New("the clone is shallow")

// IsShallow reports whether the clone lacks the older part of its history.
func (r *Repo) IsShallow(ctx context.Context) (bool, error) {
	out, err := r.run(ctx, command{args: []string{"rev-parse", "--is-shallow-repository"}})
	if err != nil {
		return false, fmt.Errorf("is the clone shallow: %w", err)
	}
	return strings.TrimSpace(string(out)) == "true", nil
}

// Deepen adds by commits to the history of the given refs or ids in a shallow
// clone. A full clone is left as it is.
func (r *Repo) Deepen(ctx context.Context, remote string, by int, refs []string, auth Auth) error {
	shallow, err := r.IsShallow(ctx)
	if err != nil || !shallow {
		return err
	}
	return r.fetch(ctx, remote, refs, auth, "--deepen="+strconv.Itoa(by))
}

// Connect returns the merge base of two commits and fetches what it needs for
// that: a commit that is missing, and, in a shallow clone, more history in a
// few bounded steps. refs are the names under which the server shows the
// commits, such as "refs/pull/7/head", for servers that do not serve ids.
//
// The error is ErrShallow, with the setting that helps, when the clone still
// has too little history; ErrNoObject when a commit cannot be had; and
// ErrNoMergeBase when the histories really share nothing.
func (r *Repo) Connect(ctx context.Context, remote, base, head string, refs []string, auth Auth) (string, error) {
	if err := checkIDs(base, head); err != nil {
		return "", err
	}
	for _, sha := range []string{base, head} {
		if err := r.want(ctx, remote, sha, refs, auth); err != nil {
			return "", err
		}
	}
	mergeBase, err := r.MergeBase(ctx, base, head)
	if !errors.Is(err, ErrNoMergeBase) {
		return mergeBase, err
	}
	shallow, shallowErr := r.IsShallow(ctx)
	if shallowErr != nil {
		return "", shallowErr
	}
	var fetchErr error
	for _, by := range deepenSteps {
		if !shallow {
			return "", err
		}
		if fetchErr = r.Deepen(ctx, remote, by, []string{base, head}, auth); fetchErr != nil {
			break
		}
		mergeBase, err = r.MergeBase(ctx, base, head)
		if !errors.Is(err, ErrNoMergeBase) {
			return mergeBase, err
		}
		if shallow, shallowErr = r.IsShallow(ctx); shallowErr != nil {
			return "", shallowErr
		}
	}
	return "", &tooShallow{base: base, head: head, err: fetchErr}
}

// want makes sure that a commit is here, by its id or by one of the refs.
func (r *Repo) want(ctx context.Context, remote, sha string, refs []string, auth Auth) error {
	have, err := r.HasCommit(ctx, sha)
	if err != nil || have {
		return err
	}
	fetchErr := r.Fetch(ctx, remote, []string{sha}, auth)
	if have, err = r.HasCommit(ctx, sha); err != nil || have {
		return err
	}
	if len(refs) > 0 {
		fetchErr = r.Fetch(ctx, remote, refs, auth)
		if have, err = r.HasCommit(ctx, sha); err != nil || have {
			return err
		}
	}
	if fetchErr != nil {
		return fmt.Errorf("commit %s: %w: %w", short(sha), ErrNoObject, fetchErr)
	}
	return fmt.Errorf("commit %s: %w", short(sha), ErrNoObject)
}

// tooShallow tells the user which line of the workflow to change.
type tooShallow struct {
	base, head string
	err        error
}

func (e *tooShallow) Error() string {
	text := fmt.Sprintf("no merge base of %s and %s: %v; set fetch-depth: 0 on actions/checkout (or run git fetch --unshallow)",
		short(e.base), short(e.head), ErrShallow)
	if e.err != nil {
		text += "; deepening it did not work: " + e.err.Error()
	}
	return text
}

// Unwrap makes the error both ErrShallow and ErrNoMergeBase.
func (e *tooShallow) Unwrap() []error { return []error{ErrShallow, ErrNoMergeBase} }
