package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// commitCommand is the command "commit" of a scenario:
//
//	commit DIR MESSAGE [FOLDER]
//
// It makes DIR a git repository on the branch main if it is none, copies the
// files of FOLDER over its work tree, and commits everything. Each commit is one
// hour after the one before, so that object ids are the same in every run.
func commitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: commit DIR MESSAGE [FOLDER]")
	}
	dir := ts.MkAbs(args[0])
	git := func(hour int, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		at := fmt.Sprintf("2026-11-29T%02d:00:00Z", hour)
		cmd.Env = append(os.Environ(),
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
			"GIT_AUTHOR_NAME=Scenario", "GIT_AUTHOR_EMAIL=scenario@example.com", "GIT_AUTHOR_DATE="+at,
			"GIT_COMMITTER_NAME=Scenario", "GIT_COMMITTER_EMAIL=scenario@example.com", "GIT_COMMITTER_DATE="+at)
		out, err := cmd.CombinedOutput()
		if err != nil {
			ts.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		ts.Check(os.MkdirAll(dir, 0o755))
		git(0, "init", "-q", "-b", "main")
	}
	if len(args) == 3 {
		ts.Check(copyTree(ts.MkAbs(args[2]), dir))
	}
	git(0, "add", "--all")
	git(len(strings.Fields(git(0, "rev-list", "--all"))), "commit", "-q", "--allow-empty", "-m", args[1])
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if filepath.Ext(p) == ".sh" {
			mode = 0o755
		}
		return os.WriteFile(filepath.Join(to, rel), b, mode)
	})
}
