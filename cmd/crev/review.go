package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model/openai"
	"github.com/crev-ratchet/crev/internal/model/replay"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// reviewFlags are the flags that review and gate share.
type reviewFlags struct {
	base, head, run string
	json, quiet     bool
	// progress is set by open.
	progress *progress
}

func (f *reviewFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&f.base, "base", "", "`commit` or branch the change goes to (default: the remote's default branch)")
	flags.StringVar(&f.head, "head", "HEAD", "`commit` or branch to look at")
	flags.StringVar(&f.run, "run", "", "`id` of this run (default: made from the time)")
	flags.BoolVar(&f.json, "json", false, "print one JSON object on standard output")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
}

// settings are the values of a flag that may be repeated.
type settings []string

// String is how the flag's default prints.
func (s *settings) String() string { return strings.Join(*s, " ") }

// Set adds one value.
func (s *settings) Set(value string) error {
	*s = append(*s, value)
	return nil
}

func gateCommand(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	var f reviewFlags
	f.register(flags)
	in, d, err := f.open(ctx, w, flags, args)
	if err != nil {
		return err
	}
	defer d.Repo.Close()
	out, err := review.Gate(ctx, in, d)
	if err != nil {
		return err
	}
	return f.show(w, out, false)
}

func reviewCommand(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	var f reviewFlags
	f.register(flags)
	var (
		record = flags.String("record", "", "write model requests and replies into `DIR`")
		play   = flags.String("replay", "", "answer model requests from `DIR` instead of an endpoint")
		strict = flags.Bool("strict", false, "exit 3 when the review could not be completed")
		parts  partFlags
		set    settings
	)
	flags.Var(&set, "set", "change a key of the configuration for this run, `KEY=VALUE` as gate.mode=enforce; repeat for more")
	parts.register(flags)
	in, d, err := f.open(ctx, w, flags, args)
	if err != nil {
		return err
	}
	defer d.Repo.Close()
	if err := parts.fill(&in); err != nil {
		return err
	}
	in.LedgerMode, in.Set = review.LedgerLocal, set
	d.Ledgers = func(context.Context, string) ([]fs.FS, error) {
		return workTreeLedger(d.Repo.Dir())
	}
	in.ModelName = w.env("CREV_MODEL")
	d.Connect = modelSettings{
		baseURL: w.env("OPENAI_BASE_URL"), key: w.env("OPENAI_API_KEY"),
		record: *record, replay: *play, log: d.Log,
		secrets: []string{w.env("GITHUB_TOKEN")},
		howTo:   "set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, and CREV_MODEL",
	}.connect
	switch in.Part {
	case review.PartPlan:
		return f.plan(ctx, w, in, d)
	case review.PartBatch:
		return f.batch(ctx, w, in, d)
	}
	out, err := review.Run(ctx, in, d)
	if err != nil {
		return err
	}
	return f.show(w, out, *strict)
}

// open parses the flags and opens the repository. The caller closes it.
func (f *reviewFlags) open(ctx context.Context, w world, flags *flag.FlagSet, args []string) (review.Request, review.Deps, error) {
	if err := noArgs(flags, args); err != nil {
		return review.Request{}, review.Deps{}, err
	}
	repo, err := git.Open(ctx, w.dir)
	if err != nil {
		return review.Request{}, review.Deps{}, err
	}
	in, err := f.request(ctx, w, repo)
	if err != nil {
		return in, review.Deps{}, errors.Join(err, repo.Close())
	}
	return in, f.deps(ctx, w, repo), nil
}

func noArgs(flags *flag.FlagSet, args []string) error {
	rest, err := parse(flags, args)
	if err == nil && len(rest) > 0 {
		err = usagef("%s: unexpected %q; it takes flags only", flags.Name(), rest[0])
	}
	return err
}

// workTreeLedger reads the run files of a work tree. It follows no link: what is
// elsewhere is not this repository's memory.
func workTreeLedger(dir string) ([]fs.FS, error) {
	store, err := ledger.OpenStore(dir)
	if err != nil {
		return nil, err
	}
	// The store stays open as long as its files are read, until the end.
	files, err := store.FS()
	if err != nil {
		return nil, err
	}
	return []fs.FS{files}, nil
}

