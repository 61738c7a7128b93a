package github_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

// shown lists what GitHub shows of own threads: the defect and how often.
func shown(t *testing.T, c *github.Client, n int) map[string]int {
	t.Helper()
	threads, err := c.Threads(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, th := range threads {
		for _, m := range github.Markers(th.Comments[0].Body) {
			found[strings.Fields(m)[2]]++
		}
	}
	return found
}

func ids(placed []github.Placed) []string {
	var all []string
	for _, p := range placed {
		all = append(all, strings.Fields(p.Marker)[2])
	}
	return all
}

func TestCreateReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	r := github.Review{
		Commit: w.head, Body: "Reviewed " + w.head,
		Comments: []github.LineComment{
			on("D-1", "app.go", 10),
			on("D-2", "new.go", 5),
			{Marker: marker("D-3"), Path: "app.go", Line: 43, StartLine: 37, Body: marker("D-3")},
			{Marker: marker("D-4"), Path: "app.go", Line: 40, Side: "LEFT", Body: marker("D-4")},
		},
	}
	placed, unplaced, err := c.CreateReview(t.Context(), w.pr, r)
	if err != nil || len(unplaced) != 0 {
		t.Fatalf("CreateReview: unplaced %v, error %v", unplaced, err)
	}
	want := []github.Placed{
		{Marker: marker("D-1"), CommentID: 1001, ThreadID: "PRRT_7001"},
		{Marker: marker("D-2"), CommentID: 1002, ThreadID: "PRRT_7002"},
		{Marker: marker("D-3"), CommentID: 1003, ThreadID: "PRRT_7003"},
		{Marker: marker("D-4"), CommentID: 1004, ThreadID: "PRRT_7004"},
	}
	if diff := cmp.Diff(want, placed); diff != "" {
		t.Errorf("placed (-want +got):\n%s", diff)
	}
	if n := w.count("pulls/create-review"); n != 1 {
		t.Errorf("%d requests to post one review, want 1", n)
	}

	// The same run once more posts nothing.
	again, _, err := c.CreateReview(t.Context(), w.pr, r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("placed by a second attempt (-want +got):\n%s", diff)
	}
	if n := w.count("pulls/create-review"); n != 1 {
		t.Errorf("a second attempt posted a review again")
	}
}

