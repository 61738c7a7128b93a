package checker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/rule"
)

func at(source string, severity finding.Severity, start, end int) finding.Finding {
	return finding.Finding{Source: source, Path: "a.go", StartLine: start, EndLine: end, Category: "api", Severity: severity,
		Claim: "By " + source + ": the old field is gone.", Subject: "Field", Predicate: "is gone"}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	silence := rule.Rule{ID: "pre-release", Kind: rule.Silence, Says: "No comments about backward compatibility before the release.",
		Scope: rule.Scope{"**"}, Category: "api", Status: rule.Active}
	with := func(f finding.Finding, edit func(*finding.Finding)) Candidate { edit(&f); return Candidate{Finding: f} }
	says := func(claim string) Candidate {
		return with(at("code", finding.Low, 3, 3), func(f *finding.Finding) { f.Claim, f.Subject, f.Predicate = claim, "", "" })
	}
	suggests := func(source string, severity finding.Severity, start, end int, text string) Candidate {
		return with(at(source, severity, start, end), func(f *finding.Finding) { f.Suggestion, f.Subject = text, source })
	}
	class := finding.Class("a.go", "api", "Field", "is gone", "")
	for name, tt := range map[string]struct {
		in   FilterCase
		want []Filtered
	}{
		"nothing":      {FilterCase{}, []Filtered{}},
		"nothing said": {FilterCase{Candidates: []Candidate{says("The field is gone.")}, Rules: []rule.Rule{silence}}, []Filtered{{}}},
		"the words of a rule": {FilterCase{Candidates: []Candidate{says("Removing it breaks backwards-compatible clients of the release.")}, Rules: []rule.Rule{silence}},
			[]Filtered{{Rule: "pre-release", Why: "it speaks the words of the rule"}}},
		"one word of it": {FilterCase{Candidates: []Candidate{says("The release has no version.")}, Rules: []rule.Rule{silence}}, []Filtered{{}}},
		"of a security defect": {FilterCase{Candidates: []Candidate{says("Backward compatibility lets an attacker in before the release.")}, Rules: []rule.Rule{silence}},
			[]Filtered{{}}},
		"of what the judge rates high": {FilterCase{Rules: []rule.Rule{silence}, Candidates: []Candidate{{
			Finding: says("It breaks backward compatibility of the release.").Finding, Judged: rule.Judged{Severities: []finding.Severity{finding.Critical}}}}},
			[]Filtered{{}}},
		"of what a rule asked for": {FilterCase{Rules: []rule.Rule{silence}, Candidates: []Candidate{with(says("It breaks backward compatibility of the release.").Finding,
			func(f *finding.Finding) { f.Source = MemoryPosName })}}, []Filtered{{}}},
		"of another category": {FilterCase{Rules: []rule.Rule{silence}, Candidates: []Candidate{with(says("It breaks backward compatibility of the release.").Finding,
			func(f *finding.Finding) { f.Category = "naming" })}}, []Filtered{{}}},
		"with a condition that nobody read": {FilterCase{Candidates: []Candidate{says("It breaks backward compatibility of the release.")},
			Rules: []rule.Rule{{ID: "x", Kind: rule.Silence, Says: silence.Says, Scope: silence.Scope, Category: "api", Status: rule.Active, Condition: "before 1.0"}}}, []Filtered{{}}},
		"another finding of the class is hidden in this run": {FilterCase{Rules: []rule.Rule{silence}, Candidates: []Candidate{{Finding: at("code", finding.Low, 9, 9)}},
			Silenced: []Recalled{{Finding: at("claims", finding.Low, 3, 3), Rule: "pre-release"}}},
			[]Filtered{{Rule: "pre-release", Why: "the rule hides another finding of this run that says the same"}}},
		"by another rule": {FilterCase{Rules: []rule.Rule{silence}, Candidates: []Candidate{{Finding: at("code", finding.Low, 9, 9)}},
			Silenced: []Recalled{{Finding: at("claims", finding.Low, 3, 3), Rule: "other"}}}, []Filtered{{}}},
		"the rule has hidden it before": {FilterCase{Rules: []rule.Rule{silence}, Candidates: []Candidate{{Finding: at("code", finding.Low, 9, 9)}},
			Known: []*ledger.Defect{{ID: "D-1", FP: class, Hidden: &ledger.Suppressed{Reason: "rule", By: "pre-release"}}}},
			[]Filtered{{Rule: "pre-release", Why: "the rule has hidden this before"}}},
		"a judge has hidden it before": {FilterCase{Rules: []rule.Rule{silence}, Candidates: []Candidate{{Finding: at("code", finding.Low, 9, 9)}},
			Known: []*ledger.Defect{{ID: "D-1", FP: class, Hidden: &ledger.Suppressed{Reason: "judge", By: "recheck"}}}}, []Filtered{{}}},

		"two reviewers say one thing": {FilterCase{Candidates: []Candidate{{Finding: at("code", finding.Medium, 3, 5)}, {Finding: at("claims", finding.Medium, 5, 6)}}},
			[]Filtered{{}, {Repeats: 1}}},
		"the graver is kept": {FilterCase{Candidates: []Candidate{{Finding: at("code", finding.Low, 3, 5)}, {Finding: at("claims", finding.Medium, 5, 6)}}},
			[]Filtered{{Repeats: 2}, {}}},
		"the shielded is kept": {FilterCase{Candidates: []Candidate{{Finding: at("code", finding.Medium, 3, 5)},
			{Finding: at("claims", finding.Low, 3, 5), Judged: rule.Judged{Categories: []string{"crash"}}}}}, []Filtered{{Repeats: 2}, {}}},
		"on other lines":               {FilterCase{Candidates: []Candidate{{Finding: at("code", finding.Medium, 3, 5)}, {Finding: at("claims", finding.Medium, 6, 6)}}}, []Filtered{{}, {}}},
		"one reviewer means two":       {FilterCase{Candidates: []Candidate{{Finding: at("code", finding.Medium, 3, 5)}, {Finding: at("code", finding.Medium, 3, 5)}}}, []Filtered{{}, {}}},
		"about the whole file, of two": {FilterCase{Candidates: []Candidate{{Finding: at("code", finding.Medium, 0, 0)}, {Finding: at("claims", finding.Medium, 0, 0)}}}, []Filtered{{}, {}}},

		"two suggestions for one line": {FilterCase{Candidates: []Candidate{suggests("code", finding.Low, 3, 3, "x"), suggests("claims", finding.High, 2, 4, "y")}},
			[]Filtered{{NoSuggestion: "another suggestion changes the same lines"}, {}}},
		"the same suggestion twice": {FilterCase{Candidates: []Candidate{suggests("code", finding.Low, 3, 3, "x"), suggests("claims", finding.High, 3, 3, "x")}},
			[]Filtered{{}, {}}},
		"the first of three": {FilterCase{Candidates: []Candidate{suggests("a", finding.Low, 1, 3, "x"), suggests("b", finding.Low, 3, 5, "y"), suggests("c", finding.Low, 5, 6, "z")}},
			[]Filtered{{}, {NoSuggestion: "another suggestion changes the same lines"}, {}}},
		"one that brings back what was a defect": {FilterCase{
			Candidates: []Candidate{{Finding: suggests("code", finding.Low, 3, 3, "\tif err := run(ctx, all); err != nil { panic(err) }").Finding, Source: "return run(ctx, all)"}},
			Known:      []*ledger.Defect{{ID: "D-1", Quote: "if err := run(ctx, all); err != nil {", Status: ledger.Closed, Locations: []finding.Location{{Path: "a.go"}}}}},
			[]Filtered{{NoSuggestion: "it brings back the code that D-1 was about"}}},
		"one beside a defect that is still there": {FilterCase{
			Candidates: []Candidate{{Finding: suggests("code", finding.Low, 3, 3, "if err := run(ctx, all); err != nil { }").Finding, Source: "if err := run(ctx, all); err != nil {"}},
			Known:      []*ledger.Defect{{ID: "D-1", Quote: "if err := run(ctx, all); err != nil {", Locations: []finding.Location{{Path: "a.go"}}}}},
			[]Filtered{{}}},
		"code that crev suggested": {FilterCase{
			Candidates: []Candidate{with(at("code", finding.Low, 3, 3), func(f *finding.Finding) { f.Quote = "defer cancel(errors.New(\"done\"))" })},
			Known: []*ledger.Defect{{ID: "D-1", Quote: "ctx, _ := context.WithCancelCause(ctx)", Locations: []finding.Location{{Path: "a.go"}},
				Suggestion: "ctx, cancel := context.WithCancelCause(ctx)\ndefer cancel(errors.New(\"done\"))"}}},
			[]Filtered{{Note: "crev itself suggested this code, for D-1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, Filter(tt.in)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// Whatever is filtered, something shown stands for each finding that repeats one,
// and no two suggestions that are offered change a common line.
func TestFilterKeepsOneOfEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Candidate {
			start := rapid.IntRange(0, 6).Draw(t, "start")
			f := at(rapid.SampledFrom([]string{"code", "claims", "library"}).Draw(t, "source"),
				rapid.SampledFrom([]finding.Severity{finding.Low, finding.Medium, finding.High}).Draw(t, "severity"), start, start+rapid.IntRange(0, 2).Draw(t, "more"))
			f.Subject = rapid.SampledFrom([]string{"A", "B"}).Draw(t, "subject")
			f.Suggestion = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "suggestion")
			return Candidate{Finding: f}
		}), 0, 8).Draw(t, "candidates")
		out := Filter(FilterCase{Candidates: cs})
		for i, f := range out {
			last := i
			for steps := 0; out[last].Repeats != 0; steps++ {
				next := out[last].Repeats - 1
				if steps > len(cs) || cs[next].Finding.Severity.Rank() < cs[last].Finding.Severity.Rank() || classOf(cs[next].Finding) != classOf(cs[last].Finding) {
					t.Fatalf("%d repeats %d, which does not stand for it", i, next)
				}
				last = next
			}
			for k := range out {
				if i != k && offers(cs[i], f) && offers(cs[k], out[k]) && overlaps(cs[i].Finding, cs[k].Finding) && cs[i].Finding.Suggestion != cs[k].Finding.Suggestion {
					t.Fatalf("both %d and %d suggest a change of one line", i, k)
				}
			}
		}
	})
}

