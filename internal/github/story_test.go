package github_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

// What closed an issue comes before what only names it, and the last one who set
// the label counts while it is there.
func TestStory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := "It began with " + w.base + "."
	n := w.OpenIssue("Orders lose their discount", body, "omar")
	fixing, err := w.OpenPullRequest(crevtest.OpenPull{Head: "feature", Title: "Keep it", Body: "Fixes #100."})
	if err != nil {
		t.Fatal(err)
	}
	merge, err := w.MergePullRequest(fixing, crevtest.Merge{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []crevtest.IssueMoment{
		{Event: "labeled", Label: "should_recall", Actor: "omar"},
		{Event: "unlabeled", Label: "should_recall", Actor: "omar"},
		{Event: "labeled", Label: "Should_Recall", Actor: "maria"},
		{Event: "labeled", Label: "bug", Actor: "kim"},
		{Event: "referenced", Commit: w.head, Actor: "omar"},
		{Event: "cross-referenced", Pull: w.pr},
		{Event: "cross-referenced", Pull: fixing},
		{Event: "closed"},
		{Event: "closed", Commit: w.base},
	} {
		if err := w.Happen(n, m); err != nil {
			t.Fatal(err)
		}
	}
	got, err := w.client(crevtest.FullToken).Story(t.Context(), n, "should_recall")
	if err != nil {
		t.Fatal(err)
	}
	want := github.Story{
		Issue: github.Issue{Number: n, Title: "Orders lose their discount", Body: body},
		URL:   w.ServerURL + "/acme/shop/issues/100", LabelledBy: "maria",
		Fixes: []string{w.base, merge, w.head, w.base},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Story (-want +got):\n%s", diff)
	}
	if got, err := w.client(crevtest.FullToken).Story(t.Context(), n, "wontfix"); err != nil || got.LabelledBy != "" {
		t.Errorf("Story for a label that is not there: labelled by %q, %v", got.LabelledBy, err)
	}
}
