package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// logTimeout bounds one pass over a whole history. The largest public
// repositories, with a million commits, take a few minutes.
const logTimeout = 15 * time.Minute

// LogOptions says which commits History reads.
type LogOptions struct {
	// Head is the full id of the commit to start at.
	Head string
	// After leaves out Head's part of the history that this commit, a full
	// id, has too; "" leaves out nothing.
	After string
	// Since leaves out commits made earlier; the zero time leaves out
	// nothing. git stops at the first few commits that are older, so one with
	// a wrong clock behind them is not met.
	Since time.Time
}

// History calls yield for every commit that Options name and that is no merge,
// with the files it changed, newest first and no commit before its children. A
// rename is reported when the content is the same; the commits, their trees
// and nothing else are read, so that a clone with filter: blob:none has all of
// it and nothing is ever fetched.
//
// The commit that yield gets, its bytes included, is its own until it returns.
// An error of yield ends the pass and is returned.
//
// complete is false when the pass met the place where a shallow clone is cut:
// what lies behind is unknown, and so is what the commit there changed, which
// is left out. The error is ErrNoObject when the clone lacks a tree.
func (r *Repo) History(ctx context.Context, o LogOptions, yield func(*LogCommit) error) (complete bool, err error) {
	if err := checkIDs(o.Head); err != nil {
		return false, err
	}
	cut, err := r.shallowCommits()
	if err != nil {
		return false, err
	}
	args := logArgs(o)
	if o.After != "" {
		if err := checkIDs(o.After); err != nil {
			return false, err
		}
		args = append(args, "^"+o.After)
	}
	complete = true
	err = r.stream(ctx, command{
		args:   append(args, "--"),
		config: logConfig,
		env:    noFetch,
	}, func(out io.Reader) error {
		return readLog(bufio.NewReaderSize(out, 1<<17), func(c *LogCommit) error {
			if cut[string(c.ID)] {
				complete = false
				return nil
			}
			return yield(c)
		})
	})
	if e, ok := errors.AsType[*Error](err); ok && lacksObject(e.Stderr) {
		err = fmt.Errorf("%w; clone with filter: blob:none or without a filter: %w", ErrNoObject, err)
	}
	if err != nil {
		return false, fmt.Errorf("read the history of %s: %w", short(o.Head), err)
	}
	return complete, nil
}

// logConfig answers the settings that change what git log shows.
var logConfig = []setting{
	// The first commit shows its files.
	{"log.showRoot", "true"},
	{"log.follow", "false"},
	{"diff.orderFile", os.DevNull},
	// Only for pairs that are not the same bytes; there are none here.
	{"diff.renameLimit", "1"},
}

// noFetch keeps a partial clone from fetching what it lacks, one request an
// object: git before 2.44 does not know the first, and obeys the second.
var noFetch = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL="}

func logArgs(o LogOptions) []string {
	args := []string{"log", "--no-merges", "--format=" + logFormat, "-z", "--name-status", "-M100%",
		"--encoding=UTF-8", "--no-mailmap", "--no-notes", "--no-decorate",
		// It would run the program that the repository's gpg.program names.
		"--no-show-signature",
		"--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--ignore-submodules=none"}
	if !o.Since.IsZero() {
		args = append(args, "--max-age="+strconv.FormatInt(o.Since.Unix(), 10))
	}
	return append(args, "--end-of-options", o.Head)
}

// lacksObject reports whether git complained about an object that is not here.
func lacksObject(stderr string) bool {
	for _, s := range []string{"unable to read tree", "could not fetch", "bad tree object", "unable to parse object",
		"Could not read", "lazy fetching disabled", "bad object"} {
		if strings.Contains(stderr, s) {
			return true
		}
	}
	return false
}

// stream runs git and lets read have what it prints while it runs. When read
// returns an error git is ended; errCutLog is the exception, for git has ended
// then and says itself why.
func (r *Repo) stream(ctx context.Context, c command, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	running, stop := context.WithCancel(ctx)
	defer stop()
	stderr := &headBuffer{limit: maxStderr}
	cmd := r.command(running, c)
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return &Error{Command: c.args[0], Err: err}
	}
	if err := cmd.Start(); err != nil {
		return &Error{Command: c.args[0], Err: err}
	}
	readErr := read(out)
	enough := readErr != nil && !errors.Is(readErr, errCutLog)
	if enough {
		stop()
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return &Error{Command: c.args[0], Err: context.Cause(ctx)}
	case enough || err == nil:
		return readErr
	}
	return &Error{Command: c.args[0], Stderr: r.auth.redact(stderr.line()), Err: err}
}

// shallowCommits returns the commits at which the clone is cut. git takes them
// for first commits that add every file.
func (r *Repo) shallowCommits() (map[string]bool, error) {
	dir, err := r.CommonDir()
	if err != nil {
		return nil, err
	}
	list, err := os.ReadFile(filepath.Join(dir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("is the clone shallow: %w", err)
	}
	cut := map[string]bool{}
	for _, sha := range strings.Fields(string(list)) {
		cut[sha] = true
	}
	return cut, nil
}

// Unshallow fetches the history that a shallow clone lacks, up to the given
// refs or ids, without the contents of its files: the clone becomes a partial
// one (filter: blob:none), which reads an old file from the remote when it is
// asked for. Open the repository again afterwards. Any other clone is left as
// it is, and none becomes shallower.
func (r *Repo) Unshallow(ctx context.Context, remote string, refs []string, auth Auth) error {
	shallow, err := r.IsShallow(ctx)
	if err != nil || !shallow {
		return err
	}
	return r.fetch(ctx, remote, refs, auth, "--unshallow", "--filter=blob:none")
}

// CommonDir returns the directory, absolute, that all work trees of this
// repository share: the place for what belongs to the clone and to no commit.
// A linked work tree names it in a file:
// https://git-scm.com/docs/gitrepository-layout#Documentation/gitrepository-layout.txt-commondir
func (r *Repo) CommonDir() (string, error) {
	named, err := os.ReadFile(filepath.Join(r.gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return r.gitDir, nil
	}
	if err != nil {
		return "", fmt.Errorf("find the git directory: %w", err)
	}
	dir := strings.TrimRight(string(named), "\r\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.gitDir, dir)
	}
	return dir, nil
}

// Paths lists the paths of all files of a commit in byte order, symbolic links
// and submodules included. Unlike Files it asks for nothing about them.
func (r *Repo) Paths(ctx context.Context, commit string) ([]string, error) {
	if err := checkIDs(commit); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, command{
		args: []string{"ls-tree", "-r", "-z", "--full-tree", "--name-only", "--end-of-options", commit},
		env:  noFetch,
	})
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", short(commit), err)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}
