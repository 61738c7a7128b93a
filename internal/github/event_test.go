package github_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

const payloads = "../../testdata/payloads"

// eventName is the event of a payload file: its folder, or for the derived ones
// the first word of its name.
func eventName(file string) string {
	dir := filepath.Base(filepath.Dir(file))
	if dir == "derived" {
		dir, _, _ = strings.Cut(filepath.Base(file), ".")
	}
	return dir
}

func payloadFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(payloads + "/*/*.json")
	if err != nil || len(files) < 59 {
		t.Fatalf("%d payloads, error %v", len(files), err)
	}
	return files
}

// Every payload that GitHub sent to somebody is understood, also the two whose
// timestamps are malformed.
func TestParseEventCaptured(t *testing.T) {
	t.Parallel()
	for _, file := range payloadFiles(t) {
		t.Run(strings.TrimPrefix(file, payloads), func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			e, err := github.ParseEvent(eventName(file), body)
			if err != nil {
				t.Fatal(err)
			}
			if e.Repository == "" || e.DefaultBranch == "" {
				t.Errorf("no repository in %+v", e)
			}
			if e.Kind == github.KindPullRequest {
				pr := e.PullRequest
				if pr.Number == 0 || len(pr.HeadSHA) != 40 || len(pr.BaseSHA) != 40 || pr.Author == "ghost" || pr.State == "" {
					t.Errorf("pull request %+v is incomplete", pr)
				}
			}
			if e.Comment != nil && (e.Comment.ID == 0 || e.Comment.Author == "ghost" || e.Comment.CreatedAt.IsZero()) {
				t.Errorf("comment %+v is incomplete", e.Comment)
			}
		})
	}
}

