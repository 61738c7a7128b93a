package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// The modes of the action. Without the input, the event decides.
const (
	modeGate   = "gate"
	modeReview = "review"
	modeSettle = "settle"
	modeLearn  = "learn"
)

// action is one run as a step of a workflow.
type action struct {
	w     world
	act   *github.Actions
	rt    github.Runtime
	event github.Event
	in    inputs
	log   *slog.Logger
}

// actionCommand reads the event and the inputs and runs the command they ask
// for.
func actionCommand(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	if err := noArgs(flags, args); err != nil {
		return err
	}
	a := &action{w: w, act: github.NewActions(w.env, w.out), log: slog.New(newProgress(w.err))}
	a.rt = a.act.Runtime()
	if a.rt.EventName == "" || a.rt.EventPath == "" {
		return usagef("action: GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are not set; this command runs in a workflow, try crev review")
	}
	a.in = readInputs(a.act)
	for _, secret := range a.in.secrets() {
		a.act.Mask(secret)
	}
	forgetSecrets()
	if err := a.in.check(); err != nil {
		return err
	}
	payload, err := os.ReadFile(a.rt.EventPath)
	if err != nil {
		return usagef("action: read the event: %v", err)
	}
	if a.event, err = github.ParseEvent(a.rt.EventName, payload); err != nil {
		return usagef("action: %v", err)
	}
	switch mode := a.in.mode; mode {
	case "":
		return a.run(ctx, a.modeOfEvent())
	case modeGate, modeReview, modeSettle, modeLearn, modePlan, modeBatch, modeCollect:
		return a.run(ctx, mode)
	default:
		return usagef("action: mode %q; want %s, %s, %s or %s, or in a matrix %s, %s or %s", mode,
			modeGate, modeReview, modeSettle, modeLearn, modePlan, modeBatch, modeCollect)
	}
}

// modeOfEvent is what an event asks for when no input says it.
func (a *action) modeOfEvent() string {
	pr := a.event.PullRequest
	switch {
	case a.event.Kind == github.KindMergeGroup:
		return modeGate
	case a.event.Kind == github.KindComment, a.event.Kind == github.KindReviewComment,
		a.event.Kind == github.KindSchedule, a.event.Kind == github.KindDispatch, a.event.Kind == github.KindIssue:
		return modeLearn
	case a.event.IsDefaultBranchPush(), pr != nil && pr.State == "closed":
		return modeSettle
	}
	return modeReview
}

func (a *action) run(ctx context.Context, mode string) error {
	switch mode {
	case modeSettle:
		return a.settle(ctx)
	case modeLearn:
		return a.learn(ctx)
	}
	in, why, err := a.request()
	if err != nil {
		return err
	}
	if why != "" {
		fmt.Fprintf(a.w.out, "crev skipped: %s\n", why)
		if mode == modePlan {
			return a.act.SetOutputList("batches", nil)
		}
		return a.outputs(&review.Outcome{Report: projection.Report{Conclusion: projection.Skipped, Reason: why}})
	}
	repo, auth, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	if err := a.fetch(ctx, repo, in, auth); err != nil {
		return err
	}
	d := a.deps(ctx, repo)
	if mode == modeGate {
		// The gate's job has the job's own token only, and reads with it.
		d.Secrets = a.in.apiKey != "" || a.in.ledgerToken != ""
		out, err := review.Gate(ctx, in, d)
		if err != nil {
			return err
		}
		return a.finish(out)
	}
	if err := a.equip(repo, auth, &in, &d); err != nil {
		return err
	}
	in.Session = a.sessionDir(mode)
	if mode != modeReview {
		return a.part(ctx, mode, in, d)
	}
	out, err := review.Run(ctx, in, d)
	if err != nil {
		return err
	}
	return a.finish(out)
}

