package github

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Kind groups events by what crev does about them.
type Kind string

// The kinds. KindOther is every event that crev has no use for.
const (
	KindPullRequest   Kind = "pull request"
	KindMergeGroup    Kind = "merge group"
	KindPush          Kind = "push"
	KindComment       Kind = "comment"
	KindIssue         Kind = "issue"
	KindReviewComment Kind = "review comment"
	KindReview        Kind = "review"
	KindThread        Kind = "thread"
	KindSchedule      Kind = "schedule"
	KindDispatch      Kind = "dispatch"
	KindOther         Kind = "other"
)

// Event is what happened, as the runner's event file tells it. Texts are those
// of the moment it happened, whatever has been edited since.
type Event struct {
	// Name is GITHUB_EVENT_NAME, Action the activity type or "".
	Name, Action string
	Kind         Kind
	// Trusted is true for pull_request_target and workflow_run: such a job
	// may hold secrets, so it must not execute anything of the head.
	Trusted bool
	// Actor is the login of who caused it; ActorType is "User" or "Bot".
	Actor, ActorType string
	// Repository is owner/name; DefaultBranch its default branch.
	Repository, DefaultBranch string
	// PullRequest is nil when the event is about none. In an issue_comment
	// event only Number, Title, Body, Author, State and Draft are known:
	// fetch the rest.
	PullRequest *EventPullRequest
	// Issue is the number of the issue of an issues event, 0 for none.
	Issue int
	// Before is the head before a push to the pull request (action
	// "synchronize"), else "".
	Before     string
	Comment    *EventComment
	MergeGroup *MergeGroup
	Push       *Push
	// Schedule is the cron line of a schedule event.
	Schedule string
	// Inputs are those of a workflow_dispatch event.
	Inputs map[string]string
}

// EventPullRequest is what an event says about its pull request.
type EventPullRequest struct {
	Number             int
	Title, Body        string
	Author, AuthorType string
	// State is "open" or "closed"; a merged one is closed.
	State            string
	Draft, Merged    bool
	MergeCommit      string
	HeadSHA, HeadRef string
	// HeadRepo is owner/name, "" when the fork was deleted.
	HeadRepo string
	// Fork is true unless the head is known to be in the base repository.
	Fork             bool
	BaseSHA, BaseRef string
}

// EventComment is the comment or review that caused an event.
type EventComment struct {
	ID int64
	// InReplyTo is the first comment of the thread, 0 for the first comment
	// itself and outside of threads.
	InReplyTo          int64
	Body               string
	Author, AuthorType string
	// Association is GitHub's author_association, which is computed without
	// the rights of an organisation.
	Association          string
	Path                 string
	Line                 int
	CommitID             string
	URL                  string
	CreatedAt, UpdatedAt time.Time
}

// MergeGroup is a candidate of the merge queue.
type MergeGroup struct {
	HeadSHA, HeadRef, BaseSHA, BaseRef string
	// PullRequest is the number in the queue's ref name, 0 when the name has
	// none.
	PullRequest int
}

// Push is a push to a branch or a tag.
type Push struct {
	// Ref is the full name, "refs/heads/main". Before and After are commits;
	// all zeros stand for a ref that was created or deleted.
	Ref, Before, After       string
	Created, Deleted, Forced bool
}

// IsBot reports whether a bot caused the event.
func (e *Event) IsBot() bool {
	return e.ActorType == "Bot" || strings.HasSuffix(e.Actor, "[bot]")
}

// IsDependabot reports whether the event runs with Dependabot's token and
// secrets: a read-only token and none of the repository's secrets.
func (e *Event) IsDependabot() bool {
	const dependabot = "dependabot[bot]"
	return e.Actor == dependabot || e.PullRequest != nil && e.PullRequest.Author == dependabot
}

// IsDefaultBranchPush reports whether the event is a push to the repository's
// default branch that left it in place.
func (e *Event) IsDefaultBranchPush() bool {
	return e.Push != nil && !e.Push.Deleted && e.DefaultBranch != "" &&
		e.Push.Ref == "refs/heads/"+e.DefaultBranch
}

