package git

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// WorkFiles lists what a commit of the whole work tree would hold, in byte
// order: the paths in the index and new files that are not ignored. Files that
// were deleted and not staged are among them.
func (r *Repo) WorkFiles(ctx context.Context) ([]string, error) {
	out, err := r.run(ctx, command{
		args: []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name"},
		dir:  r.Dir(),
	})
	if err != nil {
		return nil, fmt.Errorf("list the work tree: %w", err)
	}
	if len(out) == 0 {
		return nil, nil
	}
	paths := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
