package ledger

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/finding"
)

// summary is a state as text, for comparing two.
func summary(t interface{ Fatal(...any) }, s *State) string {
	text, err := json.MarshalIndent(struct {
		Defects  map[DefectID]*Defect
		Problems []Problem
		Reviews  []Review
		Classes  []Class
	}{s.Defects, s.Problems, s.reviews, count(s.events, Ratchet{})}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFoldDependsOnTheSetOnly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := anyEvents().Draw(t, "events")
		view := View{PR: rapid.IntRange(0, 3).Draw(t, "view")}
		want := summary(t, Fold(events, view))
		mixed := rapid.Permutation(events).Draw(t, "order")
		if len(events) > 0 {
			mixed = append(mixed, rapid.SliceOf(rapid.SampledFrom(events)).Draw(t, "repeated")...)
		}
		if diff := cmp.Diff(want, summary(t, Fold(mixed, view))); diff != "" {
			t.Errorf("another order and repetitions (-want +got):\n%s", diff)
		}
	})
}

func TestUnionCommutes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyEvents().Draw(t, "a"), anyEvents().Draw(t, "b")
		view := View{PR: rapid.IntRange(0, 3).Draw(t, "view")}
		ab := Fold(slices.Concat(a, b), view)
		ba := Fold(slices.Concat(b, a, b), view)
		if diff := cmp.Diff(summary(t, ab), summary(t, ba)); diff != "" {
			t.Errorf("a ∪ b and b ∪ a differ:\n%s", diff)
		}
	})
}

func TestFoldKeepsItsInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := anyEvents().Draw(t, "events")
		before := slices.Clone(events)
		s := Fold(events, View{PR: 1})
		for id, d := range s.Defects {
			if d.ID != id || !slices.Contains(statuses[1:], d.Status) {
				t.Errorf("defect %s has id %s and status %q", id, d.ID, d.Status)
			}
			if top := s.Defect(id); top.MergedInto != "" {
				t.Errorf("%s resolves to %s, which is merged into %s", id, top.ID, top.MergedInto)
			}
			if len(d.Locations) == 0 || len(d.Wordings) == 0 {
				t.Errorf("%s has %d locations and %d wordings", id, len(d.Locations), len(d.Wordings))
			}
		}
		for _, d := range s.Active() {
			if !d.Status.Active() || d.MergedInto != "" {
				t.Errorf("active: %s, %s, merged into %q", d.ID, d.Status, d.MergedInto)
			}
		}
		if diff := cmp.Diff(before, events); diff != "" {
			t.Errorf("Fold changed its input:\n%s", diff)
		}
	})
}

func of(id DefectID, e Event) Event {
	e.Defect = id
	return e
}

func in(pr int, e Event) Event {
	e.PR = pr
	return e
}

func TestViews(t *testing.T) {
	t.Parallel()
	events := script(t,
		of("D-0000000a", in(0, sample(KindOpened))),
		of("D-0000000b", in(1, sample(KindOpened))),
		of("D-0000000c", in(2, sample(KindOpened))),
		of("D-0000000a", in(2, sample(KindPossiblyFixed))),
		in(1, sample(KindMergedPR)),
		in(3, sample(KindClosedPR)),
	)
	for view, want := range map[int]map[DefectID]Status{
		0: {"D-0000000a": Open, "D-0000000b": Open},
		1: {"D-0000000a": Open, "D-0000000b": Open},
		2: {"D-0000000a": Fixing, "D-0000000b": Open, "D-0000000c": Open},
		3: {"D-0000000a": Open, "D-0000000b": Open},
	} {
		s := Fold(events, View{PR: view})
		got := map[DefectID]Status{}
		for _, d := range s.Active() {
			got[d.ID] = d.Status
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("view of pull request %d (-want +got):\n%s", view, diff)
		}
	}
}

func TestAnotherPullRequestsDefectIsUnknown(t *testing.T) {
	t.Parallel()
	s := Fold(script(t, in(1, sample(KindOpened)), in(2, sample(KindPossiblyFixed))), View{PR: 2})
	if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Msg, "no such defect in this view") {
		t.Errorf("problems %v, want one about the unknown defect", s.Problems)
	}
}

