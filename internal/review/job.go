package review

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/sandbox"
	"github.com/crev-ratchet/crev/internal/session"
	"github.com/crev-ratchet/crev/internal/validator"
)

// job is one run on its way through the stages. Each stage reads what the
// stages before it left here and adds its own part.
type job struct {
	in Request
	d  Deps

	// The revision.
	cfg Config
	// limits are the gate's, origins say whose each is.
	limits     gate.Thresholds
	origins    []gate.Origin
	mergeBase  string
	baseTree   fs.FS
	headTree   fs.FS
	files      []*diff.File
	validators []validator.Validator
	// trust is what the base's ledger says of validators, ran what they
	// said in this run, and level the best one a script of theirs ran at.
	trust trust
	ran   []ran
	level sandbox.Level
	// said are the claims of promoted classes, filled when first asked for.
	said   map[string]map[string]bool
	runner *sandbox.Runner
	// tracked are the paths of the head's tree.
	tracked []string

	// What is known.
	events []ledger.Event
	past   []ledger.Event
	state  *ledger.State
	memory memory
	// ruleFiles are the records and the index that settling has to write.
	ruleFiles map[string][]byte
	sights    []sight
	reopened  map[ledger.DefectID]bool
	// sinceReview are the lines that changed since the latest complete
	// review, by path; nil when there was none.
	sinceReview map[string][]diff.Range

	// What is new.
	cut      batch.Plan
	coverage map[string]projection.Coverage
	prompts  string
	results  []*result
	// extra are the claims of checkers that look at the whole change.
	extra []claim
	// reused are the files that an earlier run read with the same content.
	reused []batch.ReusedFile
	// readFiles are the changed files that reviewers read.
	readFiles []*diff.File
	// reviewers are asked about every batch in their scope.
	reviewers []reviewer
	// checkers look at what they find, in this order.
	checkers []checker.Checker
	// uses are where other code names what the change touches.
	uses   *uses
	claims []claim
	// born are the ids given out in this run; standing are the defects with a
	// claim of this run that nothing hides.
	born, standing map[ledger.DefectID]bool
	// worst is the worst severity of the standing sightings of a defect.
	worst  map[ledger.DefectID]finding.Severity
	model  Model
	budget *budget
	// session says what is allowed next; journal is its record, nil for a run
	// that cannot be resumed; stamp is the time of its first start.
	session *session.Session
	journal *session.Journal
	stamp   time.Time
	// memo answers requests of no batch from the journal.
	memo *session.Paid
	// slots bounds how many requests are under way at once.
	slots chan struct{}

	report projection.Report
	shown  projection.Plan
}

// newJob resolves the revision and reads the configuration from its base.
func newJob(ctx context.Context, in Request, d Deps) (*job, error) {
	j := &job{in: in, d: d, coverage: map[string]projection.Coverage{},
		reopened: map[ledger.DefectID]bool{}, born: map[ledger.DefectID]bool{}, standing: map[ledger.DefectID]bool{},
		worst: map[ledger.DefectID]finding.Severity{}}
	var err error
	if j.in.Head, err = d.Repo.Resolve(ctx, in.Head); err != nil {
		return nil, fmt.Errorf("find the head: %w", err)
	}
	if j.in.Base, err = d.Repo.Resolve(ctx, in.Base); err != nil {
		return nil, fmt.Errorf("find the base: %w", err)
	}
	if j.mergeBase, err = d.Repo.MergeBase(ctx, j.in.Base, j.in.Head); err != nil {
		return nil, fmt.Errorf("find where %s left %s: %w", projection.Short(j.in.Head), projection.Short(j.in.Base), err)
	}
	// The tip of the base branch is the trust root: what was merged since the
	// pull request began counts as well.
	if j.baseTree, err = d.Repo.Tree(ctx, j.in.Base, ""); err != nil {
		return nil, err
	}
	if j.headTree, err = d.Repo.Tree(ctx, j.in.Head, ""); err != nil {
		return nil, err
	}
	if err := j.configure(); err != nil {
		return nil, err
	}
	if j.checkers, err = j.cfg.checkersOf(); err != nil {
		return nil, fmt.Errorf("%s: %w", ConfigPath, err)
	}
	if in.ModelName != "" {
		j.cfg.Model.Name = in.ModelName
	}
	if in.Draft && !j.cfg.Drafts && j.in.NoModel == "" {
		j.in.NoModel = "no model: the pull request is a draft"
	}
	if j.in.NoModel == "" && d.Connect != nil {
		if j.model, j.in.NoModel, err = d.Connect(j.cfg.Model); err != nil {
			return nil, err
		}
	}
	if d.Forge != nil && in.PR != 0 && j.model != nil {
		// Asked before money is spent on what could not be shown.
		if err := d.Forge.Writable(ctx); err != nil {
			j.model, j.in.NoModel = nil, "nothing could be posted: "+err.Error()
		}
	}
	if j.in.LedgerMode == "" {
		j.in.LedgerMode = j.cfg.Ledger.Mode
	}
	for _, name := range j.cfg.Builtins {
		if !slices.ContainsFunc(validator.Builtins(), func(b validator.Builtin) bool { return b.Name == name }) {
			return nil, fmt.Errorf("%s: builtins: there is no built-in validator %q", ConfigPath, name)
		}
	}
	entries, err := d.Repo.Files(ctx, j.in.Head)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		j.tracked = append(j.tracked, e.Path)
	}
	found, err := d.Repo.Diff(ctx, j.mergeBase, j.in.Head, git.DiffOptions{})
	if err != nil {
		return nil, err
	}
	for i := range found {
		j.files = append(j.files, &found[i])
	}
	j.budget = newBudget(j.cfg.Model, d.Now)
	j.slots = make(chan struct{}, j.cfg.Model.Parallel)
	j.report = projection.Report{
		Repo: in.RepoURL, PR: in.PR, Base: j.mergeBase, Head: j.in.Head,
	}
	j.report.Proposed = j.proposed()
	j.changedWorkflows()
	return j, nil
}

