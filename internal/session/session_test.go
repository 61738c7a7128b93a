package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/model"
)

// noon is when the sessions of the tests begin.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var (
	good = &Result{Findings: 1, Verdict: gate.Verdict{Passed: true}, Usage: model.Usage{Completion: 10}}
	thin = &Result{Verdict: gate.Verdict{Reasons: []string{"too thin"}}, Usage: model.Usage{Completion: 3}}
	none = &Result{Unreviewed: "refused", Usage: model.Usage{Completion: 1}}
	ran  = &CheckResult{Usage: model.Usage{Completion: 2}}
	fail = &CheckResult{Failed: "bad_output"}
)

// small is a plan of n batches with two checkers of each and one of the last.
func small(n int) Plan {
	p := Plan{Checkers: []Checker{{"recheck", 1, EachBatch}, {"memory_pos", 4, EachBatch}, {"filter", 98, LastBatch}}}
	for i := range n {
		p.Batches = append(p.Batches, Planned{ID: fmt.Sprint(i + 1), Paths: []string{fmt.Sprintf("f%d.go", i+1)}, Lines: 10})
	}
	return p
}

// entries is a log in memory.
type entries struct{ all []Entry }

func (l *entries) Append(e Entry) error {
	l.all = append(l.all, e)
	return nil
}

