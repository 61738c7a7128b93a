package main

import (
	"context"
	"crypto/rand"
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model/replay"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// all: keeps .crev/, which go:embed would leave out.
//
//go:embed all:demo
var demoFiles embed.FS

// demoPR is the pull request of the story.
const demoPR = 42

// demoCommit is one commit of the story: files laid over those before, and files
// taken away.
type demoCommit struct {
	folder, message, tells string
}

var demoStory = []demoCommit{
	{"1-endpoint", "List invoices", "An endpoint lists invoices of the customer that the request names."},
	{"2-service", "Move invoices into a service, check the role", "The code moves to another file and gains a role check. The old lines are gone; the defect is not."},
	{"3-session", "Take the tenant from the session", "The tenant comes from the session, and a negative test shows it."},
}

// demoCommand tells the story of one defect across three commits, with real git,
// scripted answers, no network and no key.
func demoCommand(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	keep := flags.String("keep", "", "build the repository in `DIR`, which must not exist, and leave it there")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	dir := *keep
	if dir == "" {
		tmp, err := os.MkdirTemp("", "crev-demo-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(tmp) }()
		dir = filepath.Join(tmp, "shop")
	}
	s := &demo{w: w, dir: dir, at: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	if err := s.tell(ctx); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if *keep != "" {
		fmt.Fprintf(w.out, "\nThe repository is in %s. Try there:\n  crev ledger tally\n  crev ledger show %s\n  crev ledger triage --recur 1\n", dir, s.defect)
	}
	return nil
}

// demo is the story while it is told. It has a clock of its own, so that it reads
// the same each time.
type demo struct {
	w   world
	dir string
	at  time.Time
	// defect is the one the story is about.
	defect ledger.DefectID
}

func (s *demo) tell(ctx context.Context) error {
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		return err
	}
	if err := s.git(ctx, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	if err := s.commit(ctx, "0-base", "Shop"); err != nil {
		return err
	}
	if err := s.git(ctx, "switch", "-q", "-c", "invoices"); err != nil {
		return err
	}
	fmt.Fprint(s.w.out, "A pull request of three commits, reviewed after each push. The model's answers are\nscripted; everything else is what crev does in your repository.\n")
	for i, c := range demoStory {
		fmt.Fprintf(s.w.out, "\n=== Commit %c: %s ===\n%s\n\n", 'A'+i, c.message, c.tells)
		if err := s.commit(ctx, c.folder, c.message); err != nil {
			return err
		}
		if err := s.review(ctx, i+1); err != nil {
			return err
		}
	}
	return nil
}

// review runs crev on the head, as a push would.
func (s *demo) review(ctx context.Context, n int) error {
	repo, err := git.Open(ctx, s.dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	answers, err := fs.Sub(demoFiles, "demo")
	if err != nil {
		return err
	}
	player, err := replay.Open(answers)
	if err != nil {
		return err
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	base, err := repo.Resolve(ctx, "main")
	if err != nil {
		return err
	}
	out, err := review.Run(ctx, review.Request{
		Run: fmt.Sprintf("demo.%d", n), PR: demoPR, Base: base, Head: head,
		Title: "Invoices", LedgerMode: review.LedgerLocal, ModelName: "scripted",
	}, review.Deps{
		Repo: repo, Runner: lazyRunner(ctx, sandbox.Options{}),
		Rand: rand.Reader, Now: func() time.Time { return s.at },
		Connect: func(review.ModelConfig) (review.Model, string, error) { return player, "", nil },
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
		Ledgers: func(context.Context, string) ([]fs.FS, error) {
			return []fs.FS{os.DirFS(filepath.Join(s.dir, ".crev", "ledger"))}, nil
		},
	})
	if err != nil {
		return err
	}
	if err := projection.WriteText(s.w.out, &out.Report); err != nil {
		return err
	}
	fmt.Fprintln(s.w.out)
	for _, e := range out.Events {
		if e.Opened != nil {
			s.defect = e.Defect
		}
		line := strings.TrimSpace(string(e.Line()))
		_, payload, _ := strings.Cut(line, `"`+string(e.Kind())+`":`)
		fmt.Fprintf(s.w.out, "ledger  %-14s %-10s %s\n", e.Kind(), e.Defect, cut(strings.TrimSuffix(payload, "}"), 90))
	}
	return nil
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// commit lays a folder of the story over the work tree and commits it. A file of
// an earlier commit that the folder replaces by another layout stays.
func (s *demo) commit(ctx context.Context, folder, message string) error {
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
	return s.git(ctx, "commit", "-q", "-m", message)
}

// git runs one git command in the demo's repository, at the story's time.
func (s *demo) git(ctx context.Context, args ...string) error {
	_, err := git.Scratch{Dir: s.dir, Name: "Demo"}.Run(ctx, s.at, args...)
	return err
}
