package rule

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func ago(days int) time.Time { return day.AddDate(0, 0, -days) }

func TestStats(t *testing.T) {
	t.Parallel()
	use := func(e Effect, days int) Use { return Use{"go-errgroup", e, ago(days)} }
	often := make([]time.Time, 60)
	for i := range often {
		often[i] = ago(i)
	}
	rarely := make([]time.Time, 60)
	for i := range rarely {
		rarely[i] = ago(10 * i)
	}
	tests := map[string]struct {
		history History
		want    Stat
	}{
		"nothing":                     {History{}, Stat{}},
		"hits":                        {History{Uses: []Use{use(Hit, 1), use(Hit, 2)}}, Stat{Score: 2, Hits: 2, Recent: 2}},
		"an old hit":                  {History{Uses: []Use{use(Hit, 1), use(Hit, 181)}}, Stat{Score: 1, Hits: 2, Recent: 1}},
		"old but among the last 50":   {History{Uses: []Use{use(Hit, 400)}, Reviews: rarely}, Stat{Score: 1, Hits: 1, Recent: 1}},
		"older than the last 50":      {History{Uses: []Use{use(Hit, 491)}, Reviews: rarely}, Stat{Hits: 1}},
		"many reviews, yet young":     {History{Uses: []Use{use(Hit, 170)}, Reviews: often}, Stat{Score: 1, Hits: 1, Recent: 1}},
		"liked":                       {History{Uses: []Use{use(Liked, 1)}}, Stat{Score: 1}},
		"disliked":                    {History{Uses: []Use{use(Hit, 1), use(Disliked, 1)}}, Stat{Score: -1, Hits: 1, Recent: 1}},
		"disliked long ago":           {History{Uses: []Use{use(Disliked, 200)}}, Stat{}},
		"its teacher's 49 points":     {History{Points: map[string]int{"go-errgroup": 49}}, Stat{}},
		"its teacher's 149 points":    {History{Points: map[string]int{"go-errgroup": 149}}, Stat{Score: 2}},
		"of a rule that is not there": {History{Uses: []Use{{"nobody", Hit, ago(1)}}}, Stat{}},
		"from the future":             {History{Uses: []Use{use(Hit, -1)}}, Stat{Hits: 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := NewPool(errgroup()).Stats(tc.history, day)
			if diff := cmp.Diff(map[string]Stat{"go-errgroup": tc.want}, got); diff != "" {
				t.Errorf("Stats (-want +got):\n%s", diff)
			}
		})
	}
}

// some returns rules r0, r1, … of a kind.
func some(n int, k Kind) []Rule {
	var rules []Rule
	for i := range n {
		rules = append(rules, edit(errgroup(), func(r *Rule) {
			r.ID, r.Kind, r.Learned = fmt.Sprintf("%s-%d", k, i), k, nil
		}))
	}
	return rules
}

func TestFit(t *testing.T) {
	t.Parallel()
	caps := Caps{MaxActive: 3, MaxPerKind: 2, RecentDays: 30}
	taught := func(r Rule, days int) Rule {
		return edit(r, func(r *Rule) { r.Learned = []Learned{{From: "manual", By: "maria", At: DateOf(ago(days))}} })
	}
	three := some(3, Always)
	two := some(2, Silence)
	tests := map[string]struct {
		rules []Rule
		stats map[string]Stat
		sleep []string
	}{
		"room for all":                  {three[:2], nil, nil},
		"too many of a kind":            {three, map[string]Stat{"always-0": {Score: -1}}, []string{"always-0"}},
		"too many together":             {append(three[:2:2], two...), map[string]Stat{"silence-1": {Score: 2}, "always-1": {Score: 2}, "always-0": {Score: 1}}, []string{"silence-0"}},
		"among equals the later id":     {three, nil, []string{"always-2"}},
		"among equals the older lesson": {[]Rule{taught(three[0], 90), taught(three[1], 40), taught(three[2], 50)}, nil, []string{"always-0"}},
		"never one taught recently":     {[]Rule{taught(three[0], 5), three[1], three[2]}, map[string]Stat{"always-0": {Score: -9}}, []string{"always-2"}},
		"all of them taught recently":   {[]Rule{taught(three[0], 5), taught(three[1], 5), taught(three[2], 29)}, nil, nil},
		"not recent any more":           {[]Rule{taught(three[0], 30), three[1], three[2]}, map[string]Stat{"always-0": {Score: -9}}, []string{"always-0"}},
		"pending ones need no room":     {[]Rule{three[0], three[1], edit(three[2], func(r *Rule) { r.Status = Pending })}, nil, nil},
		"nor expired ones":              {[]Rule{three[0], three[1], edit(three[2], func(r *Rule) { r.Expires = "2026-11-29" })}, nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := NewPool(tc.rules...)
			view, sleep := p.Fit(caps, tc.stats, day)
			if diff := cmp.Diff(tc.sleep, ids(sleep)); diff != "" {
				t.Errorf("asleep (-want +got):\n%s", diff)
			}
			if len(view)+len(sleep) != len(p.Active(day)) {
				t.Errorf("%d in view and %d asleep of %d", len(view), len(sleep), len(p.Active(day)))
			}
		})
	}
}

