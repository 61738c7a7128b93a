package github_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/github"
)

const ledgerBranch = "crev/ledger"

func (w *world) ledger(c *github.Client) string {
	w.t.Helper()
	if err := c.CreateBranch(w.t.Context(), ledgerBranch, w.base); err != nil {
		w.t.Fatal(err)
	}
	return w.base
}

func run(name string) []github.File {
	return []github.File{{Path: ".crev/ledger/2026-11-30/" + name + ".jsonl", Content: []byte("{}\n")}}
}

func TestCommitFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	ctx := t.Context()
	if _, err := c.BranchHead(ctx, ledgerBranch); !errors.Is(err, github.ErrNotFound) {
		t.Fatalf("BranchHead of a branch that is not there: %v, want ErrNotFound", err)
	}
	base := w.ledger(c)
	if err := c.CreateBranch(ctx, ledgerBranch, w.base); !errors.Is(err, github.ErrExists) {
		t.Errorf("CreateBranch once more: %v, want ErrExists", err)
	}
	first, err := c.CommitFiles(ctx, ledgerBranch, base, append(run("1-1017-1"),
		github.File{Path: ".crev/rules/a.yaml", Content: []byte("id: a\n")},
		github.File{Path: ".crev/ledger/.gitkeep"}), "crev: run 1017.1\n\nTwo lines.")
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.CommitFiles(ctx, ledgerBranch, first, []github.File{{Path: ".crev/rules/a.yaml", Delete: true}}, "crev: forget")
	if err != nil {
		t.Fatal(err)
	}
	if head, err := c.BranchHead(ctx, ledgerBranch); err != nil || head != second {
		t.Errorf("BranchHead = %s, %v, want %s", head, err, second)
	}
	for path, want := range map[string]string{
		".crev/ledger/2026-11-30/1-1017-1.jsonl": "{}\n", ".crev/ledger/.gitkeep": "", "README.md": "shop\n",
	} {
		if got, err := w.ReadFile(ledgerBranch, path); err != nil || got != want {
			t.Errorf("%s = %q, %v, want %q", path, got, err, want)
		}
	}
	if _, err := w.ReadFile(ledgerBranch, ".crev/rules/a.yaml"); err == nil {
		t.Error("the deleted file is still there")
	}
	// The branch of the pull request has not moved.
	if w.Head("feature") != w.head {
		t.Error("the head of the pull request moved")
	}
}

// Two runs, or a run and a person, write at the same time. Nobody's commit is
// lost, and a commit whose answer got lost is not made twice.
func TestCommitFilesRaces(t *testing.T) {
	t.Parallel()
	const commit = "graphql createCommitOnBranch"
	tests := map[string]struct {
		fault *crevtest.Fault
		// other writes in between.
		other bool
		want  error
		// files that are on the branch afterwards.
		files   string
		commits int
	}{
		"nobody else":        {files: "mine", commits: 1},
		"somebody was first": {other: true, want: github.ErrMoved, files: "other", commits: 1},
		"cut after GitHub stored it": {
			fault: &crevtest.Fault{Kind: crevtest.FaultCut, Match: commit}, files: "mine", commits: 1,
		},
		"cut before GitHub saw it": {
			fault: &crevtest.Fault{Kind: crevtest.FaultCutBefore, Match: commit}, files: "mine", commits: 1,
		},
		"cut, and somebody was first": {
			fault: &crevtest.Fault{Kind: crevtest.FaultCutBefore, Match: commit}, other: true,
			want: github.ErrMoved, files: "other", commits: 1,
		},
		"GitHub says so": {
			fault: &crevtest.Fault{Kind: crevtest.FaultConflict, Match: commit}, want: github.ErrMoved,
		},
		"token without contents: write": {
			fault: &crevtest.Fault{Kind: crevtest.FaultForbidden, Match: commit}, want: github.ErrForbidden,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.client(crevtest.FullToken)
			head := w.ledger(c)
			if tt.other {
				w.commit(ledgerBranch, map[string]string{".crev/ledger/2026-11-30/other.jsonl": "{}\n"})
			}
			if tt.fault != nil {
				w.breakNext(*tt.fault)
			}
			sha, err := c.CommitFiles(t.Context(), ledgerBranch, head, run("mine"), "crev: run")
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Fatalf("CommitFiles: %v, want %v", err, tt.want)
			}
			if err == nil && sha != w.Head(ledgerBranch) {
				t.Errorf("commit %s is not the head %s", sha, w.Head(ledgerBranch))
			}
			for _, name := range []string{"mine", "other"} {
				_, err := w.ReadFile(ledgerBranch, ".crev/ledger/2026-11-30/"+name+".jsonl")
				if got, want := err == nil, tt.files == name; got != want {
					t.Errorf("%s is on the branch: %t, want %t", name, got, want)
				}
			}
			if tt.commits == 1 && w.Head(ledgerBranch+"~1") != head {
				t.Error("there is not exactly one commit on the branch")
			}
		})
	}
}

