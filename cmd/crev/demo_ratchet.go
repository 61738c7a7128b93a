package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// demoClass is the class that recurs: the fingerprint of a path, a subject and a
// predicate, the same on every machine.
const demoClass = "23fdd3cc90cc9ea7"

// demoCheck is the validator that the class is promoted to.
const demoCheck = "session-tenant"

func (s *demo) triage(ctx context.Context) error {
	if err := s.branch(ctx, "check"); err != nil {
		return err
	}
	return s.crev(ctx, exitClean, "ledger", "triage")
}

func (s *demo) promote(ctx context.Context) error {
	for _, args := range [][]string{
		{"ledger", "promote", "--scaffold", demoClass, "--name", demoCheck},
		{"ledger", "promote", demoClass, "--check", ".crev/validators/" + demoCheck},
	} {
		if err := s.crev(ctx, exitClean, args...); err != nil {
			return err
		}
	}
	if err := s.git(ctx, "add", "--all", ".crev"); err != nil {
		return err
	}
	_, err := s.gitAs(ctx, "maria", "commit", "-q", "-m", "Check: session tenant")
	return err
}

// stopped is the change that the new check fails.
func (s *demo) stopped(ctx context.Context) error {
	if err := s.git(ctx, "switch", "-q", "-c", "refunds"); err != nil {
		return err
	}
	if err := s.commit(ctx, "lena", "6-refunds", "List refunds"); err != nil {
		return err
	}
	return s.crev(ctx, exitBlocked, "gate", "--base", "HEAD~1")
}

// crev runs a command of crev in the repository, as somebody would type it, and
// checks how it ends.
func (s *demo) crev(ctx context.Context, want int, args ...string) error {
	s.say("$ crev %s", strings.Join(args, " "))
	var progress strings.Builder
	got := run(ctx, world{
		in: strings.NewReader(""), out: s.page, err: &progress, dir: s.dir,
		// The story is the same inside of a workflow and outside.
		env: func(name string) string {
			if name == "PATH" {
				return s.w.env(name)
			}
			return ""
		},
		now: func() time.Time { return s.at },
	}, args)
	if got != want {
		return fmt.Errorf("crev %s ended with status %d, not %d: %s", strings.Join(args, " "), got, want, oneLine(progress.String()))
	}
	if got != exitClean {
		s.say("(exit status %d)", got)
	}
	return nil
}
