package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/review"
)

// learnCommand reads replies from this machine, with a token of one's own.
func learnCommand(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	var (
		base    = flags.String("base", "", "take configuration and rules from `REV` (default: the default branch)")
		issue   = flags.Int("issue", 0, "also look at issue `N`, a bug that a review should have found")
		dry     = flags.Bool("dry-run", false, "commit and post nothing")
		jsonOut = flags.Bool("json", false, "print one JSON object")
		quiet   = flags.Bool("quiet", false, "no progress on standard error")
	)
	if err := noArgs(flags, args); err != nil {
		return err
	}
	owner, name, ok := strings.Cut(w.env("GITHUB_REPOSITORY"), "/")
	token := w.env("GITHUB_TOKEN")
	if !ok || token == "" {
		return usagef("learn: set GITHUB_REPOSITORY to owner/name and GITHUB_TOKEN; in a workflow, the action does that")
	}
	out := io.Writer(io.Discard)
	if !*quiet {
		out = w.err
	}
	log := slog.New(newProgress(out))
	client, err := github.New(github.Config{
		APIURL: w.env("GITHUB_API_URL"), GraphQLURL: w.env("GITHUB_GRAPHQL_URL"), ServerURL: w.env("GITHUB_SERVER_URL"),
		Token: token, Owner: owner, Repo: name, Log: log, Now: w.now,
	})
	if err != nil {
		return usagef("learn: %v", err)
	}
	auth := git.Auth{Server: w.env("GITHUB_SERVER_URL"), Token: token}
	repo, err := git.Open(ctx, w.dir, git.WithAuth(auth))
	if err != nil {
		return err
	}
	defer repo.Close()
	branch, err := repo.DefaultBranch(ctx, "origin")
	if err != nil {
		return usagef("learn: %v", err)
	}
	head, err := defaultHead(ctx, repo, *base)
	if err != nil {
		return err
	}
	run := "local-" + w.now().Format("20060102T150405") + "-" + strings.ToLower(rand.Text()[:6]) + ".1"
	in := review.Request{Run: run, Base: head, Head: head, BaseRef: branch, RepoURL: client.RepositoryURL(), ModelName: w.env("CREV_MODEL"), Issue: *issue}
	if *dry {
		in.LedgerMode = review.LedgerReport
	}
	d := review.Deps{
		Repo: repo, Secrets: true, Redactor: finding.NewRedactor(w.env("OPENAI_API_KEY"), token),
		Rand: rand.Reader, Now: w.now, Log: log,
		Connect: modelSettings{
			baseURL: w.env("OPENAI_BASE_URL"), key: w.env("OPENAI_API_KEY"), log: log, secrets: []string{token},
			howTo: "set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, and CREV_MODEL",
		}.connect,
	}
	listen(&d, &forge{Client: client, run: run, defaultBranch: branch, repo: repo, auth: auth, log: log}, head)
	got, err := review.Learn(ctx, in, d)
	if err != nil {
		return err
	}
	if *jsonOut {
		return printJSON(w.out, learnedJSON(got))
	}
	return printLearned(w.out, got)
}

// listen equips a run with what learning needs of GitHub and of the history.
func listen(d *review.Deps, f *forge, head string) {
	talk := newTalkForge(f)
	d.Forge, d.Conversation, d.Issues = f, talk, talk
	pending := &ledgerBranch{repo: f.repo, client: f.Client, auth: f.auth}
	d.Ledgers, d.Rules = pending.events, pending.tree
	d.Experts = &review.Experts{
		Repo: f.repo, Head: head, Now: d.Now(), Remote: "origin", Auth: f.auth, People: people{f.Client},
	}
}

// people fits the GitHub client to what a dispute asks of it.
type people struct{ *github.Client }

func (p people) Access(ctx context.Context, login string) (expertise.Access, error) {
	perm, err := p.Permission(ctx, login)
	switch {
	case err != nil || perm == github.PermissionUnknown:
		return expertise.AccessUnknown, err
	case perm.CanWrite():
		return expertise.Writes, nil
	}
	return expertise.BelowWrite, nil
}

// learnJSON is what learn prints with --json. Lists are never null.
type learnJSON struct {
	Replies []review.ReplyOutcome `json:"replies"`
	Memory  []string              `json:"memory"`
	Ledger  []string              `json:"ledger"`
	Where   string                `json:"ledger_at,omitempty"`
	Waiting int                   `json:"waiting"`
	Notes   []string              `json:"notes"`
}

func learnedJSON(l *review.Learned) learnJSON {
	out := learnJSON{Replies: l.Replies, Memory: l.Memory, Ledger: []string{}, Where: l.Where, Waiting: l.Waiting, Notes: l.Notes}
	if out.Replies == nil {
		out.Replies = []review.ReplyOutcome{}
	}
	if out.Memory == nil {
		out.Memory = []string{}
	}
	if out.Notes == nil {
		out.Notes = []string{}
	}
	for _, e := range l.Events {
		out.Ledger = append(out.Ledger, strings.TrimSuffix(string(e.Line()), "\n"))
	}
	return out
}

// printLearned says what was learned, a statement a line.
func printLearned(w io.Writer, l *review.Learned) error {
	var b strings.Builder
	for _, r := range l.Replies {
		fmt.Fprintf(&b, "%s by %s: %s", r.URL, r.By, r.Outcome)
		for _, part := range []string{string(r.Reason), r.Rule, string(r.Defect)} {
			if part != "" {
				b.WriteString(" " + part)
			}
		}
		b.WriteString("\n")
	}
	for _, m := range l.Memory {
		fmt.Fprintf(&b, "memory: %s\n", m)
	}
	for _, n := range l.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	if l.Waiting > 0 {
		fmt.Fprintf(&b, "%d could not be read now and will be next time\n", l.Waiting)
	}
	if len(l.Events) == 0 {
		b.WriteString("crev learn: nothing new\n")
	} else {
		fmt.Fprintf(&b, "crev learn: %s recorded, %s\n", plural(len(l.Events), "event"), l.Where)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