// A review is all or nothing on GitHub, and the refusal does not say which
// comment is wrong.
func TestCreateReviewBadAnchors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	start := func(m github.LineComment, line int) github.LineComment { m.StartLine = line; return m }
	placed, unplaced, err := c.CreateReview(t.Context(), w.pr, github.Review{
		Commit: w.head, Body: "Reviewed " + w.head,
		Comments: []github.LineComment{
			on("D-1", "app.go", 10),
			on("D-2", "app.go", 25), // outside of every hunk
			on("D-3", "new.go", 1),
			on("D-4", "gone.go", 1),            // not in the pull request
			start(on("D-5", "app.go", 40), 11), // starts in another hunk
			start(on("D-6", "app.go", 9), 9),   // a single line
			start(on("D-7", "app.go", 38), 41), // the wrong way round
			on("D-8", "README.md", 1),          // unchanged
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id=D-1", "id=D-3", "id=D-6", "id=D-7"}, ids(placed)); diff != "" {
		t.Errorf("placed (-want +got):\n%s", diff)
	}
	want := []github.Unplaced{
		{marker("D-2"), "GitHub refuses the comment: Unprocessable Entity: Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank"},
		{marker("D-4"), "GitHub refuses the comment: Unprocessable Entity: Path could not be resolved"},
		{marker("D-5"), "GitHub refuses the comment: Unprocessable Entity: Pull request review thread start line must be part of the same hunk as the line."},
		{marker("D-8"), "GitHub refuses the comment: Unprocessable Entity: Path could not be resolved"},
	}
	if diff := cmp.Diff(want, unplaced); diff != "" {
		t.Errorf("unplaced (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"id=D-1": 1, "id=D-3": 1, "id=D-6": 1, "id=D-7": 1}, shown(t, c, w.pr)); diff != "" {
		t.Errorf("threads on GitHub (-want +got):\n%s", diff)
	}
}

// Whatever happens to the request that posts a review, every comment is on
// GitHub at most once, and the answer says where each one ended up.
func TestCreateReviewFaults(t *testing.T) {
	t.Parallel()
	const post = "POST .*/reviews$"
	tests := map[string]struct {
		fault    crevtest.Fault
		placed   int
		unplaced string
		err      error
		requests int
		waits    []int
	}{
		"connection cut after GitHub stored it": {
			fault: crevtest.Fault{Kind: crevtest.FaultCut, Match: post}, placed: 2, requests: 1, waits: []int{1},
		},
		"connection cut before GitHub saw it": {
			fault: crevtest.Fault{Kind: crevtest.FaultCutBefore, Match: post}, placed: 2, requests: 2, waits: []int{1},
		},
		"bad gateway": {
			fault: crevtest.Fault{Kind: crevtest.FaultBadGateway, Match: post}, placed: 2, requests: 2, waits: []int{1},
		},
		"bad gateway for ever": {
			fault:  crevtest.Fault{Kind: crevtest.FaultBadGateway, Match: post, Times: 99},
			placed: 0, unplaced: "not posted: GitHub did not answer", err: errAny, requests: 3, waits: []int{1, 2},
		},
		"accepted and never shown": {
			fault:  crevtest.Fault{Kind: crevtest.FaultInvisible, Match: post},
			placed: 0, unplaced: "GitHub accepted the comment and does not show it", requests: 1, waits: []int{1, 2},
		},
		"secondary limit with Retry-After": {
			fault: crevtest.Fault{Kind: crevtest.FaultSecondary, Match: post, RetryAfter: 7}, placed: 2, requests: 2, waits: []int{7},
		},
		"secondary limit without": {
			fault: crevtest.Fault{Kind: crevtest.FaultSecondary, Match: post, RetryAfter: -1, Times: 2}, placed: 2, requests: 3,
		},
		"too many requests": {
			fault: crevtest.Fault{Kind: crevtest.FaultTooMany, Match: post, RetryAfter: 3}, placed: 2, requests: 2, waits: []int{3},
		},
		"abuse": {
			fault: crevtest.Fault{Kind: crevtest.FaultAbuse, Match: post}, placed: 2, requests: 2,
		},
		"limited for ever": {
			fault:  crevtest.Fault{Kind: crevtest.FaultSecondary, Match: post, RetryAfter: 2, Times: 99},
			placed: 0, unplaced: "not posted: GitHub's rate limit is reached", err: github.ErrRateLimited, requests: 5, waits: []int{2, 2, 2, 2},
		},
		"longer than the run may take": {
			fault:  crevtest.Fault{Kind: crevtest.FaultSecondary, Match: post, RetryAfter: 7200},
			placed: 0, unplaced: "not posted: GitHub's rate limit is reached", err: github.ErrRateLimited, requests: 1,
		},
		"permission missing": {
			fault:  crevtest.Fault{Kind: crevtest.FaultForbidden, Match: post, Times: 99},
			placed: 0, unplaced: "not posted: the token lacks pull-requests: write", err: github.ErrForbidden, requests: 1,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.client(crevtest.ReviewToken)
			w.breakNext(tt.fault)
			placed, unplaced, err := c.CreateReview(t.Context(), w.pr, github.Review{
				Commit: w.head, Body: "Reviewed " + w.head,
				Comments: []github.LineComment{on("D-1", "app.go", 10), on("D-2", "app.go", 40)},
			})
			if !errors.Is(err, tt.err) && !(tt.err == errAny && err != nil) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if len(placed) != tt.placed || len(placed)+len(unplaced) != 2 {
				t.Errorf("%d placed and %d unplaced, want %d of 2 placed", len(placed), len(unplaced), tt.placed)
			}
			for _, u := range unplaced {
				if u.Reason != tt.unplaced {
					t.Errorf("reason %q, want %q", u.Reason, tt.unplaced)
				}
			}
			if n := w.count("pulls/create-review"); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
			if tt.waits != nil {
				if diff := cmp.Diff(tt.waits, w.clock.waits()); diff != "" {
					t.Errorf("waits in seconds (-want +got):\n%s", diff)
				}
			}
			for id, n := range shown(t, c, w.pr) {
				if n != 1 {
					t.Errorf("%s is on GitHub %d times", id, n)
				}
			}
		})
	}
}

// Somebody else's review with the same words holds nothing back, also when the
// token cannot prove whose it is.
func TestCreateReviewOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := github.Review{Commit: w.head, Body: "Reviewed " + w.head}
	c := w.client(crevtest.ReviewToken)
	for _, who := range []*github.Client{w.as("omar", crevtest.FullToken), c} {
		if _, _, err := who.CreateReview(t.Context(), w.pr, r); err != nil {
			t.Fatal(err)
		}
	}
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultForbidden, Match: "graphql viewer"})
	if _, _, err := c.CreateReview(t.Context(), w.pr, r); err != nil {
		t.Fatal(err)
	}
	if n := w.count("pulls/create-review"); n != 3 {
		t.Errorf("%d reviews posted, want one by each and one unproven", n)
	}
}

