// Package review takes one event from end to end: revision, batches, findings,
// gate, checkers, reconcile, ledger, projection. Run in run.go reads in that
// order. It is the only caller of the model and the only place that decides
// when something is sent, stored or posted.
package review

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/sandbox"
)

// Model answers requests. model/openai and model/replay are models.
type Model interface {
	Complete(context.Context, model.Request) (model.Reply, error)
}

// Forge is the place where a pull request lives, as review needs it. Every
// method reports what exists afterwards, read back, never what was asked for.
type Forge interface {
	// Writable says why comments cannot be posted, nil when they can. It is
	// asked before money is spent.
	Writable(ctx context.Context) error
	// Head is the pull request's head commit now.
	Head(ctx context.Context, pr int) (string, error)
	// Issue returns title and body of an issue of the repository.
	Issue(ctx context.Context, number int) (string, error)
	// Threads lists the threads that crev itself began.
	Threads(ctx context.Context, pr int) ([]projection.Thread, error)
	// Review posts comments in one review on commit, and returns those that
	// exist afterwards by defect. What could not be placed is left out.
	Review(ctx context.Context, pr int, commit string, cs []projection.Comment) (map[ledger.DefectID]ledger.Posted, error)
	// FileComment posts a comment on a whole file.
	FileComment(ctx context.Context, pr int, commit string, c projection.Comment) (ledger.Posted, error)
	Edit(ctx context.Context, commentID int64, body string) error
	// SetResolved resolves a thread or opens it again. ErrForbidden says that
	// the token may not.
	SetResolved(ctx context.Context, threadID string, resolved bool) error
	// Summary creates or updates the one summary comment.
	Summary(ctx context.Context, pr int, body string) error
	// Check creates or updates the check run of the head.
	Check(ctx context.Context, r *projection.Report, summary string) error
	// CommitLedger adds files to the ledger branch and keeps its pull request
	// open. It returns where a reader finds them.
	CommitLedger(ctx context.Context, branch, base string, files map[string][]byte, message string) (string, error)
	// DescribeLedger shows a text in the ledger's pull request, in the place of
	// the one that it showed before. Without an open one it does nothing.
	DescribeLedger(ctx context.Context, branch, base, body string) error
	// CommitHead adds files to the pull request's own branch, on top of head
	// and nothing else.
	CommitHead(ctx context.Context, head string, files map[string][]byte, message string) (string, error)
}

// ErrForbidden is returned by a Forge when the token lacks a permission; the
// error that wraps it names the permission.
var ErrForbidden = errors.New("the token may not")

// Request says what to review and under which name.
type Request struct {
	// Run is the id of this run, "1017.1" in Actions.
	Run string
	// PR is the pull request, 0 on a laptop.
	PR int
	// Base is the commit of the target branch, Head the commit to review.
	Base, Head string
	// BaseRef is the target branch's name, for the ledger's pull request.
	BaseRef string
	// Title and Description are what the author says of the change.
	Title, Description string
	// Author is the login of the change's author, "" on a laptop.
	Author string
	// RepoURL is the repository's web address, "" on a laptop.
	RepoURL string
	// ModelName is the model to ask, "" for the configured one.
	ModelName string
	// Draft says that the pull request is a draft: no model is asked unless the
	// base's configuration wants drafts reviewed.
	Draft bool
	// NoModel says why no model is asked, "" when one may be: a fork, a
	// draft, no key.
	NoModel string
	// NoScripts says why nothing of the head is executed, "" when it may be:
	// an event that holds secrets.
	NoScripts string
	// LedgerMode is one of the ledger modes, "" for the configured one.
	LedgerMode string
	// Session is a folder for the journal of the run, from which a killed one
	// goes on; "" for none.
	Session string
	// Part is how much of the review this process does, Batch the batch of
	// PartBatch.
	Part  Part
	Batch string
	// Set changes keys of the base's configuration for this run, each as
	// gate.mode=enforce. It is for who runs crev by hand: the base alone
	// configures a review that others read.
	Set []string
	// ReportDir is where LedgerReport puts the run file, "" for nowhere.
	ReportDir string
	// Heard is the comment whose event woke Learn, as it was then; nil for
	// none.
	Heard *Said
	// Issue is the number of an issue that Learn looks at, 0 for none.
	Issue int
}

// Deps is the world a run works in.
type Deps struct {
	Repo *git.Repo
	// Ledgers returns the trees that hold newer events than the base, each
	// rooted at .crev/ledger: the ledger branch, or the work tree on a
	// laptop. nil means none.
	Ledgers func(ctx context.Context, branch string) ([]fs.FS, error)
	// Rules returns the tree that holds newer rules than the base, rooted at
	// the repository: the ledger branch. A nil tree means that there is none;
	// a review asks with rules.activate at_once only, Learn always.
	Rules func(ctx context.Context, branch string) (fs.FS, error)
	// Connect opens the model, or says why there is none. nil means none.
	Connect func(ModelConfig) (m Model, missing string, err error)
	// Forge is nil on a laptop.
	Forge Forge
	// Conversation is what Learn listens to; nil elsewhere.
	Conversation Conversation
	// Issues is nil where issues cannot be read.
	Issues Issues
	// Experts settle conflicts about a rule; nil knows nobody, and then every
	// rule stays.
	Experts *Experts
	// Runner makes what runs scripts, with more folders that they may read. It
	// is asked once, and only when there is a script to run: finding the
	// level of a machine takes a moment.
	Runner func(read []string) *sandbox.Runner
	// Secrets says that this process holds a model key or a token that may
	// write: nothing runs outside of the sandbox then.
	Secrets bool
	// Redactor knows the secrets of this process.
	Redactor *finding.Redactor
	// Rand is the source of fences.
	Rand io.Reader
	// Now is the clock.
	Now func() time.Time
	// Log takes one line a step.
	Log *slog.Logger
}

// Outcome is what a run came to.
type Outcome struct {
	Report projection.Report
	// Blocked is true when a validator failed or could not be run. Nothing
	// else sets it.
	Blocked bool
	// Open and New count defects that are shown: active ones, and those this
	// run opened.
	Open, New int
	// Events are what this run adds to the ledger.
	Events []ledger.Event
	// Trail says for every file that was read in which batch it was, and why;
	// Counts say what each phase of the cut came to.
	Trail  []batch.Placement
	Counts batch.Counts
	// Limits are the gate's, and where each comes from.
	Limits []gate.Origin
	// Plan is what was decided for GitHub; empty on a laptop.
	Plan projection.Plan
}
