package git

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// Export writes the files of a commit into dir, which must be empty or not yet
// exist: all of them, or only the given files and directories. Contents are as
// stored, without filters; of the mode only the executable bit is kept, and
// everybody may read. A submodule becomes an empty directory.
//
// A symbolic link is made when it stays inside dir whatever else is in there.
// Any other becomes a small file that holds its target, as git does where there
// are no links.
func (r *Repo) Export(ctx context.Context, commit, dir string, paths ...string) error {
	if err := r.export(ctx, commit, dir, paths); err != nil {
		return fmt.Errorf("export %s: %w", short(commit), err)
	}
	return nil
}

func (r *Repo) export(ctx context.Context, commit, dir string, paths []string) error {
	entries, err := r.Files(ctx, commit)
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		entries = slices.DeleteFunc(entries, func(e Entry) bool { return !under(e.Path, paths) })
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	switch there, err := os.ReadDir(dir); {
	case err != nil:
		return err
	case len(there) > 0:
		return fmt.Errorf("%s is not empty", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := r.Prefetch(ctx, blobsOf(entries)); err != nil {
		return err
	}
	// Links come last, so that no file is ever written through one.
	slices.SortStableFunc(entries, func(a, b Entry) int { return isLink(a) - isLink(b) })
	for _, e := range entries {
		if err := r.exportEntry(ctx, root, e); err != nil {
			return err
		}
	}
	return nil
}

func isLink(e Entry) int {
	if e.Mode == ModeSymlink {
		return 1
	}
	return 0
}

// under reports whether p is one of paths or inside one of them.
func under(p string, paths []string) bool {
	for _, top := range paths {
		top = strings.TrimSuffix(top, "/")
		if p == top || strings.HasPrefix(p, top+"/") {
			return true
		}
	}
	return false
}

func (r *Repo) exportEntry(ctx context.Context, root *os.Root, e Entry) error {
	if err := checkoutPath(e.Path); err != nil {
		return err
	}
	if err := makeDirs(root, path.Dir(e.Path)); err != nil {
		return err
	}
	if e.Mode == ModeSubmodule {
		return makeDirs(root, e.Path)
	}
	content, err := r.Blob(ctx, e.Blob)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	if e.Mode == ModeSymlink && staysInside(e.Path, string(content)) {
		return root.Symlink(string(content), e.Path)
	}
	mode := os.FileMode(0o644)
	if e.Mode == ModeExecutable {
		mode = 0o755
	}
	// O_EXCL: a malformed tree may name a file twice.
	f, err := root.OpenFile(e.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if chmodErr := f.Chmod(mode); err == nil { // past the umask
		err = chmodErr
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// makeDirs is MkdirAll that is not narrowed by the umask.
func makeDirs(root *os.Root, dir string) error {
	if info, err := root.Lstat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := makeDirs(root, path.Dir(dir)); err != nil {
		return err
	}
	if err := root.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return root.Chmod(dir, 0o755)
}

// staysInside reports whether a link at p with this target cannot lead out of
// the exported tree. The target may climb, but only first: "../" at its start
// climbs through real directories, since a directory of a git tree is no link.
// Later it could climb from wherever another link led.
func staysInside(p, target string) bool {
	if target == "" || path.IsAbs(target) || strings.ContainsAny(target, "\x00\\:") {
		return false
	}
	depth := strings.Count(p, "/")
	climbing := true
	for name := range strings.SplitSeq(target, "/") {
		switch name {
		case "", ".":
		case "..":
			if depth--; !climbing || depth < 0 {
				return false
			}
		default:
			if strings.EqualFold(name, ".git") {
				return false
			}
			climbing = false
		}
	}
	return true
}

// blobsOf returns the ids of the contents of entries.
func blobsOf(entries []Entry) []string {
	ids := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Mode != ModeSubmodule {
			ids = append(ids, e.Blob)
		}
	}
	return ids
}
