package github_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

func TestPullRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	fork, err := w.OpenPullRequest(crevtest.OpenPull{Head: "gift", Author: "zoe", Fork: true, Commit: w.head, Draft: true})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := w.OpenPullRequest(crevtest.OpenPull{Head: "gift", Author: "zoe", Fork: true, Commit: w.head})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.DeleteFork(gone); err != nil {
		t.Fatal(err)
	}
	merge, err := w.MergePullRequest(w.pr, crevtest.Merge{Squash: true})
	if err != nil {
		t.Fatal(err)
	}
	base := github.PullRequest{
		State: "open", AuthorType: "User", Association: "NONE", BaseRef: "main", HeadSHA: w.head,
	}
	want := map[int]github.PullRequest{}
	pr := base
	pr.Number, pr.NodeID, pr.URL = 1, "PR_1", c.PullRequestURL(1)
	pr.Title, pr.Body, pr.Author = "Change things", "Because.", "omar"
	pr.State, pr.Merged, pr.MergeCommit = "closed", true, merge
	pr.HeadRef, pr.HeadRepo, pr.BaseSHA = "feature", "acme/shop", w.base
	want[1] = pr
	pr = base
	pr.Number, pr.NodeID, pr.URL = 2, "PR_2", c.PullRequestURL(2)
	pr.Title, pr.Author, pr.Draft = "gift", "zoe", true
	pr.HeadRef, pr.HeadRepo, pr.Fork, pr.BaseSHA = "gift", "zoe/shop", true, merge
	want[2] = pr
	pr.Number, pr.NodeID, pr.URL = 3, "PR_3", c.PullRequestURL(3)
	pr.Draft, pr.HeadRepo = false, ""
	want[3] = pr
	for _, n := range []int{w.pr, fork, gone} {
		got, err := c.PullRequest(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[n], got, cmpopts.IgnoreTypes(time.Time{})); diff != "" {
			t.Errorf("pull request %d (-want +got):\n%s", n, diff)
		}
		if got.CreatedAt.IsZero() || got.MergedAt.IsZero() == got.Merged {
			t.Errorf("pull request %d: created %v, merged %v", n, got.CreatedAt, got.MergedAt)
		}
	}
	if _, err := c.PullRequest(t.Context(), 99); !errors.Is(err, github.ErrNotFound) {
		t.Errorf("pull request 99: %v, want ErrNotFound", err)
	}

	// The squashed commit leads back to its pull request.
	of, err := c.PullRequestsOf(t.Context(), merge)
	if err != nil {
		t.Fatal(err)
	}
	if len(of) != 1 || of[0].Number != w.pr || !of[0].Merged || of[0].MergeCommit != merge {
		t.Errorf("pull requests of %s: %+v, want number 1, merged", merge, of)
	}
}

// The head moves while the review is being written. The review stays about the
// commit it was written about.
func TestHeadMoves(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// onTop is true when the new head is a child of the old one, false
		// when it replaces it.
		onTop    bool
		placed   []string
		unplaced []github.Unplaced
		reviews  string
		refused  bool
	}{
		"somebody pushed": {
			onTop: true, placed: []string{"id=D-1"},
			reviews: "== review 3001 of #1 by github-actions[bot] at HEAD\nReviewed HEAD\n",
		},
		"somebody rebased": {
			unplaced: []github.Unplaced{{Marker: marker("D-1"), Reason: "GitHub refuses the comment: No commit found for SHA: HEAD"}},
			refused:  true,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.client(crevtest.FullToken)
			if tt.onTop {
				if err := c.CreateBranch(t.Context(), "later", w.head); err != nil {
					t.Fatal(err)
				}
			}
			later := w.commit("later", map[string]string{"app.go": edited(lines(60), 10, 11, 40), "new.go": lines(5)})
			w.breakNext(crevtest.Fault{Kind: crevtest.FaultHeadMoves, Match: "POST .*/reviews$", Branch: "feature", Commit: later})
			placed, unplaced, err := c.CreateReview(t.Context(), w.pr, github.Review{
				Commit: w.head, Body: "Reviewed " + w.head, Comments: []github.LineComment{on("D-1", "app.go", 10)},
			})
			if (err != nil) != tt.refused {
				t.Errorf("error %v, want one: %t", err, tt.refused)
			}
			if diff := cmp.Diff(tt.placed, ids(placed)); diff != "" {
				t.Errorf("placed (-want +got):\n%s", diff)
			}
			for i := range unplaced {
				unplaced[i].Reason = strings.ReplaceAll(unplaced[i].Reason, w.head, "HEAD")
			}
			if diff := cmp.Diff(tt.unplaced, unplaced); diff != "" {
				t.Errorf("unplaced (-want +got):\n%s", diff)
			}
			text, err := w.Show("reviews", w.pr)
			if err != nil {
				t.Fatal(err)
			}
			text = strings.ReplaceAll(strings.ReplaceAll(text, w.head, "HEAD"), w.head[:12], "HEAD")
			if diff := cmp.Diff(tt.reviews, text); diff != "" {
				t.Errorf("reviews (-want +got):\n%s", diff)
			}
			if pr, err := c.PullRequest(t.Context(), w.pr); err != nil || pr.HeadSHA != later {
				t.Errorf("head %s, %v, want %s", pr.HeadSHA, err, later)
			}
		})
	}
}

