package review

import (
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
)

// placed is what a reader sees of where a finding stands.
type placed struct {
	Path       string
	Start, End int
	Side       finding.Side
	Rejected   string
	Found      bool
}

func TestPlace(t *testing.T) {
	t.Parallel()
	const text = "package shop\n\nfunc Total(p int) int {\n\treturn p\n}\n\n// caf\xe9\nvar x = 1\nvar x = 1\n"
	file := &diff.File{OldPath: "old.go", NewPath: "shop.go", Status: diff.Renamed, Kind: diff.Text}
	j := &job{headTree: fstest.MapFS{
		"shop.go":  {Data: []byte(text)},
		"other.go": {Data: []byte(text)},
	}}
	b := batch.Batch{ID: "1", Parts: []batch.Part{{File: file}}}
	for name, tt := range map[string]struct {
		finding finding.Finding
		want    placed
	}{
		"the quote decides, a number from the patch does not": {
			finding.Finding{Path: "shop.go", Claim: "x", Quote: "\treturn p", StartLine: 14342, EndLine: 14342},
			placed{Path: "shop.go", Start: 4, End: 4, Found: true},
		},
		"a negative number is no number": {
			finding.Finding{Path: "shop.go", Claim: "x", Quote: "\treturn p", StartLine: -3, EndLine: -1},
			placed{Path: "shop.go", Start: 4, End: 4, Found: true},
		},
		"swapped numbers": {
			finding.Finding{Path: "shop.go", Claim: "x", Quote: "func Total(p int) int {\n\treturn p", StartLine: 9, EndLine: 7},
			placed{Path: "shop.go", Start: 3, End: 4, Found: true},
		},
		"a snippet without its blank lines": {
			finding.Finding{Path: "shop.go", Claim: "x", Quote: "package shop\nfunc Total(p int) int {"},
			placed{Path: "shop.go", Start: 1, End: 3, Found: true},
		},
		"a number chooses between two places": {
			finding.Finding{Path: "shop.go", Claim: "x", Quote: "var x = 1", StartLine: 9},
			placed{Path: "shop.go", Start: 9, End: 9, Found: true},
		},
		"two places and no number": {
			finding.Finding{Path: "shop.go", Claim: "x", Quote: "var x = 1"},
			placed{Path: "shop.go"},
		},
		"bytes that are no UTF-8, quoted as they were shown": {
			finding.Finding{Path: "shop.go", Claim: "x", Quote: "// caf\uFFFD"},
			placed{Path: "shop.go", Start: 7, End: 7, Found: true},
		},
		"the old path": {
			finding.Finding{Path: "old.go", Claim: "x", Quote: "\treturn p"},
			placed{Path: "shop.go", Start: 4, End: 4, Found: true},
		},
		"a quote that is nowhere": {
			finding.Finding{Path: "shop.go", Claim: "x", Quote: "return nothing()", StartLine: 4},
			placed{Path: "shop.go"},
		},
		"no quote": {
			finding.Finding{Path: "shop.go", Claim: "x", StartLine: 4},
			placed{Path: "shop.go"},
		},
		"a file of the repository that is not in the batch": {
			finding.Finding{Path: "other.go", Claim: "x", Quote: "\treturn p"},
			placed{Path: "other.go", Rejected: "its path is not in the batch"},
		},
		"no path": {
			finding.Finding{Claim: "x", Quote: "\treturn p"},
			placed{Rejected: "its path is not in the batch"},
		},
		"a path that leaves the repository": {
			finding.Finding{Path: "../../etc/passwd", Claim: "x", Quote: "root"},
			placed{Path: "../../etc/passwd", Rejected: "its path is not in the batch"},
		},
		"no claim": {
			finding.Finding{Path: "shop.go", Claim: " \n", Quote: "\treturn p"},
			placed{Path: "shop.go", Rejected: "it makes no claim"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &job{headTree: j.headTree, d: Deps{Redactor: finding.NewRedactor()}}
			f := tt.finding
			f.Side = finding.Right
			tt.want.Side = finding.Right
			if tt.want.Rejected == "" && !tt.want.Found {
				// It stands at its file, and says why.
				tt.want.Start, tt.want.End = 0, 0
			}
			c := j.place(t.Context(), b, f)
			got := placed{Path: c.Path, Side: c.Side, Rejected: c.rejected, Found: c.how != ""}
			if c.rejected == "" {
				got.Start, got.End = c.StartLine, c.EndLine
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("place() (-want +got):\n%s", d)
			}
			if says := strings.Contains(strings.Join(c.Evidence, "\n"), "was not found"); says != (c.rejected == "" && !got.Found) {
				t.Errorf("the finding says that its code was not found: %v; found: %v", says, got.Found)
			}
		})
	}
}

func TestRemoved(t *testing.T) {
	t.Parallel()
	p := &batch.Part{File: &diff.File{Hunks: []diff.Hunk{{OldStart: 4, OldLines: 4, Lines: []diff.Line{
		{Op: diff.Context, Old: 4, New: 4},
		{Op: diff.Remove, Old: 5},
		{Op: diff.Remove, Old: 6},
		{Op: diff.Context, Old: 7, New: 5},
	}}}}}
	for name, tt := range map[string]struct {
		start, end int
		want       bool
	}{
		"all of it":       {5, 6, true},
		"a part":          {6, 6, true},
		"with its border": {5, 7, false},
		"beside it":       {7, 7, false},
		"far away":        {90, 91, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := removed(p, tt.start, tt.end); got != tt.want {
				t.Errorf("removed(%d, %d) = %v, want %v", tt.start, tt.end, got, tt.want)
			}
		})
	}
}

func FuzzBounded(f *testing.F) {
	f.Add("claim", "detail", "quote", "item", 3)
	f.Add(strings.Repeat("😀", maxClaim), strings.Repeat("x", maxDetail+1), strings.Repeat("\x80", maxQuote+1), " ", 100)
	f.Fuzz(func(t *testing.T, claim, detail, quote, item string, n int) {
		items := make([]string, min(max(n, 0), 100))
		for i := range items {
			items[i] = item
		}
		in := finding.Finding{Path: claim, Claim: claim, Detail: detail, Quote: quote, Category: detail, Evidence: items, Criteria: items}
		got := bounded(in)
		for _, s := range []struct {
			name, text, of string
			limit          int
		}{
			{"claim", got.Claim, in.Claim, maxClaim}, {"detail", got.Detail, in.Detail, maxDetail},
			{"quote", got.Quote, in.Quote, maxQuote}, {"category", got.Category, in.Category, maxWord},
		} {
			if len(s.text) > s.limit {
				t.Errorf("%s has %d bytes, want at most %d", s.name, len(s.text), s.limit)
			}
			if len(s.of) <= s.limit && s.text != s.of {
				t.Errorf("%s %q became %q", s.name, s.of, s.text)
			}
			if utf8.ValidString(s.of) && !utf8.ValidString(s.text) {
				t.Errorf("%s was cut inside of a character", s.name)
			}
		}
		if len(got.Evidence) > maxItems {
			t.Errorf("%d items, want at most %d", len(got.Evidence), maxItems)
		}
		if again := bounded(got); !cmp.Equal(again, got) {
			t.Errorf("bounded is not stable: %s", cmp.Diff(got, again))
		}
	})
}
