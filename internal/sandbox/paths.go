package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// systemPaths are what a program needs to start: libraries, interpreters, the
// loader's cache, and no configuration that could hold a secret.
func systemPaths() []string {
	paths := []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
		"/etc/alternatives", "/etc/group", "/etc/ld.so.cache",
		"/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
		"/etc/mime.types", "/etc/nsswitch.conf", "/etc/passwd",
		"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/timezone",
		"/dev/urandom", "/dev/random",
	}
	for _, pattern := range []string{"/etc/python3*", "/etc/java-*", "/etc/perl", "/etc/php"} {
		found, _ := filepath.Glob(pattern) // the patterns are well formed
		paths = append(paths, found...)
	}
	return paths
}

// toolPaths are the directories on PATH and, where a directory is the bin of an
// installation, the installation.
func toolPaths(dirs []string) []string {
	home, _ := os.UserHomeDir() // "" only widens nothing: see installRoot
	var paths []string
	for _, d := range dirs {
		paths = append(paths, d)
		if root := installRoot(d, home); root != "" {
			paths = append(paths, root)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// installRoot returns the directory above a bin directory when all of it may be
// read: never the root, never a home directory or what holds one, never a
// directory directly in a home directory, where tools keep their passwords
// beside their programs (~/.cargo, ~/.local, ~/go).
func installRoot(dir, home string) string {
	if b := filepath.Base(dir); b != "bin" && b != "sbin" && b != "shims" {
		return ""
	}
	root := filepath.Dir(dir)
	if parent := filepath.Dir(root); parent == root || filepath.Dir(parent) == parent && !slices.Contains([]string{"/usr", "/opt", "/nix"}, root) {
		return ""
	}
	for _, h := range []string{home, "/root"} {
		if h == "" {
			continue
		}
		if root == h || inside(h, root) || filepath.Dir(root) == h {
			return ""
		}
	}
	if rest, ok := strings.CutPrefix(root, "/home/"); ok && strings.Count(rest, "/") < 2 {
		return ""
	}
	return root
}

// inside reports whether path is strictly below dir.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// reachableDirs drops the directories that do not exist and, for a switched
// user, those that others may not enter.
func reachableDirs(dirs []string, others bool) []string {
	var out []string
	for _, d := range dirs {
		if st, err := os.Stat(d); err != nil || !st.IsDir() {
			continue
		}
		if !others || openToOthers(d) {
			out = append(out, d)
		}
	}
	return out
}

// openToOthers reports whether every directory down to d may be entered by
// everybody.
func openToOthers(d string) bool {
	for {
		st, err := os.Stat(d)
		if err != nil || st.Mode()&0o001 == 0 {
			return false
		}
		parent := filepath.Dir(d)
		if parent == d {
			return true
		}
		d = parent
	}
}
