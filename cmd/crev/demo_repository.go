package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/model/replay"
)

// newDemo opens the recorded answers. The repository is not made yet.
func newDemo(w world, dir string) (*demo, error) {
	answers, err := fs.Sub(demoFiles, "demo")
	if err != nil {
		return nil, err
	}
	player, err := replay.Open(answers)
	if err != nil {
		return nil, err
	}
	return &demo{
		w: w, page: &page{w: w.out}, model: player, dir: dir, forge: demoForge{dir: dir},
		at: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC),
	}, nil
}

// begin makes the repository with what Maria has in it.
func (s *demo) begin(ctx context.Context) error {
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		return err
	}
	if err := s.git(ctx, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	return s.commit(ctx, "maria", "0-base", "Shop")
}

// branch begins the branch of a pull request on top of what crev has recorded so
// far: the ledger's own pull request was merged.
func (s *demo) branch(ctx context.Context, name string) error {
	if err := s.git(ctx, "switch", "-q", "main"); err != nil {
		return err
	}
	if err := s.keepMemory(ctx); err != nil {
		return err
	}
	return s.git(ctx, "switch", "-q", "-c", name)
}

// keepMemory commits what crev wrote: ledger and rules.
func (s *demo) keepMemory(ctx context.Context) error {
	if err := s.git(ctx, "add", "--all", ".crev"); err != nil {
		return err
	}
	changed, err := s.gitAs(ctx, "crev", "status", "--porcelain")
	if err != nil || changed == "" {
		return err
	}
	_, err = s.gitAs(ctx, "crev", "commit", "-q", "-m", "crev: ledger")
	return err
}

// commit lays a folder of the story over the work tree and commits it, without
// what crev recorded there. A file that the folder does not have stays.
func (s *demo) commit(ctx context.Context, author, folder, message string) error {
	root := "demo/" + folder
	err := fs.WalkDir(demoFiles, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := demoFiles.ReadFile(p)
		if err != nil {
			return err
		}
		to := filepath.Join(s.dir, filepath.FromSlash(strings.TrimPrefix(p, root+"/")))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if path.Base(p) == "check.sh" {
			mode = 0o755
		}
		return os.WriteFile(to, b, mode)
	})
	if err != nil {
		return err
	}
	s.at = s.at.Add(time.Hour)
	if err := s.git(ctx, "add", "--all", "--", ".", ":!.crev/ledger"); err != nil {
		return err
	}
	_, err = s.gitAs(ctx, author, "commit", "-q", "-m", message)
	return err
}

// git runs one git command in the demo's repository, at the story's time.
func (s *demo) git(ctx context.Context, args ...string) error {
	_, err := s.gitAs(ctx, "demo", args...)
	return err
}

// gitAs is git in the name of somebody, whose address is NAME@example.com.
func (s *demo) gitAs(ctx context.Context, name string, args ...string) (string, error) {
	return git.Scratch{Dir: s.dir, Name: name}.Run(ctx, s.at, args...)
}

// say prints one or more lines of the story.
func (s *demo) say(format string, args ...any) { fmt.Fprintf(s.page, format+"\n", args...) }