// What crev posts is what GitHub holds, fences within fences included.
func TestBodiesAreExact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	m := on("D-1", "app.go", 10)
	m.Body = "Do this:\n`````suggestion\n# Title\n````text\n```go\nx <- 1 & 2 // \u2028 <b>é😀\n```\n````\n`````\n\n" + m.Marker
	if _, _, err := c.CreateReview(t.Context(), w.pr, github.Review{Commit: w.head, Comments: []github.LineComment{m}}); err != nil {
		t.Fatal(err)
	}
	threads, err := c.Threads(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Body, threads[0].Comments[0].Body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// A comment that does not carry its marker could never be found again.
func TestCreateReviewWithoutMarker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, _, err := w.client(crevtest.ReviewToken).CreateReview(t.Context(), w.pr, github.Review{
		Commit: w.head, Comments: []github.LineComment{{Marker: marker("D-1"), Path: "app.go", Line: 10, Body: "x"}},
	})
	if err == nil || len(w.Requests()) != 0 {
		t.Errorf("error %v after %d requests, want one before any", err, len(w.Requests()))
	}
}

// GitHub refuses the whole review, whatever is in it. The search for the
// reason ends.
func TestCreateReviewRefusedForEver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultLine, Match: "POST .*/reviews$", Times: 1000})
	var comments []github.LineComment
	for i := range 30 {
		comments = append(comments, on(fmt.Sprintf("D-%02d", i), "app.go", 10))
	}
	placed, unplaced, err := w.client(crevtest.ReviewToken).CreateReview(t.Context(), w.pr, github.Review{
		Commit: w.head, Body: "Reviewed.", Comments: comments,
	})
	if err == nil || len(placed) != 0 || len(unplaced) != 30 {
		t.Errorf("%d placed, %d unplaced, error %v; want 0, 30 and one", len(placed), len(unplaced), err)
	}
	if n := w.count("pulls/create-review"); n > 35 {
		t.Errorf("%d requests to find out", n)
	}
}

var errAny = errors.New("any error")

// Without a Retry-After header GitHub asks for a minute at least, then more.
func TestSecondaryLimitBackoff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultSecondary, Match: "comments$", RetryAfter: -1, Times: 3})
	if _, err := w.client(crevtest.ReviewToken).UpsertSticky(t.Context(), w.pr, marker("summary"), "Hello.\n"+marker("summary")); err != nil {
		t.Fatal(err)
	}
	want := [][2]int{{60, 75}, {120, 150}, {240, 300}}
	got := w.clock.waits()
	if len(got) != len(want) {
		t.Fatalf("waits %v, want three", got)
	}
	for i, r := range want {
		if got[i] < r[0] || got[i] > r[1] {
			t.Errorf("wait %d is %d s, want between %d and %d", i+1, got[i], r[0], r[1])
		}
	}
}
