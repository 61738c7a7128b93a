package bench

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/rule"
)

func receipts(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/cases/receipts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestParseCase(t *testing.T) {
	t.Parallel()
	text := string(receipts(t))
	want, err := ParseCase("receipts", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Findings) != 3 || want.Author != "kim" || len(want.Base) != 1 || len(want.Head) != 2 || !want.Findings[0].IsReal() {
		t.Fatalf("ParseCase = %+v", want)
	}
	for name, in := range map[string]string{
		"with CRLF":        strings.ReplaceAll(text, "\n", "\r\n"),
		"with a BOM":       "\ufeff" + text,
		"with its version": strings.Replace(text, "author: kim", "version: 1\nauthor: kim", 1),
	} {
		got, err := ParseCase("receipts", []byte(in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestParseCaseRefuses(t *testing.T) {
	t.Parallel()
	text := string(receipts(t))
	edit := func(old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("the case has no %q", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	tests := map[string]struct{ in, want string }{
		"no comment":          {text[strings.Index(text, "-- case"):], "begins with a comment"},
		"no case.yaml":        {edit("-- case.yaml --", "-- head/case.yaml --"), "there is no case.yaml"},
		"an unknown key":      {edit("author: kim", "author: kim\ncolour: red"), "field colour not found"},
		"a newer version":     {edit("author: kim", "version: 2\nnew: 1"), "version 2: this crev reads version 1; update crev"},
		"another folder":      {edit("-- base/", "-- old/"), `want base/PATH or head/PATH`},
		"out of the tree":     {edit("-- base/services", "-- base/../services"), `want base/PATH or head/PATH`},
		"the same file twice": {text + "-- head/services/pay/send.go --\n", "is there twice"},
		"a file not there":    {edit("path: services/pay/send.go", "path: services/pay/sent.go"), "neither under head/ nor under base/"},
		"a quote not there":   {edit(`go deliver(order)"`, `go deliver(orders)"`), "is no line of services/pay/send.go"},
		"no severity":         {edit("severity: medium", "severity: ''"), "severity: want"},
		"another severity":    {edit("severity: medium", "severity: bad"), "severity"},
		"no category":         {edit("category: concurrency", "category: ''"), "category: it is empty"},
		"no claim":            {edit("claim: 86400 has no name.", "claim: ''"), "claim: it is empty"},
		"undecided":           {edit("    real: false\n", ""), "real: say true for a defect"},
		"nothing expected":    {"Empty.\n-- case.yaml --\nfindings: []\n-- head/a --\n", "it expects nothing"},
		"no trees":            {"Empty.\n-- case.yaml --\nfindings: []\n", "there is no file under base/ or head/"},
		"two documents":       {edit("author: kim", "author: kim\n---\nfrom: x"), "more than one YAML document"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := ParseCase("x", []byte(tc.in)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("ParseCase = %v, want an error with %q", err, tc.want)
			}
		})
	}
	if _, err := ParseCase("../x", []byte(text)); err == nil {
		t.Error("ParseCase takes a name with a path")
	}
}

func FuzzParseCase(f *testing.F) {
	f.Add(string(receipts(f)))
	f.Add("a\n-- case.yaml --\nfindings: [{path: a, category: b, severity: low, claim: c, real: true}]\n-- base/a --\nx")
	f.Add("a\n-- case.yaml --\n&a [*a]\n-- head/a --\n")
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCase("x", []byte(s))
		if err != nil {
			return
		}
		text, err := c.Format()
		if err != nil {
			t.Fatalf("Format of what ParseCase took: %v\n%s", err, s)
		}
		again, err := ParseCase("x", text)
		if err != nil {
			t.Fatalf("ParseCase of what Format wrote: %v\n%s", err, text)
		}
		if diff := cmp.Diff(c, again); diff != "" {
			t.Fatalf("round trip (-want +got):\n%s", diff)
		}
	})
}

func TestFrozen(t *testing.T) {
	t.Parallel()
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	tree := fstest.MapFS{"a.txtar": file("A\n"), "b.txtar": file("B\n"), "README.md": file("x")}
	sum, err := FrozenSum(tree)
	if err != nil {
		t.Fatal(err)
	}
	// What sha256sum prints.
	want := "06f961b802bc46ee168555f066d28f4f0e9afdf3f88174c1ee6f9de004fc30a0  a.txtar\n" +
		"c0cde77fa8fef97d476c10aad3d2d54fcc2f336140d073651c2dcccf1e379fd6  b.txtar\n"
	if diff := cmp.Diff(want, string(sum)); diff != "" {
		t.Fatalf("FrozenSum (-want +got):\n%s", diff)
	}
	tests := map[string]struct {
		tree fstest.MapFS
		want []string
	}{
		"as listed":           {fstest.MapFS{"a.txtar": file("A\n"), "b.txtar": file("B\n"), SumFile: file(want)}, nil},
		"with CRLF":           {fstest.MapFS{"a.txtar": file("A\n"), "b.txtar": file("B\n"), SumFile: file(strings.ReplaceAll(want, "\n", "\r\n"))}, nil},
		"nothing":             {fstest.MapFS{}, nil},
		"changed":             {fstest.MapFS{"a.txtar": file("A!\n"), "b.txtar": file("B\n"), SumFile: file(want)}, []string{"a.txtar: it is frozen and was changed"}},
		"taken away":          {fstest.MapFS{"b.txtar": file("B\n"), SumFile: file(want)}, []string{"a.txtar: it is frozen and is not there"}},
		"put there":           {fstest.MapFS{"a.txtar": file("A\n"), "b.txtar": file("B\n"), "c.txtar": file("C"), SumFile: file(want)}, []string{"c.txtar: it is not in frozen.sum; run `crev bench freeze`"}},
		"a line that is none": {fstest.MapFS{SumFile: file("hello\n")}, []string{": it is frozen and is not there"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := CheckFrozen(tc.tree)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, p := range got {
				said = append(said, p.Name+": "+p.Msg)
			}
			if diff := cmp.Diff(tc.want, said); diff != "" {
				t.Errorf("CheckFrozen (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReplayRule(t *testing.T) {
	t.Parallel()
	c, err := ParseCase("receipts", receipts(t))
	if err != nil {
		t.Fatal(err)
	}
	secret := *c
	yes := true
	secret.Findings = []Expectation{{Path: "services/pay/send_test.go", Category: "magic-number", Severity: "low", Claim: "This number is a password.", Real: &yes}}
	numbers := rule.Rule{ID: "n", Kind: rule.Silence, Category: "magic-number", Scope: rule.Scope{"**/*_test.go"}, Status: rule.Pending}
	asks := rule.Rule{ID: "g", Kind: rule.Always, Category: "concurrency", Scope: rule.Scope{"services/**"}}
	claims := func(list []Replayed) []string {
		var out []string
		for _, r := range list {
			out = append(out, r.Claim)
		}
		return out
	}
	tests := map[string]struct {
		rule                    rule.Rule
		cases                   []*Case
		hidden, asked, shielded []string
		real                    int
	}{
		"it hides a real one too": {numbers, []*Case{c}, []string{"86400 has no name.", "30 has no name, and it is the limit that the service promises."}, nil, nil, 1},
		"out of its scope":        {rule.Rule{ID: "n", Kind: rule.Silence, Category: "magic-number", Scope: rule.Scope{"web/**"}}, []*Case{c}, nil, nil, nil, 0},
		"another author's":        {rule.Rule{ID: "n", Kind: rule.Silence, Category: "magic-number", Scope: rule.Scope{"**"}, ForAuthor: "max"}, []*Case{c}, nil, nil, nil, 0},
		"the shield holds":        {numbers, []*Case{&secret}, nil, nil, []string{"This number is a password."}, 0},
		"it asks":                 {asks, []*Case{c}, nil, []string{"The goroutine outlives the request and its error is lost."}, nil, 0},
		"context does nothing":    {rule.Rule{ID: "x", Kind: rule.Context, Category: "concurrency", Scope: rule.Scope{"**"}}, []*Case{c}, nil, nil, nil, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ReplayRule(tc.rule, tc.cases)
			if diff := cmp.Diff([][]string{tc.hidden, tc.asked, tc.shielded}, [][]string{claims(got.Hidden), claims(got.Asked), claims(got.Shielded)}); diff != "" {
				t.Errorf("ReplayRule (-want +got):\n%s", diff)
			}
			if got.HidesReal() != tc.real {
				t.Errorf("HidesReal = %d, want %d", got.HidesReal(), tc.real)
			}
		})
	}
}

// The case that the documentation shows can be read.
func TestDocumentedCase(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```text\n")
	block, _, _ = strings.Cut(block, "```")
	c, err := ParseCase("receipts", []byte(block))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Findings) != 2 {
		t.Errorf("%d findings, want 2", len(c.Findings))
	}
}