// proposed lists what the pull request changes under .crev/, apart from the
// ledger: content under review that judges nobody yet.
func (j *job) proposed() []string {
	var out []string
	for _, f := range j.files {
		p := f.Path()
		if strings.HasPrefix(p, ".crev/") && !strings.HasPrefix(p, ".crev/ledger/") {
			out = append(out, j.redact(p+" "+string(f.Status)+proposedRule(f, j.headTree)))
		}
	}
	return out
}

// note adds a remark to the report and the log.
func (j *job) note(format string, args ...any) {
	s := j.redact(fmt.Sprintf(format, args...))
	if !slices.Contains(j.report.Notes, s) {
		j.report.Notes = append(j.report.Notes, s)
		j.d.Log.Warn(s)
	}
}

func (j *job) redact(s string) string { return j.d.Redactor.Redact(s) }

// file returns the changed file of a path, by its new name or its old one.
func (j *job) file(p string) *diff.File {
	for _, f := range j.files {
		if f.Path() == p {
			return f
		}
	}
	for _, f := range j.files {
		if f.OldPath == p {
			return f
		}
	}
	return nil
}

// text reads a file of the head, nil when it is not there or not a file.
func (j *job) text(p string) []byte { return readText(j.headTree, p) }

// oldText reads a file of the merge base.
func (j *job) oldText(ctx context.Context, p string) []byte {
	b, err := j.d.Repo.ReadFile(ctx, j.mergeBase, p)
	if err != nil {
		return nil
	}
	return b
}

func readText(tree fs.FS, p string) []byte {
	if !fs.ValidPath(path.Clean(p)) {
		return nil
	}
	b, err := fs.ReadFile(tree, p)
	if err != nil {
		return nil
	}
	return b
}

// add seals an event of this run and puts it with the others.
func (j *job) add(e ledger.Event) {
	e.Run, e.PR, e.At = j.in.Run, j.in.PR, j.now()
	if e.FP == "" {
		e.FP = ledger.NoClass
	}
	sealed, err := ledger.Seal(e)
	if err != nil {
		// Only this program's own values are sealed here.
		panic(fmt.Sprintf("review: seal an event: %v", err))
	}
	j.events = append(j.events, sealed)
}

// refold computes the state with the events of this run.
func (j *job) refold() {
	j.state = ledger.Fold(slices.Concat(j.past, j.events), ledger.View{PR: j.in.PR})
}

// anchorAt builds a location of the head with its redacted surroundings.
func (j *job) anchorAt(l finding.Location, text []byte) finding.Location {
	if l.Start > 0 && text != nil {
		l.Anchor = finding.NewAnchor(text, l.Start, j.redact)
	}
	return l
}
