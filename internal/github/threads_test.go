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

// post puts one own thread on app.go:10 and returns it.
func (w *world) post(c *github.Client, id string) github.Placed {
	w.t.Helper()
	placed, unplaced, err := c.CreateReview(w.t.Context(), w.pr, github.Review{
		Commit: w.head, Comments: []github.LineComment{on(id, "app.go", 10)},
	})
	if err != nil || len(placed) != 1 {
		w.t.Fatalf("post %s: unplaced %v, error %v", id, unplaced, err)
	}
	return placed[0]
}

func TestThreads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	placed := w.post(c, "D-1")
	if _, err := w.Reply("D-1", "omar", "This is intended."); err != nil {
		t.Fatal(err)
	}
	if err := w.React("D-1", "omar", "-1"); err != nil {
		t.Fatal(err)
	}
	if err := w.Resolve("D-1", "omar", true); err != nil {
		t.Fatal(err)
	}

	got, err := c.Threads(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	want := []github.Thread{{
		ID: placed.ThreadID, Resolved: true, ResolvedBy: "omar",
		Path: "app.go", Line: 10, OriginalLine: 10, Side: "RIGHT",
		Comments: []github.Comment{
			{
				ID: placed.CommentID, NodeID: "PRRC_1001", Body: "Look at this.\n\n" + marker("D-1"),
				Author: "github-actions[bot]", AuthorType: "Bot", Association: "NONE", Mine: true,
				Reactions: []github.Reaction{{Content: "-1", By: "omar"}},
			},
			{
				ID: 1002, NodeID: "PRRC_1002", Body: "This is intended.",
				Author: "omar", AuthorType: "User", Association: "NONE",
			},
		},
	}}
	ignore := cmp.Options{
		cmpopts.IgnoreTypes(time.Time{}), cmpopts.IgnoreFields(github.Comment{}, "URL"),
	}
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Errorf("threads (-want +got):\n%s", diff)
	}
	if at := got[0].Comments[0].CreatedAt; at.IsZero() {
		t.Error("a comment without a time")
	}
	if !strings.HasPrefix(got[0].Comments[0].URL, w.ServerURL) {
		t.Errorf("URL %q is not on this server", got[0].Comments[0].URL)
	}
}

// More threads, comments and conversation than fit a page.
func TestThreadsPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	var comments []github.LineComment
	for i := range 53 {
		comments = append(comments, on(fmt.Sprintf("D-%02d", i), "new.go", 1+i%5))
	}
	if _, _, err := c.CreateReview(t.Context(), w.pr, github.Review{Commit: w.head, Comments: comments}); err != nil {
		t.Fatal(err)
	}
	for i := range 140 {
		if _, err := w.Reply("D-52", "omar", fmt.Sprintf("reply %d", i)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Comment(w.pr, "omar", fmt.Sprintf("remark %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	threads, err := c.Threads(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	last := threads[len(threads)-1].Comments
	if len(threads) != 53 || len(last) != 141 || last[140].Body != "reply 139" {
		t.Errorf("%d threads, %d comments in the last, want 53 and 141", len(threads), len(last))
	}
	remarks, err := c.Comments(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	if len(remarks) != 140 || remarks[139].Body != "remark 139" {
		t.Errorf("%d comments, want 140", len(remarks))
	}
}

// GitHub nulls what went away: accounts, nodes of a list.
func TestNulls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	w.post(c, "D-1")
	if _, err := w.Comment(w.pr, "omar", "Hello."); err != nil {
		t.Fatal(err)
	}
	if err := w.React("D-1", "omar", "+1"); err != nil {
		t.Fatal(err)
	}
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultNulls, Match: "graphql", Times: 2})
	threads, err := c.Threads(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	first := threads[0].Comments[0]
	if len(threads) != 1 || first.Author != "ghost" || first.AuthorType != "" || first.Reactions[0].By != "ghost" {
		t.Errorf("threads %+v, want one by ghost", threads)
	}
	comments, err := c.Comments(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	if len(comments) != 1 || comments[0].Author != "ghost" {
		t.Errorf("comments %+v, want one by ghost", comments)
	}
	if _, err := c.Threads(t.Context(), 99); !errors.Is(err, github.ErrNotFound) {
		t.Errorf("threads of a pull request that is not there: %v, want ErrNotFound", err)
	}
}

// Anybody can paste a marker. It counts in crev's own comments only.
func TestForgedMarkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	stranger := w.as("omar", crevtest.FullToken)
	w.post(stranger, "D-1")
	if _, err := w.Comment(w.pr, "omar", "LGTM\n"+marker("summary")); err != nil {
		t.Fatal(err)
	}

	w.post(c, "D-1")
	id, err := c.UpsertSticky(t.Context(), w.pr, marker("summary"), "Summary.\n"+marker("summary"))
	if err != nil {
		t.Fatal(err)
	}
	threads, err := c.Threads(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	var mine []bool
	for _, th := range threads {
		mine = append(mine, th.Mine())
	}
	if diff := cmp.Diff([]bool{false, true}, mine); diff != "" {
		t.Errorf("whose threads they are (-want +got):\n%s", diff)
	}
	comments, err := c.Comments(t.Context(), w.pr)
	if err != nil {
		t.Fatal(err)
	}
	if len(comments) != 2 || comments[0].Body != "LGTM\n"+marker("summary") || comments[1].ID != id || !comments[1].Mine {
		t.Errorf("comments %+v: the forged one must stay as it is and crev's own be new", comments)
	}
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body string
		want []string
	}{
		"none":         {"plain text <!-- other -->", nil},
		"one":          {"text\n" + marker("D-1"), []string{marker("D-1")}},
		"two":          {marker("D-1") + marker("D-2"), []string{marker("D-1"), marker("D-2")}},
		"not finished": {"<!-- crev:1 id=D-1", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, github.Markers(tt.body)); diff != "" {
				t.Errorf("Markers(%q) (-want +got):\n%s", tt.body, diff)
			}
		})
	}
}

func FuzzMarkers(f *testing.F) {
	for _, s := range []string{marker("D-1"), "x" + marker("D-1") + marker("D-2"), "<!-- crev:", "<!-- crev:<!-- crev:-->-->", "-->"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		rest := body
		for _, m := range github.Markers(body) {
			_, after, ok := strings.Cut(rest, m)
			if !ok || !strings.HasPrefix(m, "<!-- crev:") || !strings.HasSuffix(m, "-->") || strings.Count(m, "-->") != 1 {
				t.Fatalf("Markers(%q) has %q, which is not the next one", body, m)
			}
			rest = after
		}
	})
}