func TestParseEvent(t *testing.T) {
	t.Parallel()
	const hello = "Codertocat/Hello-World"
	tests := map[string]struct {
		name, file, payload string
		want                github.Event
	}{
		"a tag was deleted": {
			name: "push", file: "push/payload.json",
			want: github.Event{
				Name: "push", Kind: github.KindPush, Actor: "Codertocat", ActorType: "User", Repository: hello, DefaultBranch: "master",
				Push: &github.Push{
					Ref: "refs/tags/simple-tag", Before: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
					After: "0000000000000000000000000000000000000000", Deleted: true,
				},
			},
		},
		"the fork is deleted": {
			name:    "pull_request_target",
			payload: `{"number":7,"pull_request":{"head":{"sha":"a","ref":"x","repo":null},"base":{"sha":"b","ref":"main"},"user":null},"repository":{"full_name":"acme/shop"}}`,
			want: github.Event{
				Name: "pull_request_target", Kind: github.KindPullRequest, Trusted: true, Actor: "ghost", Repository: "acme/shop",
				PullRequest: &github.EventPullRequest{Number: 7, Author: "ghost", HeadSHA: "a", HeadRef: "x", BaseSHA: "b", BaseRef: "main", Fork: true},
			},
		},
		"merge queue": {
			name:    "merge_group",
			payload: `{"action":"checks_requested","merge_group":{"head_sha":"h","head_ref":"refs/heads/gh-readonly-queue/feat/x/pr-104-1a7ac1b3a5e7c6f5d4b3a2918070605040302010","base_sha":"b","base_ref":"refs/heads/feat/x"}}`,
			want: github.Event{
				Name: "merge_group", Action: "checks_requested", Kind: github.KindMergeGroup, Actor: "ghost",
				MergeGroup: &github.MergeGroup{
					HeadSHA: "h", HeadRef: "refs/heads/gh-readonly-queue/feat/x/pr-104-1a7ac1b3a5e7c6f5d4b3a2918070605040302010",
					BaseSHA: "b", BaseRef: "refs/heads/feat/x", PullRequest: 104,
				},
			},
		},
		"an issue is labelled": {
			name:    "issues",
			payload: `{"action":"labeled","issue":{"number":3,"title":"t","labels":[{"name":"bug"}]},"label":{"name":"bug"},"sender":{"login":"omar","type":"User"}}`,
			want: github.Event{
				Name: "issues", Action: "labeled", Kind: github.KindIssue, Actor: "omar", ActorType: "User", Issue: 3,
			},
		},
		"a comment on an issue": {
			name:    "issue_comment",
			payload: `{"action":"created","issue":{"number":3},"comment":{"id":4,"body":"hi","user":{"login":"omar","type":"User"}},"sender":{"login":"omar","type":"User"}}`,
			want: github.Event{
				Name: "issue_comment", Action: "created", Kind: github.KindOther, Actor: "omar", ActorType: "User",
				Comment: &github.EventComment{ID: 4, Body: "hi", Author: "omar", AuthorType: "User"},
			},
		},
		"dispatched by hand": {
			name: "workflow_dispatch", payload: `{"inputs":{"mode":"settle","dry":true,"n":3,"none":null},"ref":"refs/heads/main","sender":{"login":"maria","type":"User"}}`,
			want: github.Event{
				Name: "workflow_dispatch", Kind: github.KindDispatch, Actor: "maria", ActorType: "User",
				Inputs: map[string]string{"mode": "settle", "dry": "true", "n": "3"},
			},
		},
		"a workflow was run for a pull request": {
			name:    "workflow_run",
			payload: `{"action":"completed","workflow_run":{"pull_requests":[{"number":5,"head":{"sha":"a","ref":"x"},"base":{"sha":"b","ref":"main"}}]}}`,
			want: github.Event{
				Name: "workflow_run", Action: "completed", Kind: github.KindOther, Trusted: true, Actor: "ghost",
				PullRequest: &github.EventPullRequest{Number: 5, HeadSHA: "a", HeadRef: "x", BaseSHA: "b", BaseRef: "main", Fork: true},
			},
		},
		"something else": {
			name: "star", payload: `{"action":"created","sender":{"login":"x[bot]","type":"Bot"}}`,
			want: github.Event{Name: "star", Action: "created", Kind: github.KindOther, Actor: "x[bot]", ActorType: "Bot"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := []byte(tt.payload)
			if tt.file != "" {
				var err error
				if body, err = os.ReadFile(filepath.Join(payloads, tt.file)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := github.ParseEvent(tt.name, body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreTypes(time.Time{})); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

// What the derived payloads were derived for.
func TestParseEventDerived(t *testing.T) {
	t.Parallel()
	parse := func(file string) github.Event {
		t.Helper()
		body, err := os.ReadFile(filepath.Join(payloads, "derived", file))
		if err != nil {
			t.Fatal(err)
		}
		e, err := github.ParseEvent(eventName(filepath.Join("derived", file)), body)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := parse("pull_request_review_comment.created.reply.json"); e.Kind != github.KindReviewComment || e.Comment.InReplyTo == 0 || e.Comment.Path == "" || e.PullRequest.Number == 0 {
		t.Errorf("event %+v, comment %+v: not a reply in a thread", e, e.Comment)
	}
	if e := parse("pull_request.synchronize.from-fork.json"); !e.PullRequest.Fork || e.PullRequest.HeadRepo == "" || e.Before == "" {
		t.Errorf("pull request %+v: not from a fork", e.PullRequest)
	}
	if e := parse("pull_request.synchronize.dependabot.json"); !e.IsDependabot() || e.PullRequest.Fork {
		t.Errorf("event %+v: not Dependabot's", e)
	}
	if e := parse("issue_comment.created.on-pull-request.json"); e.Kind != github.KindComment || e.PullRequest.Number == 0 || e.PullRequest.HeadSHA != "" {
		t.Errorf("event %+v: not a comment on a pull request", e)
	}
	if e := parse("schedule.json"); e.Kind != github.KindSchedule || e.Schedule != "17 3 * * *" {
		t.Errorf("event %+v: not a schedule", e)
	}
}

func TestParseEventRefused(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"pull_request": `{"action":"opened"}`, "push": `{}`, "merge_group": `{"merge_group":null}`,
		"pull_request_review_comment": `{"pull_request":{}}`, "schedule": `[]`, "star": `{"number":"x"}`, "fork": ``,
	} {
		if e, err := github.ParseEvent(name, []byte(payload)); err == nil {
			t.Errorf("ParseEvent(%s, %s) = %+v, want an error", name, payload, e)
		}
	}
}

// What the fake GitHub writes is read back as what it is.
func TestParseEventOfFake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	w.post(c, "D-1")
	reply, err := w.Reply("D-1", "omar", "Intended.")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Comment(w.pr, "omar", "crev?"); err != nil {
		t.Fatal(err)
	}
	parse := func(spec crevtest.EventSpec) github.Event {
		t.Helper()
		raw, err := w.Event(spec)
		if err != nil {
			t.Fatal(err)
		}
		e, err := github.ParseEvent(spec.Name, raw.Payload)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := parse(crevtest.EventSpec{Name: "pull_request", Pull: w.pr}); e.PullRequest.HeadSHA != w.head || e.PullRequest.Fork || e.Actor != "omar" {
		t.Errorf("pull request: %+v", e.PullRequest)
	}
	if e := parse(crevtest.EventSpec{Name: "pull_request_review_comment", Pull: w.pr, Comment: "Intended."}); e.Comment.ID != reply || e.Comment.InReplyTo != 1001 {
		t.Errorf("reply: %+v", e.Comment)
	}
	if e := parse(crevtest.EventSpec{Name: "issue_comment", Pull: w.pr, Comment: "crev?"}); e.Kind != github.KindComment || e.PullRequest.Number != w.pr {
		t.Errorf("comment: %+v", e)
	}
	if e := parse(crevtest.EventSpec{Name: "merge_group", Pull: w.pr}); e.MergeGroup.PullRequest != w.pr || e.MergeGroup.BaseSHA != w.base {
		t.Errorf("merge group: %+v", e.MergeGroup)
	}
	if e := parse(crevtest.EventSpec{Name: "push"}); !e.IsDefaultBranchPush() || e.Push.After != w.base {
		t.Errorf("push: %+v", e.Push)
	}
	if e := parse(crevtest.EventSpec{Name: "schedule"}); e.Schedule == "" {
		t.Errorf("schedule: %+v", e)
	}
	dependabot, err := w.OpenPullRequest(crevtest.OpenPull{Head: "feature", Author: "dependabot[bot]"})
	if err != nil {
		t.Fatal(err)
	}
	if e := parse(crevtest.EventSpec{Name: "pull_request", Pull: dependabot, Actor: "maria"}); !e.IsDependabot() || e.IsBot() {
		t.Errorf("dependabot: %+v", e)
	}
}

func FuzzParseEvent(f *testing.F) {
	for _, file := range payloadFiles(f) {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(eventName(file), body)
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		e, err := github.ParseEvent(name, body)
		if err != nil {
			return
		}
		if e.Kind == "" || e.Actor == "" {
			t.Errorf("an accepted event without kind or actor: %+v", e)
		}
		if e.PullRequest != nil && !e.PullRequest.Fork && e.PullRequest.HeadRepo == "" {
			t.Error("a head repository that is unknown must count as a fork")
		}
		if e.Kind == github.KindPullRequest && e.PullRequest == nil || e.Kind == github.KindPush && e.Push == nil ||
			e.Kind == github.KindMergeGroup && e.MergeGroup == nil ||
			(e.Kind == github.KindReviewComment || e.Kind == github.KindReview) && e.Comment == nil {
			t.Errorf("kind %q without what it promises: %+v", e.Kind, e)
		}
	})
}
