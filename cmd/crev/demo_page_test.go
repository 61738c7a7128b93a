package main

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFoldLine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"a short line":            {"short", "short"},
		"as wide as the page":     {"0123456789", "0123456789"},
		"at a blank":              {"one two three", "one two\nthree"},
		"deeper than its indent":  {"  one two three", "  one two\n    three"},
		"a word that is too wide": {"012345678901", "0123456789\n01"},
		"letters, not bytes":      {"éééééééééé é", "éééééééééé\né"},
		"blanks at the end":       {"one two   ", "one two"},
		"nothing":                 {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := foldLine(tt.in, 10); got != tt.want {
				t.Errorf("foldLine(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// No line is wider than the page, and nothing but blanks is lost.
func TestFoldLineFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`[ ]{0,60}[a-zé ]{0,90}`).Draw(t, "line")
		got := foldLine(in, 20)
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 20 {
				t.Errorf("foldLine(%q) has a line of %d columns: %q", in, n, line)
			}
		}
		flat := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if flat(got) != flat(in) {
			t.Errorf("foldLine(%q) = %q says something else", in, got)
		}
	})
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := &page{w: &b}
	for _, s := range []string{"one", " two\nthr", "ee"} {
		if _, err := p.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Flush(); err != nil || b.String() != "one two\nthree\n" {
		t.Errorf("the page has %q, %v, want its two lines", b.String(), err)
	}
	p = &page{w: fullDisk{}}
	_, _ = p.Write([]byte("one\n"))
	if err := p.Flush(); !errors.Is(err, errFull) {
		t.Errorf("Flush() = %v, want the error of the writer", err)
	}
}
