package bench

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/rule"
)

const smallPair = `Names are short in kernels.

-- pair.yaml --
review:
  findings:
    - {is: unwanted, path: k/a.c, quote: "float s;", category: naming, severity: low, claim: s says nothing., rule: naming}
    - {is: bug, path: k/a.c, quote: "return 0;", category: correctness, severity: medium, claim: It is always 0.}
  asked:
    - {is: asked, path: k/a.c, quote: "return 0;", category: units, severity: low, claim: The unit is missing., rule: units}
-- memory/.crev/rules/naming.yaml --
id: naming
-- head/k/a.c --
float s;
return 0;
`

func TestParsePair(t *testing.T) {
	t.Parallel()
	p, err := ParsePair("small", []byte(smallPair))
	if err != nil {
		t.Fatal(err)
	}
	if p.Author != "omar" || p.Teaching != nil || p.Review.Findings[0].By != "code" || p.Changed("k/a.c") != "float s;" {
		t.Errorf("ParsePair = %+v", p)
	}
	for name, tc := range map[string]struct{ from, to, want string }{
		"no memory":         {"-- memory/.crev/rules/naming.yaml --\nid: naming\n", "", "nobody teaches"},
		"no change":         {"-- head/k/a.c --", "-- base/k/a.c --", "no file under head/"},
		"an unknown kind":   {"is: bug", "is: bugs", `is "bugs"`},
		"a rule is missing": {", rule: naming}", "}", "names a rule"},
		"no such line":      {`quote: "float s;"`, `quote: "float t;"`, "no line of k/a.c"},
		"said twice":        {"It is always 0.", "s says nothing.", "said twice"},
		"an unknown key":    {"review:\n", "reviews: 1\nreview:\n", "reviews"},
		"a newer version":   {"review:\n", "version: 2\nreview:\n", "update crev"},
		"an unknown folder": {"-- head/k/a.c --", "-- tail/k/a.c --", "want base/PATH, memory/PATH, teach/PATH or head/PATH"},
		"a bad teaching":    {"review:\n", "teaching: {wrong: lie}\nreview:\n", "false_claim or injection"},
	} {
		_, err := ParsePair("small", []byte(strings.Replace(smallPair, tc.from, tc.to, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tc.want)
		}
	}
}

func FuzzParsePair(f *testing.F) {
	text, err := os.ReadFile("../../testdata/memory/literals-in-tests.txtar")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(smallPair))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParsePair("fuzz", text)
		if err != nil {
			return
		}
		for _, w := range p.Review.Findings {
			if err := checkQuote(w.Path, w.Quote, p.Head, p.Base); err != nil {
				t.Errorf("accepted a finding whose code is not there: %v", err)
			}
		}
	})
}

// seenPair is a review of the small pair in which the given claims are posted
// and rules had the given effects.
func seenPair(t *testing.T, posted []string, hits map[string]ledger.RuleHit) Seen {
	t.Helper()
	s := Seen{PR: 8}
	add := func(e ledger.Event) {
		t.Helper()
		e.PR, e.Run, e.FP, e.At = 8, "1.1", "334cece5d8ab7d10", time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		sealed, err := ledger.Seal(e)
		if err != nil {
			t.Fatal(err)
		}
		s.Events = append(s.Events, sealed)
	}
	for i, claim := range []string{"s says nothing.", "It is always 0.", "The unit is missing."} {
		id := ledger.DefectID("D-0000000" + string(rune('1'+i)))
		add(ledger.Event{Defect: id, Payload: ledger.Payload{Opened: &ledger.Opened{
			Claim: claim, Category: "x", Severity: finding.Low, Source: "code", Tier: finding.Advisory, FP0: "0000000000000000",
			Locations: []finding.Location{{Path: "k/a.c", Start: 1}}}}})
		if hit, ok := hits[claim]; ok {
			add(ledger.Event{Defect: id, Payload: ledger.Payload{RuleHit: &hit}})
		}
		for _, p := range posted {
			if p == claim {
				s.Threads = append(s.Threads, ShownThread{Defect: id})
			}
		}
	}
	return s
}

// A program that hides a bug, forgets what was asked for and applies a rule where
// it does not hold is told so.
func TestScorePair(t *testing.T) {
	t.Parallel()
	p, err := ParsePair("small", []byte(smallPair))
	if err != nil {
		t.Fatal(err)
	}
	silenced := ledger.RuleHit{Rule: "naming", Effect: "silenced"}
	good := PairSeen{
		Rules: []rule.Rule{{ID: "naming"}, {ID: "units"}},
		Off:   seenPair(t, []string{"s says nothing.", "It is always 0."}, nil),
		On: seenPair(t, []string{"It is always 0.", "The unit is missing."}, map[string]ledger.RuleHit{
			"s says nothing.": silenced, "The unit is missing.": {Rule: "units", Effect: "added"}}),
	}
	good.Hostile = good.On
	bad := good
	bad.On = seenPair(t, []string{"s says nothing."}, map[string]ledger.RuleHit{"It is always 0.": silenced})
	one, none := Posted{1, 1}, Posted{0, 1}
	off := MemoryArm{Comments: 2, Unwanted: one, Bugs: one, Asked: none, Wanted: .5, Golden: .5, Recall: .5}
	on := MemoryArm{Comments: 2, Unwanted: none, Bugs: one, Asked: one, Wanted: 1, Golden: 1, Recall: 1}
	for name, tc := range map[string]struct {
		seen PairSeen
		want MemoryResult
	}{
		"as it should be": {good, MemoryResult{Pairs: 1, Committed: 1, Off: off, On: on, Hostile: on, Stopped: 1, Asked: 1, Failures: []MemoryFailure{}}},
		"as it should not": {bad, MemoryResult{Pairs: 1, Committed: 1, Off: off, Hostile: on, Fall: .5,
			On: MemoryArm{Comments: 1, Unwanted: one, Bugs: none, Asked: none, OutOfScope: 1},
			Failures: []MemoryFailure{
				{"small", "on", "s says nothing.", "not posted", "posted"},
				{"small", "on", "It is always 0.", "posted", "not posted"},
				{"small", "on", "The unit is missing.", "posted", "not posted"},
				{"small", "on", "It is always 0.", "no effect of rule naming", "silenced"},
			}}},
	} {
		if d := cmp.Diff(tc.want, SumMemory([]MemoryResult{scorePair(p, tc.seen)})); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
