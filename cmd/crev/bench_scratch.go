package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/git"
)

// scratch is a throw-away repository with a clock of its own, so that what is
// played in it has the same commits and events each time.
type scratch struct {
	dir string
	at  time.Time
}

// newScratch makes an empty repository on main. The caller removes it.
func newScratch(ctx context.Context, pattern string) (*scratch, error) {
	tmp, err := os.MkdirTemp("", pattern)
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: filepath.Join(tmp, "repo"), at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		return s, err
	}
	_, err = s.git(ctx, "init", "-q", "-b", "main")
	return s, err
}

// remove takes the repository away.
func (s *scratch) remove() error { return os.RemoveAll(filepath.Dir(s.dir)) }

// lay writes files into the work tree. A script is executable.
func (s *scratch) lay(files bench.Tree) error {
	for name, text := range files {
		to := s.path(name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(to, []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
}

// commit commits the work tree, its ledger left out, and returns the commit.
func (s *scratch) commit(ctx context.Context, message string) (string, error) {
	if err := s.stage(ctx); err != nil {
		return "", err
	}
	if _, err := s.git(ctx, "commit", "-q", "--allow-empty", "-m", message); err != nil {
		return "", err
	}
	return s.git(ctx, "rev-parse", "HEAD")
}

func (s *scratch) stage(ctx context.Context) error {
	_, err := s.git(ctx, "add", "--all", "--", ".", ":!.crev/ledger")
	return err
}

func (s *scratch) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// git runs one git command in the repository, at its time.
func (s *scratch) git(ctx context.Context, args ...string) (string, error) {
	return git.Scratch{Dir: s.dir, Name: "Story"}.Run(ctx, s.at, args...)
}
