package expertise

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// epoch is the moment that tests look at a history from.
var epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// tale builds a history, oldest commit first.
type tale struct{ commits []Commit }

// commit adds a commit that somebody made so many days before epoch. A change
// is a path, or a path, an arrow and another path.
func (s *tale) commit(days float64, who string, changes ...string) *Commit {
	name, email := splitPerson([]byte(who))
	c := Commit{ID: fmt.Appendf(nil, "%016x%024d", len(s.commits)+1, 0), Name: name, Email: email,
		Time: epoch.Unix() - int64(days*day)}
	for _, ch := range changes {
		var from, path string
		if n, _ := fmt.Sscanf(ch, "%s → %s", &from, &path); n == 2 {
			c.Changes = append(c.Changes, Change{Path: []byte(path), From: []byte(from)})
		} else {
			c.Changes = append(c.Changes, Change{Path: []byte(ch)})
		}
	}
	s.commits = append(s.commits, c)
	return &s.commits[len(s.commits)-1]
}

// with adds the people of its trailers to the last commit.
func (c *Commit) with(people ...string) {
	for _, p := range people {
		c.People = append(c.People, []byte(p))
	}
}

func (s *tale) history() *History {
	r := NewRecorder(nil)
	for i := range s.commits {
		r.Add(&s.commits[len(s.commits)-1-i])
	}
	return r.History("head", time.Time{})
}

func (s *tale) graph(paths ...string) *Graph {
	return NewGraph(s.history(), Options{Now: epoch, Paths: paths})
}

func everything(string) bool { return true }

func only(path string) func(string) bool { return func(p string) bool { return p == path } }

// table is a ranking as "name points".
func table(ranked []Ranked) []string {
	var out []string
	for _, r := range ranked {
		out = append(out, fmt.Sprintf("%s %d", r.Name, r.Points))
	}
	return out
}

