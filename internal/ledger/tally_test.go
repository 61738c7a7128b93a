package ledger

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sight is one sighting: an opened event of a class.
type sight struct {
	fp  string
	run string
	pr  int
	day int
}

func sightings(t testing.TB, all ...sight) []Event {
	t.Helper()
	var events []Event
	for i, s := range all {
		events = append(events, seal(t, with(KindOpened, func(e *Event) {
			e.FP, e.Run, e.PR = s.fp, s.run, s.pr
			e.At = noon.AddDate(0, 0, s.day).Add(time.Duration(i) * time.Second)
			e.Defect = NewDefectID(s.fp, fmt.Sprint(s.pr))
		})))
	}
	return events
}

func TestRecurrence(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		seen          []sight
		prs, runs     int
		byPR          int
		status        ClassStatus
		statusPerRuns ClassStatus
	}{
		"once":                          {[]sight{{classA, "1.1", 1, 0}}, 1, 1, 1, ClassNew, ClassNew},
		"five times in one run":         {[]sight{{classA, "1.1", 1, 0}, {classA, "1.1", 1, 0}, {classA, "1.1", 1, 0}, {classA, "1.1", 1, 0}, {classA, "1.1", 1, 0}}, 1, 1, 1, ClassNew, ClassNew},
		"three pushes, one PR":          {[]sight{{classA, "1.1", 1, 0}, {classA, "2.1", 1, 0}, {classA, "3.1", 1, 1}}, 1, 3, 1, ClassNew, ClassRecurring},
		"three pull requests":           {[]sight{{classA, "1.1", 1, 0}, {classA, "2.1", 2, 0}, {classA, "3.1", 3, 1}}, 3, 3, 3, ClassRecurring, ClassRecurring},
		"three runs without one":        {[]sight{{classA, "r-1", 0, 0}, {classA, "r-2", 0, 0}, {classA, "r-3", 0, 1}}, 0, 3, 3, ClassRecurring, ClassRecurring},
		"a pull request and lone runs":  {[]sight{{classA, "r-1", 0, 0}, {classA, "1.1", 7, 0}, {classA, "2.1", 7, 1}}, 1, 3, 2, ClassNew, ClassRecurring},
		"a retried run is another run":  {[]sight{{classA, "1.1", 1, 0}, {classA, "1.2", 1, 0}}, 1, 2, 1, ClassNew, ClassNew},
		"other classes are not counted": {[]sight{{classA, "1.1", 1, 0}, {classB, "2.1", 2, 0}, {classB, "3.1", 3, 0}}, 1, 1, 1, ClassNew, ClassNew},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fsys := tree(map[string]string{"a.jsonl": lines(sightings(t, tt.seen...)...)})
			find := func(r Ratchet) Class {
				classes, problems := Tally(fsys, r)
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				for _, c := range classes {
					if c.FP == classA {
						return c
					}
				}
				t.Fatalf("class %s is not in %+v", classA, classes)
				return Class{}
			}
			byPR, byRun := find(Ratchet{}), find(Ratchet{Unit: UnitRun})
			if byPR.PullRequests != tt.prs || byPR.Runs != tt.runs || byPR.Recurrence != tt.byPR || byPR.Status != tt.status {
				t.Errorf("by pull request: %+v", byPR)
			}
			if byRun.Recurrence != tt.runs || byRun.Status != tt.statusPerRuns {
				t.Errorf("by run: %+v", byRun)
			}
		})
	}
}

