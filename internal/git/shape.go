package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// ErrNoGit: there is no git command on PATH.
var ErrNoGit = errors.New("there is no git on PATH")

// oldest is the oldest git that answers everything crev asks: cat-file
// --batch-command came with 2.36, safe.bareRepository with 2.38.
var oldest = [2]int{2, 38}

// Version is a version of git.
type Version struct {
	// Text is what git says, "2.47.1" or "2.39.5 (Apple Git-154)".
	Text string
	// Old is true when crev needs a newer one.
	Old bool
}

// Oldest names the oldest version that is not Old.
func Oldest() string { return fmt.Sprintf("%d.%d", oldest[0], oldest[1]) }

// FindVersion asks the git command for its version. It needs no repository.
func FindVersion(ctx context.Context) (Version, error) {
	out, err := new(Repo).run(ctx, command{args: []string{"version"}, dir: "/"})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Version{}, ErrNoGit
	case err != nil:
		return Version{}, fmt.Errorf("ask for the version of git: %w", err)
	}
	return parseVersion(string(out)), nil
}

// parseVersion reads "git version 2.47.1". A version that cannot be read is not
// called old.
func parseVersion(said string) Version {
	v := Version{Text: strings.TrimPrefix(strings.TrimSpace(said), "git version ")}
	numbers := strings.SplitN(v.Text, ".", 3)
	if len(numbers) < 2 {
		return v
	}
	major, err := strconv.Atoi(numbers[0])
	minor, err2 := strconv.Atoi(numbers[1])
	if err == nil && err2 == nil {
		v.Old = major < oldest[0] || major == oldest[0] && minor < oldest[1]
	}
	return v
}

// Shape is how much of the repository a clone has.
type Shape struct {
	// Shallow is true when the older part of the history is missing.
	Shallow bool
	// Partial is true when file contents are fetched when they are read.
	Partial bool
}

// Shape looks at the clone.
func (r *Repo) Shape(ctx context.Context) (Shape, error) {
	shallow, err := r.IsShallow(ctx)
	return Shape{Shallow: shallow, Partial: r.partial}, err
}