// Two words and half of them: near enough for the same complaint, too far for
// another one about the same subject.
func TestSpeaks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, claim string
		want        bool
	}{
		{"No backward-compatibility findings: pre-release.", "This breaks backward compatibility for existing clients.", true},
		{"No backward-compatibility findings: pre-release.", "Clients that compile against the old name stop working.", false},
		{"Do not ask for doc comments in test helpers.", "The test helper mustOpen has no doc comment.", true},
		{"Do not ask for doc comments in test helpers.", "The test opens a file that it never closes.", false},
		{"Raw numbers are fine in tests.", "The raw number 86400 in this test has no name.", true},
		{"Raw numbers are fine in tests.", "This test compares numbers of different units.", true}, // the category tells it apart
		{"Raw numbers are fine in tests.", "The test passes without calling Total.", false},
		{"The retry of the payment client is meant to be unbounded.", "The payment client retries without a bound.", true},
		{"The retry of the payment client is meant to be unbounded.", "The payment client sends the amount in the wrong unit.", false},
		{"Names of one letter are fine for receivers.", "The receiver name s has one letter.", true},
		{"Names of one letter are fine for receivers.", "The name of the parameter shadows the package.", false},
		{"Ignore it.", "The error is ignored.", false},
	} {
		if got := speaks(contentWords(tt.claim), contentWords(tt.rule)); got != tt.want {
			t.Errorf("%q speaks %q: %v, want %v (%v, %v)", tt.claim, tt.rule, got, tt.want, contentWords(tt.claim), contentWords(tt.rule))
		}
	}
}

