// Package projection computes what GitHub should show: one comment a defect,
// one summary, one check. It is a pure function of the ledger's state, the
// revision and what is there already; the ledger is the truth, and everything
// here may be deleted without loss.
//
// Text that came from a model or a contributor passes through Escape before it
// reaches a body.
package projection

import (
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// Conclusion says how a run ended. The zero value is not a conclusion.
type Conclusion string

// The conclusions. Only Failed blocks, and only a validator makes it.
const (
	// Passed: every batch was reviewed, every validator ran and none failed.
	Passed Conclusion = "passed"
	// Failed: a validator failed, or could not be run.
	Failed Conclusion = "failed"
	// Partial: no validator failed, and some of the change was not reviewed.
	Partial Conclusion = "partial"
	// Skipped: no validator failed, and nothing was reviewed.
	Skipped Conclusion = "skipped"
)

// Report is everything a run has to say.
type Report struct {
	// Repo is the web address of the repository, "" on a laptop.
	Repo string
	// PR is the pull request, 0 on a laptop.
	PR int
	// Base is the merge base, Head the reviewed commit, both full SHAs.
	Base, Head string
	// HeadNow is the pull request's head when the run ended, where it moved.
	HeadNow string

	Conclusion Conclusion
	// Reason explains a conclusion other than Passed.
	Reason string

	Checks   []Check
	Defects  []*ledger.Defect
	Changes  []Change
	Hidden   []Hidden
	Coverage []Coverage
	// Batches are what the change was cut into, in order, the reused one first.
	Batches []Batch
	// Proofs are of the validators that the pull request adds or changes.
	Proofs []Proof
	// Due are the classes of this run's claims that came back often enough.
	Due Due
	// Sandbox is the level that scripts ran at, "" when none ran.
	Sandbox string
	// Memory lists what replies on this pull request changed.
	Memory []MemoryChange
	// Proposed lists changes under .crev/ that the pull request itself makes:
	// they take effect after the merge.
	Proposed []string
	// Notes are what a reader should know about the run: a checker that
	// failed, a fallback that was taken.
	Notes []string
	// Model is the model's name, "" when none was asked.
	Model string
	// Tokens is what the run paid for.
	PromptTokens, CompletionTokens, CachedTokens int
	// USD is the price of the tokens, 0 when no prices are configured.
	USD float64
	// LedgerLines are the lines this run adds, LedgerWhere the link or path.
	LedgerLines []string
	LedgerWhere string
}

// Check is the result of one validator.
type Check struct {
	Name string
	Says string
	// Status is clean, found, broken, advisory or quarantined.
	Status   string
	Reason   string
	Failures []Failure
}

// Blocks reports whether the check makes the job fail.
func (c Check) Blocks() bool { return c.Status == "found" || c.Status == "broken" }

// Failure is one place a validator points at.
type Failure struct {
	Path    string
	Line    int
	Message string
}

// MemoryChange is what a reply changed.
type MemoryChange struct {
	// What is "new rule", "dismissed" or another such word, Subject the rule
	// or the defect.
	What, Subject string
	// By is the person's login, From the link of the comment, Reason what a
	// dismissal was given.
	By, From, Reason string
}

// Change is what this run did to a defect.
type Change struct {
	Defect ledger.DefectID
	// What is "opened", "reopened", "relocated", "possibly fixed",
	// "verified", "dismissed", "obsolete" or "seen again".
	What string
	// Detail says how: the place, the evidence, the unmet criterion.
	Detail string
}

// HiddenByCap is the reason of a defect that the limit of comments kept from one
// of its own. It stands in the summary like any other.
const HiddenByCap = "cap"

// InSight reports whether a defect asks for work and is shown to people.
func InSight(d *ledger.Defect) bool {
	return d.Status.Active() && (d.Hidden == nil || d.Hidden.Reason == HiddenByCap)
}

// Hidden is a finding that was not posted, and why.
type Hidden struct {
	Claim, Path string
	Line        int
	Reason, By  string
}

// State says what became of a file.
type State string

// The states of a file in a run.
const (
	Reviewed   State = "reviewed"
	Reused     State = "reused"
	Unreviewed State = "unreviewed"
	Excluded   State = "excluded"
	// NoText is a file without lines to read: a pure rename, a mode change.
	NoText State = "no text"
)

// Coverage is one changed file and what became of it.
type Coverage struct {
	Path   string
	State  State
	Reason string
}

// Thread is a conversation on GitHub that crev itself began.
type Thread struct {
	ID        string
	CommentID int64
	Defect    ledger.DefectID
	Body      string
	Path      string
	Resolved  bool
	// ByPerson is true when somebody else than crev resolved it.
	ByPerson bool
}

// Comment is one comment to post.
type Comment struct {
	Defect ledger.DefectID
	Path   string
	// Line and StartLine are 1-based; StartLine is 0 for a single line; Line
	// is 0 for a comment on the whole file.
	Line, StartLine int
	// Left is true for removed lines.
	Left bool
	Body string
}

// Edit is a new body for a comment that exists.
type Edit struct {
	Defect    ledger.DefectID
	CommentID int64
	Body      string
}

// Plan is what to change on GitHub, in order of defect.
type Plan struct {
	// Comments go into one review; Files are comments on whole files.
	Comments, Files []Comment
	Edits           []Edit
	Resolve         []Thread
	Unresolve       []Thread
	// InSummary are active defects that have no comment of their own.
	InSummary []ledger.DefectID
	// Capped are defects left out of the review by the limit.
	Capped []ledger.DefectID
}

// Limits bound a plan.
type Limits struct {
	// MaxComments is the most line comments of one review.
	MaxComments int
	// Threads false puts every defect into the summary.
	Threads bool
	// Suggestions allows suggestion blocks.
	Suggestions bool
}

// Input is what Decide looks at.
type Input struct {
	Report  *Report
	Files   []*diff.File
	Threads []Thread
	// Shown are the defects this run wants to show: those it opened or
	// reopened, and known ones that are not hidden.
	Shown map[ledger.DefectID]bool
	// Reopened are the defects reopened by this run.
	Reopened map[ledger.DefectID]bool
	// Text returns a file at the head, nil when there is none. It is used to
	// check suggestions.
	Text func(path string) []byte
	Limits
}
