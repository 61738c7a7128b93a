package git

import (
	"context"
	"fmt"
	"strconv"

	"github.com/crev-ratchet/crev/internal/diff"
)

// NoContext asks for hunks of changed lines only.
const NoContext = -1

// DiffOptions says how to compare. The zero value is the comparison GitHub
// shows: three lines of context, renames found, white space counts.
type DiffOptions struct {
	// Context is the number of unchanged lines around a change: 0 means 3,
	// NoContext none.
	Context int
	// IgnoreSpace ignores all white space in lines (git's -w). Files that
	// differ in nothing else are returned without hunks.
	IgnoreSpace bool
	// NoRenames shows a rename as a removed and an added file.
	NoRenames bool
	// Copies also finds copies of changed files.
	Copies bool
	// Histogram uses the histogram algorithm, which aligns moved code better.
	// GitHub does not, so its hunks are not those that comments go to.
	Histogram bool
	// Paths limits the comparison to these files and directories, literally.
	Paths []string
}

// renameLimit is git's own default; above it only exact renames are found.
const renameLimit = 1000

// Diff returns what changed from base to head, in git's order. Both are full
// ids of commits or trees; for a pull request, base is the
// merge base. A submodule is one changed line, never entered.
func (r *Repo) Diff(ctx context.Context, base, head string, o DiffOptions) ([]diff.File, error) {
	if err := checkIDs(base, head); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, command{args: o.args(base, head)})
	if err != nil {
		return nil, fmt.Errorf("diff %s..%s: %w", short(base), short(head), err)
	}
	files, err := diff.Parse(out)
	if err != nil {
		return nil, fmt.Errorf("diff %s..%s: %w", short(base), short(head), err)
	}
	return files, nil
}

// args returns the command line. diff-tree is git's stable interface: it obeys
// none of the settings with which people change how diffs look.
func (o DiffOptions) args(base, head string) []string {
	context := o.Context
	switch {
	case context == 0:
		context = 3
	case context < 0:
		context = 0
	}
	args := []string{"diff-tree", "-r", "-z", "--raw", "-p", "--full-index",
		"--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
		"--src-prefix=a/", "--dst-prefix=b/",
		"--submodule=short", "--ignore-submodules=none",
		"--inter-hunk-context=0", "--indent-heuristic",
		"-U" + strconv.Itoa(context)}
	if o.IgnoreSpace {
		args = append(args, "-w")
	}
	if o.Histogram {
		args = append(args, "--diff-algorithm=histogram")
	} else {
		args = append(args, "--diff-algorithm=myers")
	}
	switch {
	case o.NoRenames:
		args = append(args, "--no-renames")
	case o.Copies:
		args = append(args, "-M", "-C", "-l"+strconv.Itoa(renameLimit))
	default:
		args = append(args, "-M", "-l"+strconv.Itoa(renameLimit))
	}
	args = append(args, "--end-of-options", base, head, "--")
	return append(args, o.Paths...)
}
