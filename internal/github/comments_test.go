package github_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

func TestUpsertSticky(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault *crevtest.Fault
		posts int
	}{
		"created once and then edited": {nil, 1},
		"connection cut after GitHub stored it": {
			&crevtest.Fault{Kind: crevtest.FaultCut, Match: "POST .*/issues/1/comments$"}, 1,
		},
		"connection cut before GitHub saw it": {
			&crevtest.Fault{Kind: crevtest.FaultCutBefore, Match: "POST .*/issues/1/comments$"}, 2,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.client(crevtest.ReviewToken)
			if tt.fault != nil {
				w.breakNext(*tt.fault)
			}
			var ids []int64
			for _, body := range []string{"At one.\n", "At two.\n", "At two.\n"} {
				id, err := c.UpsertSticky(t.Context(), w.pr, marker("summary"), body+marker("summary"))
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			if diff := cmp.Diff([]int64{2001, 2001, 2001}, ids); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
			got, err := w.Show("comments", w.pr)
			if err != nil {
				t.Fatal(err)
			}
			want := "== comment 2001 by github-actions[bot] (edited)\nAt two.\n" + marker("summary") + "\n"
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("comments (-want +got):\n%s", diff)
			}
			posts, edits := w.count("issues/create-comment"), w.count("issues/update-comment")
			// A request that GitHub never saw is in the log as well.
			if posts != tt.posts || edits != 1 {
				t.Errorf("%d posts and %d edits, want %d and 1", posts, edits, tt.posts)
			}
		})
	}
}

func TestCreateFileComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	f := github.FileComment{Marker: marker("D-1"), Commit: w.head, Path: "app.go", Body: "The whole file.\n" + marker("D-1")}
	want := github.Placed{Marker: f.Marker, CommentID: 1001, ThreadID: "PRRT_7001"}
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultCut, Match: "POST .*/pulls/1/comments$"})
	for range 2 {
		got, err := c.CreateFileComment(t.Context(), w.pr, f)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("placed (-want +got):\n%s", diff)
		}
	}
	if n := w.count("pulls/create-review-comment"); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	f.Marker, f.Path, f.Body = marker("D-2"), "README.md", marker("D-2")
	if _, err := c.CreateFileComment(t.Context(), w.pr, f); err == nil {
		t.Error("a comment on a file that the pull request does not change was placed")
	}
}

func TestTalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	p := w.post(c, "D-1")
	ctx := t.Context()
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultCut, Match: "POST .*/pulls/1/comments$"})
	if _, err := c.Reply(ctx, w.pr, p.CommentID, "The code says otherwise."); err != nil {
		t.Fatal(err)
	}
	if err := c.EditReviewComment(ctx, p.CommentID, "Verified.\n"+marker("D-1")); err != nil {
		t.Fatal(err)
	}
	if err := c.React(ctx, true, p.CommentID, "eyes"); err != nil {
		t.Fatal(err)
	}
	id, err := w.Comment(w.pr, "omar", "crev?")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.React(ctx, false, id, "+1"); err != nil {
			t.Fatal(err)
		}
	}
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultCut, Match: "graphql resolveReviewThread"})
	for _, step := range []func() error{
		func() error { return c.ResolveThread(ctx, p.ThreadID) },
		func() error { return c.UnresolveThread(ctx, p.ThreadID) },
		func() error { return c.ResolveThread(ctx, p.ThreadID) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := w.Show("threads", w.pr)
	if err != nil {
		t.Fatal(err)
	}
	conversation, err := w.Show("comments", w.pr)
	if err != nil {
		t.Fatal(err)
	}
	want := `== thread on #1 app.go:10 RIGHT, resolved by github-actions
-- comment 1001 by github-actions[bot] (edited) [eyes github-actions[bot]]
Verified.
<!-- crev:1 id=D-1 fp=334cece5d8ab7d10 -->
-- comment 1002 by github-actions[bot]
The code says otherwise.
== comment 2001 by omar [+1 github-actions[bot]]
crev?
`
	if diff := cmp.Diff(want, got+conversation); diff != "" {
		t.Errorf("on GitHub (-want +got):\n%s", diff)
	}
}

// Resolving takes contents: write besides pull-requests: write, and GitHub
// says of the thread that the viewer can.
func TestResolveForbidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	p := w.post(c, "D-1")
	threads, err := c.Threads(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	if !threads[0].ViewerCanResolve {
		t.Error("this test is about a thread of which GitHub says that one can resolve it")
	}
	err = c.ResolveThread(t.Context(), p.ThreadID)
	forbidden, ok := errors.AsType[*github.ForbiddenError](err)
	if !ok || !errors.Is(err, github.ErrForbidden) {
		t.Fatalf("ResolveThread: %v, want an ErrForbidden", err)
	}
	if forbidden.Needs != "contents: write and pull-requests: write" || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q does not name the permission in one line", err)
	}
	if err := c.ResolveThread(t.Context(), "PRRT_0"); !errors.Is(err, github.ErrNotFound) {
		t.Errorf("a thread that is not there: %v, want ErrNotFound", err)
	}
}

// GitHub refuses long bodies; that is said and never tried again.
func TestTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	long := on("D-2", "app.go", 40)
	long.Body += strings.Repeat("é", 65536)
	placed, unplaced, err := c.CreateReview(t.Context(), w.pr, github.Review{
		Commit: w.head, Body: "Reviewed.", Comments: []github.LineComment{on("D-1", "app.go", 10), long},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id=D-1"}, ids(placed)); diff != "" {
		t.Errorf("placed (-want +got):\n%s", diff)
	}
	if len(unplaced) != 1 || !strings.Contains(unplaced[0].Reason, "too long") {
		t.Errorf("unplaced %v, want D-2 because it is too long", unplaced)
	}
	_, err = c.UpsertSticky(t.Context(), w.pr, marker("summary"), marker("summary")+strings.Repeat("x", 65536))
	if err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("UpsertSticky: %v, want GitHub's reason", err)
	}
	if n := w.count("issues/create-comment"); n != 1 {
		t.Errorf("%d tries to post what is too long, want 1", n)
	}
	if len(w.clock.waits()) != 0 {
		t.Errorf("waited %v seconds for nothing", w.clock.waits())
	}
}