// wireEvent is the part of a payload that crev reads. Unknown fields are
// ignored: GitHub adds some without notice.
type wireEvent struct {
	Action      string           `json:"action"`
	Number      int              `json:"number"`
	PullRequest *wireEventPull   `json:"pull_request"`
	Issue       *wireIssue       `json:"issue"`
	Comment     *wireEventText   `json:"comment"`
	Review      *wireEventText   `json:"review"`
	MergeGroup  *wireMergeGroup  `json:"merge_group"`
	WorkflowRun *wireWorkflowRun `json:"workflow_run"`
	Ref         string           `json:"ref"`
	Before      string           `json:"before"`
	After       string           `json:"after"`
	Created     bool             `json:"created"`
	Deleted     bool             `json:"deleted"`
	Forced      bool             `json:"forced"`
	Schedule    string           `json:"schedule"`
	Inputs      map[string]any   `json:"inputs"`
	Sender      *wireUser        `json:"sender"`
	Repository  *struct {
		FullName      string `json:"full_name"`
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
}

type wireUser struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type wireSide struct {
	SHA  string `json:"sha"`
	Ref  string `json:"ref"`
	Repo *struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

type wireEventPull struct {
	Number         int       `json:"number"`
	Title          string    `json:"title"`
	Body           string    `json:"body"`
	State          string    `json:"state"`
	Draft          bool      `json:"draft"`
	Merged         bool      `json:"merged"`
	MergedAt       string    `json:"merged_at"`
	MergeCommitSHA string    `json:"merge_commit_sha"`
	User           *wireUser `json:"user"`
	Head           wireSide  `json:"head"`
	Base           wireSide  `json:"base"`
}

type wireIssue struct {
	Number      int       `json:"number"`
	Title       string    `json:"title"`
	Body        string    `json:"body"`
	State       string    `json:"state"`
	Draft       bool      `json:"draft"`
	User        *wireUser `json:"user"`
	PullRequest *struct{} `json:"pull_request"`
}

type wireEventText struct {
	ID                int64     `json:"id"`
	InReplyTo         int64     `json:"in_reply_to_id"`
	Body              string    `json:"body"`
	User              *wireUser `json:"user"`
	AuthorAssociation string    `json:"author_association"`
	Path              string    `json:"path"`
	Line              int       `json:"line"`
	CommitID          string    `json:"commit_id"`
	HTMLURL           string    `json:"html_url"`
	CreatedAt         string    `json:"created_at"`
	UpdatedAt         string    `json:"updated_at"`
	SubmittedAt       string    `json:"submitted_at"`
}

type wireMergeGroup struct {
	HeadSHA string `json:"head_sha"`
	HeadRef string `json:"head_ref"`
	BaseSHA string `json:"base_sha"`
	BaseRef string `json:"base_ref"`
}

type wireWorkflowRun struct {
	PullRequests []struct {
		Number int      `json:"number"`
		Head   wireSide `json:"head"`
		Base   wireSide `json:"base"`
	} `json:"pull_requests"`
}

// ParseEvent reads an event file. name is GITHUB_EVENT_NAME. What the payload
// leaves out or nulls stays zero; only a payload that is no JSON object, or
// that lacks what its name promises, is an error.
func ParseEvent(name string, payload []byte) (Event, error) {
	var w wireEvent
	if err := json.Unmarshal(payload, &w); err != nil {
		return Event{}, fmt.Errorf("read the %s event: %w", name, err)
	}
	e := Event{Name: name, Action: w.Action, Kind: KindOther}
	e.Actor, e.ActorType = w.Sender.who()
	if w.Repository != nil {
		e.Repository, e.DefaultBranch = w.Repository.FullName, w.Repository.DefaultBranch
	}
	if w.PullRequest != nil {
		e.PullRequest = w.PullRequest.parse(e.Repository, w.Number)
	}

	missing := ""
	switch name {
	case "pull_request", "pull_request_target":
		e.Kind, e.Trusted, e.Before = KindPullRequest, name == "pull_request_target", w.Before
		if e.PullRequest == nil {
			missing = "pull_request"
		}
	case "merge_group":
		e.Kind = KindMergeGroup
		if w.MergeGroup == nil {
			missing = "merge_group"
		} else {
			e.MergeGroup = w.MergeGroup.parse()
		}
	case "push":
		e.Kind = KindPush
		e.Push = &Push{Ref: w.Ref, Before: w.Before, After: w.After,
			Created: w.Created, Deleted: w.Deleted, Forced: w.Forced}
		if w.Ref == "" {
			missing = "ref"
		}
	case "issue_comment":
		e.Kind = KindComment
		e.Comment = w.Comment.parse()
		if w.Issue != nil && w.Issue.PullRequest != nil {
			e.PullRequest = w.Issue.parse()
		} else {
			// A comment on an issue is none of crev's business.
			e.Kind = KindOther
		}
	case "issues":
		e.Kind = KindIssue
		if w.Issue == nil || w.Issue.Number == 0 {
			missing = "issue"
		} else {
			e.Issue = w.Issue.Number
		}
	case "pull_request_review_comment":
		e.Kind, e.Comment = KindReviewComment, w.Comment.parse()
	case "pull_request_review":
		e.Kind, e.Comment = KindReview, w.Review.parse()
	case "pull_request_review_thread":
		e.Kind = KindThread
	case "schedule":
		e.Kind, e.Schedule = KindSchedule, w.Schedule
	case "workflow_dispatch", "repository_dispatch":
		e.Kind, e.Inputs = KindDispatch, inputs(w.Inputs)
	case "workflow_run":
		e.Trusted = true
		if w.WorkflowRun != nil && len(w.WorkflowRun.PullRequests) == 1 {
			pr := w.WorkflowRun.PullRequests[0]
			e.PullRequest = &EventPullRequest{
				Number: pr.Number, HeadSHA: pr.Head.SHA, HeadRef: pr.Head.Ref,
				BaseSHA: pr.Base.SHA, BaseRef: pr.Base.Ref, Fork: true,
			}
		}
	}
	if (e.Kind == KindReviewComment || e.Kind == KindReview) && e.Comment == nil {
		missing = "comment"
	}
	if missing != "" {
		return Event{}, fmt.Errorf("read the %s event: it has no %s", name, missing)
	}
	return e, nil
}

func (u *wireUser) who() (login, typ string) {
	if u == nil {
		return "ghost", ""
	}
	return ghostly(u.Login), u.Type
}

func (w *wireEventPull) parse(repository string, number int) *EventPullRequest {
	pr := &EventPullRequest{
		Number: w.Number, Title: w.Title, Body: w.Body, State: w.State, Draft: w.Draft,
		Merged:  w.Merged || w.MergedAt != "",
		HeadSHA: w.Head.SHA, HeadRef: w.Head.Ref, BaseSHA: w.Base.SHA, BaseRef: w.Base.Ref,
	}
	if pr.Number == 0 {
		pr.Number = number
	}
	pr.Author, pr.AuthorType = w.User.who()
	if w.Head.Repo != nil {
		pr.HeadRepo = w.Head.Repo.FullName
	}
	if w.Base.Repo != nil && w.Base.Repo.FullName != "" {
		repository = w.Base.Repo.FullName
	}
	pr.Fork = pr.HeadRepo == "" || !strings.EqualFold(pr.HeadRepo, repository)
	if pr.Merged {
		pr.MergeCommit = w.MergeCommitSHA
	}
	return pr
}

func (w *wireIssue) parse() *EventPullRequest {
	// Whether the head is on a fork is not known here; the careful answer is
	// that it is.
	pr := &EventPullRequest{
		Number: w.Number, Title: w.Title, Body: w.Body, State: w.State, Draft: w.Draft, Fork: true,
	}
	pr.Author, pr.AuthorType = w.User.who()
	return pr
}

func (w *wireEventText) parse() *EventComment {
	if w == nil {
		return nil
	}
	m := &EventComment{
		ID: w.ID, InReplyTo: w.InReplyTo, Body: w.Body, Association: w.AuthorAssociation,
		Path: w.Path, Line: w.Line, CommitID: w.CommitID, URL: w.HTMLURL,
		CreatedAt: moment(w.CreatedAt), UpdatedAt: moment(w.UpdatedAt),
	}
	m.Author, m.AuthorType = w.User.who()
	if w.SubmittedAt != "" {
		m.CreatedAt, m.UpdatedAt = moment(w.SubmittedAt), moment(w.SubmittedAt)
	}
	return m
}

// queueRef is how GitHub names the branch of a merge group.
var queueRef = regexp.MustCompile(`^refs/heads/gh-readonly-queue/.+/pr-([0-9]{1,9})-[0-9a-f]{40}$`)

func (w *wireMergeGroup) parse() *MergeGroup {
	g := &MergeGroup{HeadSHA: w.HeadSHA, HeadRef: w.HeadRef, BaseSHA: w.BaseSHA, BaseRef: w.BaseRef}
	if m := queueRef.FindStringSubmatch(w.HeadRef); m != nil {
		g.PullRequest, _ = strconv.Atoi(m[1])
	}
	return g
}

// moment parses a timestamp; one that is malformed is as good as none.
func moment(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// inputs flattens the inputs of a dispatch, which may be strings, numbers and
// booleans.
func inputs(in map[string]any) map[string]string {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]string, len(in))
	for name, v := range in {
		if v != nil {
			out[name] = fmt.Sprint(v)
		}
	}
	return out
}