func TestFormula(t *testing.T) {
	t.Parallel()
	for sum, want := range map[float64]int{0: 0, 1: 25, 3: 50, 7: 75, 15: 100, 63: 150, 255: 200} {
		if got := points(sum); got != want {
			t.Errorf("points(%v) = %d, want %d", sum, got, want)
		}
	}
	for days, want := range map[int64]float64{-5: 1, 0: 1, 180: 0.9/2 + 0.1*0.91807, 1460: 0.9*0.00361 + 0.05} {
		if got := age(days * day); got < want-1e-4 || got > want+1e-4 {
			t.Errorf("age of %d days = %v, want %v", days, got, want)
		}
	}
	// A hundred commits of three years ago still show.
	if got := points(100 * age(3*365*day)); got != 76 {
		t.Errorf("100 commits of three years ago: %d points, want 76", got)
	}
	for files, want := range map[int]float64{0: 1, 1: 1, 30: 1, 60: 0.5, 3000: 0.01} {
		if got := size(files); got != want {
			t.Errorf("size(%d) = %v, want %v", files, got, want)
		}
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	many := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("gen/%d", i))
		}
		return out
	}
	tests := map[string]struct {
		tell  func(*tale)
		paths []string
		scope func(string) bool
		o     Options
		want  []string
	}{
		"one commit counts once, however many files": {
			tell:  func(s *tale) { s.commit(0, "Ann <a@x>", "a", "b", "c") },
			paths: []string{"a", "b", "c"},
			want:  []string{"Ann 25"},
		},
		"a co-author and a reviewer have half, an author who reviews too the whole": {
			tell: func(s *tale) {
				s.commit(0, "Ann <a@x>", "a").with("Bo <b@x>", "Cy <c@x>", "Ann <A@X>", "Bo <b@x>")
			},
			paths: []string{"a"},
			want:  []string{"Ann 25", "Bo 15", "Cy 15"},
		},
		"a sweep over the tree is worth little": {
			tell:  func(s *tale) { s.commit(0, "Ann <a@x>", many(300)...) },
			paths: many(300),
			scope: only("gen/7"),
			want:  []string{"Ann 3"},
		},
		"old work fades": {
			tell:  func(s *tale) { s.commit(180, "Ann <a@x>", "a"); s.commit(0, "Bo <b@x>", "a") },
			paths: []string{"a"},
			want:  []string{"Bo 25", "Ann 16"},
		},
		"work on what is gone counts for nobody": {
			tell:  func(s *tale) { s.commit(0, "Ann <a@x>", "gone"); s.commit(0, "Bo <b@x>", "a") },
			paths: []string{"a"},
			want:  []string{"Bo 25"},
		},
		"points go to the name a file has now": {
			tell: func(s *tale) {
				s.commit(0, "Ann <a@x>", "old")
				s.commit(0, "Bo <b@x>", "old → dir/mid")
				s.commit(0, "Cy <c@x>", "dir/mid → new")
			},
			paths: []string{"new"},
			want:  []string{"Ann 25", "Bo 25", "Cy 25"},
		},
		"a name used again is another file": {
			tell: func(s *tale) {
				s.commit(0, "Ann <a@x>", "a")
				s.commit(0, "Bo <b@x>", "a → b")
				s.commit(0, "Cy <c@x>", "a")
			},
			paths: []string{"a", "b"},
			scope: only("a"),
			want:  []string{"Cy 25"},
		},
		"two files swap their names": {
			tell: func(s *tale) {
				s.commit(0, "Ann <a@x>", "a")
				s.commit(0, "Bo <b@x>", "b")
				s.commit(0, "Cy <c@x>", "a → b", "b → a")
			},
			paths: []string{"a", "b"},
			scope: only("a"),
			want:  []string{"Bo 25", "Cy 25"},
		},
		"a rename taken back": {
			tell: func(s *tale) {
				s.commit(0, "Ann <a@x>", "a")
				s.commit(0, "Bo <b@x>", "a → b")
				s.commit(0, "Cy <c@x>", "b → a")
			},
			paths: []string{"a"},
			want:  []string{"Ann 25", "Bo 25", "Cy 25"},
		},
		"a file that was renamed and then removed": {
			tell: func(s *tale) {
				s.commit(0, "Ann <a@x>", "a")
				s.commit(0, "Bo <b@x>", "a → b")
				s.commit(0, "Cy <c@x>", "b")
			},
			paths: []string{"c"},
		},
		"bots have none, people beside them do": {
			tell: func(s *tale) {
				s.commit(0, "dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>", "a").with("Ann <a@x>")
				s.commit(0, "Bo <b@x>", "a").with("Claude <noreply@anthropic.com>",
					"Copilot <198982749+Copilot@users.noreply.github.com>", "k8s-ci-robot <k@x>", "aider (model) <m@x>")
			},
			paths: []string{"a"},
			want:  []string{"Bo 25", "Ann 15"},
		},
		"a commit that blame ignores": {
			tell:  func(s *tale) { s.commit(0, "Ann <a@x>", "a"); s.commit(0, "Bo <b@x>", "a") },
			paths: []string{"a"},
			o: Options{IgnoreRevs: []byte("# reformatted\n0000000000000001000000000000000000000000 # all of it\r\n" +
				"0000000000000002\n")},
			want: []string{"Bo 25"},
		},
		"the mailmap joins addresses": {
			tell: func(s *tale) {
				s.commit(1, "ann <old@x>", "a")
				s.commit(0, "Ann Ames <ann@x>", "a").with("anna <OLD@x>")
				s.commit(0, "Bo <b@x>", "a")
			},
			paths: []string{"a"},
			o:     Options{Mailmap: []byte("Ann Ames <ann@x> <old@x>\n")},
			want:  []string{"Ann Ames 40", "Bo 25"},
		},
		"noreply addresses of one account": {
			tell: func(s *tale) {
				s.commit(0, "ann <ann@users.noreply.github.com>", "a")
				s.commit(0, "Ann <123+Ann@users.noreply.github.com>", "a")
				s.commit(0, "Ann <7+bo@users.noreply.github.com>", "a")
			},
			paths: []string{"a"},
			want:  []string{"Ann 40", "Ann 25"},
		},
		"equal full names, and names of one word": {
			tell: func(s *tale) {
				s.commit(0, "ann  ames <a@y>", "a")
				s.commit(0, "Ann Ames <a@x>", "a")
				s.commit(0, "adam <a1@x>", "a")
				s.commit(0, "adam <a2@x>", "a")
				s.commit(0, "Your Name <you@x>", "a")
				s.commit(0, "Your Name <you@y>", "a")
			},
			paths: []string{"a"},
			want:  []string{"Ann Ames 40", "Your Name 25", "Your Name 25", "adam 25", "adam 25"},
		},
		"no address at all": {
			tell: func(s *tale) {
				s.commit(0, "Ann <>", "a")
				s.commit(0, "Bo <>", "a")
				s.commit(0, "Bo <(none)>", "a")
			},
			paths: []string{"a"},
			want:  []string{"Ann 25", "Bo 25", "Bo 25"},
		},
		"a date in the future is now": {
			tell:  func(s *tale) { s.commit(-4000, "Ann <a@x>", "a") },
			paths: []string{"a"},
			want:  []string{"Ann 25"},
		},
		"reviews that crev saw": {
			tell: func(s *tale) {
				s.commit(0, "Ann <9+ann@users.noreply.github.com>", "a")
				s.commit(0, "Bo <b@x>", "a → b")
			},
			paths: []string{"b"},
			o: Options{Reviews: []Review{
				{PR: 1, Login: "ANN", At: epoch, Paths: []string{"a"}},
				{PR: 1, Login: "ann", At: epoch.Add(-time.Hour), Paths: []string{"a"}},
				{PR: 2, Login: "cy", At: epoch, Paths: []string{"b"}},
				{PR: 2, Login: "renovate[bot]", At: epoch, Paths: []string{"b"}},
				{PR: 3, Login: "cy", At: epoch, Paths: []string{"none"}},
			}},
			want: []string{"Ann 33", "Bo 25", "cy 15"},
		},
		"names that are no UTF-8": {
			tell:  func(s *tale) { s.commit(0, "Jos\xe9 \xff <j@x>", "a\xff") },
			paths: []string{"a\xff"},
			want:  []string{"Jos\xe9 \xff 25"},
		},
		"an empty history": {tell: func(*tale) {}, paths: []string{"a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s tale
			tt.tell(&s)
			tt.o.Now, tt.o.Paths = epoch, tt.paths
			if tt.scope == nil {
				tt.scope = everything
			}
			got := table(NewGraph(s.history(), tt.o).Rank(tt.scope))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Rank (-want +got):\n%s", diff)
			}
		})
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	now := epoch.Unix()
	ago := func(days int64) int64 { return now - days*day }
	tests := map[string]struct {
		last   int64
		access Access
		want   State
	}{
		"seen lately":                    {ago(180), AccessUnknown, Active},
		"seen lately, access taken away": {ago(10), BelowWrite, Active},
		"quiet":                          {ago(181), AccessUnknown, Away},
		"quiet, may write":               {ago(4000), Writes, Away},
		"quiet, access taken away":       {ago(181), BelowWrite, Left},
		"long quiet, nobody knows":       {ago(731), AccessUnknown, Left},
		"quiet for less, nobody knows":   {ago(730), AccessUnknown, Away},
		"never seen, nobody knows":       {0, AccessUnknown, Away},
		"never seen, no access":          {0, BelowWrite, Left},
	}
	for name, tt := range tests {
		if got := stateOf(tt.last, now, tt.access); got != tt.want {
			t.Errorf("%s: stateOf = %v, want %v", name, got, tt.want)
		}
	}
}