func start(t *testing.T, p Plan) (*Session, *entries) {
	t.Helper()
	log := &entries{}
	s, err := New(p, DefaultLimits, log, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(nil, noon); err != nil {
		t.Fatal(err)
	}
	return s, log
}

func handOut(t *testing.T, s *Session) Task {
	t.Helper()
	task, ok, err := s.HandOut(noon)
	if err != nil || !ok {
		t.Fatalf("HandOut() = %v, %v", ok, err)
	}
	return task
}

func submit(t *testing.T, s *Session, batch string, r *Result) Move {
	t.Helper()
	next, err := s.Submit(batch, r, noon)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func check(t *testing.T, s *Session, batch, checker string, r *CheckResult) Move {
	t.Helper()
	next, err := s.Check(batch, checker, r, noon)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func TestSession(t *testing.T) {
	t.Parallel()
	p := small(2)
	p.Reused = &Reused{Paths: []string{"old.go"}, Reviews: 4}
	s, _ := start(t, p)
	one, two := handOut(t, s), handOut(t, s)
	if _, ok, err := s.HandOut(noon); ok || err != nil {
		t.Errorf("a third batch of two: %v, %v", ok, err)
	}
	if got := s.Step(); got != StepSubmit {
		t.Errorf("Step() = %s, want 2", got)
	}
	if next := submit(t, s, two.Batch, thin); next != (Move{Step: StepHandOut, Batch: "2"}) {
		t.Errorf("a thin result: next is %v", next)
	}
	again := handOut(t, s)
	if d := cmp.Diff(Task{Batch: "2", Paths: []string{"f2.go"}, Try: 2, Deadline: noon.Add(time.Hour)}, again); d != "" {
		t.Errorf("the second try -want +got\n%s", d)
	}
	if next := submit(t, s, one.Batch, good); next != (Move{StepCheck, "1", "recheck"}) {
		t.Errorf("a good result: next is %+v", next)
	}
	if next := check(t, s, "1", "recheck", fail); next != (Move{StepCheck, "1", "recheck"}) {
		t.Errorf("a failed checker: next is %+v", next)
	}
	check(t, s, "1", "recheck", fail)
	check(t, s, "1", "memory_pos", ran)
	submit(t, s, "2", good)
	check(t, s, "2", "recheck", ran)
	if _, err := s.Report(); err == nil || err.Error() != "session: cannot report now; allowed: check batch 2 with memory_pos" {
		t.Errorf("Report() = %v", err)
	}
	check(t, s, "2", "memory_pos", ran)
	if got := s.Allowed(); len(got) != 1 || got[0].Batch != LastID || got[0].Checker != "filter" {
		t.Errorf("Allowed() = %v, want the last checker", got)
	}
	check(t, s, LastID, "filter", ran)
	r, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(gate.Shares{Passed: 1, Retried: 1, Reused: 1}, r.Shares); d != "" {
		t.Errorf("Shares -want +got\n%s", d)
	}
	if r.Usage.Completion != 10+3+10+4*2 || !slices.Equal(r.Broken, []string{"recheck"}) {
		t.Errorf("usage %+v, broken %v", r.Usage, r.Broken)
	}
	want := []CheckRecord{{Checker: "recheck", Outcome: Failed, Reason: "bad_output"}, {Checker: "memory_pos", Outcome: Ran}}
	if d := cmp.Diff(want, r.Batches[1].Checks); d != "" {
		t.Errorf("checks of batch 1 -want +got\n%s", d)
	}
	if b := r.Batches[0]; b.ID != batch.ReusedID || b.Gate != ReusedGate || b.Status != Done || b.Findings != 4 {
		t.Errorf("the reused batch is %+v", b)
	}
}

func TestOutOfOrder(t *testing.T) {
	t.Parallel()
	s, err := New(small(2), DefaultLimits, nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string, err error, want string) {
		t.Helper()
		var o *OrderError
		if !errors.As(err, &o) || !strings.HasSuffix(err.Error(), "allowed: "+want) {
			t.Errorf("%s: %v; want it refused and %q named", name, err, want)
		}
	}
	_, _, err = s.HandOut(noon)
	refused("hand out before step 0", err, "get ready")
	if err := s.Ready(nil, noon); err != nil {
		t.Fatal(err)
	}
	refused("step 0 twice", s.Ready(nil, noon), "hand out batch 1, hand out batch 2")
	_, err = s.Submit("1", good, noon)
	refused("submit what was not handed out", err, "hand out batch 1")
	handOut(t, s)
	_, err = s.Check("1", "recheck", ran, noon)
	refused("check what was not submitted", err, "submit batch 1")
	submit(t, s, "1", good)
	_, err = s.Submit("1", good, noon)
	refused("submit twice", err, "check batch 1 with recheck")
	_, err = s.Check("1", "memory_pos", ran, noon)
	refused("the second checker first", err, "check batch 1 with recheck")
	_, err = s.Check(LastID, "filter", ran, noon)
	refused("the last checkers early", err, "check batch 1 with recheck, hand out batch 2")
	_, err = s.Submit("7", good, noon)
	refused("a batch that is not planned", err, "check batch 1 with recheck, hand out batch 2")
	_, err = s.Report()
	refused("report early", err, "check batch 1 with recheck, hand out batch 2")
}

// TestBatch walks one batch with no checkers but recheck through everything that
// can become of it.
func TestBatch(t *testing.T) {
	t.Parallel()
	type do func(*testing.T, *Session)
	out := func(t *testing.T, s *Session) { handOut(t, s) }
	give := func(r *Result) do { return func(t *testing.T, s *Session) { submit(t, s, "1", r) } }
	judge := func(r *CheckResult) do { return func(t *testing.T, s *Session) { check(t, s, "1", "recheck", r) } }
	late := func(d time.Duration) do {
		return func(t *testing.T, s *Session) {
			if _, err := s.Expire(noon.Add(d)); err != nil {
				t.Fatal(err)
			}
		}
	}
	repeat := func(n int, dos ...do) []do {
		var all []do
		for range n {
			all = append(all, dos...)
		}
		return all
	}
	type want struct {
		status Status
		gate   Gate
		reason string
		checks []Outcome
	}
	for name, c := range map[string]struct {
		do   []do
		want want
	}{
		"passed":                     {[]do{out, give(good), judge(ran)}, want{Done, Passed, "", []Outcome{Ran}}},
		"retried":                    {[]do{out, give(thin), out, give(good), judge(ran)}, want{Done, Retried, "", []Outcome{Ran}}},
		"forced":                     {append(repeat(4, out, give(thin)), judge(ran)), want{Done, Forced, "too thin", []Outcome{Ran}}},
		"not forced early":           {repeat(3, out, give(thin)), want{Pending, "", "", nil}},
		"unreviewed without finding": {[]do{out, give(none)}, want{Done, Unreviewed, "refused", []Outcome{Skipped}}},
		"unreviewed with a finding": {
			[]do{out, give(&Result{Findings: 1, Unreviewed: "budget"}), judge(ran)}, want{Done, Unreviewed, "budget", []Outcome{Ran}}},
		"a result is missing":      {[]do{out, give(nil)}, want{Pending, "", "", nil}},
		"results stay missing":     {repeat(4, out, give(nil)), want{Done, Unreviewed, "results missing", []Outcome{Skipped}}},
		"a check is missing":       {[]do{out, give(good), judge(nil)}, want{Pending, "", "", nil}},
		"checks stay missing":      {repeat(4, out, give(good), judge(nil)), want{Done, Passed, "", []Outcome{Failed}}},
		"a failed check":           {[]do{out, give(good), judge(fail), judge(fail)}, want{Done, Passed, "", []Outcome{Failed}}},
		"a late review":            {[]do{out, late(2 * time.Hour)}, want{Pending, "", "", nil}},
		"reviews stay late":        {repeat(4, out, late(2*time.Hour)), want{Done, Unreviewed, "deadline", []Outcome{Skipped}}},
		"a late check":             {[]do{out, give(good), late(time.Hour)}, want{Done, Passed, "", []Outcome{Timeout}}},
		"not late yet":             {[]do{out, late(time.Hour)}, want{Reviewing, "", "", nil}},
		"never handed out in time": {[]do{late(4 * time.Hour)}, want{Done, Unreviewed, "deadline", []Outcome{Skipped}}},
		"abandoned": {[]do{out, func(t *testing.T, s *Session) {
			if err := s.Abandon("budget", noon); err != nil {
				t.Fatal(err)
			}
		}}, want{Done, Unreviewed, "budget", []Outcome{Skipped}}},
		"abandoned while it is checked": {[]do{out, give(good), func(t *testing.T, s *Session) {
			if err := s.Abandon("budget", noon); err != nil {
				t.Fatal(err)
			}
		}}, want{Done, Passed, "", []Outcome{Skipped}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := start(t, Plan{Batches: []Planned{{ID: "1"}}, Checkers: []Checker{{"recheck", 1, EachBatch}}})
			for _, do := range c.do {
				do(t, s)
			}
			b := s.Snapshot().Batches[0]
			got := want{status: b.Status, gate: b.Gate, reason: b.Reason}
			for _, r := range b.Checks {
				got.checks = append(got.checks, r.Outcome)
			}
			if d := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if (b.Status == Done) != (s.Step() == StepReport) {
				t.Errorf("the batch is %s, the session at step %s", b.Status, s.Step())
			}
		})
	}
}

// What was taken back is asked for again in the same scope, so that its requests
// are found in the journal, and its tokens count once.
func TestMissingChecksRepeatTheSameTry(t *testing.T) {
	t.Parallel()
	s, _ := start(t, small(1))
	handOut(t, s)
	submit(t, s, "1", thin)
	before := handOut(t, s)
	submit(t, s, "1", good)
	check(t, s, "1", "recheck", ran)
	check(t, s, "1", "memory_pos", nil)
	if d := cmp.Diff(before, handOut(t, s)); d != "" {
		t.Errorf("the batch is handed out otherwise:\n%s", d)
	}
	submit(t, s, "1", good)
	if b := s.Snapshot().Batches[0]; b.Usage.Completion != 3+10 || b.Gate != Retried || len(b.Checks) != 0 {
		t.Errorf("the batch is %+v", b)
	}
}

func TestNotReady(t *testing.T) {
	t.Parallel()
	s, err := New(small(1), DefaultLimits, nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	for range DefaultLimits.MaxLost + 1 {
		if err := s.Ready(errors.New("no key"), noon); err == nil || err.Error() != "session not ready: no key" {
			t.Errorf("Ready() = %v", err)
		}
	}
	r, err := s.Report()
	if err != nil || r.Batches[0].Reason != "environment" || r.Last[0].Outcome != Skipped {
		t.Errorf("Report() = %+v, %v; want everything unreviewed", r, err)
	}
}

func TestEmptyPlan(t *testing.T) {
	t.Parallel()
	s, _ := start(t, Plan{})
	if r, err := s.Report(); err != nil || len(r.Batches) != 0 {
		t.Errorf("Report() = %+v, %v", r, err)
	}
}

// A log that cannot be written stops the transition.
func TestNothingCountsThatIsNotWritten(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	s, err := New(small(1), DefaultLimits, failing{full}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(nil, noon); !errors.Is(err, full) {
		t.Fatal(err)
	}
	if _, _, err := s.HandOut(noon); !errors.Is(err, full) || s.Snapshot().Batches[0].Status != Pending {
		t.Errorf("HandOut() = %v, the batch is %s", err, s.Snapshot().Batches[0].Status)
	}
}

type failing struct{ err error }

func (f failing) Append(Entry) error { return f.err }

// Batches are reviewed side by side.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s, log := start(t, small(20))
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for {
				task, ok, err := s.HandOut(noon)
				if err != nil || !ok {
					if err != nil {
						t.Error(err)
					}
					return
				}
				next, err := s.Submit(task.Batch, good, noon)
				for err == nil && next.Step == StepCheck {
					next, err = s.Check(task.Batch, next.Checker, ran, noon)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	check(t, s, LastID, "filter", ran)
	if r, err := s.Report(); err != nil || r.Shares.Passed != 20 || len(log.all) < 20*4 {
		t.Errorf("Report() = %+v, %v", r.Shares, err)
	}
}

// BenchmarkSession walks a thousand batches through all steps, in memory.
func BenchmarkSession(b *testing.B) {
	p := small(1000)
	for b.Loop() {
		s, err := New(p, DefaultLimits, &entries{}, noon)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Ready(nil, noon); err != nil {
			b.Fatal(err)
		}
		for {
			task, ok, err := s.HandOut(noon)
			if err != nil {
				b.Fatal(err)
			}
			if !ok {
				break
			}
			next, err := s.Submit(task.Batch, good, noon)
			for err == nil && next.Step == StepCheck {
				next, err = s.Check(task.Batch, next.Checker, ran, noon)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func TestPlanOf(t *testing.T) {
	t.Parallel()
	f := &diff.File{NewPath: "a.go", Hunks: []diff.Hunk{{NewStart: 1, NewLines: 1, Lines: []diff.Line{{Op: diff.Add, New: 1}}}}}
	cut, err := batch.Cut([]*diff.File{f}, batch.Default)
	if err != nil {
		t.Fatal(err)
	}
	if err := cut.Reuse([]batch.ReusedFile{{Path: "b.go", Findings: 2}}); err != nil {
		t.Fatal(err)
	}
	checkers := []Checker{{"filter", 98, LastBatch}, {"memory_pos", 4, EachBatch}, {"recheck", 1, EachBatch}}
	want := Plan{
		Batches:  []Planned{{"1", []string{"a.go"}, 1}},
		Reused:   &Reused{[]string{"b.go"}, 2},
		Checkers: []Checker{{"recheck", 1, EachBatch}, {"memory_pos", 4, EachBatch}, {"filter", 98, LastBatch}},
	}
	want.Trail = cut.Trail
	if d := cmp.Diff(want, PlanOf(cut, checkers)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	for name, p := range map[string]Plan{
		"a batch twice":       {Batches: []Planned{{ID: "1"}, {ID: "1"}}},
		"a path for a name":   {Batches: []Planned{{ID: "../1"}}},
		"the name of others":  {Batches: []Planned{{ID: LastID}}},
		"a checker twice":     {Checkers: []Checker{{"filter", 1, EachBatch}, {"filter", 2, LastBatch}}},
		"checkers out of row": {Checkers: []Checker{{"a", 2, EachBatch}, {"b", 1, EachBatch}}},
		"no occasion":         {Checkers: []Checker{{Name: "a"}}},
	} {
		if _, err := New(p, DefaultLimits, nil, noon); err == nil {
			t.Errorf("%s: the plan is taken", name)
		}
	}
}

// TestAnySequenceEnds draws legal and illegal operations. Whatever they are, no
// batch completes twice or is lost, the state is that of the entries, and the
// session can be brought to its end.
func TestAnySequenceEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := small(rapid.IntRange(0, 4).Draw(t, "batches"))
		l := Limits{
			MaxRetries: rapid.IntRange(0, 3).Draw(t, "retries"), MaxLost: rapid.IntRange(0, 2).Draw(t, "lost"),
			CheckRetries: rapid.IntRange(0, 2).Draw(t, "check retries"), Run: 20 * time.Minute, Review: 5 * time.Minute, Check: 2 * time.Minute,
		}
		log := &entries{}
		s, err := New(p, l, log, noon)
		if err != nil {
			t.Fatal(err)
		}
		now := noon
		for i := range rapid.IntRange(0, 60).Draw(t, "operations") {
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second)
			was := s.Snapshot()
			err := operate(t, s, now)
			if err != nil {
				if d := cmp.Diff(was, s.Snapshot()); d != "" {
					t.Fatalf("what was refused (%v) changed the state:\n%s", err, d)
				}
			}
			if i%10 == 9 {
				checkRebuilt(t, s, log.all, p, l)
			}
			checkNoneDoneIsOpen(t, was, s.Snapshot())
		}
		checkRebuilt(t, s, log.all, p, l)
		finish(t, s, now)
		r, err := s.Report()
		if err != nil || len(r.Batches) != len(p.Batches) {
			t.Fatalf("Report() = %d batches of %d, %v", len(r.Batches), len(p.Batches), err)
		}
		for _, b := range r.Batches {
			if b.Gate == "" || len(b.Checks) != 2 || b.Tries > l.MaxRetries+1 {
				t.Errorf("at the end the batch is %+v", b)
			}
		}
		if len(r.Last) != 1 {
			t.Errorf("at the end the last checkers are %+v", r.Last)
		}
	})
}

// operate does one thing that may be out of order.
func operate(t *rapid.T, s *Session, now time.Time) error {
	id := rapid.SampledFrom([]string{"1", "2", "3", "4", LastID}).Draw(t, "batch")
	var err error
	switch rapid.IntRange(0, 9).Draw(t, "operation") {
	case 0:
		err = s.Ready(nil, now)
	case 1, 2, 3:
		_, _, err = s.HandOut(now)
	case 4, 5, 6:
		_, err = s.Submit(id, rapid.SampledFrom([]*Result{good, thin, none, nil}).Draw(t, "result"), now)
	case 7, 8:
		checker := rapid.SampledFrom([]string{"recheck", "memory_pos", "filter"}).Draw(t, "checker")
		_, err = s.Check(id, checker, rapid.SampledFrom([]*CheckResult{ran, fail, nil}).Draw(t, "check"), now)
	case 9:
		if rapid.Bool().Draw(t, "resume") {
			return s.Resume(now)
		}
		_, err = s.Expire(now)
	}
	return err
}

func checkRebuilt(t *rapid.T, s *Session, log []Entry, p Plan, l Limits) {
	again, err := Restore(p, l, nil, log, noon)
	if err != nil {
		t.Fatal(err)
	}
	again.ready = s.ready
	if d := cmp.Diff(s.Snapshot(), again.Snapshot()); d != "" {
		t.Fatalf("the state is not the one of its entries:\n%s", d)
	}
	if again.Corrected() != "" {
		t.Fatalf("the step was claimed wrongly: %s", again.Corrected())
	}
}

func checkNoneDoneIsOpen(t *rapid.T, before, after Snapshot) {
	for i, b := range before.Batches {
		if b.Status == Done {
			if d := cmp.Diff(b, after.Batches[i]); d != "" {
				t.Fatalf("a batch changed after it was done:\n%s", d)
			}
		}
	}
}

// finish makes allowed moves, of the worst kind, until only the report is left.
func finish(t *rapid.T, s *Session, now time.Time) {
	for range 1000 {
		move := s.Allowed()[0]
		var err error
		switch move.Step {
		case StepReady:
			err = s.Ready(nil, now)
		case StepHandOut:
			_, _, err = s.HandOut(now)
		case StepSubmit:
			_, err = s.Submit(move.Batch, thin, now)
		case StepCheck:
			_, err = s.Check(move.Batch, move.Checker, nil, now)
		case StepReport:
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("1000 allowed moves did not end the session")
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	for name, es := range map[string][]Entry{
		"a result before it was handed out": {{Kind: Submitted, Batch: "1", Result: good}},
		"an unknown batch":                  {{Kind: HandedOut, Batch: "9"}},
		"an unknown kind":                   {{Kind: "done", Batch: "1"}},
		"no result":                         {{Kind: HandedOut, Batch: "1"}, {Kind: Submitted, Batch: "1"}},
		"a checker out of order":            {{Kind: HandedOut, Batch: "1"}, {Kind: Submitted, Batch: "1", Result: good}, {Kind: Checked, Batch: "1", Checker: "memory_pos", Check: ran}},
		"no reason":                         {{Kind: Abandoned, Batch: "1"}},
		"the last checkers handed out":      {{Kind: HandedOut, Batch: LastID}},
		"a batch that began":                {{Kind: Began, Batch: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Restore(small(1), DefaultLimits, nil, es, noon); err == nil {
				t.Error("the entries are taken")
			}
		})
	}
}

// The batch's own status wins over what the session says of itself.
func TestBatchWinsOverTheSession(t *testing.T) {
	t.Parallel()
	s, err := Restore(small(1), DefaultLimits, nil, []Entry{
		{Kind: Claimed, Step: StepReport}, {Kind: HandedOut, Batch: "1", At: noon}}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if want := "the session was recorded at step 3, its batches are at step 2; the batches count"; s.Corrected() != want {
		t.Errorf("Corrected() = %q, want %q", s.Corrected(), want)
	}
	if err := s.Resume(noon); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(nil, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Report(); err == nil {
		t.Error("a session whose batch is not done was reported")
	}
	if task := handOut(t, s); task.Batch != "1" || task.Try != 1 {
		t.Errorf("after the restart the batch is handed out as %+v", task)
	}
}
