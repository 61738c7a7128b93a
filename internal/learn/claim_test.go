package learn

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/model"
)

// A reply's own words make the claims that are checked; a model can add one and
// cannot drop one.
func TestClaims(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Claim{
		"The wrapper already logs that, see safeClose.": {{Text: "The wrapper already logs that, see safeClose", Quote: "The wrapper already logs that, see safeClose", Fact: true}},
		"This file is generated, nobody edits it.":      {{Text: "This file is generated, nobody edits it", Quote: "This file is generated, nobody edits it", Fact: true, Generated: true}},
		"Auth middleware covers every route.":           {{Text: "Auth middleware covers every route", Quote: "Auth middleware covers every route", Fact: true}},
		"Use errgroup.Go here.":                         {{Text: "Use errgroup.Go here", Quote: "Use errgroup.Go here"}},
		"Literals are fine in tests.":                   nil,
		"Panics are fine in this tool.":                 nil,
		"Floats are fine in billing.":                   nil,
		"Would safeClose help?":                         {{Text: "Would safeClose help", Quote: "Would safeClose help"}},
	} {
		if diff := cmp.Diff(want, Claims(Text{Said: text}, nil)); diff != "" {
			t.Errorf("Claims(%q) (-want +got):\n%s", text, diff)
		}
	}
	text := Text{Said: "We run on Postgres only."}
	got := Claims(text, []Claim{{Text: "Only Postgres is used", Quote: "We run on Postgres only", Search: []string{"pgx"}}})
	want := []Claim{{Text: "Only Postgres is used", Quote: "We run on Postgres only", Search: []string{"pgx"}, Fact: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a claim of the model (-want +got):\n%s", diff)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{
		"io/close.go": {Data: []byte("package io\n\n// safeClose closes c.\nfunc safeClose(c Closer) {\n\tlog(c.Close())\n}\n")},
		"io/use.go":   {Data: []byte("package io\n\nfunc f() {\n\tdefer safeClose(r)\n}\n")},
		"other/a.go":  {Data: []byte("package other\n")},
		"bin/blob":    {Data: []byte("safeClose\x00")},
	}
	c := Claim{Quote: "see safeClose", Text: "see safeClose"}
	got := Search(c, Corpus{Base: base, Head: base, Files: []string{"bin/blob", "io/close.go", "io/use.go", "other/a.go"}, Near: "io/use.go"})
	var where []string
	for _, e := range got {
		where = append(where, e.Path+" "+e.Side)
	}
	if diff := cmp.Diff([]string{"io/close.go base", "io/use.go base"}, where); diff != "" {
		t.Errorf("the declaration comes first (-want +got):\n%s", diff)
	}
	if !strings.Contains(got[0].String(), "    4  func safeClose") {
		t.Errorf("the excerpt has no numbered lines:\n%s", got[0])
	}
}

// What a model calls supported counts only with code that exists in the base and
// shows what the claim says.
func TestReadVerdicts(t *testing.T) {
	t.Parallel()
	claim := Claim{Text: "safeClose logs the error", Quote: "the wrapper already logs that, see safeClose", Fact: true}
	code := map[string]bool{
		"func safeClose(c io.Closer) {": true, "\tlog.Printf(\"%v\", err)": true, "// safeClose logs the error": true,
		"\t_ = c.Close()": true, "func safeClose() { log() } // head": false,
	}
	lookup := func(path, quote string) (Place, bool) {
		base, ok := code[quote]
		return Place{Path: path, Line: 1, Base: base, Text: quote}, ok && path == "io/close.go"
	}
	type cite struct {
		Path  string `json:"path"`
		Quote string `json:"quote"`
	}
	for name, tt := range map[string]struct {
		verdict string
		cites   []cite
		want    Verdict
	}{
		"declaration and behaviour":   {"supported", []cite{{"io/close.go", "func safeClose(c io.Closer) {"}, {"io/close.go", "\tlog.Printf(\"%v\", err)"}}, Supported},
		"the name alone":              {"supported", []cite{{"io/close.go", "func safeClose(c io.Closer) {"}}, Unproven},
		"other code of the function":  {"supported", []cite{{"io/close.go", "func safeClose(c io.Closer) {"}, {"io/close.go", "\t_ = c.Close()"}}, Unproven},
		"a comment that says so":      {"supported", []cite{{"io/close.go", "// safeClose logs the error"}}, Unproven},
		"code of the head only":       {"supported", []cite{{"io/close.go", "func safeClose() { log() } // head"}}, Unproven},
		"a quotation that is nowhere": {"supported", []cite{{"io/close.go", "log.Everything()"}}, Unproven},
		"nothing cited":               {"supported", nil, Unproven},
		"contradicted":                {"contradicted", []cite{{"io/close.go", "\t_ = c.Close()"}}, Contradicted},
		"contradicted by nothing":     {"contradicted", []cite{{"io/close.go", "nowhere"}}, NotCheckable},
		"not checkable":               {"not_checkable", nil, NotCheckable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(map[string]any{"verdicts": []any{map[string]any{
				"claim": 1, "verdict": tt.verdict, "reason": "", "cites": tt.cites}}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := ReadVerdicts(model.Reply{JSON: raw}, []Doubt{{Claim: claim}}, lookup)
			if err != nil {
				t.Fatal(err)
			}
			if got[0].Verdict != tt.want {
				t.Errorf("verdict %q, want %q", got[0].Verdict, tt.want)
			}
		})
	}
}

// Slots hold only what the reply says.
func TestReadClassification(t *testing.T) {
	t.Parallel()
	text := Text{Said: "Literal values are fine in tests."}
	rule := func(quotes ...string) map[string]any {
		return map[string]any{"kind": "silence", "says": "Literals are fine in tests.", "subject": "literals", "category": "Magic-Number",
			"condition": "", "scope": "**/*_test.go", "reason": "", "rule": "", "relation": "none", "this_change_only": false, "quotes": append([]string{}, quotes...)}
	}
	read := func(class string, rules ...map[string]any) Slots {
		t.Helper()
		raw, err := json.Marshal(map[string]any{"class": class, "rules": rules, "claims": []any{}, "about": "none", "problem": "", "problem_category": "", "answer": "an answer"})
		if err != nil {
			t.Fatal(err)
		}
		if err := (model.Schema{Name: "reply", JSON: json.RawMessage(classifySchema)}).Validate(raw); err != nil {
			t.Fatal(err)
		}
		s, err := ReadClassification(model.Reply{JSON: raw}, text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := Slots{Class: Teach, Rules: []Proposal{{Kind: "silence", Says: "Literals are fine in tests.", Subject: "literals",
		Category: "magic-number", Scope: "**/*_test.go"}}}
	if diff := cmp.Diff(want, read("teach", rule("literal values are fine"))); diff != "" {
		t.Errorf("a supported rule (-want +got):\n%s", diff)
	}
	for name, s := range map[string]Slots{
		"words that the reply does not have": read("teach", rule("never review tests")),
		"no words":                           read("teach", rule()),
		"one word of two":                    read("teach", rule("in tests", "everywhere")),
		"a class that teaches nothing":       read("agree", rule("in tests")),
	} {
		if len(s.Rules) != 0 || s.Answer != "" {
			t.Errorf("%s: %+v, want no rule", name, s)
		}
	}
	if n := len(read("teach", rule("tests"), rule("tests"), rule("tests"), rule("tests")).Rules); n != maxRules {
		t.Errorf("%d rules of one reply, want %d", n, maxRules)
	}
}
