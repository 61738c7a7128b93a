package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxAttributes bounds one .gitattributes file.
const maxAttributes = 4 << 20

var attributeName = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]*$`)

// Attributes returns what the .gitattributes files of one commit say of paths:
// a map from path to attribute to "set", "unset" or its value. What is not
// specified is not in the map. The paths need not exist in the commit.
//
// Only that commit counts: neither the checkout, nor its index, nor
// .git/info/attributes. git before 2.40 cannot read attributes from a commit,
// so the files are laid out in an empty repository and git is asked there.
func (r *Repo) Attributes(ctx context.Context, commit string, paths []string, attrs ...string) (map[string]map[string]string, error) {
	if err := checkIDs(commit); err != nil {
		return nil, err
	}
	for _, a := range attrs {
		if !attributeName.MatchString(a) {
			return nil, fmt.Errorf("%.100q is no name of an attribute", a)
		}
	}
	if len(paths) == 0 || len(attrs) == 0 {
		return map[string]map[string]string{}, nil
	}
	dir, err := os.MkdirTemp("", "crev-attributes-")
	if err != nil {
		return nil, fmt.Errorf("read attributes at %s: %w", short(commit), err)
	}
	defer os.RemoveAll(dir)
	found, err := r.attributes(ctx, commit, dir, paths, attrs)
	if err != nil {
		return nil, fmt.Errorf("read attributes at %s: %w", short(commit), err)
	}
	return found, nil
}

func (r *Repo) attributes(ctx context.Context, commit, dir string, paths, attrs []string) (map[string]map[string]string, error) {
	if _, err := r.run(ctx, command{args: []string{"init", "--quiet", "--template="}, dir: dir}); err != nil {
		return nil, err
	}
	if err := r.layOutAttributes(ctx, commit, dir, paths); err != nil {
		return nil, err
	}
	var names strings.Builder
	for _, p := range paths {
		if checkoutPath(p) == nil {
			names.WriteString(p + "\x00")
		}
	}
	out, err := r.run(ctx, command{
		args:  append([]string{"check-attr", "--stdin", "-z"}, attrs...),
		stdin: strings.NewReader(names.String()),
		dir:   dir,
	})
	if err != nil {
		return nil, err
	}
	found := map[string]map[string]string{}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for triple := range slices.Chunk(fields, 3) {
		if len(triple) < 3 || triple[2] == "unspecified" {
			continue
		}
		if found[triple[0]] == nil {
			found[triple[0]] = map[string]string{}
		}
		found[triple[0]][triple[1]] = triple[2]
	}
	return found, nil
}

// layOutAttributes writes the .gitattributes files that can concern paths.
func (r *Repo) layOutAttributes(ctx context.Context, commit, dir string, paths []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	seen := map[string]bool{}
	for _, p := range paths {
		if checkoutPath(p) != nil {
			continue
		}
		for at := path.Dir(p); !seen[at]; at = path.Dir(at) {
			seen[at] = true
			file := path.Join(at, ".gitattributes")
			e, err := r.Lookup(ctx, commit, file)
			if errors.Is(err, fs.ErrNotExist) || err == nil && !e.IsRegular() {
				continue // git does not follow a link here either
			}
			if err != nil {
				return err
			}
			content, err := r.BlobUpTo(ctx, e.Blob, maxAttributes)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if err := root.MkdirAll(at, 0o700); err != nil {
				return err
			}
			if err := root.WriteFile(file, content, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkoutPath refuses paths that git refuses to check out: those that leave
// the directory or enter a .git.
func checkoutPath(p string) error {
	if !validPath(p) || p == "." || strings.Contains(p, "\x00") {
		return fmt.Errorf("path %q: %w", p, fs.ErrInvalid)
	}
	for name := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(name, ".git") {
			return fmt.Errorf("path %q enters a git directory: %w", p, fs.ErrInvalid)
		}
	}
	return nil
}
