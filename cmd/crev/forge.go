package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
)

// forge fits the GitHub client to what a review needs.
type forge struct {
	*github.Client
	run string
	pr  int
	// defaultBranch is where the ledger's pull request goes.
	defaultBranch string
	// owner writes to the pull request's own branch, headRef, with the token
	// of an App or a person; nil when there is none.
	owner   *github.Client
	headRef string
	// repo is the clone in which the ledger branch is held against the base;
	// nil leaves the branch as it is.
	repo *git.Repo
	auth git.Auth
	log  *slog.Logger

	once    sync.Once
	blocked error
}

// checkName is the name of crev's check run. The check is a display; what
// blocks is the exit status of the gate's job.
const checkName = "crev"

// Writable asks once what the token may do.
func (f *forge) Writable(ctx context.Context) error {
	f.once.Do(func() {
		a, err := f.Access(ctx, f.pr)
		switch {
		case err != nil:
			f.blocked = err
		case a.PullRequests == github.Refused:
			f.blocked = errors.New("the token may not write to pull requests; grant the job pull-requests: write")
		}
	})
	return f.blocked
}

func (f *forge) Head(ctx context.Context, pr int) (string, error) {
	p, err := f.PullRequest(ctx, pr)
	return p.HeadSHA, err
}

// Issue returns what an issue asks for.
func (f *forge) Issue(ctx context.Context, number int) (string, error) {
	i, err := f.Client.Issue(ctx, number)
	return i.Title + "\n\n" + i.Body, err
}

// Threads lists crev's own threads. A marker counts only where GitHub says that
// the token's owner wrote the comment.
func (f *forge) Threads(ctx context.Context, pr int) ([]projection.Thread, error) {
	all, err := f.Client.Threads(ctx, pr)
	if err != nil {
		return nil, err
	}
	self, err := f.Self(ctx)
	if err != nil {
		return nil, err
	}
	var out []projection.Thread
	for _, t := range all {
		if !t.Mine() {
			continue
		}
		first := t.Comments[0]
		id, ok := projection.DefectOf(first.Body)
		if !ok {
			continue
		}
		out = append(out, projection.Thread{
			ID: t.ID, CommentID: first.ID, Defect: id, Body: first.Body, Path: t.Path,
			Resolved: t.Resolved,
			ByPerson: t.Resolved && t.ResolvedBy != "" && !strings.EqualFold(t.ResolvedBy, self.Login),
		})
	}
	return out, nil
}

func (f *forge) Review(ctx context.Context, pr int, commit string, cs []projection.Comment) (map[ledger.DefectID]ledger.Posted, error) {
	r := github.Review{Commit: commit, Body: fmt.Sprintf("crev reviewed %s.", projection.Short(commit))}
	byMarker := map[string]ledger.DefectID{}
	for _, c := range cs {
		side := "RIGHT"
		if c.Left {
			side = "LEFT"
		}
		m := lastLine(c.Body)
		byMarker[m] = c.Defect
		r.Comments = append(r.Comments, github.LineComment{
			Marker: m, Path: c.Path, Line: c.Line, StartLine: c.StartLine, Side: side, Body: c.Body})
	}
	placed, _, err := f.CreateReview(ctx, pr, r)
	out := map[ledger.DefectID]ledger.Posted{}
	for _, p := range placed {
		out[byMarker[p.Marker]] = ledger.Posted{Kind: "thread", Comment: p.CommentID, Thread: p.ThreadID, Commit: commit, State: "open"}
	}
	return out, err
}

func (f *forge) FileComment(ctx context.Context, pr int, commit string, c projection.Comment) (ledger.Posted, error) {
	p, err := f.CreateFileComment(ctx, pr, github.FileComment{Marker: lastLine(c.Body), Commit: commit, Path: c.Path, Body: c.Body})
	return ledger.Posted{Kind: "file", Comment: p.CommentID, Thread: p.ThreadID, Commit: commit, State: "open"}, err
}

func lastLine(body string) string { return body[strings.LastIndexByte(body, '\n')+1:] }

func (f *forge) Edit(ctx context.Context, id int64, body string) error {
	return f.EditReviewComment(ctx, id, body)
}

func (f *forge) SetResolved(ctx context.Context, thread string, resolved bool) error {
	set := f.UnresolveThread
	if resolved {
		set = f.ResolveThread
	}
	err := set(ctx, thread)
	if errors.Is(err, github.ErrForbidden) {
		return fmt.Errorf("%w: %w", review.ErrForbidden, err)
	}
	return err
}

func (f *forge) Summary(ctx context.Context, pr int, body string) error {
	_, err := f.UpsertSticky(ctx, pr, projection.SummaryMarker, body)
	return err
}

// Check shows the conclusion on the head. Partial and skipped are neutral: they
// neither block nor look like a review that was done.
func (f *forge) Check(ctx context.Context, r *projection.Report, summary string) error {
	conclusion := "neutral"
	switch r.Conclusion {
	case projection.Passed:
		conclusion = "success"
	case projection.Failed:
		conclusion = "failure"
	}
	_, err := f.UpsertCheck(ctx, github.Check{
		Name: checkName, HeadSHA: r.Head, ExternalID: f.run, Conclusion: conclusion,
		Title: r.Headline(), Summary: summary, Annotations: annotations(r),
	})
	return err
}

// annotations are the failures of tier 0, at their lines.
func annotations(r *projection.Report) []github.Annotation {
	var out []github.Annotation
	for _, c := range r.Checks {
		level := github.LevelError
		if !c.Blocks() {
			level = github.LevelNotice
		}
		for _, f := range c.Failures {
			if f.Path != "" {
				out = append(out, github.Annotation{Path: f.Path, StartLine: max(1, f.Line), Level: level, Title: c.Name, Message: f.Message})
			}
		}
	}
	return out
}

// DescribeLedger keeps one comment on the ledger's pull request.
func (f *forge) DescribeLedger(ctx context.Context, branch, base, body string) error {
	if f.defaultBranch != "" {
		base = f.defaultBranch
	}
	if _, err := f.BranchHead(ctx, branch); errors.Is(err, github.ErrNotFound) {
		return nil
	}
	n, _, err := f.EnsurePullRequest(ctx, branch, base, "crev: ledger", ledgerPullRequest)
	switch {
	case errors.Is(err, github.ErrNothingToMerge):
		return nil
	case err != nil:
		return err
	}
	return f.Summary(ctx, n, body)
}

// CommitHead adds files to the branch of the pull request. The job's own token is
// not used: GitHub makes the required checks of such a commit wait for approval.
func (f *forge) CommitHead(ctx context.Context, head string, files map[string][]byte, message string) (string, error) {
	if f.owner == nil {
		return "", errors.New("ledger mode pr-branch needs the input ledger_token, the token of a GitHub App or a person: " +
			"after a push with the job's own token the required checks wait for somebody's approval")
	}
	var changes []github.File
	for p, content := range files {
		changes = append(changes, github.File{Path: p, Content: content})
	}
	sha, err := f.owner.CommitFiles(ctx, f.headRef, head, changes, message)
	return f.RepositoryURL() + "/commit/" + sha, err
}

const ledgerPullRequest = `This pull request collects what crev recorded: its diff is the ledger.

Each run adds one file under ` + "`.crev/ledger/`" + ` and edits no other, so it never conflicts with code.
Review it like any change: what is merged here becomes part of every later run.
`
