package checker

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/rule"
)

func rules() []rule.Rule {
	return []rule.Rule{
		{ID: "errgroup", Kind: rule.Always, Says: "Start goroutines through the errgroup, never bare.", Scope: rule.Scope{"pay/**"}, Category: "concurrency",
			Status: rule.Active, Why: "A bare goroutine loses its error.", Breaks: "go send()\n", Follows: "g.Go(send)\n"},
		{ID: "money", Kind: rule.Context, Says: "Amounts are cents.", Scope: rule.Scope{"**"}, Status: rule.Active},
		{ID: "names", Kind: rule.Silence, Says: "Short names of sums are fine.", Scope: rule.Scope{"pay/**"}, Category: "naming", Status: rule.Active},
		{ID: "generated", Kind: rule.Silence, Says: "Nothing about names in generated code.", Scope: rule.Scope{"pay/**"}, Category: "naming",
			Condition: "The file says that it is generated.", Status: rule.Active},
		{ID: "elsewhere", Kind: rule.Silence, Says: "Names are free.", Scope: rule.Scope{"web/**"}, Category: "naming", Status: rule.Active},
		{ID: "taken-back", Kind: rule.Silence, Says: "Names are free.", Scope: rule.Scope{"pay/**"}, Category: "naming", Status: rule.Disabled},
		{ID: "drops", Kind: rule.Silence, Says: "Errors of Charge may be dropped.", Scope: rule.Scope{"pay/**"}, Category: "correctness", Status: rule.Active},
	}
}

func index(paths ...string) rule.Index { return rule.NewIndex(rules(), rule.Query{Paths: paths}) }

func TestMemoryPrompts(t *testing.T) {
	t.Parallel()
	neg, ok := MemoryNeg("m", "fence", candidates(), index("pay/charge.go", "pay/name.go"))
	if !ok {
		t.Fatal("nothing to ask")
	}
	golden(t, "memory_neg", neg)
	c := changed(map[string]string{"pay/charge.go": "package pay\n\nfunc run() { go send() }\n"}, "pay/charge.go")
	c.Files[0].Status = "modified"
	pos, ok := MemoryPos("m", "fence", index("pay/charge.go"), c)
	if !ok {
		t.Fatal("nothing to ask")
	}
	golden(t, "memory_pos", pos)
}

// With nothing to compare there is no request, and nothing is spent.
func TestMemoryAsksOnlyWithRules(t *testing.T) {
	t.Parallel()
	c := changed(map[string]string{"web/a.go": "package web\n", "pay/a.go": "package pay\n"}, "web/a.go", "pay/a.go")
	for name, tt := range map[string]struct {
		cs       []Candidate
		ix       rule.Index
		neg, pos bool
	}{
		"no rules":                    {candidates(), rule.Index{}, false, false},
		"rules and findings":          {candidates(), index("pay/charge.go"), true, true},
		"no findings":                 {nil, index("pay/charge.go"), false, true},
		"no always rule in scope":     {candidates(), index("web/a.go"), true, false},
		"no rule but context applies": {candidates(), index("README.md"), false, false},
	} {
		if _, ok := MemoryNeg("m", "fence", tt.cs, tt.ix); ok != tt.neg {
			t.Errorf("%s: memory_neg asks: %v, want %v", name, ok, tt.neg)
		}
		if _, ok := MemoryPos("m", "fence", tt.ix, c); ok != tt.pos {
			t.Errorf("%s: memory_pos asks: %v, want %v", name, ok, tt.pos)
		}
	}
}

