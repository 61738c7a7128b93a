package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crev-ratchet/crev/internal/git"
)

// TestExamples proves the validators of examples/dot-crev and checks its rules,
// in a repository that has nothing else but a file in the scope of each.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// A script runs as another user, who has to get in.
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, ".crev"), os.DirFS("../../examples/dot-crev")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sum.test.js"), []byte("check(sum(1, 2) === 3);\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	if _, err := (git.Scratch{Dir: dir, Name: "Reader"}).Run(t.Context(), at, "init", "-q", "-b", "main"); err != nil {
		t.Fatal(err)
	}
	validators, err := os.ReadDir(filepath.Join(dir, ".crev", "validators"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range validators {
		if out, status := typed(t.Context(), dir, at, "validators", "prove", v.Name()); status != exitClean || !strings.Contains(out, ": proven: ") {
			t.Errorf("crev validators prove %s: status %d\n%s", v.Name(), status, out)
		}
	}
	if out, status := typed(t.Context(), dir, at, "rule", "check"); status != exitClean || !strings.Contains(out, "1 rule, 0 complaints") {
		t.Errorf("crev rule check: status %d\n%s", status, out)
	}
}

// typed is what a command prints, on either stream, and how it ends.
func typed(ctx context.Context, dir string, at time.Time, args ...string) (string, int) {
	var out strings.Builder
	status := run(ctx, world{
		in: strings.NewReader(""), out: &out, err: &out, dir: dir, env: os.Getenv,
		now: func() time.Time { return at },
	}, args)
	return out.String(), status
}