// BenchmarkFilter is a large run: 300 findings, 100 rules, 500 known defects.
func BenchmarkFilter(b *testing.B) {
	var in FilterCase
	for i := range 300 {
		f := at("code", finding.Low, i%90+1, i%90+3)
		f.Claim, f.Subject = fmt.Sprintf("The name of parameter %d shadows the package %d.", i, i%7), fmt.Sprint("p", i)
		f.Suggestion, f.Quote = fmt.Sprintf("func f%d(parameter int) error {", i), fmt.Sprintf("func f%d(name int) error {", i)
		in.Candidates = append(in.Candidates, Candidate{Finding: f, Source: strings.Repeat(f.Quote+"\n", 80)})
	}
	for i := range 100 {
		in.Rules = append(in.Rules, rule.Rule{ID: fmt.Sprint("r", i), Kind: rule.Silence, Says: fmt.Sprintf("Short names of handler %d are fine in adapters.", i),
			Scope: rule.Scope{"**"}, Category: "api", Status: rule.Active})
	}
	for i := range 500 {
		in.Known = append(in.Known, &ledger.Defect{ID: "D-1", FP: fmt.Sprint(i), Quote: fmt.Sprintf("func g%d(name int) error {", i), Locations: []finding.Location{{Path: "a.go"}}})
	}
	for b.Loop() {
		Filter(in)
	}
}