// request resolves the two ends of the change on a laptop.
func (f *reviewFlags) request(ctx context.Context, w world, repo *git.Repo) (review.Request, error) {
	in := review.Request{Run: f.run, NoScripts: ""}
	if in.Run == "" {
		in.Run = "local-" + w.now().Format("20060102T150405") + "-" + strings.ToLower(rand.Text()[:6]) + ".1"
	}
	var err error
	if in.Head, err = repo.Resolve(ctx, f.head); err != nil {
		return in, usagef("%v; pass --head with a commit or branch of this clone", err)
	}
	if f.base != "" {
		if in.Base, err = repo.Resolve(ctx, f.base); err != nil {
			return in, usagef("%v; pass --base with a commit or branch of this clone", err)
		}
		return in, nil
	}
	_, in.Base, err = defaultBase(ctx, repo)
	return in, err
}

// defaultBase is the branch that changes go to where nothing says otherwise: its
// name and its commit.
func defaultBase(ctx context.Context, repo *git.Repo) (name, commit string, err error) {
	for _, name := range []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"} {
		if commit, err := repo.Resolve(ctx, name); err == nil {
			return name, commit, nil
		}
	}
	return "", "", usagef("no default branch found; pass --base with the commit or branch the change goes to")
}

// deps is the world of a run on a laptop, without model and GitHub.
func (f *reviewFlags) deps(ctx context.Context, w world, repo *git.Repo) review.Deps {
	out := io.Writer(io.Discard)
	if !f.quiet {
		out = w.err
	}
	f.progress = newTerminalProgress(out, w.env)
	return review.Deps{
		Repo:     repo,
		Runner:   lazyRunner(ctx, sandbox.Options{}),
		Redactor: finding.NewRedactor(w.env("OPENAI_API_KEY"), w.env("GITHUB_TOKEN")),
		Rand:     rand.Reader,
		Now:      w.now,
		Log:      slog.New(f.progress),
	}
}

// lazyRunner makes the sandbox of a run when its first script is to run.
func lazyRunner(ctx context.Context, o sandbox.Options) func(read []string) *sandbox.Runner {
	return func(read []string) *sandbox.Runner {
		o.Read = read
		return sandbox.New(ctx, o)
	}
}

// show prints the outcome and turns it into an exit status. Only a validator
// makes it 1.
func (f *reviewFlags) show(w world, out *review.Outcome, strict bool) error {
	f.progress.done()
	var err error
	if f.json {
		err = printJSON(w.out, summaryOf(out))
	} else {
		err = projection.WriteText(w.out, &out.Report)
	}
	return errors.Join(err, status(out, strict))
}

func status(out *review.Outcome, strict bool) error {
	switch {
	case out.Blocked:
		return &exitError{status: exitBlocked}
	case strict && out.Report.Conclusion != projection.Passed:
		return &exitError{status: exitIncomplete}
	}
	return nil
}

// modelSettings say which model to ask, beside the base's configuration.
type modelSettings struct {
	baseURL, key   string
	record, replay string
	log            *slog.Logger
	// secrets are taken out of error messages, besides the key.
	secrets []string
	// howTo tells what to set when there is no model.
	howTo string
}

// defaultBaseURL is where a key without a base URL belongs.
const defaultBaseURL = "https://api.openai.com/v1"

// connect opens the model. Missing settings are no error: a run without a model
// still gates, tracks, and says what it lacks.
func (s modelSettings) connect(c review.ModelConfig) (review.Model, string, error) {
	if s.replay != "" {
		p, err := replay.Open(os.DirFS(s.replay))
		if err != nil {
			return nil, "", usagef("--replay: %v", err)
		}
		return p, "", nil
	}
	url := cmp.Or(s.baseURL, c.BaseURL)
	if s.key == "" && url == "" {
		return nil, "no model configured; " + s.howTo, nil
	}
	client, err := openai.New(openai.Config{
		BaseURL: cmp.Or(url, defaultBaseURL), Key: cmp.Or(s.key, "none"), Model: c.Name, Log: s.log, Secrets: s.secrets})
	if err != nil {
		return nil, "", usagef("%v", err)
	}
	if s.record == "" {
		return client, "", nil
	}
	if err := os.MkdirAll(s.record, 0o755); err != nil {
		return nil, "", fmt.Errorf("--record: %w", err)
	}
	return &replay.Recorder{Next: client, Dir: s.record}, "", nil
}

// namedModel opens the endpoint of the environment for a command that was told,
// with --model, to ask one.
func namedModel(w world, name string) (review.Model, error) {
	m, missing, err := modelSettings{
		baseURL: w.env("OPENAI_BASE_URL"), key: w.env("OPENAI_API_KEY"), log: slog.New(newProgress(w.err)),
		howTo: "set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, and CREV_MODEL",
	}.connect(review.ModelConfig{Name: name})
	if err == nil && m == nil {
		err = usagef("--model: %s", missing)
	}
	return m, err
}