// open opens the checkout with the job's token.
func (a *action) open(ctx context.Context) (*git.Repo, git.Auth, error) {
	var auth git.Auth
	if token := a.in.githubToken; token != "" {
		auth = git.Auth{Server: a.rt.ServerURL, Token: token}
	}
	repo, err := git.Open(ctx, a.workspace(), git.WithAuth(auth))
	if err != nil {
		return nil, auth, fmt.Errorf("%w; check the repository out before this step, with fetch-depth: 0", err)
	}
	return repo, auth, nil
}

// deps is what every mode works with.
func (a *action) deps(ctx context.Context, repo *git.Repo) review.Deps {
	secrets := a.in.secrets()
	return review.Deps{
		Repo:     repo,
		Runner:   lazyRunner(ctx, sandbox.Options{InActions: true, Sudo: "sudo"}),
		Secrets:  strings.Join(secrets, "") != "",
		Redactor: finding.NewRedactor(secrets...),
		Rand:     rand.Reader,
		Now:      a.w.now,
		Log:      a.log,
	}
}

func (a *action) runID() string { return fmt.Sprintf("%d.%d", a.rt.RunID, max(1, a.rt.RunAttempt)) }

func (a *action) workspace() string {
	if a.rt.Workspace != "" {
		return a.rt.Workspace
	}
	return a.w.dir
}

// request turns the event into a request, or says why there is nothing to do.
func (a *action) request() (review.Request, string, error) {
	in := review.Request{Run: a.runID(), RepoURL: a.rt.ServerURL + "/" + a.rt.Owner + "/" + a.rt.Repo}
	switch a.event.Kind {
	case github.KindMergeGroup:
		g := a.event.MergeGroup
		in.Base, in.Head, in.BaseRef = g.BaseSHA, g.HeadSHA, g.BaseRef
		in.NoModel = "a merge queue asks no model"
		return in, "", nil
	case github.KindPullRequest:
	default:
		return in, fmt.Sprintf("nothing to do for a %s event", a.rt.EventName), nil
	}
	pr := a.event.PullRequest
	if pr == nil {
		return in, "", usagef("action: the event names no pull request")
	}
	in.PR, in.Base, in.Head, in.BaseRef = pr.Number, pr.BaseSHA, pr.HeadSHA, pr.BaseRef
	in.Title, in.Description, in.Author = pr.Title, pr.Body, pr.Author
	if strings.HasPrefix(pr.HeadRef, "crev/") && !pr.Fork {
		return in, "this is crev's own pull request", nil
	}
	if a.event.Trusted {
		in.NoScripts = "the event " + a.rt.EventName + " holds secrets, so nothing of the head is executed"
	}
	switch {
	case pr.Fork && !a.event.Trusted:
		in.NoModel = "no model: a pull request from a fork has no secrets"
	case a.event.IsDependabot():
		in.NoModel = "no model: Dependabot's runs have no secrets"
	}
	in.Draft = pr.Draft
	return in, "", nil
}

// fetch makes sure that both ends of the change and their common ancestor are in
// the clone, or says what to change in the workflow.
func (a *action) fetch(ctx context.Context, repo *git.Repo, in review.Request, auth git.Auth) error {
	refs := []string{"refs/heads/" + in.BaseRef}
	if in.PR != 0 {
		refs = append(refs, fmt.Sprintf("refs/pull/%d/head", in.PR))
	}
	_, err := repo.Connect(ctx, "origin", in.Base, in.Head, refs, auth)
	return err
}

// equip adds what a review has beyond the gate: GitHub, the ledger branch and
// the model.
func (a *action) equip(repo *git.Repo, auth git.Auth, in *review.Request, d *review.Deps) error {
	in.LedgerMode = a.in.ledgerMode
	in.ReportDir = filepath.Join(a.w.env("RUNNER_TEMP"), "crev")
	if a.w.env("RUNNER_TEMP") == "" {
		in.ReportDir = ""
	}
	client, err := a.client(a.in.githubToken)
	if err != nil {
		return err
	}
	owner, err := a.client(a.in.ledgerToken)
	if err != nil {
		return err
	}
	if client != nil {
		f := &forge{Client: client, run: in.Run, pr: in.PR, defaultBranch: a.event.DefaultBranch, owner: owner,
			repo: repo, auth: auth, log: a.log}
		if pr := a.event.PullRequest; pr != nil {
			f.headRef = pr.HeadRef
		}
		d.Forge = f
	}
	pending := &ledgerBranch{repo: repo, client: client, auth: auth}
	d.Ledgers, d.Rules = pending.events, pending.tree
	in.ModelName = a.in.model
	d.Connect = modelSettings{
		baseURL: a.in.baseURL, key: a.in.apiKey, log: a.log,
		secrets: a.in.secrets(),
		howTo:   "set the inputs api_key and model, or base_url for another endpoint",
	}.connect
	return nil
}

