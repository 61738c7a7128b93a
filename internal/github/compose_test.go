package github_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

func TestCompose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	const rules = ".crev/rules/a.yaml"
	first := w.commit(ledgerBranch, map[string]string{".crev/ledger/x.jsonl": "{}\n", rules: "id: a\n"})
	main := w.commit("main", map[string]string{rules: "id: b\n", "README.md": "shop and more\n"})
	const blob = "0967ef424bce6791893e9a57bb952f80fd536e93" // git hash-object of "{}\n"
	got, err := c.Compose(t.Context(), github.Composition{
		Base: main, Parents: []string{first, main}, Message: "crev: merge main",
		Blobs: []github.Blob{{Path: ".crev/ledger/x.jsonl", SHA: blob}, {Path: rules}},
		Files: []github.File{{Path: ".crev/rules.yaml", Content: []byte("version: 1\n")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{".crev/ledger/x.jsonl": "{}\n", ".crev/rules.yaml": "version: 1\n", "README.md": "shop and more\n"} {
		if text, err := w.ReadFile(got, path); err != nil || text != want {
			t.Errorf("%s = %q, %v, want %q", path, text, err, want)
		}
	}
	if _, err := w.ReadFile(got, rules); err == nil {
		t.Error("the removed file is there")
	}
	for parent, want := range map[string]string{"^1": "id: a\n", "^2": "id: b\n"} {
		if text, err := w.ReadFile(got+parent, rules); err != nil || text != want {
			t.Errorf("%s of %s = %q, %v, want %q", rules, parent, text, err, want)
		}
	}
	before := len(w.Requests())
	_, err = c.Compose(t.Context(), github.Composition{Base: main, Blobs: []github.Blob{{Path: "README.md"}}})
	if !errors.Is(err, github.ErrOutsideCrev) || len(w.Requests()) != before {
		t.Errorf("a path outside of .crev/: %v after %d requests, want ErrOutsideCrev after none", err, len(w.Requests())-before)
	}
}

func TestMoveBranch(t *testing.T) {
	t.Parallel()
	const move = "graphql updateRefs"
	for name, tt := range map[string]struct {
		fault *crevtest.Fault
		// other says that somebody else commits first.
		other, force bool
		want         error
		moved        bool
	}{
		"with force":                           {force: true, moved: true},
		"without, it has to continue":          {want: nil},
		"somebody was first":                   {force: true, other: true, want: github.ErrMoved},
		"cut after GitHub moved it":            {force: true, fault: &crevtest.Fault{Kind: crevtest.FaultCut, Match: move}, moved: true},
		"cut before GitHub saw it":             {force: true, fault: &crevtest.Fault{Kind: crevtest.FaultCutBefore, Match: move}, moved: true},
		"cut, and somebody was first":          {force: true, other: true, fault: &crevtest.Fault{Kind: crevtest.FaultCutBefore, Match: move}, want: github.ErrMoved},
		"a token that may not write to it":     {force: true, fault: &crevtest.Fault{Kind: crevtest.FaultForbidden, Match: move}, want: github.ErrForbidden},
		"a server that says so in other words": {force: true, other: true, fault: &crevtest.Fault{Kind: crevtest.FaultConflict, Match: move}, want: github.ErrMoved},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.client(crevtest.FullToken)
			head := w.commit(ledgerBranch, map[string]string{".crev/ledger/x.jsonl": "{}\n"})
			to := w.commit("main", map[string]string{"README.md": "shop and more\n"})
			stays := head
			if tt.other {
				stays = w.commit(ledgerBranch, map[string]string{".crev/ledger/y.jsonl": "{}\n"})
			}
			if tt.fault != nil {
				w.breakNext(*tt.fault)
			}
			err := c.MoveBranch(t.Context(), ledgerBranch, head, to, tt.force)
			switch {
			case tt.want != nil && !errors.Is(err, tt.want), tt.moved != (err == nil):
				t.Fatalf("MoveBranch: %v, want %v", err, tt.want)
			case err == nil:
				stays = to
			case tt.want == nil && !strings.Contains(err.Error(), "fast forward"):
				t.Errorf("MoveBranch: %v, want GitHub's reason", err)
			}
			if got := w.Head(ledgerBranch); got != stays {
				t.Errorf("the branch is at %.12s, want %.12s", got, stays)
			}
		})
	}
}
