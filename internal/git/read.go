package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Entry is one file of a commit.
type Entry struct {
	// Path is raw bytes, slash-separated.
	Path string
	// Mode is one of the Mode constants (old histories also have 100664).
	Mode string
	// Blob is the full id of the content; for a submodule, of its commit.
	Blob string
	// Size is in bytes; -1 for a submodule, and in a partial clone, where
	// asking for sizes would fetch every file.
	Size int64
}

// The modes of git's entries.
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	ModeSymlink    = "120000"
	ModeSubmodule  = "160000"
	modeTree       = "040000"
)

// IsRegular reports whether the entry is a file, executable or not.
func (e Entry) IsRegular() bool { return strings.HasPrefix(e.Mode, "100") }

// Blob returns the content of a blob by its full id.
func (r *Repo) Blob(ctx context.Context, id string) ([]byte, error) {
	return r.BlobUpTo(ctx, id, MaxBlob)
}

// BlobUpTo is Blob for content of at most limit bytes; the error is
// ErrTooLarge for more, and the content is then not read.
func (r *Repo) BlobUpTo(ctx context.Context, id string, limit int64) ([]byte, error) {
	if err := checkIDs(id); err != nil {
		return nil, err
	}
	content, err := r.object(ctx, id, "blob", limit)
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", short(id), err)
	}
	return content, nil
}

// ReadFile returns the content of a file at a commit, without any filter or
// conversion. Links are never followed: the content of a symbolic link is its
// target, and a path through one does not exist. The error is fs.ErrNotExist
// when there is no such file, ErrTooLarge above MaxBlob.
func (r *Repo) ReadFile(ctx context.Context, commit, path string) ([]byte, error) {
	return r.ReadFileUpTo(ctx, commit, path, MaxBlob)
}

// ReadFileUpTo is ReadFile for files of at most limit bytes.
func (r *Repo) ReadFileUpTo(ctx context.Context, commit, path string, limit int64) ([]byte, error) {
	e, err := r.Lookup(ctx, commit, path)
	if err != nil {
		return nil, err
	}
	if e.Mode == modeTree || e.Mode == ModeSubmodule {
		return nil, fmt.Errorf("read %q at %s: is a directory or submodule: %w", path, short(commit), fs.ErrInvalid)
	}
	content, err := r.object(ctx, e.Blob, "blob", limit)
	if err != nil {
		return nil, fmt.Errorf("read %q at %s: %w", path, short(commit), err)
	}
	return content, nil
}

// Lookup returns the entry at a path of a commit, a directory (mode 040000)
// included, with Size -1. The error is fs.ErrNotExist when there is none.
func (r *Repo) Lookup(ctx context.Context, commit, path string) (Entry, error) {
	if err := checkIDs(commit); err != nil {
		return Entry{}, err
	}
	at := Entry{Mode: modeTree, Blob: commit + "^{tree}"}
	for name := range strings.SplitSeq(path, "/") {
		if at.Mode != modeTree {
			return Entry{}, notExist(commit, path)
		}
		raw, err := r.object(ctx, at.Blob, "tree", 0)
		if err != nil {
			return Entry{}, fmt.Errorf("look up %q at %s: %w", path, short(commit), err)
		}
		next, ok, err := findInTree(raw, name, len(commit)/2)
		if err != nil {
			return Entry{}, fmt.Errorf("look up %q at %s: %w", path, short(commit), err)
		}
		if !ok {
			return Entry{}, notExist(commit, path)
		}
		at = next
	}
	at.Path, at.Size = path, -1
	return at, nil
}

func notExist(commit, path string) error {
	return fmt.Errorf("%q at %s: %w", path, short(commit), fs.ErrNotExist)
}

// findInTree looks a name up in a raw tree object: entries of octal mode,
// blank, name, NUL and an id of idLen bytes.
func findInTree(raw []byte, name string, idLen int) (Entry, bool, error) {
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, entry, ok2 := bytes.Cut(head, []byte{' '})
		if !ok || !ok2 || len(rest) < idLen || len(mode) > 6 {
			return Entry{}, false, fmt.Errorf("tree object is malformed")
		}
		if string(entry) == name {
			padded := strings.Repeat("0", 6-len(mode)) + string(mode)
			return Entry{Mode: padded, Blob: hex.EncodeToString(rest[:idLen])}, true, nil
		}
		raw = rest[idLen:]
	}
	return Entry{}, false, nil
}

// Files lists all files of a commit, symbolic links and submodules included,
// in byte order of their paths.
func (r *Repo) Files(ctx context.Context, commit string) ([]Entry, error) {
	if err := checkIDs(commit); err != nil {
		return nil, err
	}
	return r.list(ctx, commit)
}

// list lists the files of a commit or tree.
func (r *Repo) list(ctx context.Context, treeish string) ([]Entry, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree"}
	if !r.partial {
		args = append(args, "-l")
	}
	out, err := r.run(ctx, command{args: append(args, "--end-of-options", treeish)})
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", short(treeish), err)
	}
	entries := make([]Entry, 0, bytes.Count(out, []byte{0}))
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if record == "" {
			continue
		}
		e, err := parseEntry(record)
		if err != nil {
			return nil, fmt.Errorf("list files of %s: %w", short(treeish), err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// parseEntry reads "mode type id[ size]\tpath".
func parseEntry(record string) (Entry, error) {
	head, path, ok := strings.Cut(record, "\t")
	f := strings.Fields(head)
	if !ok || len(f) < 3 || !IsFullID(f[2]) {
		return Entry{}, fmt.Errorf("git ls-tree said %.200q", record)
	}
	e := Entry{Path: path, Mode: f[0], Blob: f[2], Size: -1}
	if len(f) == 4 && f[3] != "-" {
		size, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			return Entry{}, fmt.Errorf("git ls-tree said %.200q", record)
		}
		e.Size = size
	}
	return e, nil
}
