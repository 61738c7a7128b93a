package projection

import (
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

func TestTriageEscapesAndCuts(t *testing.T) {
	t.Parallel()
	var d Due
	for range maxDue + 3 {
		d.Classes = append(d.Classes, ledger.Due{
			Class:   ledger.Class{FP: "334cece5d8ab7d10", PullRequests: 3, Runs: 4},
			Phrases: []ledger.Phrase{{Claim: "@team <img src=x> fixes #1", Count: 2}, {Claim: "b", Count: 1}, {Claim: "c", Count: 1}, {Claim: "d", Count: 1}},
			Sources: []string{"code"}, Code: "a\n`b`", At: finding.Location{Path: "a.go", Start: 2},
		})
	}
	d.Rules = []ledger.RuleDue{{Rule: "go-errgroup", Recurrence: 3, Hits: 5}}
	got := Triage(d)
	for _, want := range []string{
		"3 pull requests, 4 runs, said by code", "and 1 other wordings", "and 3 more; `crev ledger triage` lists them",
		"`a.go:2`", "Rule `go-errgroup` was hit 5 times in 3 pull requests", SummaryMarker,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("Triage lacks %q:\n%s", want, got)
		}
	}
	for _, bad := range []string{"@team", "<img", "fixes #1"} {
		if strings.Contains(got, bad) {
			t.Errorf("Triage lets %q through", bad)
		}
	}
}

func TestProofsInPlainWords(t *testing.T) {
	t.Parallel()
	r := &Report{Head: "7a7a7a7", Proofs: []Proof{
		{Validator: "good", Verdict: "proven", Reason: "red on bad and green on good", Run: "bad: found\n```\n", Decides: []Decided{{"334cece5d8ab7d10", "It @leaks."}}},
		{Validator: "blind", Verdict: "vacuous", Reason: "it finds nothing", Remedy: "Make it see.", Decides: []Decided{{Class: "a3f29c41d7b08e55"}}},
		{Validator: "elsewhere", Verdict: NotProvenHere, Reason: "this job holds a key"},
	}}
	got := Summary(r, Plan{})
	for _, want := range []string{
		"`good` proven: red on bad and green on good. Once merged it blocks.", "Once merged it decides class 334cece5d8ab7d10",
		"`blind` refused, vacuous: it finds nothing. Make it see.", "It does not decide class a3f29c41d7b08e55",
		"`elsewhere` not proven here: this job holds a key.", "````text",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "@leaks") {
		t.Error("the claim of a class is not escaped")
	}
}
