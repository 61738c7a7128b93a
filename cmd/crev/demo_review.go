package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// push is a commit on a pull request and the review that follows.
func (s *demo) push(p *demoPull, folder, message string) func(context.Context) error {
	return func(ctx context.Context) error {
		if p.head == "" {
			if err := s.branch(ctx, p.branch); err != nil {
				return err
			}
		}
		if err := s.commit(ctx, p.author, folder, message); err != nil {
			return err
		}
		return s.review(ctx, p)
	}
}

// review runs crev on the head of a pull request, as a push would.
func (s *demo) review(ctx context.Context, p *demoPull) error {
	return s.with(ctx, func(repo *git.Repo, in review.Request, d review.Deps) error {
		var err error
		if p.head, err = repo.Resolve(ctx, "HEAD"); err != nil {
			return err
		}
		p.base = in.Base
		in.PR, in.Head, in.Title, in.Author, in.LedgerMode = p.number, p.head, p.title, p.author, review.LedgerLocal
		d.Forge = p
		out, err := review.Run(ctx, in, d)
		if err != nil {
			return err
		}
		if err := projection.WriteText(s.page, told(out.Report)); err != nil {
			return err
		}
		s.threads(p)
		s.lines(out.Events)
		return nil
	})
}

// told is a report without what is of use in a log: what the machine can do, in
// which file the new lines are.
func told(r projection.Report) *projection.Report {
	r.Sandbox, r.LedgerWhere = "", ""
	return &r
}

// with opens the repository for one run of crev against main.
func (s *demo) with(ctx context.Context, run func(*git.Repo, review.Request, review.Deps) error) error {
	repo, err := git.Open(ctx, s.dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	base, err := repo.Resolve(ctx, "main")
	if err != nil {
		return err
	}
	s.runs++
	in := review.Request{
		Run: fmt.Sprintf("demo.%d", s.runs), Base: base, Head: base, BaseRef: "main", ModelName: "scripted",
	}
	return run(repo, in, review.Deps{
		// The scripts of the story are part of crev.
		Repo: repo, Runner: lazyRunner(ctx, sandbox.Options{Unsafe: true}),
		Rand: rand.Reader, Now: func() time.Time { return s.at },
		Connect: func(review.ModelConfig) (review.Model, string, error) { return s.model, "", nil },
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
		Ledgers: func(context.Context, string) ([]fs.FS, error) {
			return []fs.FS{os.DirFS(filepath.Join(s.dir, ".crev", "ledger"))}, nil
		},
	})
}

// threads says what the pull request shows afterwards.
func (s *demo) threads(p *demoPull) {
	for _, t := range p.threads {
		state := "open"
		if t.Resolved {
			state = "resolved"
		}
		s.say("thread %s of #%d on %s: %s, about %s", t.ID, p.number, t.Path, state, t.Defect)
	}
}

// lines names what a run adds to the ledger, a line an event.
func (s *demo) lines(events []ledger.Event) {
	var kinds []string
	for _, e := range events {
		if e.Opened != nil && s.defect == "" {
			s.defect = e.Defect
		}
		kinds = append(kinds, strings.TrimSpace(string(e.Kind())+" "+string(e.Defect)))
	}
	s.say("ledger adds: %s", strings.Join(kinds, ", "))
}
