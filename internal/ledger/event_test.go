package ledger

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

func TestEveryKindRoundTrips(t *testing.T) {
	t.Parallel()
	if len(samples()) != len(everyKind()) {
		t.Fatalf("%d samples for %d kinds", len(samples()), len(everyKind()))
	}
	for _, k := range everyKind() {
		e := seal(t, sample(k))
		if got := e.Kind(); got != k {
			t.Errorf("Kind of a %s event = %q", k, got)
		}
		line := e.Line()
		if string(line[:7]) != `{"fp":"` || string(line[7:23]) != e.FP {
			t.Errorf("%s: the class is not at its fixed place: %s", k, line)
		}
		parsed, err := Parse(line)
		if err != nil {
			t.Errorf("Parse(%s): %v", line, err)
			continue
		}
		if diff := cmp.Diff(e, parsed, cmp.AllowUnexported(finding.Location{})); diff != "" {
			t.Errorf("%s: Parse(Line) differs (-sealed +parsed):\n%s", k, diff)
		}
	}
}

func TestLineIsCanonical(t *testing.T) {
	t.Parallel()
	e := seal(t, with(KindPossiblyFixed, func(e *Event) {
		e.At = time.Date(2026, 11, 29, 13, 4, 11, 999, time.FixedZone("CET", 3600))
		e.PossiblyFixed.Reason = "a < b && \"c\"\u2028"
	}))
	want := `{"fp":"334cece5d8ab7d10","run":"1017.1","pr":42,"v":1,"id":"` + string(e.ID) + `","at":"2026-11-29T12:04:11Z",` +
		`"by":"maria","defect":"D-00000001","possibly_fixed":{"commit":"7a7a7a7","reason":"a < b && \"c\"\u2028"}}` + "\n"
	if got := string(e.Line()); got != want {
		t.Errorf("Line =\n%swant\n%s", got, want)
	}
}

func TestIDDependsOnEverything(t *testing.T) {
	t.Parallel()
	base := seal(t, sample(KindPosted))
	for name, change := range map[string]func(*Event){
		"class":   func(e *Event) { e.FP = classB },
		"run":     func(e *Event) { e.Run = "1017.2" },
		"pr":      func(e *Event) { e.PR = 43 },
		"at":      func(e *Event) { e.At = e.At.Add(time.Second) },
		"by":      func(e *Event) { e.By = "" },
		"defect":  func(e *Event) { e.Defect = "D-00000009" },
		"payload": func(e *Event) { e.Posted.State = "resolved" },
	} {
		if got := seal(t, with(KindPosted, change)); got.ID == base.ID {
			t.Errorf("another %s gives the same id %s", name, got.ID)
		}
	}
	again := base
	again.ID, again.V = "ffffffffffff", 7
	if got := seal(t, again); got.ID != base.ID {
		t.Errorf("Seal of a sealed event gives id %s, want %s", got.ID, base.ID)
	}
}

func TestSealRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		event Event
		want  string
	}{
		"no payload":             {Event{FP: classA, Run: "1.1", At: noon}, "no payload"},
		"two payloads":           {with(KindOpened, func(e *Event) { e.Posted = samples()[KindPosted].Posted }), "two payloads, opened and posted"},
		"a short class":          {with(KindOpened, func(e *Event) { e.FP = "334c" }), "fp"},
		"an upper-case class":    {with(KindOpened, func(e *Event) { e.FP = strings.ToUpper(classA) }), "fp"},
		"a run with a slash":     {with(KindOpened, func(e *Event) { e.Run = "../x" }), "run"},
		"no run":                 {with(KindOpened, func(e *Event) { e.Run = "" }), "run"},
		"no time":                {with(KindOpened, func(e *Event) { e.At = time.Time{} }), "at"},
		"a negative pr":          {with(KindOpened, func(e *Event) { e.PR = -1 }), "pr"},
		"a quote in by":          {with(KindOpened, func(e *Event) { e.By = `a"b` }), "by"},
		"no defect":              {with(KindOpened, func(e *Event) { e.Defect = "" }), "no defect"},
		"a bad defect":           {with(KindOpened, func(e *Event) { e.Defect = "D-1" }), "defect"},
		"a class on a review":    {with(KindReviewed, func(e *Event) { e.FP = classA }), "no class"},
		"a merge of no pr":       {with(KindMergedPR, func(e *Event) { e.PR = 0 }), "no pull request"},
		"a promoted defect":      {with(KindPromoted, func(e *Event) { e.Defect = "D-00000001" }), "no defect"},
		"a blank claim":          {with(KindOpened, func(e *Event) { e.Opened.Claim = " \n" }), "claim is empty"},
		"no tier":                {with(KindOpened, func(e *Event) { e.Opened.Tier = finding.TierUnset }), "tier"},
		"no location":            {with(KindOpened, func(e *Event) { e.Opened.Locations = nil }), "location"},
		"a path upwards":         {with(KindOpened, func(e *Event) { e.Opened.Locations[0].Path = "a/../../b" }), "path"},
		"an absolute path":       {with(KindOpened, func(e *Event) { e.Opened.Locations[0].Path = "/etc/passwd" }), "path"},
		"lines backwards":        {with(KindOpened, func(e *Event) { e.Opened.Locations[0].End = 2 }), "lines"},
		"a severity":             {with(KindRated, func(e *Event) { e.Rated.Severity = "huge" }), "severity"},
		"a method":               {with(KindVerification, func(e *Event) { e.Verification.Method = "hope" }), "method"},
		"an outcome":             {with(KindVerification, func(e *Event) { e.Verification.Outcome = "ok" }), "outcome"},
		"a criterion":            {with(KindVerification, func(e *Event) { e.Verification.Criterion = -2 }), "criterion"},
		"nobody dismissing":      {with(KindDismissed, func(e *Event) { e.By = "" }), "by is empty"},
		"dismissing on read":     {with(KindDismissed, func(e *Event) { e.Dismissed.Permission = "read" }), "permission"},
		"dismissing without why": {with(KindDismissed, func(e *Event) { e.Dismissed.Reason = "" }), "reason"},
		"reopening on a hunch":   {with(KindReopened, func(e *Event) { e.Reopened.Evidence = nil }), "evidence"},
		"a split in one":         {with(KindSplit, func(e *Event) { e.Split.Into = e.Split.Into[:1] }), "fewer than two"},
		"a validator's path":     {with(KindPromoted, func(e *Event) { e.Promoted.Validator = "../x" }), "validator"},
		"unreviewed, no reason":  {with(KindReviewed, func(e *Event) { e.Reviewed.Gate = "unreviewed" }), "reason"},
		"a confidence":           {with(KindRelocated, func(e *Event) { e.Relocated.Confidence = 1.5 }), "confidence"},
		"a line too long":        {with(KindOpened, func(e *Event) { e.Opened.Detail = strings.Repeat("x", MaxLine) }), "bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := Seal(tt.event); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Seal = %+v, %v; want an error about %q", got, err, tt.want)
			}
		})
	}
}

func TestSealMakesTextValid(t *testing.T) {
	t.Parallel()
	e := seal(t, with(KindOpened, func(e *Event) { e.Opened.Claim = "bad \xff byte" }))
	if got, want := e.Opened.Claim, "bad \ufffd byte"; got != want {
		t.Errorf("claim = %q, want %q", got, want)
	}
}

func TestNewDefectID(t *testing.T) {
	t.Parallel()
	id := NewDefectID(classA, "1017.1")
	if !id.valid() {
		t.Errorf("NewDefectID = %q, want D- and 8 hex digits", id)
	}
	if again := NewDefectID(classA, "1017.1"); again != id {
		t.Errorf("NewDefectID = %q and %q for the same birth", id, again)
	}
	seen := map[DefectID]string{id: "first"}
	for name, other := range map[string]DefectID{
		"class":   NewDefectID(classB, "1017.1"),
		"birth":   NewDefectID(classA, "1018.1"),
		"ordinal": NewDefectID(classA, "1017.1", 1),
	} {
		if seen[other] != "" {
			t.Errorf("another %s gives the id of %s", name, seen[other])
		}
		seen[other] = name
	}
}

// A run stamps its events with one time: they must fold as they happened.
func TestOneSecondFoldsInTheOrderOfKinds(t *testing.T) {
	t.Parallel()
	var events []Event
	for _, k := range []Kind{KindPosted, KindVerified, KindVerification, KindPossiblyFixed, KindOpened} {
		events = append(events, seal(t, sample(k)))
	}
	s := Fold(events, View{PR: 42})
	if len(s.Problems) > 0 {
		t.Fatalf("problems: %v", s.Problems)
	}
	if d := s.Defect("D-00000001"); d.Status != Closed || len(d.Comments) != 1 {
		t.Errorf("status %s with %d comments, want verified with 1", d.Status, len(d.Comments))
	}
}

func TestSealReplacesInvalidText(t *testing.T) {
	t.Parallel()
	e := drawEvent(1)
	e.Opened.Locations[0].Path = "caf\xe9.go"
	sealed := seal(t, e)
	got, err := Parse(sealed.Line())
	if err != nil {
		t.Fatalf("what was sealed cannot be read: %v", err)
	}
	if p := got.Opened.Locations[0].Path; p != "caf\uFFFD.go" {
		t.Errorf("path %q, want the byte replaced", p)
	}
}
