package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/git"
)

// historyNow is the moment that the tests look at a history from.
var historyNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// historyRepo is a real repository whose commits have authors and ages.
type historyRepo struct {
	t   testing.TB
	dir string
}

func newHistoryRepo(t testing.TB) *historyRepo {
	t.Helper()
	r := &historyRepo{t: t, dir: filepath.Join(t.TempDir(), "repo")}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("", "init", "--quiet", "--initial-branch=main")
	r.git("", "config", "uploadpack.allowFilter", "true")
	return r
}

// git runs git and returns what it prints, trimmed. at is the time of a commit
// it makes, in days before historyNow, and by whom: "3 Ann <ann@x>".
func (r *historyRepo) git(at string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	days, name, email := 0, "Someone", "someone@example.com"
	if at != "" {
		number, who, _ := strings.Cut(at, " ")
		if _, err := fmt.Sscan(number, &days); err != nil {
			r.t.Fatal(err)
		}
		name, email, _ = strings.Cut(strings.TrimSuffix(who, ">"), " <")
	}
	when := historyNow.AddDate(0, 0, -days).Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME="+name, "GIT_AUTHOR_EMAIL="+email, "GIT_AUTHOR_DATE="+when,
		"GIT_COMMITTER_NAME=Web", "GIT_COMMITTER_EMAIL=web@example.com", "GIT_COMMITTER_DATE="+when)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes a file and commits everything.
