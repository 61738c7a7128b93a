package github_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

func annotations(n int) []github.Annotation {
	var all []github.Annotation
	for i := range n {
		all = append(all, github.Annotation{
			Path: "app.go", StartLine: i + 1, Level: github.LevelError, Title: "validator", Message: fmt.Sprintf("failure %d", i),
		})
	}
	return all
}

// GitHub takes 50 annotations a request and adds to those that are there.
func TestUpsertCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		annotations int
		fault       *crevtest.Fault
		// creates and updates of two identical calls.
		creates, updates int
	}{
		"none":      {0, nil, 1, 1},
		"a few":     {3, nil, 1, 1},
		"just 50":   {50, nil, 1, 1},
		"60":        {60, nil, 1, 2},
		"120":       {120, nil, 1, 3},
		"cut after": {60, &crevtest.Fault{Kind: crevtest.FaultCut, Match: "POST .*/check-runs$"}, 1, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.client(crevtest.ReviewToken)
			if tt.fault != nil {
				w.breakNext(*tt.fault)
			}
			check := github.Check{
				Name: "crev", HeadSHA: w.head, ExternalID: "1017", Conclusion: "failure",
				Title: "failed", Summary: "60 failures.", Annotations: annotations(tt.annotations),
			}
			for range 2 {
				if id, err := c.UpsertCheck(t.Context(), check); err != nil || id != 4001 {
					t.Fatalf("UpsertCheck = %d, %v, want 4001", id, err)
				}
			}
			text, err := w.Show("checks", w.pr)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(text, "failure app.go:"); got != tt.annotations {
				t.Errorf("%d annotations on GitHub, want %d", got, tt.annotations)
			}
			if !strings.HasPrefix(text, "== check crev: completed failure at") || strings.Count(text, "==") != 1 {
				t.Errorf("checks:\n%s", text)
			}
			if creates, updates := w.count("checks/create"), w.count("checks/update"); creates != tt.creates || updates != tt.updates {
				t.Errorf("%d creations and %d updates, want %d and %d", creates, updates, tt.creates, tt.updates)
			}
			// Another run has a check of its own.
			check.ExternalID = "1018"
			if id, err := c.UpsertCheck(t.Context(), check); err != nil || id != 4002 {
				t.Errorf("UpsertCheck of another run = %d, %v, want 4002", id, err)
			}
		})
	}
}

func TestUpsertCheckLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.ReviewToken)
	// Every byte border of the cut falls into a character.
	long := strings.Repeat("😀", 40_000)
	if _, err := c.UpsertCheck(t.Context(), github.Check{
		Name: "crev", HeadSHA: w.head, Conclusion: "neutral", Title: "t", Summary: long, Text: "x" + long,
		Annotations: []github.Annotation{{Path: "app.go", Title: strings.Repeat("é", 300), Message: long}},
	}); err != nil {
		t.Fatal(err)
	}
	text, err := w.Show("checks", w.pr)
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\uFFFD") || strings.Count(text, "cut here") != 3 {
		t.Errorf("the cuts are not clean: %d of 3 notes", strings.Count(text, "cut here"))
	}
	_, err = w.client(crevtest.NoChecksToken).UpsertCheck(t.Context(), github.Check{
		Name: "other", HeadSHA: w.head, Conclusion: "success", Title: "t", Summary: "s",
	})
	if forbidden, ok := errors.AsType[*github.ForbiddenError](err); !ok || forbidden.Needs != "checks: write" {
		t.Errorf("without the permission: %v, want a ForbiddenError for checks: write", err)
	}
}
