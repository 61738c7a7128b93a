package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// sample commits one file of every kind.
func (f *fixture) sample() string {
	f.t.Helper()
	f.write("README.md", "readme\n")
	f.write("a/b/deep.txt", "deep\n")
	f.write("a/z.txt", "z\n")
	f.write("empty", "")
	f.write("run.sh", "#!/bin/sh\n")
	f.write("latin-\xe9", "\xe9\n")
	f.link("../outside", "a/link")
	if err := os.Chmod(filepath.Join(f.dir, "run.sh"), 0o755); err != nil {
		f.t.Fatal(err)
	}
	f.git("add", "-A")
	f.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub")
	f.git("commit", "--quiet", "-m", "sample\n\nbody")
	return f.git("rev-parse", "HEAD")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sha := f.sample()
	entries, err := f.open().Files(t.Context(), sha)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s %q %d %v", e.Mode, e.Path, e.Size, e.IsRegular()))
	}
	want := []string{
		`100644 "README.md" 7 true`, `100644 "a/b/deep.txt" 5 true`, `120000 "a/link" 10 false`,
		`100644 "a/z.txt" 2 true`, `100644 "empty" 0 true`, `100644 "latin-\xe9" 2 true`,
		`100755 "run.sh" 10 true`, `160000 "sub" -1 false`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Files (-want +got):\n%s", d)
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sha := f.sample()
	r := f.open()
	tests := map[string]struct {
		path, want string
		err        error
	}{
		"a file":                  {"a/b/deep.txt", "deep\n", nil},
		"an empty file":           {"empty", "", nil},
		"a name that is no UTF-8": {"latin-\xe9", "\xe9\n", nil},
		"L13: a link is its target, not what it leads to": {"a/link", "../outside", nil},
		"through a link":     {"a/link/x", "", fs.ErrNotExist},
		"through a file":     {"README.md/x", "", fs.ErrNotExist},
		"nothing there":      {"a/none", "", fs.ErrNotExist},
		"a name with an end": {"README.md\nx", "", fs.ErrNotExist},
		"upwards":            {"a/../README.md", "", fs.ErrNotExist},
		"absolute":           {"/README.md", "", fs.ErrNotExist},
		"an empty path":      {"", "", fs.ErrNotExist},
		"a directory":        {"a", "", fs.ErrInvalid},
		"a submodule":        {"sub", "", fs.ErrInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := r.ReadFile(t.Context(), sha, tt.path)
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("ReadFile(%q) = %q, %v, want %q, %v", tt.path, got, err, tt.want, tt.err)
			}
		})
	}
	if _, err := r.ReadFileUpTo(t.Context(), sha, "README.md", 6); !errors.Is(err, ErrTooLarge) {
		t.Errorf("ReadFileUpTo(6) of 7 bytes: %v, want ErrTooLarge", err)
	}
	if got, err := r.ReadFileUpTo(t.Context(), sha, "README.md", 7); err != nil || string(got) != "readme\n" {
		t.Errorf("ReadFileUpTo(7) of 7 bytes = %q, %v", got, err)
	}
	missing := strings.Repeat("d", 40)
	if _, err := r.ReadFile(t.Context(), missing, "README.md"); !errors.Is(err, ErrNoObject) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFile at a missing commit: %v, want ErrNoObject", err)
	}
	if _, err := r.Blob(t.Context(), missing); !errors.Is(err, ErrNoObject) {
		t.Errorf("Blob of a missing object: %v, want ErrNoObject", err)
	}
	if _, err := r.Blob(t.Context(), sha); err == nil {
		t.Error("Blob read a commit")
	}
	if _, err := r.ReadFile(t.Context(), "HEAD", "README.md"); err == nil {
		t.Error("ReadFile took a name for a commit")
	}
}

func TestTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sha := f.sample()
	r := f.open()
	tree, err := r.Tree(t.Context(), sha, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		got = append(got, fmt.Sprintf("%v %q", d.Type(), path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`d--------- "."`, `---------- "README.md"`, `d--------- "a"`, `d--------- "a/b"`, `---------- "a/b/deep.txt"`,
		`L--------- "a/link"`, `---------- "a/z.txt"`, `---------- "empty"`, `---------- "latin-\xe9"`,
		`---------- "run.sh"`, `d--------- "sub"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("walk (-want +got):\n%s", d)
	}
	if target, err := fs.ReadLink(tree, "a/link"); err != nil || target != "../outside" {
		t.Errorf("ReadLink = %q, %v", target, err)
	}
	if info, err := fs.Stat(tree, "run.sh"); err != nil || info.Mode() != 0o555 || info.Size() != 10 {
		t.Errorf("Stat(run.sh) = %v, %v", info, err)
	}
	if _, err := fs.ReadFile(tree, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFile(none): %v, want fs.ErrNotExist", err)
	}
	if _, err := tree.Open("../README.md"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("Open upwards: %v, want fs.ErrInvalid", err)
	}
}

func TestTreeOfADirectory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sha := f.sample()
	r := f.open()
	tree, err := r.Tree(t.Context(), sha, "a/b/")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "deep.txt"); err != nil {
		t.Error(err)
	}
	for _, prefix := range []string{"none", "README.md", "a/link"} {
		if _, err := r.Tree(t.Context(), sha, prefix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Tree(%q): %v, want fs.ErrNotExist", prefix, err)
		}
	}
}

// The standard library's own test of a file system.
func TestTreeIsAFileSystem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "a\n")
	f.write("dir/b.txt", strings.Repeat("b", 5000))
	f.write("dir/sub/c.txt", "c")
	sha := f.commit("files")
	tree, err := f.open().Tree(t.Context(), sha, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "a.txt", "dir/b.txt", "dir/sub/c.txt"); err != nil {
		t.Error(err)
	}
}

// One reading process serves many goroutines, and survives questions that fail.
func TestConcurrentReads(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 50 {
		f.write(fmt.Sprintf("f%d", i), strings.Repeat(fmt.Sprintf("%d\n", i), 1+i*97))
	}
	sha := f.commit("files")
	r := f.open()
	tree, err := r.Tree(t.Context(), sha, "")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 50 {
				name := fmt.Sprintf("f%d", (i+worker*7)%50)
				want, err := os.ReadFile(filepath.Join(f.dir, name))
				if err != nil {
					t.Error(err)
					return
				}
				got, err := fs.ReadFile(tree, name)
				if err != nil || string(got) != string(want) {
					t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(want))
				}
				if _, err := r.ReadFile(t.Context(), sha, "none"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("none: %v", err)
				}
				if _, err := r.ReadFileUpTo(t.Context(), sha, "f49", 3); !errors.Is(err, ErrTooLarge) {
					t.Errorf("f49: %v, want ErrTooLarge", err)
				}
			}
		})
	}
	wg.Wait()
}

func TestCloseAndReadAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sha := f.sample()
	r := f.open()
	for range 2 {
		if got, err := r.ReadFile(t.Context(), sha, "README.md"); err != nil || string(got) != "readme\n" {
			t.Fatalf("ReadFile = %q, %v", got, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Errorf("Close twice: %v", err)
	}
}

// A process that died is replaced.
func TestReaderDies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sha := f.sample()
	r := f.open()
	if _, err := r.ReadFile(t.Context(), sha, "README.md"); err != nil {
		t.Fatal(err)
	}
	if err := r.batch.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.batch.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadFile(t.Context(), sha, "README.md"); err == nil {
		t.Error("ReadFile got an answer from a dead process")
	}
	if got, err := r.ReadFile(t.Context(), sha, "README.md"); err != nil || string(got) != "readme\n" {
		t.Errorf("ReadFile after the reader died = %q, %v", got, err)
	}
}

func TestOpenFileOfTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sha := f.sample()
	tree, err := f.open().Tree(t.Context(), sha, "")
	if err != nil {
		t.Fatal(err)
	}
	file, err := tree.Open("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(file); err != nil || string(got) != "readme\n" {
		t.Errorf("ReadAll = %q, %v", got, err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Read after Close: %v, want fs.ErrClosed", err)
	}
	dir, err := tree.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var names []string
	for {
		entries, err := dir.(fs.ReadDirFile).ReadDir(2)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"b", "link", "z.txt"}, names); d != "" {
		t.Errorf("ReadDir by two (-want +got):\n%s", d)
	}
}