func (r *historyRepo) commit(at, path, message string) string {
	r.t.Helper()
	full := filepath.Join(r.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	f, err := os.OpenFile(full, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(at + message + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.git(at, "add", "-A")
	r.git(at, "commit", "--quiet", "-m", message)
	return r.head()
}

func (r *historyRepo) head() string { return r.git("", "rev-parse", "HEAD") }

func (r *historyRepo) clone(flags ...string) *historyRepo {
	r.t.Helper()
	c := &historyRepo{t: r.t, dir: filepath.Join(r.t.TempDir(), "clone")}
	r.git("", append(append([]string{"clone", "--quiet", "--no-checkout"}, flags...), "file://"+r.dir, c.dir)...)
	return c
}

// experts looks at the repository's HEAD.
func (r *historyRepo) experts(cache string) *Experts {
	r.t.Helper()
	repo, err := git.Open(r.t.Context(), r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { repo.Close() })
	return &Experts{Repo: repo, Head: r.head(), Now: historyNow, Cache: cache}
}

func whole(string) bool { return true }

// ranking is who knows the whole repository, "name points" each.
func ranking(t testing.TB, x *Experts) []string {
	t.Helper()
	g, err := x.Graph(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return pointsOf(g)
}

func pointsOf(g *expertise.Graph) []string {
	var out []string
	for _, r := range g.Rank(whole) {
		out = append(out, fmt.Sprintf("%s %d", r.Name, r.Points))
	}
	return out
}

func TestExpertsReadARepository(t *testing.T) {
	t.Parallel()
	r := newHistoryRepo(t)
	first := r.commit("0 Ann <ann@old>", "lib/a.go", "first")
	ignored := r.commit("0 Sweeper <sweep@x>", "lib/a.go", "reformat")
	r.commit("0 Bo <bo@x>", "lib/b.go", "b\n\nCo-authored-by: Ann <ann@x>\nCo-authored-by: Claude <noreply@anthropic.com>")
	r.git("", "mv", "lib/a.go", "lib/moved.go")
	r.git("0 Cy <cy@x>", "commit", "--quiet", "-m", "move")
	for _, side := range []string{"x", "y"} {
		r.git("", "checkout", "--quiet", "-b", side, first)
		r.commit("0 "+side+" <"+side+"@x>", side+".go", side)
	}
	r.git("", "checkout", "--quiet", "main")
	r.git("0 Merger <merger@x>", "merge", "--quiet", "--no-edit", "x", "y")
	r.git("", "checkout", "--quiet", "-b", "elsewhere")
	r.commit("0 Mallory <mallory@x>", "lib/moved.go", "not merged")
	r.git("", "checkout", "--quiet", "main")
	r.commit("0 Dee <dee@x>", ".git-blame-ignore-revs", "ignore")
	for path, text := range map[string]string{
		".mailmap": "Ann Ames <ann@x>\nAnn Ames <ann@x> <ann@old>\n", ".git-blame-ignore-revs": ignored + "\n",
	} {
		if err := os.WriteFile(filepath.Join(r.dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r.commit("0 Dee <dee@x>", "z", "mailmap")

	want := []string{"Dee 40", "Ann Ames 33", "Bo 25", "Cy 25", "x 25", "y 25"}
	if diff := cmp.Diff(want, ranking(t, r.experts(""))); diff != "" {
		t.Errorf("Rank (-want +got):\n%s", diff)
	}
	t.Run("without blobs", func(t *testing.T) {
		c := r.clone("--filter=blob:none")
		if diff := cmp.Diff(want, ranking(t, c.experts(""))); diff != "" {
			t.Errorf("Rank (-want +got):\n%s", diff)
		}
	})
}

func TestExpertsUpdate(t *testing.T) {
	t.Parallel()
	r, cache := newHistoryRepo(t), filepath.Join(t.TempDir(), "cache")
	r.commit("0 Ann <ann@x>", "a", "one")
	start := r.commit("0 Ann <ann@x>", "a", "two")
	stored := filepath.Join(cache, historyFile)
	step := func(what string, want []string, notes int) {
		t.Helper()
		x := r.experts(cache)
		if diff := cmp.Diff(want, ranking(t, x)); diff != "" {
			t.Errorf("Rank %s (-want +got):\n%s", what, diff)
		}
		if got := x.Notes(); len(got) != notes {
			t.Errorf("Notes %s = %q, want %d", what, got, notes)
		}
		fresh := r.experts("")
		if diff := cmp.Diff(ranking(t, fresh), ranking(t, x)); diff != "" {
			t.Errorf("Rank %s, without a cache and with (-want +got):\n%s", what, diff)
		}
		text, err := os.ReadFile(stored)
		if err != nil {
			t.Fatal(err)
		}
		h, err := expertise.Decode(text)
		if err != nil || h.Head != r.head() {
			t.Errorf("the cache %s is of %v, %v, want of %s", what, h, err, r.head())
		}
	}
	step("at first", []string{"Ann 40"}, 0)
	step("again", []string{"Ann 40"}, 0)
	r.git("", "mv", "a", "b")
	r.git("0 Bo <bo@x>", "commit", "--quiet", "-m", "move")
	r.commit("0 Bo <bo@x>", "b", "three")
	step("after more commits", []string{"Ann 40", "Bo 40"}, 0)

	r.git("", "reset", "--quiet", "--hard", start)
	r.commit("0 Cy <cy@x>", "c", "another history")
	step("after the branch was rewritten", []string{"Ann 40", "Cy 25"}, 0)
	r.git("", "reset", "--quiet", "--hard", start)
	step("after the branch went back", []string{"Ann 40"}, 0)

	for name, text := range map[string]string{"damaged": "crev history 1\nnonsense", "empty": "", "of the future": "crev history 2\n"} {
		if err := os.WriteFile(stored, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		step("with a cache that is "+name, []string{"Ann 40"}, 1)
	}
	t.Run("a cache that cannot be written", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		x := r.experts(filepath.Join(file, "cache"))
		if diff := cmp.Diff([]string{"Ann 40"}, ranking(t, x)); diff != "" {
			t.Errorf("Rank (-want +got):\n%s", diff)
		}
		if len(x.Notes()) == 0 {
			t.Error("nobody is told")
		}
	})
}

func TestExpertsWindow(t *testing.T) {
	t.Parallel()
	r, cache := newHistoryRepo(t), t.TempDir()
	r.commit("3000 Old <old@x>", "a", "long ago")
	r.commit("10 Ann <ann@x>", "a", "lately")
	window := historyNow.Add(-expertise.Window)
	for range 2 { // at first and from the cache
		x := r.experts(cache)
		g, err := x.Graph(t.Context(), window)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"Ann 24"}, pointsOf(g)); diff != "" {
			t.Errorf("Rank of the last years (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff([]string{"Ann 24", "Old 1"}, ranking(t, r.experts(cache))); diff != "" {
		t.Errorf("Rank (-want +got):\n%s", diff)
	}
	// The longer history answers for the shorter one.
	g, err := r.experts(cache).Graph(t.Context(), window)
	if err != nil || len(pointsOf(g)) != 2 {
		t.Errorf("Rank from the longer history = %q, %v", pointsOf(g), err)
	}
}

func TestExpertsOfAShallowClone(t *testing.T) {
	t.Parallel()
	r := newHistoryRepo(t)
	for range 3 {
		r.commit("0 Ann <ann@x>", "a", "more")
	}
	c, cache := r.clone("--depth=1"), t.TempDir()
	_, err := c.experts(cache).Graph(t.Context(), time.Time{})
	if !errors.Is(err, ErrNoHistory) || !strings.Contains(err.Error(), "fetch-depth: 0") {
		t.Errorf("Graph of a shallow clone: %v, want ErrNoHistory and what to do", err)
	}
	if left, _ := os.ReadDir(cache); len(left) != 0 {
		t.Errorf("half a history was kept: %v", left)
	}
	x := c.experts(cache)
	x.Remote = "elsewhere"
	if _, err := x.Graph(t.Context(), time.Time{}); !errors.Is(err, ErrNoHistory) {
		t.Errorf("Graph with a remote that is none: %v, want ErrNoHistory", err)
	}
	x = c.experts(cache)
	x.Remote = "origin"
	if diff := cmp.Diff([]string{"Ann 50"}, ranking(t, x)); diff != "" {
		t.Errorf("Rank of a shallow clone that may fetch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Ann 50"}, ranking(t, c.experts(""))); diff != "" {
		t.Errorf("Rank afterwards (-want +got):\n%s", diff)
	}
}

// accounts is a People over two tables. A login in neither is an error.
type accounts map[string]struct {
	emails []string
	access expertise.Access
}

func (a accounts) Addresses(_ context.Context, login string) ([]string, error) {
	if _, ok := a[login]; !ok {
		return nil, errors.New("the server does not answer")
	}
	return a[login].emails, nil
}

func (a accounts) Access(context.Context, string) (expertise.Access, error) {
	return expertise.AccessUnknown, nil
}

func TestExpertsDecide(t *testing.T) {
	t.Parallel()
	r := newHistoryRepo(t)
	for range 8 {
		r.commit("2400 Founder <founder@corp>", "old/a", "long ago")
	}
	for range 34 {
		r.commit("2400 Keeper <keeper@corp>", "old/b", "long ago")
	}
	r.commit("1 Keeper <keeper@corp>", "other", "still here")
	for range 7 {
		r.commit("1 Ann <ann@corp>", "new/a", "lately")
	}
	r.commit("1 Bo <bo@corp>", "new/a", "lately")
	people := accounts{
		"ann": {emails: []string{"ann@corp"}}, "bo": {emails: []string{"bo@corp"}}, "newcomer": {},
		"founder": {emails: []string{"founder@corp"}}, "keeper": {emails: []string{"keeper@corp"}},
	}
	under := func(dir string) func(string) bool {
		return func(p string) bool { return strings.HasPrefix(p, dir+"/") }
	}
	voice := func(login string) []Voice { return []Voice{{Login: login}} }
	tests := map[string]struct {
		q      Question
		people People
		want   expertise.Decision
		err    error
	}{
		"the one who knows it": {Question{under("new"), voice("ann"), voice("bo")}, people,
			expertise.Decision{Outcome: expertise.Wins, Reason: expertise.KnowsBetter}, nil},
		"the one who does not": {Question{under("new"), voice("bo"), voice("ann")}, people,
			expertise.Decision{Outcome: expertise.Ask, Reason: expertise.SettersKnowBetter, Ask: []string{"ann"}}, nil},
		// The last years show no work at all there.
		"only the whole history tells": {Question{under("old"), voice("ann"), voice("keeper")}, people,
			expertise.Decision{Outcome: expertise.Ask, Reason: expertise.SettersKnowBetter, Ask: []string{"keeper"}}, nil},
		"neither knows it, and one has left": {Question{under("old"), voice("ann"), voice("founder")}, people,
			expertise.Decision{Outcome: expertise.Keep, Reason: expertise.Unproven}, nil},
		"the setter himself, with nobody to ask": {Question{under("new"), voice("bo"), voice("bo")}, nil,
			expertise.Decision{Outcome: expertise.Wins, Reason: expertise.OwnRule}, nil},
		"nobody to ask": {Question{under("new"), voice("ann"), voice("bo")}, nil,
			expertise.Decision{Outcome: expertise.Ask, Reason: expertise.NoHistory, Ask: []string{"bo"}}, ErrNoHistory},
		"the server does not answer": {Question{under("new"), voice("ann"), voice("who")}, people,
			expertise.Decision{Outcome: expertise.Ask, Reason: expertise.NoHistory, Ask: []string{"who"}}, ErrNoHistory},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := r.experts("")
			x.People = tt.people
			got, err := x.Decide(t.Context(), tt.q)
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
				t.Errorf("Decide: %v (-want +got):\n%s", err, diff)
			}
		})
	}
	t.Run("a shallow clone", func(t *testing.T) {
		t.Parallel()
		x := r.clone("--depth=1").experts("")
		x.People = people
		got, err := x.Decide(t.Context(), Question{under("new"), voice("ann"), voice("bo")})
		want := expertise.Decision{Outcome: expertise.Ask, Reason: expertise.NoHistory, Ask: []string{"bo"}}
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, ErrNoHistory) {
			t.Errorf("Decide: %v (-want +got):\n%s", err, diff)
		}
	})
}