func TestCommitFilesOutsideCrev(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	head := w.ledger(c)
	before := len(w.Requests())
	for _, path := range []string{
		"README.md", ".github/workflows/ci.yml", ".crev", ".crev/", "/.crev/a", ".crev/../app.go", ".crev/./a",
		".crev//a", "a/.crev/b", ".crev/a\\..\\b", ".crev/a\nb", ".crev/.git/hooks/x", ".crev/.GIT/config", ".CREV/a", "",
	} {
		_, err := c.CommitFiles(t.Context(), ledgerBranch, head, append(run("good"), github.File{Path: path}), "crev: run")
		if !errors.Is(err, github.ErrOutsideCrev) {
			t.Errorf("path %q: %v, want ErrOutsideCrev", path, err)
		}
	}
	if n := len(w.Requests()) - before; n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestEnsurePullRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(crevtest.FullToken)
	ctx := t.Context()
	head := w.ledger(c)
	ensure := func(title string) (int, bool, error) {
		return c.EnsurePullRequest(ctx, ledgerBranch, "main", title, "What crev learned.")
	}
	if _, _, err := ensure("crev: ledger"); !errors.Is(err, github.ErrNothingToMerge) {
		t.Fatalf("nothing to merge: %v, want ErrNothingToMerge", err)
	}
	if _, err := c.CommitFiles(ctx, ledgerBranch, head, run("1-1017-1"), "crev: run"); err != nil {
		t.Fatal(err)
	}
	w.breakNext(crevtest.Fault{Kind: crevtest.FaultCut, Match: "POST .*/pulls$"})
	type result struct {
		N       int
		Created bool
	}
	var got []result
	for _, title := range []string{"crev: ledger", "crev: ledger", "crev: ledger and rules"} {
		n, created, err := ensure(title)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, result{n, created})
	}
	if diff := cmp.Diff([]result{{2, true}, {2, false}, {2, false}}, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if creates, edits := w.count("pulls/create"), w.count("pulls/update"); creates != 2 || edits != 1 {
		t.Errorf("%d creations and %d edits, want 2 (one refused before) and 1", creates, edits)
	}
	pr, err := c.PullRequest(ctx, 2)
	if err != nil || pr.Title != "crev: ledger and rules" || pr.Author != "github-actions[bot]" {
		t.Errorf("pull request 2 is %+v, %v", pr, err)
	}
}

// Where the setting is off, a person opens the pull request once.
func TestEnsurePullRequestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ForbidPullRequests()
	c := w.client(crevtest.FullToken)
	head := w.ledger(c)
	if _, err := c.CommitFiles(t.Context(), ledgerBranch, head, run("1-1017-1"), "crev: run"); err != nil {
		t.Fatal(err)
	}
	_, _, err := c.EnsurePullRequest(t.Context(), ledgerBranch, "main", "crev: ledger", "")
	refused, ok := errors.AsType[*github.PullRequestRefusedError](err)
	if !ok || !errors.Is(err, github.ErrForbidden) {
		t.Fatalf("error %v, want a *PullRequestRefusedError", err)
	}
	want := w.ServerURL + "/acme/shop/compare/main...crev/ledger?expand=1"
	if refused.CompareURL != want || !strings.Contains(err.Error(), want) {
		t.Errorf("link %q, want %q", refused.CompareURL, want)
	}
}