// client speaks to GitHub with a token; nil without one.
func (a *action) client(token string) (*github.Client, error) {
	if token == "" {
		return nil, nil
	}
	c, err := github.New(github.Config{
		APIURL: a.rt.APIURL, GraphQLURL: a.rt.GraphQLURL, ServerURL: a.rt.ServerURL,
		Token: token, Owner: a.rt.Owner, Repo: a.rt.Repo, Log: a.log, Now: a.w.now,
	})
	if err != nil {
		return nil, usagef("action: %v", err)
	}
	return c, nil
}

// ledgerBranch is the branch where run files and rules wait for their merge. It
// is fetched once. client may be nil: then a failing fetch is the only way to
// learn that there is none.
type ledgerBranch struct {
	repo    *git.Repo
	client  *github.Client
	auth    git.Auth
	fetched map[string]fs.FS
}

// tree returns the files of the branch, nil when there is none.
func (b *ledgerBranch) tree(ctx context.Context, branch string) (fs.FS, error) {
	if t, ok := b.fetched[branch]; ok {
		return t, nil
	}
	t, err := b.fetch(ctx, branch)
	if err == nil {
		b.fetched = map[string]fs.FS{branch: t}
	}
	return t, err
}

func (b *ledgerBranch) fetch(ctx context.Context, branch string) (fs.FS, error) {
	if b.client != nil {
		if _, err := b.client.BranchHead(ctx, branch); errors.Is(err, github.ErrNotFound) {
			return nil, nil
		}
	}
	const into = "refs/crev/ledger"
	if err := b.repo.Fetch(ctx, "origin", []string{"+refs/heads/" + branch + ":" + into}, b.auth); err != nil {
		return nil, err
	}
	sha, err := b.repo.Resolve(ctx, into)
	if err != nil {
		return nil, err
	}
	return b.repo.Tree(ctx, sha, "")
}

// events returns the run files of the branch.
func (b *ledgerBranch) events(ctx context.Context, branch string) ([]fs.FS, error) {
	t, err := b.tree(ctx, branch)
	if t == nil || err != nil {
		return nil, err
	}
	sub, err := fs.Sub(t, ledger.Folder)
	return []fs.FS{sub}, err
}

// finish shows the outcome in the log, the step summary and the outputs.
func (a *action) finish(out *review.Outcome) error {
	if err := projection.WriteText(a.w.out, &out.Report); err != nil {
		return err
	}
	if left := a.act.Annotate(annotations(&out.Report)); left > 0 {
		fmt.Fprintf(a.w.out, "%d more failures have no annotation; all are listed above\n", left)
	}
	if err := a.act.Summary(projection.Summary(&out.Report, out.Plan)); err != nil && !errors.Is(err, github.ErrSummaryFull) {
		a.log.Warn("the step summary was not written: " + err.Error())
	}
	return errors.Join(a.outputs(out), status(out, false))
}

func (a *action) outputs(out *review.Outcome) error {
	for _, o := range []struct{ name, value string }{
		{"conclusion", string(out.Report.Conclusion)},
		{"blocked", fmt.Sprint(out.Blocked)},
		{"open", fmt.Sprint(out.Open)},
		{"new", fmt.Sprint(out.New)},
	} {
		if err := a.act.SetOutput(o.name, o.value); err != nil {
			return err
		}
	}
	return nil
}