// drawTale draws a small history over few names, so that they meet.
func drawTale(t *rapid.T) *tale {
	var s tale
	days := rapid.Float64Range(300, 900).Draw(t, "start")
	people := rapid.SampledFrom([]string{"Ann Ames <a@x>", "Bo <b@x>", "Cy <3+cy@users.noreply.github.com>", "x[bot] <x@x>"})
	path := rapid.SampledFrom([]string{"a", "b", "dir/c", "dir/d", "e"})
	for range rapid.IntRange(0, 30).Draw(t, "commits") {
		days -= rapid.Float64Range(0, 10).Draw(t, "days")
		var changes []string
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			ch := path.Draw(t, "path")
			if from := path.Draw(t, "from"); rapid.IntRange(0, 3).Draw(t, "renames") == 0 && from != ch {
				ch = from + " → " + ch
			}
			changes = append(changes, ch)
		}
		c := s.commit(days, people.Draw(t, "author"), changes...)
		if rapid.Bool().Draw(t, "reviewed") {
			c.with(people.Draw(t, "reviewer"))
		}
	}
	return &s
}

// A history that is read in two parts says the same as one read at once, and
// so does one that was written and read again.
func TestPartsMakeTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawTale(t)
		whole := s.history()
		cut := rapid.IntRange(0, len(s.commits)).Draw(t, "cut")
		older := tale{commits: s.commits[:cut]}
		base, err := Decode(older.history().Encode())
		if err != nil {
			t.Fatal(err)
		}
		r := NewRecorder(base)
		for i := len(s.commits) - 1; i >= cut; i-- {
			r.Add(&s.commits[i])
		}
		parts, err := Decode(r.History("head", time.Time{}).Encode())
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Now: epoch, Paths: []string{"a", "b", "dir/c"}}
		want, got := NewGraph(whole, o).Rank(everything), NewGraph(parts, o).Rank(everything)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Rank of the parts (-whole +parts):\n%s", diff)
		}
		if got := NewGraph(parts, o).Rank(everything); len(got) > 0 && got[0].Points < got[len(got)-1].Points {
			t.Errorf("Rank is not in order: %v", table(got))
		}
	})
}
