package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Prefetch brings blobs that a partial clone (filter: blob:none) lacks in one
// request. Without it each would be fetched alone when it is read. It does
// nothing in any other clone.
func (r *Repo) Prefetch(ctx context.Context, ids []string) error {
	if !r.partial || len(ids) == 0 {
		return nil
	}
	if err := checkIDs(ids...); err != nil {
		return err
	}
	missing, err := r.missing(ctx, ids)
	if err != nil {
		return fmt.Errorf("look for the files of a partial clone: %w", err)
	}
	if len(missing) == 0 {
		return nil
	}
	args := []string{"fetch", "--quiet", "--no-progress",
		"--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
		"--upload-pack=git-upload-pack", "--filter=blob:none", "--stdin", "--end-of-options", r.promisor}
	_, err = r.run(ctx, command{
		args: args,
		// There is nothing to agree on: these very objects are wanted.
		config:  []setting{{"fetch.negotiationAlgorithm", "noop"}},
		stdin:   strings.NewReader(strings.Join(missing, "\n") + "\n"),
		network: true,
	})
	if err != nil {
		return fmt.Errorf("fetch %d files of a partial clone: %w", len(missing), err)
	}
	return nil
}

// missing returns the ids that are not in this clone, sorted, each once. It
// asks an empty repository that borrows this one's objects: here, asking for a
// promised object would fetch it.
func (r *Repo) missing(ctx context.Context, ids []string) ([]string, error) {
	dir, err := os.MkdirTemp("", "crev-objects-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	objects, err := r.run(ctx, command{args: []string{"rev-parse", "--git-path", "objects"}})
	if err != nil {
		return nil, err
	}
	path := strings.TrimSuffix(string(objects), "\n")
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.gitDir, path)
	}
	format := "--object-format=sha1"
	if len(ids[0]) == 64 {
		format = "--object-format=sha256"
	}
	if _, err := r.run(ctx, command{args: []string{"init", "--quiet", "--template=", format}, dir: dir}); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, command{
		args:  []string{"cat-file", "--batch-check=%(objectname)"},
		stdin: strings.NewReader(strings.Join(ids, "\n") + "\n"),
		dir:   dir,
		env:   []string{"GIT_OBJECT_DIRECTORY=" + path},
	})
	if err != nil {
		return nil, err
	}
	var missing []string
	for line := range strings.SplitSeq(string(out), "\n") {
		if id, ok := strings.CutSuffix(line, " missing"); ok {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing), nil
}
