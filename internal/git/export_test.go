package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onDisk lists what is under dir: mode, path and content or target.
func onDisk(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		content := []byte(nil)
		switch {
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			content = []byte(target)
		case d.Type().IsRegular():
			if content, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		mode := info.Mode().String()
		if d.Type() == fs.ModeSymlink {
			mode = "link"
		}
		list = append(list, fmt.Sprintf("%s %q %q", mode, rel, content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestExport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(".gitattributes", "README.md export-ignore\n*.txt text eol=crlf filter=evil ident export-subst\n")
	sha := f.sample()
	f.git("config", "filter.evil.smudge", "touch "+f.dir+"/ran; cat")
	r := f.open()
	dir := filepath.Join(t.TempDir(), "new", "tree")
	if err := r.Export(t.Context(), sha, dir); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`-rw-r--r-- ".gitattributes" "README.md export-ignore\n*.txt text eol=crlf filter=evil ident export-subst\n"`,
		`-rw-r--r-- "README.md" "readme\n"`,
		`drwxr-xr-x "a" ""`,
		`drwxr-xr-x "a/b" ""`,
		`-rw-r--r-- "a/b/deep.txt" "deep\n"`,
		`link "a/link" "../outside"`,
		`-rw-r--r-- "a/z.txt" "z\n"`,
		`-rw-r--r-- "empty" ""`,
		`-rw-r--r-- "latin-\xe9" "\xe9\n"`,
		`-rwxr-xr-x "run.sh" "#!/bin/sh\n"`,
		`drwxr-xr-x "sub" ""`,
	}
	if d := cmp.Diff(want, onDisk(t, dir)); d != "" {
		t.Errorf("Export (-want +got):\n%s", d)
	}
	if _, err := os.Lstat(filepath.Join(f.dir, "ran")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a filter ran: %v", err)
	}
	if err := r.Export(t.Context(), sha, dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("Export into a full directory: %v", err)
	}
	part := t.TempDir()
	if err := r.Export(t.Context(), sha, part, "a/b/", "run.sh", "a/z"); err != nil {
		t.Fatal(err)
	}
	want = []string{`drwxr-xr-x "a" ""`, `drwxr-xr-x "a/b" ""`, `-rw-r--r-- "a/b/deep.txt" "deep\n"`, `-rwxr-xr-x "run.sh" "#!/bin/sh\n"`}
	if d := cmp.Diff(want, onDisk(t, part)); d != "" {
		t.Errorf("Export of some paths (-want +got):\n%s", d)
	}
}

// L13, T46: no link of an export leads out of it, also not by way of another.
func TestExportLinks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path, target string
		link         bool
	}{
		"beside":                     {"a", "b", true},
		"dangling":                   {"CLAUDE.md", "none", true},
		"up and down, inside":        {"x/y/a", "../../b", true},
		"to the top":                 {"x/y/a", "../..", true},
		"out":                        {"a", "../b", false},
		"out from below":             {"x/y/a", "../../../b", false},
		"absolute":                   {"a", "/etc/passwd", false},
		"up after down":              {"x/a", "b/../../c", false},
		"up after down, inside":      {"x/a", "b/../c", false},
		"through a link to the top":  {"x/y/a", "top/../etc", false},
		"into the git directory":     {"a", ".GIT/config", false},
		"a Windows path":             {"a", `..\b`, false},
		"a drive":                    {"a", "C:b", false},
		"with dots and double slash": {"x/a", "./..//b", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.link(tt.target, tt.path)
			sha := f.commit("link")
			dir := t.TempDir()
			if err := f.open().Export(t.Context(), sha, dir); err != nil {
				t.Fatal(err)
			}
			info, err := os.Lstat(filepath.Join(dir, tt.path))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Type() == fs.ModeSymlink; got != tt.link {
				t.Fatalf("%s -> %s: link = %v, want %v", tt.path, tt.target, got, tt.link)
			}
			if !tt.link {
				if content, err := os.ReadFile(filepath.Join(dir, tt.path)); err != nil || string(content) != tt.target {
					t.Errorf("%s holds %q, %v, want its target", tt.path, content, err)
				}
			}
		})
	}
}

// hostileTree commits a tree that no git client would make: one entry of each
// of these names, nested as the slashes say.
func (f *fixture) hostileTree(path string) string {
	f.t.Helper()
	object := func(kind, content string) string {
		cmd := f.command("hash-object", "-w", "--literally", "-t", kind, "--stdin")
		cmd.Stdin = strings.NewReader(content)
		out, err := cmd.Output()
		if err != nil {
			f.t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	entry := func(mode, name, id string) string {
		var raw []byte
		if _, err := fmt.Sscanf(id, "%x", &raw); err != nil {
			f.t.Fatal(err)
		}
		return mode + " " + name + "\x00" + string(raw)
	}
	id, mode := object("blob", "hostile\n"), "100644"
	names := strings.Split(path, "/")
	for i := len(names) - 1; i >= 0; i-- {
		id, mode = object("tree", entry(mode, names[i], id)), "40000"
	}
	return f.git("commit-tree", "-m", "hostile", id)
}

func TestHostileNames(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"../escaped", "a/../../escaped", ".git/config", "a/.GIT/hooks/pre-commit", "./x", "..", ".git"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("root")
			sha := f.hostileTree(path)
			r := f.open()
			parent := t.TempDir()
			dir := filepath.Join(parent, "a", "tree")
			err := r.Export(t.Context(), sha, dir)
			if !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("Export: %v, want fs.ErrInvalid", err)
			}
			for _, left := range onDisk(t, parent) {
				if strings.Contains(left, "hostile") {
					t.Errorf("Export wrote %s", left)
				}
			}
			if _, err := r.Attributes(t.Context(), sha, []string{path, "x"}, "diff"); err != nil {
				t.Errorf("Attributes: %v", err)
			}
			tree, err := r.Tree(t.Context(), sha, "")
			if err != nil {
				t.Fatal(err)
			}
			err = fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
				if strings.Contains(path, "..") {
					t.Errorf("the tree shows %q", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// An entry that is both a file and a directory writes neither twice.
func TestExportDuplicateName(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("root")
	f.write("blob", "x")
	id := f.git("hash-object", "-w", "blob")
	var raw []byte
	if _, err := fmt.Sscanf(id, "%x", &raw); err != nil {
		t.Fatal(err)
	}
	cmd := f.command("hash-object", "-w", "--literally", "-t", "tree", "--stdin")
	cmd.Stdin = strings.NewReader("100644 a\x00" + string(raw) + "100644 a\x00" + string(raw))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	sha := f.git("commit-tree", "-m", "twice", strings.TrimSpace(string(out)))
	if err := f.open().Export(t.Context(), sha, t.TempDir()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Export of a name that is there twice: %v, want fs.ErrExist", err)
	}
}

// What is exported is what git checks out, when nothing is hostile.
func TestExportEqualsCheckout(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 40 {
		f.write(fmt.Sprintf("d%d/e%d/f%d", i%3, i%5, i), strings.Repeat("x\n", i))
	}
	f.link("d0/e0", "short")
	sha := f.commit("files")
	dir := t.TempDir()
	if err := f.open().Export(t.Context(), sha, dir); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("diff", "-r", "--no-dereference", "--exclude=.git", f.dir, dir).CombinedOutput(); err != nil {
		t.Errorf("the export differs from the checkout: %v\n%s", err, out)
	}
}
