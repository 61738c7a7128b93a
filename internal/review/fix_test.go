package review

import (
	"testing"
	"testing/fstest"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
)

// A suggestion is for the lines that the quote stands on, whatever lines the
// reviewer named; it goes where it does not apply, and the finding stays.
func TestSuggestionsApplyOrGo(t *testing.T) {
	t.Parallel()
	j := &job{headTree: fstest.MapFS{
		"a.go": {Data: []byte("func F() {\n\tx := 1\n\tuse(x)\n}\n")},
		"b.go": {Data: []byte("func F() {\r\n\tx := 1\r\n}\r\n")},
	}}
	b := batch.Batch{ID: "1", Parts: []batch.Part{{File: &diff.File{NewPath: "a.go"}}, {File: &diff.File{NewPath: "b.go"}}}}
	for name, tt := range map[string]struct {
		path, quote, suggestion string
		want, says              string
	}{
		"one that applies":      {"a.go", "\tx := 1", "\tx := 2", "\tx := 2", ""},
		"with the line ends":    {"b.go", "x := 1", "\tx := 2\n\ty := 3", "\tx := 2\r\n\ty := 3\r", ""},
		"of a quote not found":  {"a.go", "y := 9", "\tx := 2", "", ""},
		"without a quote":       {"a.go", "", "\tx := 2", "", ""},
		"that opens a bracket":  {"a.go", "\tx := 1", "\tif ok {", "", "A suggestion was left out: it leaves other brackets open than the lines it replaces."},
		"that repeats a line":   {"a.go", "\tx := 1", "\tx := 2\n\tuse(x)", "", "A suggestion was left out: it repeats the line after those it replaces."},
		"that is not there":     {"a.go", "\tx := 1", "", "", ""},
		"of more than 20 lines": {"a.go", "\tx := 1", "\t1\n\t2\n\t3\n\t4\n\t5\n\t6\n\t7\n\t8\n\t9\n\t10\n\t11\n\t12\n\t13\n\t14\n\t15\n\t16\n\t17\n\t18\n\t19\n\t20\n\t21", "", "A suggestion was left out: it has 21 lines; at most 20 are offered."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := j.place(t.Context(), b, finding.Finding{Path: tt.path, Claim: "x", Quote: tt.quote, StartLine: 1, EndLine: 4, Suggestion: tt.suggestion})
			if c.rejected != "" || c.Suggestion != tt.want {
				t.Errorf("the suggestion is %q, want %q (rejected: %q)", c.Suggestion, tt.want, c.rejected)
			}
			if c.Detail != tt.says {
				t.Errorf("a reader is told %q, want %q", c.Detail, tt.says)
			}
		})
	}
}
