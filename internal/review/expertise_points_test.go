package review

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/rule"
)

// taughtBy is an active rule about a folder that people taught on a day.
func taughtBy(id, folder string, day rule.Date, who ...string) rule.Rule {
	r := rule.Rule{ID: id, Kind: rule.Always, Says: "Close every body.", Scope: rule.Scope{folder + "/**"}, Status: rule.Active}
	for _, w := range who {
		r.Learned = append(r.Learned, rule.Learned{From: "manual", By: w, At: day})
	}
	return r
}

// knownTeachers is a history in which ann knows the folder new and bo does not.
func knownTeachers(t *testing.T) *Experts {
	t.Helper()
	r := newHistoryRepo(t)
	for range 7 {
		r.commit("1 Ann <ann@corp>", "new/a", "lately")
	}
	r.commit("1 Bo <bo@corp>", "other/b", "lately")
	x := r.experts("")
	x.People = accounts{"ann": {emails: []string{"ann@corp"}}, "bo": {emails: []string{"bo@corp"}}}
	return x
}

func TestTeachersPoints(t *testing.T) {
	t.Parallel()
	x := knownTeachers(t)
	rules := []rule.Rule{
		taughtBy("by-ann", "new", "2026-01-05", "ann"), taughtBy("by-bo", "new", "2026-01-05", "bo"),
		taughtBy("by-both", "new", "2026-01-05", "bo", "ann"), taughtBy("elsewhere", "other", "2026-01-05", "ann"),
	}
	got, err := x.TeachersPoints(t.Context(), rules)
	want := map[string]int{"by-ann": 50, "by-bo": 0, "by-both": 50, "elsewhere": 0}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("TeachersPoints: %v (-want +got):\n%s", err, d)
	}
	x.People = nil
	if got, err := x.TeachersPoints(t.Context(), rules); !errors.Is(err, ErrNoHistory) || got != nil {
		t.Errorf("without accounts TeachersPoints = %v, %v, want none and %v", got, err, ErrNoHistory)
	}
}

// Where the pool is full, the rule of whoever knows the code stays, though it was
// taught longer ago; without a history it is the other that stays.
func TestOverflowCountsTeachers(t *testing.T) {
	t.Parallel()
	pool := rule.NewPool(taughtBy("by-ann", "new", "2026-01-05", "ann"), taughtBy("by-bo", "new", "2026-03-05", "bo"))
	for name, tc := range map[string]struct {
		experts *Experts
		max     int
		sleeps  []string
		note    string
	}{
		"room for both":     {&Experts{}, 2, nil, ""},
		"who knows it":      {knownTeachers(t), 1, []string{"by-bo"}, ""},
		"nobody to ask":     {&Experts{}, 1, []string{"by-ann"}, "nobody to ask"},
		"no history at all": {nil, 1, []string{"by-ann"}, ""},
	} {
		cfg := DefaultConfig()
		cfg.Rules.MaxActive = tc.max
		l := &learner{job: &job{cfg: cfg, d: Deps{Experts: tc.experts, Log: slog.New(slog.DiscardHandler)}}}
		var ids []string
		for _, r := range l.overflow(t.Context(), pool, historyNow) {
			ids = append(ids, r.ID)
		}
		if !slices.Equal(ids, tc.sleeps) || !strings.Contains(strings.Join(l.report.Notes, " "), tc.note) {
			t.Errorf("%s: %v sleep, notes %q; want %v and a note with %q", name, ids, l.report.Notes, tc.sleeps, tc.note)
		}
	}
}
