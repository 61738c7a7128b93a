package checker

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

func TestLinkedIssues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"Fixes #12, closes #7 and resolves: #9":        {12, 7, 9},
		"fixed #1, Close #1":                           {1},
		"see #12; prefixes #13; fixes other/repo#14":   nil,
		"fixes # 1, fixes #0, fixes #99999999999999":   nil,
		"fix #1 fix #2 fix #3 fix #4 fix #5 fix #6":    {1, 2, 3, 4, 5},
		"Fixes https://example.com/shop/issues/1, #22": nil,
	} {
		if d := cmp.Diff(want, LinkedIssues(text)); d != "" {
			t.Errorf("LinkedIssues(%q) -want +got\n%s", text, d)
		}
	}
}

func TestDemands(t *testing.T) {
	t.Parallel()
	got := Demands([]Requirement{{"the title", "Fix the invoice total"}, {"issue #1", asked}, {"issue #2", ""}})
	if d := cmp.Diff([]Requirement{{"issue #1", asked}}, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

const asked = "Invoices have a total. The total is rounded to\ncents. An invoice without lines is refused with an error."

const invoice = `package invoice

func Total(lines []Line) int {
	sum := 0
	for _, l := range lines {
		sum += l.Cents
	}
	return sum
}
`

func requirementCase() ([]Requirement, Change) {
	return []Requirement{{"the description", asked}}, changed(map[string]string{"invoice.go": invoice, "line.go": "package invoice\n"}, "invoice.go", "line.go")
}

func TestRequirementsPrompt(t *testing.T) {
	t.Parallel()
	rs, c := requirementCase()
	req, whole := RequirementsCheck("m", "fence", rs, c)
	if !whole {
		t.Error("a short change is not shown whole")
	}
	golden(t, "requirements", req)
}

// What is too long is cut, and the request says so.
func TestRequirementsCheckIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The total is rounded. ", maxRequirement/10)
	c := changed(map[string]string{"a.go": strings.Repeat("// x\n", maxChangeShown/5), "b.go": invoice}, "a.go", "b.go")
	req, whole := RequirementsCheck("m", "fence", []Requirement{{"the description", long}, {"issue #1", long}}, c)
	text := req.Messages[0].Content
	if whole || len(text) > 2*(maxRequirement+1_000)+maxChangeShown+1_000 || !strings.Contains(text, "Left out for length: 1 files") ||
		!strings.Contains(text, "requirement 2, issue #1") || !strings.Contains(text, "diff of b.go") {
		t.Errorf("whole %v, %d bytes", whole, len(text))
	}
}

func TestReadRequirementsCheck(t *testing.T) {
	t.Parallel()
	rs, c := requirementCase()
	cite := func(path, quote string) map[string]any { return map[string]any{"path": path, "quote": quote} }
	point := func(source int, quote, state string, path any, cites ...any) map[string]any {
		if cites == nil {
			cites = []any{}
		}
		return map[string]any{"source": source, "quote": quote, "state": state, "reason": "r", "cites": cites, "path": path}
	}
	loop := Cite{"invoice.go", "sum += l.Cents"}
	req, _ := RequirementsCheck("m", "fence", rs, c)
	for name, tt := range map[string]struct {
		point   map[string]any
		partial bool
		want    []Point
		refused []Refused
	}{
		"implemented, with code":         {point(1, "Invoices have a total.", "implemented", nil, cite(loop.Path, loop.Quote)), false, []Point{{"the description", "Invoices have a total.", Implemented, "r", []Cite{loop}, ""}}, nil},
		"a quote over a line end":        {point(1, "The total is rounded to cents.", "missing", "line.go"), false, []Point{{"the description", "The total is rounded to cents.", Missing, "r", nil, "line.go"}}, nil},
		"implemented, without code":      {point(1, "Invoices have a total.", "implemented", nil), false, []Point{{"the description", "Invoices have a total.", Unclear, "no code that stands in the tree shows it", nil, ""}}, nil},
		"partly, with code that is not":  {point(1, "Invoices have a total.", "partly", nil, cite("invoice.go", "round(sum)"), cite("x.go", "sum")), false, []Point{{"the description", "Invoices have a total.", Unclear, "no code that stands in the tree shows it", nil, ""}}, nil},
		"missing, of a part of a change": {point(1, "Invoices have a total.", "missing", nil), true, []Point{{"the description", "Invoices have a total.", Unclear, "the change was too large to be shown whole", nil, ""}}, nil},
		"a point nobody made":            {point(1, "Invoices are sent by mail.", "missing", nil), false, nil, []Refused{{Claim: "Invoices are sent by mail.", Path: "invoice.go", Reason: "its quote is not in the requirement"}}},
		"an empty quote":                 {point(1, "", "missing", nil), false, nil, []Refused{{Path: "invoice.go", Reason: "its quote is not in the requirement"}}},
		"a requirement that is not":      {point(2, "Invoices have a total.", "missing", nil), false, nil, []Refused{{Claim: "Invoices have a total.", Path: "invoice.go", Reason: "it names no requirement"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := json.Marshal(map[string]any{"points": []any{tt.point}})
			if err != nil {
				t.Fatal(err)
			}
			got, refused, err := ReadRequirementsCheck(reply(t, req.Schema, string(b)), rs, c, !tt.partial)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(Point{})); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if d := cmp.Diff(tt.refused, refused); d != "" {
				t.Errorf("refused, -want +got\n%s", d)
			}
		})
	}
}

func TestUnmet(t *testing.T) {
	t.Parallel()
	_, c := requirementCase()
	loop := Cite{"invoice.go", "sum += l.Cents"}
	points := []Point{
		{"the description", "a", Implemented, "", []Cite{loop}, ""},
		{"the description", "the total is\nrounded", Partly, "It is not.", []Cite{loop}, "gone.go"},
		{"issue #1", "refused", Missing, "Nothing refuses.", nil, "line.go"},
		{"issue #1", "sent", Missing, "", nil, "../../etc/passwd"},
		{"issue #1", "d", Unclear, "", nil, ""},
	}
	type short struct {
		Path     string
		Severity finding.Severity
		Claim    string
		Evidence []string
	}
	var got []short
	for _, f := range Unmet(points, c) {
		if f.StartLine != 0 || f.Quote != "" {
			t.Errorf("%s stands at a line", f.Claim)
		}
		got = append(got, short{f.Path, f.Severity, f.Claim, f.Evidence})
	}
	want := []short{
		{"invoice.go", finding.Low, "The code does only in part what the description asks for: the total is rounded", []string{"The code at invoice.go:6 says: sum += l.Cents"}},
		{"line.go", finding.Medium, "The code does not do what issue #1 asks for: refused", nil},
		{"invoice.go", finding.Medium, "The code does not do what issue #1 asks for: sent", nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got := Unmet(points, changed(nil)); got != nil {
		t.Errorf("a change without files has findings: %v", got)
	}
}
