package git

import (
	"context"
	"fmt"
	"strings"
)

// Change is a file that differs between two commits.
type Change struct {
	Path string
	// Old and New are the ids of its contents, "" where there is no file.
	Old, New string
}

// Changes lists the files that differ between two commits, renames as a file
// that went and one that came, in byte order of their paths. paths limits it to
// files and directories, literally. No content is read or fetched.
func (r *Repo) Changes(ctx context.Context, from, to string, paths ...string) ([]Change, error) {
	return r.changes(ctx, []string{"diff-tree", "-r"}, from, to, paths)
}

// EveryChange lists what each commit changed that to has and from has not, the
// newest first; a merge counts once against each of its parents. It answers
// whether a content ever stood at a path.
func (r *Repo) EveryChange(ctx context.Context, from, to string, paths ...string) ([]Change, error) {
	return r.changes(ctx, []string{"log", "--format=", "-m"}, "^"+from, to, paths)
}

func (r *Repo) changes(ctx context.Context, show []string, from, to string, paths []string) ([]Change, error) {
	if err := checkIDs(strings.TrimPrefix(from, "^"), to); err != nil {
		return nil, err
	}
	args := append(show, "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=none",
		"--end-of-options", from, to, "--")
	out, err := r.run(ctx, command{args: append(args, paths...)})
	if err != nil {
		return nil, fmt.Errorf("list changes from %s to %s: %w", short(from), short(to), err)
	}
	changes, err := parseRaw(string(out))
	if err != nil {
		return nil, fmt.Errorf("list changes from %s to %s: %w", short(from), short(to), err)
	}
	return changes, nil
}

// parseRaw reads records of ":mode mode old new status", each with its path
// behind it, all ended by a zero byte.
func parseRaw(out string) ([]Change, error) {
	var changes []Change
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(fields); i += 2 {
		meta := strings.Fields(strings.TrimLeft(fields[i], "\n"))
		if len(meta) == 0 && i+1 == len(fields) {
			break
		}
		if len(meta) != 5 || !strings.HasPrefix(meta[0], ":") || i+1 == len(fields) {
			return nil, fmt.Errorf("git said %.200q", fields[i])
		}
		c := Change{Path: fields[i+1]}
		for at, id := range map[int]*string{2: &c.Old, 3: &c.New} {
			if !IsFullID(meta[at]) {
				return nil, fmt.Errorf("git said %.200q", fields[i])
			}
			if strings.Trim(meta[at], "0") != "" {
				*id = meta[at]
			}
		}
		changes = append(changes, c)
	}
	return changes, nil
}
