package relocate

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/diff"
)

// Hunks become spans that count from 0, with and without context lines.
func TestSpansOf(t *testing.T) {
	t.Parallel()
	line := func(op diff.Op, text string) diff.Line { return diff.Line{Op: op, Text: text} }
	tests := map[string]struct {
		hunks []diff.Hunk
		want  []span
	}{
		"changed lines": {
			[]diff.Hunk{{OldStart: 3, OldLines: 2, NewStart: 4, NewLines: 1}},
			[]span{{2, 4, 3, 4}},
		},
		"only added, after line 3": {
			[]diff.Hunk{{OldStart: 3, OldLines: 0, NewStart: 4, NewLines: 2}},
			[]span{{3, 3, 3, 5}},
		},
		"only removed, after new line 3": {
			[]diff.Hunk{{OldStart: 4, OldLines: 2, NewStart: 3, NewLines: 0}},
			[]span{{3, 5, 3, 3}},
		},
		"a new file": {
			[]diff.Hunk{{OldStart: 0, OldLines: 0, NewStart: 1, NewLines: 5}},
			[]span{{0, 0, 0, 5}},
		},
		"context is cut away": {
			[]diff.Hunk{{OldStart: 1, OldLines: 4, NewStart: 1, NewLines: 4, Lines: []diff.Line{
				line(diff.Context, "a"), line(diff.Remove, "b"), line(diff.Context, "c"),
				line(diff.Add, "x"), line(diff.Context, "d"),
			}}},
			[]span{{1, 2, 1, 1}, {3, 3, 2, 3}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := spansOf(tc.hunks); fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("spansOf = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestDiffLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := newText("", []byte(textGen(t, "a"))), newText("", []byte(textGen(t, "b")))
		spans := diffLines(a, b)
		if !fit(spans, a.len(), b.len()) {
			t.Fatalf("spans %v do not fit %d and %d lines", spans, a.len(), b.len())
		}
		c := changed{old: a, new: b, spans: spans}
		for o := range a.len() {
			k, n := c.spanAt(o)
			if k < 0 && a.norm[o] != b.norm[n] {
				t.Fatalf("line %d %q is paired with line %d %q", o, a.norm[o], n, b.norm[n])
			}
			if k < 0 && c.unshift(n) != o {
				t.Fatalf("line %d goes to %d and back to %d", o, n, c.unshift(n))
			}
		}
	})
}

func TestAlign(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := newText("", []byte(textGen(t, "a"))), newText("", []byte(textGen(t, "b")))
		last := -1
		for i, h := range align(a, 0, a.len(), b, 0, b.len()) {
			if h.line < 0 {
				continue
			}
			if h.line <= last || h.line >= b.len() || h.sim <= 0 || h.sim > 1 {
				t.Fatalf("line %d is paired with %+v after line %d", i, h, last)
			}
			last = h.line
		}
	})
}
