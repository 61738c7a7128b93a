package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Scratch is a throw-away repository that the demo and the benches build. Its
// commits have a fixed author and the time the caller gives, so that the same
// story has the same object ids in every run.
type Scratch struct {
	// Dir is the work tree. It must exist.
	Dir string
	// Name signs the commits; Name@example.com is the address.
	Name string
}

// Run runs one git command at a moment of the story. Unlike everything else in
// this package it may change the repository, which is the caller's own.
func (s Scratch) Run(ctx context.Context, at time.Time, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = s.Dir
	stamp, mail := at.UTC().Format(time.RFC3339), strings.ToLower(s.Name)+"@example.com"
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=" + s.Name, "GIT_AUTHOR_EMAIL=" + mail, "GIT_AUTHOR_DATE=" + stamp,
		"GIT_COMMITTER_NAME=" + s.Name, "GIT_COMMITTER_EMAIL=" + mail, "GIT_COMMITTER_DATE=" + stamp,
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.TrimSuffix("git "+args[0]+": "+strings.TrimSpace(string(out)), ": "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
