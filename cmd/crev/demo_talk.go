package main

import (
	"context"
	"strings"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/review"
)

// answered merges one pull request, reviews the next and lets people answer.
func (s *demo) answered(merged, next *demoPull) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := s.merge(ctx, merged); err != nil {
			return err
		}
		if err := s.push(next, "4-sum", "Sum of the invoices")(ctx); err != nil {
			return err
		}
		s.forge.speak(next, s.at, "maria", "tests/invoices_sum.sh", "Literal amounts are fine in our tests, we only name them in shipped code.")
		s.forge.speak(next, s.at, "omar", "api/invoices.sh", "False alarm: param already checks the customer against the session.")
		return s.learn(ctx, next)
	}
}

// disputed reviews a pull request under the new rule, which somebody wants
// turned round.
func (s *demo) disputed(p *demoPull) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := s.push(p, "5-count", "Count the invoices")(ctx); err != nil {
			return err
		}
		s.forge.speak(p, s.at, "lena", "", "@crev remember: numbers in tests always get a name.")
		return s.learn(ctx, p)
	}
}

// merge ends a pull request: its events become part of every later view.
func (s *demo) merge(ctx context.Context, p *demoPull) error {
	if err := s.git(ctx, "switch", "-q", "main"); err != nil {
		return err
	}
	if _, err := s.gitAs(ctx, p.author, "merge", "-q", "--no-ff", "-m", "Merge "+p.branch, p.branch); err != nil {
		return err
	}
	return s.with(ctx, func(_ *git.Repo, in review.Request, d review.Deps) error {
		in.LedgerMode = review.LedgerLocal
		_, events, err := review.Settle(ctx, in, []review.Ended{{PR: p.number, Head: p.head, Commit: in.Base}}, d)
		if err != nil {
			return err
		}
		s.lines(events)
		s.say("")
		return nil
	})
}

// learn reads what was said on a pull request and shows it with crev's answers.
func (s *demo) learn(ctx context.Context, p *demoPull) error {
	return s.with(ctx, func(repo *git.Repo, in review.Request, d review.Deps) error {
		d.Forge, d.Conversation = p, &s.forge
		d.Experts = &review.Experts{Repo: repo, Head: in.Base, Now: s.at, People: &s.forge}
		s.forge.answers = nil
		got, err := review.Learn(ctx, in, d)
		if err != nil {
			return err
		}
		for _, a := range s.forge.answers {
			s.say("\n%s: %s\ncrev:", a.to.By, a.to.Body)
			for line := range strings.Lines(a.body) {
				s.say("  %s", strings.TrimRight(line, "\n"))
			}
		}
		s.say("")
		for _, m := range got.Memory {
			s.say("memory: %s", m)
		}
		for _, n := range got.Notes {
			s.say("note: %s", n)
		}
		s.lines(got.Events)
		return nil
	})
}
