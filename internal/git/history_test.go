package git

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	one := f.commit("one")
	two := f.commit("two")
	f.git("tag", "-a", "-m", "tag", "v1", one)
	f.git("update-ref", "refs/heads/--output=x", one)
	f.git("update-ref", "refs/heads/$(id)", one)
	r := f.open()
	tests := map[string]struct{ rev, want string }{
		"HEAD":                        {"HEAD", two},
		"a branch":                    {"main", two},
		"an annotated tag":            {"v1", one},
		"an expression":               {"HEAD~1", one},
		"a prefix of an id":           {one[:10], one},
		"a full id":                   {two, two},
		"a branch that is an option":  {"--output=x", one},
		"a branch that is a command":  {"$(id)", one},
		"no such name":                {"none", ""},
		"an option":                   {"--all", ""},
		"a range":                     {"HEAD~1..HEAD", ""},
		"a tree":                      {"HEAD^{tree}", ""},
		"a line end":                  {"HEAD\n", ""},
		"nothing":                     {"", ""},
		"a full id that is not there": {strings.Repeat("d", 40), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := r.Resolve(t.Context(), tt.rev)
			if got != tt.want || (tt.want == "") != errors.Is(err, ErrUnknownRevision) {
				t.Errorf("Resolve(%q) = %q, %v, want %q", tt.rev, got, err, tt.want)
			}
		})
	}
}

func TestAncestry(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	root := f.commit("root")
	f.git("checkout", "--quiet", "-b", "side")
	side := f.commit("side")
	f.git("checkout", "--quiet", "main")
	main1 := f.commit("main1")
	f.git("merge", "--quiet", "--no-ff", "--no-edit", "side")
	merge := f.git("rev-parse", "HEAD")
	main2 := f.commit("main2\n\nThis reverts commit " + main1 + ".")
	f.git("checkout", "--quiet", "--orphan", "other")
	other := f.commit("other")
	r, ctx := f.open(), t.Context()

	if got, err := r.MergeBase(ctx, side, main1); err != nil || got != root {
		t.Errorf("MergeBase(side, main1) = %q, %v, want %q", got, err, root)
	}
	if _, err := r.MergeBase(ctx, other, main1); !errors.Is(err, ErrNoMergeBase) {
		t.Errorf("MergeBase without common history: %v, want ErrNoMergeBase", err)
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{{root, main2, true}, {side, main2, true}, {main2, main2, true}, {main2, root, false}, {other, main2, false}} {
		if got, err := r.IsAncestor(ctx, tt.a, tt.b); err != nil || got != tt.want {
			t.Errorf("IsAncestor(%s, %s) = %v, %v, want %v", short(tt.a), short(tt.b), got, err, tt.want)
		}
	}
	for sha, want := range map[string]bool{root: true, strings.Repeat("d", 40): false} {
		if got, err := r.HasCommit(ctx, sha); err != nil || got != want {
			t.Errorf("HasCommit(%s) = %v, %v, want %v", short(sha), got, err, want)
		}
	}
	chains := map[string]struct {
		from, to string
		max      int
		want     []string
		err      error
	}{
		"along the main line":     {root, main2, 50, []string{main1, merge, main2}, nil},
		"exactly as far":          {root, main2, 3, []string{main1, merge, main2}, nil},
		"one step too far":        {root, main2, 2, nil, ErrNotOnChain},
		"an ancestor by a merge":  {side, main2, 50, nil, ErrNotOnChain},
		"backwards":               {main2, root, 50, nil, ErrNotOnChain},
		"the same":                {main2, main2, 50, nil, nil},
		"a history of its own":    {other, main2, 50, nil, ErrNotOnChain},
		"a commit that is gone":   {strings.Repeat("d", 40), main2, 50, nil, ErrNotOnChain},
		"not even one step, same": {main2, main2, 0, nil, nil},
	}
	for name, tt := range chains {
		got, err := r.FirstParents(ctx, tt.from, tt.to, tt.max)
		if d := cmp.Diff(tt.want, append([]string(nil), got...)); d != "" || !errors.Is(err, tt.err) {
			t.Errorf("%s: FirstParents = %v, %v, want %v, %v", name, got, err, tt.want, tt.err)
		}
	}
	want := "main2\n\nThis reverts commit " + main1 + ".\n"
	if got, err := r.CommitMessage(ctx, main2); err != nil || got != want {
		t.Errorf("CommitMessage = %q, %v, want %q", got, err, want)
	}
	for _, name := range []string{"main", "--help", "HEAD", strings.ToUpper(root), root[:39], root + " "} {
		if _, err := r.MergeBase(ctx, name, root); err == nil {
			t.Errorf("MergeBase took %q for a commit", name)
		}
		if _, err := r.Diff(ctx, root, name, DiffOptions{}); err == nil {
			t.Errorf("Diff took %q for a commit", name)
		}
	}
}

func TestErrorIsOneLine(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	root := f.commit("root")
	_, err := f.open().Diff(t.Context(), root, strings.Repeat("d", 40), DiffOptions{})
	want := fmt.Sprintf("diff %s..dddddddddddd: git diff-tree: fatal: bad object %s: exit status 128", short(root), strings.Repeat("d", 40))
	if err == nil || err.Error() != want {
		t.Errorf("Diff of a missing commit: %v, want %s", err, want)
	}
}
