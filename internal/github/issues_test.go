package github_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

func TestIssue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	n := w.OpenIssue("Refunds", "A refund names its order.", "zoe")
	got, err := c.Issue(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(github.Issue{Number: n, Title: "Refunds", Body: "A refund names its order."}, got); d != "" {
		t.Errorf("Issue(%d) (-want +got):\n%s", n, d)
	}
	if _, err := c.Issue(t.Context(), n+1); !errors.Is(err, github.ErrNotFound) {
		t.Errorf("Issue(%d): %v, want ErrNotFound", n+1, err)
	}
}