func TestReadMemoryNeg(t *testing.T) {
	t.Parallel()
	hit := func(n int, id string, quote any) map[string]any {
		return map[string]any{"finding": n, "rule": id, "reason": "r", "quote": quote}
	}
	const shield = "it concerns security, a crash, lost data or a secret, or is rated high: no rule hides that"
	for name, tt := range map[string]struct {
		judged rule.Judged
		hits   []any
		want   []Hit
	}{
		"one that hides":               {rule.Judged{}, []any{hit(2, "names", nil)}, []Hit{{1, "names", "r", ""}}},
		"twice hidden counts once":     {rule.Judged{}, []any{hit(2, "names", nil), hit(2, "generated", "func sum")}, []Hit{{1, "names", "r", ""}}},
		"refused, then hidden":         {rule.Judged{}, []any{hit(2, "drops", nil), hit(2, "names", nil)}, []Hit{{1, "drops", "r", "rule drops is about correctness"}, {1, "names", "r", ""}}},
		"a condition with code":        {rule.Judged{}, []any{hit(2, "generated", "func sum()")}, []Hit{{1, "generated", "r", ""}}},
		"a condition without code":     {rule.Judged{}, []any{hit(2, "generated", nil)}, []Hit{{1, "generated", "r", "rule generated has a condition, and no code is quoted that meets it"}}},
		"a condition with other code":  {rule.Judged{}, []any{hit(2, "generated", "// generated")}, []Hit{{1, "generated", "r", "rule generated has a condition, and no code is quoted that meets it"}}},
		"a high one":                   {rule.Judged{}, []any{hit(1, "drops", nil)}, []Hit{{0, "drops", "r", shield}}},
		"what the judge calls a crash": {rule.Judged{Categories: []string{"crash"}}, []any{hit(2, "names", nil)}, []Hit{{1, "names", "r", shield}}},
		"what the judge rates high":    {rule.Judged{Severities: []finding.Severity{finding.High}}, []any{hit(2, "names", nil)}, []Hit{{1, "names", "r", shield}}},
		"out of scope":                 {rule.Judged{}, []any{hit(2, "elsewhere", nil)}, []Hit{{1, "elsewhere", "r", "pay/name.go is not in the scope of rule elsewhere"}}},
		"a rule that was taken back":   {rule.Judged{}, []any{hit(2, "taken-back", nil)}, []Hit{{1, "taken-back", "r", "rule taken-back is disabled"}}},
		"a rule of another kind":       {rule.Judged{}, []any{hit(2, "money", nil)}, []Hit{{1, "money", "r", "rule money is of kind context and hides nothing"}}},
		"a rule that nobody made":      {rule.Judged{}, []any{hit(2, "all", nil)}, []Hit{{1, "all", "r", "there is no such rule in view"}}},
		"a finding that is not there":  {rule.Judged{}, []any{hit(3, "names", nil), hit(0, "names", nil)}, nil},
		"nothing":                      {rule.Judged{}, []any{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cs := candidates()
			cs[1].Judged = tt.judged
			ix := index("pay/charge.go", "pay/name.go")
			req, _ := MemoryNeg("m", "fence", cs, ix)
			b, err := json.Marshal(map[string]any{"hits": tt.hits})
			if err != nil {
				t.Fatal(err)
			}
			got, err := ReadMemoryNeg(reply(t, req.Schema, string(b)), cs, ix, "ada")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestReadMemoryPos(t *testing.T) {
	t.Parallel()
	files := map[string]string{"pay/charge.go": "go send()\n", "web/a.go": "go send()\n"}
	c := changed(files, "pay/charge.go", "web/a.go")
	ix := index("pay/charge.go", "web/a.go")
	req, _ := MemoryPos("m", "fence", ix, c)
	for name, tt := range map[string]struct {
		rule, path string
		want       string
	}{
		"a broken rule":            {"errgroup", "pay/charge.go", ""},
		"out of its scope":         {"errgroup", "web/a.go", "web/a.go is not in the scope of rule errgroup"},
		"another file":             {"errgroup", "pay/other.go", "its path is not in the batch"},
		"a rule that asks nothing": {"money", "pay/charge.go", "rule money is of kind context and asks for no comment"},
		"a rule of silence":        {"names", "pay/charge.go", "rule names is of kind silence and asks for no comment"},
		"a rule that nobody made":  {"x", "pay/charge.go", `there is no rule "x" in view`},
		"no rule":                  {"", "pay/charge.go", `there is no rule "" in view`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := json.Marshal(map[string]any{"findings": []any{map[string]any{
				"rule": tt.rule, "path": tt.path, "quote": "go send()", "start_line": 1, "end_line": nil, "category": " Style", "severity": "low",
				"claim": "A goroutine is bare.", "subject": "send", "predicate": "is started bare", "detail": "d", "criteria": []string{"k"}, "suggestion": "g.Go(send)",
			}}})
			if err != nil {
				t.Fatal(err)
			}
			got, refused, err := ReadMemoryPos(reply(t, req.Schema, string(b)), ix, "ada", c)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want != "" {
				if d := cmp.Diff([]Refused{{"A goroutine is bare.", tt.path, tt.want}}, refused); d != "" || len(got) > 0 {
					t.Errorf("refused, -want +got\n%s\ngot %v", d, got)
				}
				return
			}
			want := []Recalled{{Rule: "errgroup", Finding: finding.Finding{
				Source: "memory_pos", Path: tt.path, Quote: "go send()", StartLine: 1, Side: finding.Right, Category: "concurrency", Severity: finding.Low,
				Claim: "A goroutine is bare.", Subject: "send", Predicate: "is started bare", Detail: "d", Criteria: []string{"k"}, Suggestion: "g.Go(send)",
				Evidence: []string{"The team's rule errgroup says: Start goroutines through the errgroup, never bare."}, Tier: finding.Advisory,
			}}}
			if d := cmp.Diff(want, got); d != "" || len(refused) > 0 {
				t.Errorf("-want +got\n%s\nrefused %v", d, refused)
			}
		})
	}
}

// A rule that somebody else is asked about is not theirs to hide with.
func TestMemoryOfOneAuthor(t *testing.T) {
	t.Parallel()
	rs := []rule.Rule{{ID: "mine", Kind: rule.Silence, Says: "Names are mine.", Scope: rule.Scope{"**"}, ForAuthor: "ada", Category: "naming", Status: rule.Active}}
	cs := candidates()
	body := `{"hits":[{"finding":2,"rule":"mine","reason":"r","quote":null}]}`
	for author, want := range map[string]string{"Ada": "", "bob": "there is no such rule in view"} {
		ix := rule.NewIndex(rs, rule.Query{Paths: []string{"pay/name.go"}, Author: author})
		req, _ := MemoryNeg("m", "fence", cs, index("pay/name.go"))
		got, err := ReadMemoryNeg(reply(t, req.Schema, body), cs, ix, author)
		if err != nil || len(got) != 1 || got[0].Refused != want {
			t.Errorf("of %s: %+v, %v; want refused %q", author, got, err, want)
		}
	}
}

// The records are bounded; the index stays whole.
func TestRecallIsBounded(t *testing.T) {
	t.Parallel()
	var rs []rule.Rule
	for _, id := range []string{"a", "b", "c", "d"} {
		rs = append(rs, rule.Rule{ID: id, Kind: rule.Silence, Says: "Nothing.", Scope: rule.Scope{"**"}, Status: rule.Active, Why: strings.Repeat("x", maxRecords/3)})
	}
	text := recall("fence", rule.NewIndex(rs, rule.Query{Paths: []string{"a.go"}}), rule.Silence)
	if n := strings.Count(text, "record of rule"); n != 2 || strings.Count(text, "Nothing.") != 4+n {
		t.Errorf("%d records, %d bytes", n, len(text))
	}
}
