package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Tree returns the files of a commit under prefix ("" for all of them) as a
// read-only file system. It is listed once; contents are read when they are
// asked for. ctx governs those later reads too.
//
// A symbolic link is a file of type fs.ModeSymlink whose content is its
// target; nothing follows it. A submodule is an empty directory. Names that
// are not UTF-8 are served as their bytes. The result also implements
// fs.ReadFileFS, fs.ReadDirFS, fs.StatFS and fs.ReadLinkFS.
func (r *Repo) Tree(ctx context.Context, commit, prefix string) (fs.FS, error) {
	if err := checkIDs(commit); err != nil {
		return nil, err
	}
	treeish := commit
	if prefix = strings.Trim(prefix, "/"); prefix != "" && prefix != "." {
		e, err := r.Lookup(ctx, commit, prefix)
		if err != nil {
			return nil, err
		}
		if e.Mode != modeTree {
			return nil, fmt.Errorf("%q at %s is not a directory: %w", prefix, short(commit), fs.ErrNotExist)
		}
		treeish = e.Blob
	}
	entries, err := r.list(ctx, treeish)
	if err != nil {
		return nil, err
	}
	t := &tree{
		nodes: map[string]*node{".": {name: ".", mode: fs.ModeDir | 0o555}},
		read: func(id string) ([]byte, error) {
			return r.object(ctx, id, "blob", 0)
		},
		size: func(id string) (int64, error) { return r.size(ctx, id) },
	}
	for _, e := range entries {
		t.add(e)
	}
	for _, n := range t.nodes {
		n.tree = t
		slices.SortFunc(n.children, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	}
	return t, nil
}

// tree is a git tree as a file system.
type tree struct {
	nodes map[string]*node
	read  func(id string) ([]byte, error)
	size  func(id string) (int64, error)
}

// node is a file or directory. It is its own fs.DirEntry and fs.FileInfo.
type node struct {
	tree     *tree
	name     string
	mode     fs.FileMode
	blob     string
	size     int64
	children []*node
}

// add puts an entry and the directories above it into the tree. Paths that no
// checkout could have, such as "a/../b", are left out.
func (t *tree) add(e Entry) {
	if !validPath(e.Path) {
		return
	}
	n := &node{name: path.Base(e.Path), blob: e.Blob, size: e.Size}
	switch {
	case e.Mode == ModeSymlink:
		n.mode = fs.ModeSymlink | 0o444
	case e.Mode == ModeSubmodule:
		n.mode, n.size = fs.ModeDir|0o555, 0
	case e.Mode == ModeExecutable:
		n.mode = 0o555
	default:
		n.mode = 0o444
	}
	for at := e.Path; ; {
		t.nodes[at] = n
		parent := path.Dir(at)
		if dir := t.nodes[parent]; dir != nil {
			dir.children = append(dir.children, n)
			return
		}
		n = &node{name: path.Base(parent), mode: fs.ModeDir | 0o555, children: []*node{n}}
		at = parent
	}
}

// validPath is fs.ValidPath for names of any bytes.
func validPath(p string) bool {
	if p == "" {
		return false
	}
	if p == "." {
		return true
	}
	for name := range strings.SplitSeq(p, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

// find returns the node at a path.
func (t *tree) find(op, name string) (*node, error) {
	if !validPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := t.nodes[name]
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// Open opens a file or directory.
func (t *tree) Open(name string) (fs.File, error) {
	n, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		return &openDir{node: n}, nil
	}
	return &openFile{node: n, path: name}, nil
}

// ReadFile returns the content of a file.
func (t *tree) ReadFile(name string) ([]byte, error) {
	n, err := t.find("read", name)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	content, err := t.read(n.blob)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return content, nil
}

// ReadDir lists a directory by name.
func (t *tree) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	return n.list(), nil
}

// Stat describes a file; a symbolic link is not followed.
func (t *tree) Stat(name string) (fs.FileInfo, error) {
	n, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n.Info()
}

// Lstat is Stat.
func (t *tree) Lstat(name string) (fs.FileInfo, error) { return t.Stat(name) }

// ReadLink returns the target of a symbolic link.
func (t *tree) ReadLink(name string) (string, error) {
	n, err := t.find("readlink", name)
	if err != nil {
		return "", err
	}
	if n.mode.Type() != fs.ModeSymlink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	target, err := t.ReadFile(name)
	return string(target), err
}

func (n *node) list() []fs.DirEntry {
	list := make([]fs.DirEntry, len(n.children))
	for i, c := range n.children {
		list[i] = c
	}
	return list
}

func (n *node) Name() string       { return n.name }
func (n *node) IsDir() bool        { return n.mode.IsDir() }
func (n *node) Type() fs.FileMode  { return n.mode.Type() }
func (n *node) Mode() fs.FileMode  { return n.mode }
func (n *node) ModTime() time.Time { return time.Time{} }
func (n *node) Sys() any           { return nil }
func (n *node) String() string     { return fs.FormatDirEntry(n) }

// Info returns n as an fs.FileInfo. In a partial clone this is when the size
// becomes known.
func (n *node) Info() (fs.FileInfo, error) {
	info := *n
	if info.size < 0 {
		size, err := n.tree.size(n.blob)
		if err != nil {
			return nil, &fs.PathError{Op: "stat", Path: n.name, Err: err}
		}
		info.size = size
	}
	return fileInfo{&info}, nil
}

// fileInfo is a node whose size is known. Size is a method here only, so that
// a node's own size is never taken for a known one.
type fileInfo struct{ *node }

func (i fileInfo) Size() int64    { return i.size }
func (i fileInfo) String() string { return fs.FormatFileInfo(i) }

// openFile is an open file; its content is read at the first Read.
type openFile struct {
	*node
	path   string
	reader *bytes.Reader
	closed bool
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.Info() }

func (f *openFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, &fs.PathError{Op: "read", Path: f.path, Err: fs.ErrClosed}
	}
	if f.reader == nil {
		content, err := f.tree.read(f.blob)
		if err != nil {
			return 0, &fs.PathError{Op: "read", Path: f.path, Err: err}
		}
		f.reader = bytes.NewReader(content)
	}
	return f.reader.Read(p)
}

func (f *openFile) Close() error {
	f.closed = true
	return nil
}

// openDir is an open directory.
type openDir struct {
	*node
	at int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.Info() }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: fs.ErrInvalid}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.list()[d.at:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	d.at += len(rest)
	return rest, nil
}