func TestTallyOrderAndThreshold(t *testing.T) {
	t.Parallel()
	events := sightings(t, sight{"ffffffffffffffff", "1.1", 1, 0}, sight{classB, "2.1", 2, 0}, sight{classA, "3.1", 3, 0}, sight{classB, "4.1", 4, 0})
	classes, _ := Tally(tree(map[string]string{"a.jsonl": lines(events...)}), Ratchet{Recur: 2})
	var got []string
	for _, c := range classes {
		got = append(got, fmt.Sprint(c.FP, " ", c.Recurrence, " ", c.Status))
	}
	want := []string{classB + " 2 recurring", classA + " 1 new", "ffffffffffffffff 1 new"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}

func TestRetiredClassesStartAgain(t *testing.T) {
	t.Parallel()
	seen := sightings(t, sight{classA, "1.1", 1, 0}, sight{classA, "2.1", 2, 0}, sight{classA, "3.1", 3, 0}, sight{classA, "4.1", 4, 10})
	retired := seal(t, with(KindRetired, func(e *Event) { e.At = noon.AddDate(0, 0, 5) }))
	promoted := seal(t, with(KindPromoted, func(e *Event) { e.At = noon.AddDate(0, 0, 6) }))
	status := func(events ...Event) Class {
		t.Helper()
		classes, problems := Tally(tree(map[string]string{"z.jsonl": lines(events...)}), Ratchet{})
		if len(classes) != 1 || len(problems) > 0 {
			t.Fatalf("classes %+v, problems %v", classes, problems)
		}
		return classes[0]
	}
	if c := status(append(seen[:3:3], retired)...); c.Status != ClassRetired || c.Recurrence != 3 {
		t.Errorf("not seen since: %+v", c)
	}
	if c := status(append([]Event{retired}, seen...)...); c.Status != ClassNew || c.Recurrence != 1 || c.Sightings != 1 {
		t.Errorf("seen once since: %+v", c)
	}
	if c := status(append(seen, retired, promoted)...); c.Status != ClassPromoted || c.Validator != "session-constant-time" {
		t.Errorf("promoted after: %+v", c)
	}
	if c := status(append(seen[:3:3], promoted, seal(t, with(KindRetired, func(e *Event) { e.At = noon.AddDate(0, 0, 7) })))...); c.Status != ClassRetired {
		t.Errorf("retired after: %+v", c)
	}
}

// The scan and the fold are two ways to one answer.
func TestTallyAgreesWithFold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := anyEvents().Draw(t, "events")
		r := Ratchet{Unit: rapid.SampledFrom([]Unit{UnitPullRequest, UnitRun}).Draw(t, "unit"), Recur: rapid.IntRange(1, 4).Draw(t, "recur")}
		// Every pull request merged, so that the view holds all.
		for pr := 1; pr <= 3; pr++ {
			e, err := Seal(in(pr, sample(KindMergedPR)))
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
		fsys := fstest.MapFS{}
		for i := range events {
			name := fmt.Sprintf("f%d.jsonl", rapid.IntRange(0, 3).Draw(t, "file"))
			if fsys[name] == nil {
				fsys[name] = &fstest.MapFile{}
			}
			for range rapid.IntRange(1, 2).Draw(t, "copies") {
				fsys[name].Data = append(fsys[name].Data, events[i].Line()...)
			}
		}
		tallied, problems := Tally(fsys, r)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		counted := Count(events, r)
		if diff := cmp.Diff(counted, tallied); diff != "" {
			t.Errorf("Tally differs (-count +tally):\n%s", diff)
		}
	})
}

func TestTallyReportsBadLines(t *testing.T) {
	t.Parallel()
	e := sightings(t, sight{classA, "1.1", 1, 0})
	classes, problems := Tally(tree(map[string]string{"a.jsonl": "{\"fp\":\"junk\"}\n" + lines(e...)}), Ratchet{})
	if len(classes) != 1 || len(problems) != 1 || problems[0].Line != 1 {
		t.Errorf("classes %+v, problems %v", classes, problems)
	}
}

func TestClassEvents(t *testing.T) {
	t.Parallel()
	e := sightings(t, sight{classA, "1.1", 1, 0}, sight{classB, "2.1", 2, 0}, sight{classA, "3.1", 3, 0})
	got, problems := ClassEvents(tree(map[string]string{"a.jsonl": lines(e...), "b.jsonl": lines(e[2])}),
		func(fp string) bool { return fp == classA })
	if len(problems) > 0 || lines(got...) != lines(e[0], e[2]) {
		t.Errorf("ClassEvents =\n%s, %v", lines(got...), problems)
	}
}

func TestPileKeepsEverySighting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var in slabs
		piles := make([]pile, 3)
		want := make([]map[uint64]bool, 3)
		for i := range want {
			want[i] = map[uint64]bool{}
		}
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 2), 0, 2000).Draw(t, "piles") {
			piles[n].add(sightingOf(header{id: uint64(i), run: hashRun([]byte(fmt.Sprint(i)))}), &in)
			want[n][uint64(i)] = true
		}
		for n := range piles {
			if got := new(sum).count(&piles[n], &in); got.sightings != len(want[n]) || got.runs != len(want[n]) {
				t.Errorf("pile %d: %+v, want %d sightings and runs", n, got, len(want[n]))
			}
		}
	})
}

func TestHashSet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s hashSet
		for range 3 { // it is used again and again
			numbers := rapid.SliceOf(rapid.Uint64Range(0, 300)).Draw(t, "numbers")
			s.reset(len(numbers))
			want := map[uint64]bool{}
			for _, n := range numbers {
				if got := s.add(n << 40); got == want[n] {
					t.Fatalf("add(%d<<40) = %v, in the set before: %v", n, got, want[n])
				}
				want[n] = true
			}
		}
	})
}

func TestParseUnit(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Unit{"": UnitPullRequest, "pull_request": UnitPullRequest, "run": UnitRun} {
		if got, err := ParseUnit(in); got != want || err != nil {
			t.Errorf("ParseUnit(%q) = %q, %v", in, got, err)
		}
	}
	if _, err := ParseUnit("day"); err == nil {
		t.Error("ParseUnit accepts day")
	}
}