func TestLifeOfADefect(t *testing.T) {
	t.Parallel()
	failed := with(KindVerification, func(e *Event) { e.Verification.Outcome = "failed" })
	steps := []struct {
		event Event
		want  Status
	}{
		{sample(KindOpened), Open},
		{sample(KindObserved), Open},
		{sample(KindPossiblyFixed), Fixing},
		{failed, Open},
		{sample(KindPossiblyFixed), Fixing},
		{sample(KindVerification), Fixing},
		{sample(KindVerified), Closed},
		{sample(KindObserved), Closed}, // a plain sighting reopens nothing
		{sample(KindReopened), Back},
		{sample(KindPossiblyFixed), Fixing},
		{failed, Back}, // not open: it has been closed before
		{sample(KindDismissed), Waived},
		{sample(KindOpened), Waived},
		{sample(KindReopened), Back},
		{sample(KindObsoleted), Obsolete},
		{sample(KindReopened), Back},
	}
	var events []Event
	for _, s := range steps {
		events = append(events, s.event)
	}
	script(t, events...)
	for i, step := range steps {
		s := Fold(events[:i+1], View{PR: 42})
		if got := s.Defect("D-00000001").Status; got != step.want || len(s.Problems) > 0 {
			t.Errorf("step %d, %s: status %s, want %s; problems %v", i, step.event.Kind(), got, step.want, s.Problems)
		}
	}
	d := Fold(events, View{PR: 42}).Defect("D-00000001")
	if len(d.Wordings) != 4 || d.FixedIn != "7a7a7a7" || d.Dismissal == nil || !d.wasReopened {
		t.Errorf("wordings %d, fixed in %q, dismissal %v", len(d.Wordings), d.FixedIn, d.Dismissal)
	}
}

func TestIllegalEventsAreListedAndNotApplied(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events []Event
		want   string
	}{
		"before it is opened":      {[]Event{sample(KindPosted)}, "never opened"},
		"fixed while dismissed":    {[]Event{sample(KindOpened), sample(KindDismissed), sample(KindPossiblyFixed)}, "dismissed cannot be possibly fixed"},
		"reopened while open":      {[]Event{sample(KindOpened), sample(KindReopened)}, "open cannot be reopened"},
		"dismissed when verified":  {[]Event{sample(KindOpened), sample(KindPossiblyFixed), sample(KindVerification), sample(KindVerified), sample(KindDismissed)}, "verified cannot be dismissed"},
		"one id, two classes":      {[]Event{sample(KindOpened), with(KindOpened, func(e *Event) { e.FP = classB })}, "belongs to a defect of class"},
		"merged into nothing":      {[]Event{sample(KindOpened), sample(KindMerged)}, "not in this view"},
		"merged into itself":       {[]Event{sample(KindOpened), with(KindMerged, func(e *Event) { e.Merged.Into = e.Defect })}, "into itself"},
		"unmerged, never merged":   {[]Event{sample(KindOpened), sample(KindUnmerged)}, "it is not merged"},
		"split into nothing":       {[]Event{sample(KindOpened), sample(KindSplit)}, "open it first"},
		"an alias is decided":      {[]Event{sample(KindOpened), of("D-00000002", sample(KindOpened)), sample(KindMerged), sample(KindDismissed)}, "merged into D-00000002"},
		"open hidden by dismissed": {[]Event{sample(KindOpened), of("D-00000002", sample(KindOpened)), of("D-00000002", sample(KindDismissed)), sample(KindMerged)}, "would hide an open defect"},
		"high without evidence": {[]Event{
			with(KindOpened, func(e *Event) { e.Opened.Severity = finding.High }),
			of("D-00000002", with(KindOpened, func(e *Event) { e.Opened.Severity = finding.High })),
			with(KindMerged, func(e *Event) { e.Merged.Evidence = nil }),
		}, "on evidence only"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := script(t, tt.events...)
			s := Fold(events, View{PR: 42})
			last := events[len(events)-1]
			if len(s.Problems) != 1 || s.Problems[0].Event != last.ID || !strings.Contains(s.Problems[0].Msg, tt.want) {
				t.Fatalf("problems %v, want one of event %s about %q", s.Problems, last.ID, tt.want)
			}
			without := Fold(events[:len(events)-1], View{PR: 42})
			if diff := cmp.Diff(without.Defects, s.Defects, cmp.AllowUnexported(Defect{})); diff != "" {
				t.Errorf("the illegal event changed the defects:\n%s", diff)
			}
		})
	}
}