// GitHub says that an old review is about the new head. crev keeps the commit
// in the ledger and recognises its review by the text.
func TestReviewCommitMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	r := github.Review{Commit: w.head, Body: "Reviewed " + w.head}
	if _, _, err := c.CreateReview(t.Context(), w.pr, r); err != nil {
		t.Fatal(err)
	}
	next := w.commit("feature", map[string]string{"new.go": lines(6)})
	text, err := w.Show("reviews", w.pr)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("== review 3001 of #1 by github-actions[bot] at %.12s\nReviewed %s\n", next, w.head)
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("reviews (-want +got):\n%s", diff)
	}
	if _, _, err := c.CreateReview(t.Context(), w.pr, r); err != nil {
		t.Fatal(err)
	}
	if n := w.count("pulls/create-review"); n != 1 {
		t.Errorf("the review was posted %d times", n)
	}
}

func TestPermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.PrivateMember("ines", "maintain")
	for login, role := range map[string]string{"ada": "admin", "tom": "triage", "rob": "read", "out": "none"} {
		w.User(login, role)
	}
	c := w.client(crevtest.ReviewToken)
	want := map[string]github.Permission{
		"ada": github.PermissionAdmin, "ines": github.PermissionMaintain, "maria": github.PermissionWrite,
		"tom": github.PermissionTriage, "rob": github.PermissionRead, "out": github.PermissionNone,
		"nobody": github.PermissionNone,
	}
	for login, want := range want {
		got, err := c.Permission(t.Context(), login)
		if err != nil || got != want {
			t.Errorf("Permission(%s) = %q, %v, want %q", login, got, err, want)
		}
		canWrite := want == github.PermissionAdmin || want == github.PermissionMaintain || want == github.PermissionWrite
		if got.CanWrite() != canWrite {
			t.Errorf("%q.CanWrite() = %t", got, got.CanWrite())
		}
	}
	// A token that may not ask does not make anybody a teacher.
	got, err := w.client(crevtest.ReadOnlyToken).Permission(t.Context(), "ada")
	if err != nil || got != github.PermissionUnknown || got.CanWrite() {
		t.Errorf("Permission with a read-only token = %q, %v, want unknown", got, err)
	}
}

func TestSelf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for login, want := range map[string]string{crevtest.ActionsBot: "github-actions[bot]", "maria": "maria"} {
		me, err := w.as(login, crevtest.FullToken).Self(t.Context())
		if err != nil || me.Login != want {
			t.Errorf("Self = %+v, %v, want %s", me, err, want)
		}
	}
}

// What the token may write is known before a model is paid, and asking leaves
// nothing behind.
func TestAccess(t *testing.T) {
	t.Parallel()
	tests := map[crevtest.TokenKind]github.Access{
		crevtest.FullToken:     {PullRequests: github.Granted, Checks: github.Granted, Contents: github.Granted},
		crevtest.ReviewToken:   {PullRequests: github.Granted, Checks: github.Granted, Contents: github.Refused},
		crevtest.NoChecksToken: {PullRequests: github.Granted, Checks: github.Refused, Contents: github.Granted},
		crevtest.ReadOnlyToken: {PullRequests: github.Refused, Checks: github.Refused, Contents: github.Refused},
	}
	for kind, want := range tests {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			state := func() string {
				var all []string
				for _, what := range []string{"refs", "reviews", "threads", "comments", "checks"} {
					text, err := w.Show(what, 0)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, text)
				}
				return strings.Join(all, "\n")
			}
			before := state()
			got, err := w.client(kind).Access(t.Context(), w.pr)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("access (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, state()); diff != "" {
				t.Errorf("asking changed something:\n%s", diff)
			}
		})
	}
	w := newWorld(t)
	c, err := github.New(github.Config{
		APIURL: w.APIURL, GraphQLURL: w.GraphQLURL, ServerURL: w.ServerURL, Token: "ghs_wrong", Owner: w.Owner, Repo: w.Repo,
		Sleep: w.clock.Sleep,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Access(t.Context(), w.pr); err == nil || !strings.Contains(err.Error(), "check github_token") {
		t.Errorf("a wrong token: %v", err)
	}
}
