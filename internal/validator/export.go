package validator

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// maxExport bounds what one export may write.
const maxExport = 2 << 30

// Export writes files of a tree into dir, which must not exist, so that
// everybody can read them and nobody should write them. Links and submodules
// are left out: a link could lead a script out of the tree. Files that are gone
// are left out too.
func Export(tree fs.FS, files []string, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("export the tree: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("export the tree: %w", err)
	}
	defer root.Close()
	if err := root.Chmod(".", 0o755); err != nil {
		return fmt.Errorf("export the tree: %w", err)
	}
	e := exporter{tree: tree, root: root, left: maxExport, made: map[string]bool{".": true}}
	for _, f := range files {
		if err := e.file(f); err != nil {
			return fmt.Errorf("export the tree: %w", err)
		}
	}
	return nil
}

type exporter struct {
	tree fs.FS
	root *os.Root
	left int64
	made map[string]bool
}

func (e *exporter) file(name string) error {
	if !filepath.IsLocal(name) || path.Clean(name) != name {
		return fmt.Errorf("%q is no path of a tree", name)
	}
	info, err := fs.Lstat(e.tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return nil
	}
	if e.left -= info.Size(); e.left < 0 {
		return fmt.Errorf("it has more than %d MiB", maxExport>>20)
	}
	if err := e.dir(path.Dir(name)); err != nil {
		return err
	}
	from, err := e.tree.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	mode := os.FileMode(0o444)
	if info.Mode()&0o111 != 0 {
		mode = 0o555
	}
	to, err := e.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.LimitReader(from, info.Size()))
	return errors.Join(err, to.Chmod(mode), to.Close())
}

func (e *exporter) dir(name string) error {
	if e.made[name] {
		return nil
	}
	if err := e.dir(path.Dir(name)); err != nil {
		return err
	}
	if err := e.root.Mkdir(name, 0o755); err != nil {
		return err
	}
	e.made[name] = true
	return e.root.Chmod(name, 0o755)
}
