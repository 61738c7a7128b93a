package bench

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallStory = `A price is doubled.

-- story.yaml --
defects:
  doubled: {category: correctness, severity: medium, criteria: [The price is taken once.]}
rounds:
  - says: Add prices
    findings:
      - {defect: doubled, says: The price is doubled.}
    truth:
      doubled: {is: alive, path: a.py, code: price * 2}
  - says: Move them
    ops:
      - rename: {from: a.py, to: b.py}
      - rebase: 2
    truth:
      doubled: {is: alive, path: b.py, code: price * 2}
-- base/notes.md --
One.
-- 1/a.py --
def total(price):
    return price * 2
-- 2.base/notes.md --
Two.
`

func TestParseStory(t *testing.T) {
	t.Parallel()
	s, err := ParseStory("small", []byte(smallStory))
	if err != nil {
		t.Fatal(err)
	}
	code := "def total(price):\n    return price * 2\n"
	if d := cmp.Diff([]Tree{{"notes.md": "One.\n", "a.py": code}, {"notes.md": "Two.\n", "b.py": code}},
		[]Tree{s.Rounds[0].Tree, s.Rounds[1].Tree}); d != "" {
		t.Errorf("trees (-want +got):\n%s", d)
	}
	claim := s.Rounds[0].Findings[0]
	got := fmt.Sprint(claim.By, claim.Path, claim.Line(), claim.Category, claim.Severity, strings.TrimSpace(claim.Quote), s.Rounds[1].Truth["doubled"].Line)
	if want := fmt.Sprint("code", "a.py", 2, "correctness", "medium", "return price * 2", 2); got != want {
		t.Errorf("filled in %s, want %s", got, want)
	}
	for line, want := range map[int]string{2: "doubled", 90: "doubled"} {
		if got := s.DefectAt(1, "The price is doubled.", "a.py", line); got != want {
			t.Errorf("DefectAt line %d = %q, want %q", line, got, want)
		}
	}
	if got := s.DefectAt(2, "The price is doubled.", "a.py", 2); got != "" {
		t.Errorf("DefectAt in a round without findings = %q, want none", got)
	}
}

func TestParseStoryRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ old, new, want string }{
		"no comment":           {"A price is doubled.", "", "begins with a comment"},
		"no script":            {"story.yaml", "base/story.yaml", "there is no story.yaml"},
		"an unknown key":       {"    ops:", "    opps:", "field opps not found"},
		"a file in no round":   {"-- 2.base/", "-- 9.base/", `no round "9"`},
		"a place not there":    {"b.py, code: price * 2", "b.py, code: price * 3", `b.py has no line with "price * 3"`},
		"a file not there":     {"b.py, code", "c.py, code", `no file "c.py" in this round`},
		"truth left out":       {"    truth:\n      doubled: {is: alive, path: b.py, code: price * 2}\n", "", "the round before has it"},
		"an unknown state":     {"{is: alive, path: b.py", "{is: well, path: b.py", `is "well"`},
		"back from nowhere":    {"{is: alive, path: b.py", "{is: back, path: b.py", "neither fixed nor gone"},
		"an unknown defect":    {"{defect: doubled", "{defect: halved", `defect "halved"`},
		"two things in one op": {"      - rebase: 2", "      - {rebase: 2, squash: true}", "an op says one"},
		"a rename of nothing":  {"from: a.py", "from: z.py", `no file "z.py"`},
		"base without rebase":  {"      - rebase: 2\n", "", "neither rebase nor merge_base"},
		"an unmerged file":     {"-- 1/a.py --", "-- 1/notes.md --\nMine.\n-- 1/a.py --", "give its merged text as 2/notes.md"},
		"a place when fixed":   {"{is: alive, path: b.py", "{is: fixed, path: b.py", "has no place"},
		"too much of it met":   {"{is: alive, path: b.py", "{is: partly, met: 1, of: 1, path: b.py", "some but not all"},
		"checks of nothing":    {"    ops:", "    checks: {doubled: []}\n    ops:", "0 entries; the defect has 1 criteria"},
		"an unknown outcome":   {"    ops:", "    checks: {doubled: [{outcome: fine}]}\n    ops:", `outcome "fine"`},
		"a false citation":     {"    ops:", "    checks: {doubled: [{outcome: passed, path: b.py, quote: nowhere}]}\n    ops:", `no line with "nowhere"`},
		"nothing said":         {"says: The price is doubled.", `says: ""`, "the claim, is empty"},
		"a failing path":       {"    ops:", "    fails: [z.py]\n    ops:", "fails: there is no file z.py"},
		"two documents":        {"-- base/notes.md --", "---\ndefects: {}\n-- base/notes.md --", "more than one YAML document"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if n := strings.Count(smallStory, tt.old); n < 1 {
				t.Fatalf("the story has no %q", tt.old)
			}
			_, err := ParseStory("small", []byte(strings.Replace(smallStory, tt.old, tt.new, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "story small: ") {
				t.Errorf("ParseStory = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// The example in the documentation is a story.
func TestDocumentedStory(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/lifecycle.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(doc, []byte("```txtar\n"))
	example, _, closed := bytes.Cut(rest, []byte("```\n"))
	if !ok || !closed {
		t.Fatal("docs/lifecycle.md has no txtar block")
	}
	s, err := ParseStory("example", example)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Rounds) < 3 {
		t.Errorf("the example has %d rounds, want at least 3", len(s.Rounds))
	}
}

func FuzzParseStory(f *testing.F) {
	f.Add([]byte(smallStory))
	names, err := os.ReadDir("../../testdata/lifecycle")
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range names {
		b, err := os.ReadFile("../../testdata/lifecycle/" + n.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseStory("fuzz", text)
		if err != nil {
			return
		}
		// What is accepted has a tree and a place for every claim.
		for _, r := range s.Rounds {
			for _, c := range r.Findings {
				if _, ok := r.Tree[c.Path]; !ok || c.Line() < 1 {
					t.Errorf("round %d: claim %q has no place in the tree", r.Number, c.Says)
				}
			}
		}
	})
}