func TestUnused(t *testing.T) {
	t.Parallel()
	p := NewPool(errgroup(), literals())
	h := History{Uses: []Use{{"test-literals", Hit, ago(10)}, {"test-literals", Hit, ago(200)}, {"go-errgroup", Liked, ago(1)}}}
	if diff := cmp.Diff([]string{"go-errgroup"}, ids(p.Unused(h, 20, day))); diff != "" {
		t.Errorf("Unused (-want +got):\n%s", diff)
	}
	if got := p.Unused(h, 30, day); got != nil {
		t.Errorf("Unused within 30 days of the lesson = %v", ids(got))
	}
}

func TestRevise(t *testing.T) {
	t.Parallel()
	c := Change{By: "kim", At: "2026-11-30", Why: "the wrapper\nmoved", From: "https://github.com/acme/shop/pull/50#discussion_r2", CheckedAgainst: "77aa10c"}
	next := Rule{Kind: Always, Says: "Start goroutines through run.Group.", Scope: Scope{"services/**/*.go", "jobs/**"}, Category: "concurrency"}
	got := errgroup().Revise(next, c)
	want := edit(errgroup(), func(r *Rule) {
		r.Says, r.Scope = next.Says, next.Scope
		r.Learned = append(r.Learned, Learned{From: c.From, By: "kim", At: "2026-11-30", CheckedAgainst: "77aa10c"})
		r.Revisions = []Revision{{At: "2026-11-30", By: "kim", Why: "the wrapper moved",
			Was: Was{Says: "Start goroutines through the errgroup, never bare.", Scope: Scope{"services/**/*.go"}}}}
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Revise (-want +got):\n%s", diff)
	}
	again := got.Revise(next, Change{By: "Kim", At: "2026-12-01", Why: "again", From: "manual"})
	if len(again.Revisions) != 1 || len(again.Learned) != 2 || again.Taught() != "2026-12-01" {
		t.Errorf("saying the same again: %+v", again)
	}
	if diff := cmp.Diff([]string{"Kim", "maria"}, again.Teachers()); diff != "" {
		t.Errorf("Teachers (-want +got):\n%s", diff)
	}
}

func TestTeach(t *testing.T) {
	t.Parallel()
	c := Change{By: "kim", At: "2026-11-30", Why: "said again", From: "manual"}
	for from, want := range map[Status]Status{Active: Active, Dormant: Active, Expired: Active,
		Pending: Pending, Disabled: Disabled, Superseded: Superseded} {
		r := edit(errgroup(), func(r *Rule) { r.Status, r.Expires = from, "2026-11-01" })
		got := r.Teach(c)
		if got.Status != want || got.Active(day) != (want == Active) {
			t.Errorf("Teach of a rule that is %s: %s, expires %q", from, got.Status, got.Expires)
		}
		if got.Taught() != "2026-11-30" {
			t.Errorf("Teach of a rule that is %s does not add the teacher", from)
		}
		if (len(got.Revisions) == 1) != (from != want) {
			t.Errorf("Teach of a rule that is %s: %d revisions", from, len(got.Revisions))
		}
	}
}

func TestSupersedeAndBack(t *testing.T) {
	t.Parallel()
	c := Change{By: "kim", At: "2026-11-30", Why: "a check decides"}
	got := errgroup().SupersedeBy("validator:errgroup", c)
	if got.Status != Superseded || got.SupersededBy != "validator:errgroup" || len(got.Revisions) != 1 || len(got.Learned) != 1 {
		t.Errorf("SupersedeBy = %+v", got)
	}
	back := got.WithStatus(Active, c)
	if back.Status != Active || back.SupersededBy != "" || len(back.Revisions) != 2 {
		t.Errorf("WithStatus = %+v", back)
	}
}

func TestRevisionsAreBounded(t *testing.T) {
	t.Parallel()
	r := errgroup()
	for i := range maxRevisions + 10 {
		next := r.Clone()
		next.Says = fmt.Sprintf("Start goroutines through group %d.", i)
		r = r.Revise(next, Change{By: "kim", At: "2026-11-30", Why: "again"})
	}
	if len(r.Revisions) != maxRevisions || r.Revisions[0].Was.Says != "Start goroutines through group 9." {
		t.Errorf("%d revisions, the oldest of %q", len(r.Revisions), r.Revisions[0].Was.Says)
	}
	if _, err := r.Marshal(); err != nil {
		t.Error(err)
	}
}
