package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
)

// all: keeps .crev/, which go:embed would leave out.
//
//go:embed all:demo
var demoFiles embed.FS

// demoCommand tells the story of one defect, of what a team says to it and of
// the check that ends it, with real git, scripted answers, no network and no
// key.
func demoCommand(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	keep := flags.String("keep", "", "build the repository in `DIR`, which must not exist, and leave it there")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	dir := *keep
	if _, err := os.Lstat(dir); dir != "" && err == nil {
		return usagef("demo: %s is there already; name a folder for --keep that is not", dir)
	}
	if dir == "" {
		tmp, err := os.MkdirTemp("", "crev-demo-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(tmp) }()
		dir = filepath.Join(tmp, "shop")
	}
	// A reader who leaves early, such as head, ends the story and not the
	// program, which has a folder to take away.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGPIPE)
	defer stop()
	s, err := newDemo(w, dir)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	err = s.tell(ctx)
	switch {
	case errors.Is(s.page.err, syscall.EPIPE):
		return &exitError{status: exitUsage}
	case err != nil:
		return fmt.Errorf("demo: %w", err)
	}
	if *keep != "" {
		s.say("\nThe repository is in %s, its main branch as it was before scene 6: turn the ratchet yourself. "+
			"The branches check and refunds hold what you saw. Begin with:", *keep)
		s.say("  cd %s\n  crev ledger triage\n  crev ledger show %s\n  crev rule list", *keep, s.defect)
	}
	return s.page.Flush()
}

// demo is the story while it is told. It has a clock of its own, so that it reads
// the same each time.
type demo struct {
	w     world
	page  *page
	model review.Model
	forge demoForge
	dir   string
	at    time.Time
	// runs counts runs, to name them.
	runs int
	// defect is the one the story is about.
	defect ledger.DefectID
}

// scene is one step of the story: a heading, a line on what is new in it, and
// what happens.
type scene struct {
	title, tells string
	play         func(context.Context) error
}

func (s *demo) tell(ctx context.Context) error {
	s.say("A small shop, three pull requests, and what crev makes of them. The model's answers are scripted; " +
		"everything else is what crev does in your repository.")
	if err := s.begin(ctx); err != nil {
		return err
	}
	for i, c := range s.scenes() {
		s.say("\n=== %d. %s ===\n%s\n", i+1, c.title, c.tells)
		if err := c.play(ctx); err != nil {
			return fmt.Errorf("scene %d: %w", i+1, err)
		}
	}
	return s.git(ctx, "switch", "-q", "main")
}

// scenes are the story in its order.
func (s *demo) scenes() []scene {
	invoices := s.forge.open(42, "invoices", "Invoices", "omar")
	sum := s.forge.open(43, "sum", "Sum of the invoices", "omar")
	count := s.forge.open(44, "count", "Count the invoices", "lena")
	return []scene{
		{"A finding becomes a defect",
			"Omar opens pull request 42: an endpoint lists the invoices of whatever customer the request names.",
			s.push(invoices, "1-endpoint", "List invoices")},
		{"It moves, and is still the same",
			"The code goes to another file and gains a role check. The old lines are gone; the defect is not.",
			s.push(invoices, "2-service", "Move invoices into a service, check the role")},
		{"It closes on proof",
			"The tenant comes from the session, and a test shows it: it fails on the code before and passes now.",
			s.push(invoices, "3-session", "Take the tenant from the session")},
		{"A reply becomes a rule, a false one does not",
			"Pull request 42 is merged. In 43 the defect is back in another form, and people answer: " +
				"Maria states what the team wants, Omar what he believes of the code.",
			s.answered(invoices, sum)},
		{"The rule holds, and who set it is asked",
			"Pull request 44 has a number in a test again, and nobody has to read about it. Lena wants the opposite of Maria's rule.",
			s.disputed(count)},
		{"What keeps coming back",
			"Three pull requests took the customer from the request. crev counts, and says what to type.",
			s.triage},
		{"It becomes a check",
			"The scaffold comes from the ledger: the code that was found, its fix, a pattern. Promotion takes proof.",
			s.promote},
		{"The next change is stopped without a model",
			"Somebody does it once more. The gate fails with path and line, and no reviewer argues about it again.",
			s.stopped},
	}
}