func TestMergeAndUnmerge(t *testing.T) {
	t.Parallel()
	events := script(t,
		with(KindOpened, func(e *Event) { e.Opened.Severity, e.Opened.Claim = finding.Medium, "one wording" }),
		of("D-00000002", with(KindOpened, func(e *Event) { e.Opened.Severity, e.Run = finding.Low, "1018.1" })),
		sample(KindPosted),
		sample(KindMerged),
		with(KindObserved, func(e *Event) { e.Observed.Claim = "seen by somebody who did not know" }),
		sample(KindUnmerged),
	)
	merged := Fold(events[:5], View{PR: 42})
	d := merged.Defect("D-00000001")
	if d.ID != "D-00000002" || len(merged.All()) != 1 || len(merged.Defects) != 2 {
		t.Fatalf("D-00000001 resolves to %s, %d stand for themselves", d.ID, len(merged.All()))
	}
	if len(d.Wordings) != 3 || d.Severity != finding.Medium || len(d.Comments) != 1 || len(d.Runs) != 2 {
		t.Errorf("merged: %d wordings, severity %s, %d comments, runs %v", len(d.Wordings), d.Severity, len(d.Comments), d.Runs)
	}
	if diff := cmp.Diff([]DefectID{"D-00000001"}, d.Aliases); diff != "" {
		t.Errorf("aliases (-want +got):\n%s", diff)
	}
	if got := len(merged.Events("D-00000001")); got != 5 {
		t.Errorf("%d events of the merged defect, want 5", got)
	}
	apart := Fold(events, View{PR: 42})
	if len(apart.Problems) > 0 || len(apart.All()) != 2 || apart.Defect("D-00000002").Severity != finding.Low {
		t.Errorf("unmerged: %d defects, problems %v", len(apart.All()), apart.Problems)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	parts := []Event{sample(KindOpened), of("D-00000002", sample(KindOpened)), of("D-00000003", sample(KindOpened)), sample(KindSplit)}
	s := Fold(script(t, parts...), View{PR: 42})
	if d := s.Defect("D-00000001"); d.Status != Obsolete || len(d.SplitInto) != 2 || len(s.Active()) != 2 {
		t.Errorf("split: %s into %v, %d active; problems %v", d.Status, d.SplitInto, len(s.Active()), s.Problems)
	}
	parts[3] = with(KindSplit, func(e *Event) { e.Split.Into = []DefectID{"D-00000001", "D-00000002"} })
	s = Fold(script(t, parts...), View{PR: 42})
	if d := s.Defect("D-00000001"); d.Status != Open {
		t.Errorf("split with itself among the parts: %s, want open", d.Status)
	}
}

func TestWhereADefectIs(t *testing.T) {
	t.Parallel()
	source := finding.Location{Role: "source", Path: "src/api/login.ts", Start: 7}
	events := script(t,
		with(KindOpened, func(e *Event) { e.Opened.Locations = append(e.Opened.Locations, source) }),
		sample(KindRelocated),
		sample(KindLocationUnknown),
		with(KindRelocated, func(e *Event) {
			e.Relocated.From = source
			e.Relocated.To = finding.Location{Path: "src/api/login.ts", Start: 9, Commit: "8b8b8b8"}
		}),
	)
	lost := Fold(events[:3], View{PR: 42}).Defect("D-00000001")
	if lost.Unlocated == nil || lost.LastMoved != "7a7a7a7" {
		t.Errorf("unlocated %v, last moved %q", lost.Unlocated, lost.LastMoved)
	}
	d := Fold(events, View{PR: 42}).Defect("D-00000001")
	want := []finding.Location{
		{Path: "src/api/auth.ts", Start: 3, End: 5, Commit: "7a7a7a7"},
		{Role: "source", Path: "src/api/login.ts", Start: 9, Commit: "8b8b8b8"},
	}
	if diff := cmp.Diff(want, d.Locations); diff != "" {
		t.Errorf("locations (-want +got):\n%s", diff)
	}
	if d.Unlocated != nil || d.LastMoved != "8b8b8b8" {
		t.Errorf("unlocated %v, last moved %q", d.Unlocated, d.LastMoved)
	}
}

// One of two places has come to where the other one was. Both events are of one
// moment, so either may be read first.
func TestPlacesMoveIndependently(t *testing.T) {
	t.Parallel()
	at := func(line int, commit string) finding.Location {
		return finding.Location{Path: "src/api/login.ts", Start: line, End: line, Commit: commit}
	}
	moved := func(from, to int) Event {
		return with(KindRelocated, func(e *Event) {
			e.Relocated.From, e.Relocated.To = at(from, "5e1f0aa"), at(to, "7a7a7a7")
		})
	}
	opened := with(KindOpened, func(e *Event) {
		e.Opened.Locations = []finding.Location{at(10, "5e1f0aa"), at(12, "5e1f0aa")}
	})
	want := []finding.Location{at(12, "7a7a7a7"), at(14, "7a7a7a7")}
	for _, moves := range [][]Event{{moved(10, 12), moved(12, 14)}, {moved(12, 14), moved(10, 12)}} {
		d := Fold(script(t, opened, moves[0], moves[1]), View{PR: 42}).Defect("D-00000001")
		for i := range d.Locations {
			d.Locations[i].Role = ""
		}
		if diff := cmp.Diff(want, d.Locations); diff != "" {
			t.Errorf("locations (-want +got):\n%s", diff)
		}
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	events := script(t,
		sample(KindOpened),
		sample(KindSuppressed),
		sample(KindPosted),
		with(KindPosted, func(e *Event) { e.Posted.Kind, e.Posted.Comment, e.Posted.Thread = "summary", 7, "" }),
		with(KindPosted, func(e *Event) { e.Posted.State = "resolved" }),
	)
	if d := Fold(events[:2], View{PR: 42}).Defect("D-00000001"); d.Hidden == nil || d.Status != Open {
		t.Errorf("suppressed: hidden %v, status %s", d.Hidden, d.Status)
	}
	d := Fold(events, View{PR: 42}).Defect("D-00000001")
	if d.Hidden != nil || len(d.Comments) != 2 || d.Comments[1].State != "resolved" || d.Comments[1].Comment != 1001 {
		t.Errorf("comments %+v, hidden %v", d.Comments, d.Hidden)
	}
}

func TestNewDefectIDOfAState(t *testing.T) {
	t.Parallel()
	first := NewDefectID(classA, "1017.1")
	s := Fold(script(t, of(first, sample(KindOpened))), View{PR: 42})
	second := s.NewDefectID(classA, "1017.1", nil)
	third := s.NewDefectID(classA, "1017.1", func(id DefectID) bool { return id == second })
	if second == first || third == first || third == second {
		t.Errorf("ids %s, %s, %s: want three", first, second, third)
	}
}

func TestReviews(t *testing.T) {
	t.Parallel()
	review := func(run, batch, gate, blob string) Event {
		return with(KindReviewed, func(e *Event) {
			e.Run, e.Reviewed.Batch, e.Reviewed.Gate = run, batch, gate
			e.Reviewed.Files[0].Blob = blob
			if gate == "unreviewed" {
				e.Reviewed.Reason = "budget"
			}
		})
	}
	events := script(t,
		review("1.1", "b2", "retried", "x"), review("1.1", "b1", "passed", "y"),
		review("2.1", "b1", "reused", "y"), review("2.1", "b2", "unreviewed", "z"),
		review("3.1", "b1", "forced", "w"),
	)
	s := Fold(events, View{PR: 42})
	if n := len(s.reviews); n != 3 || s.reviews[2].Run != "3.1" || s.reviews[2].Complete() {
		t.Fatalf("%d reviews: %+v", n, s.reviews)
	}
	if last, ok := s.LastComplete(42); !ok || last.Run != "1.1" || last.Batches[0].Batch != "b1" {
		t.Errorf("last complete review %+v", last)
	}
	if _, ok := s.LastComplete(7); ok {
		t.Error("pull request 7 has a complete review")
	}
	for blob, want := range map[string]bool{"x": true, "y": true, "z": false, "w": false, "v": false} {
		if _, got := s.Covered(42, CoveredFile{Path: "src/api/sessions.ts", Blob: blob}, "p1"); got != want {
			t.Errorf("blob %s covered: %v, want %v", blob, got, want)
		}
	}
	if _, ok := s.Covered(42, CoveredFile{Path: "src/api/sessions.ts", Blob: "x"}, "p2"); ok {
		t.Error("covered by other prompts")
	}
}

func TestPromotedBy(t *testing.T) {
	t.Parallel()
	events := script(t, sample(KindPromoted), sample(KindRetired))
	if p, ok := Fold(events[:1], View{PR: 42}).PromotedBy(classA); !ok || p.Validator != "session-constant-time" {
		t.Errorf("promoted by %+v, %v", p, ok)
	}
	if _, ok := Fold(events, View{PR: 42}).PromotedBy(classA); ok {
		t.Error("still promoted after it was retired")
	}
}
