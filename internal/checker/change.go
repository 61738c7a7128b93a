package checker

import (
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

// Change is what the checkers of the last batch see of a pull request.
type Change struct {
	// Files are the changed files that reviewers read.
	Files []*diff.File
	// Text returns a file at the head, nil where there is none.
	Text func(path string) []byte
	// Redact takes the secrets out of what is sent.
	Redact func(string) string
}

// Refused is a claim of a model that the runtime did not take, and why.
type Refused struct {
	Claim, Path, Reason string
}

// file returns the changed file of a path at the head, nil when the change does
// not touch it.
func (c Change) file(path string) *diff.File {
	for _, f := range c.Files {
		if f.NewPath != "" && f.NewPath == path {
			return f
		}
	}
	return nil
}

// quoted is where a quote stands in a file of the head; ok is false when it
// stands nowhere, or at several places and the hint chooses none.
func (c Change) quoted(path, quote string, hint int) (diff.Range, bool) {
	text := c.Text(path)
	if text == nil {
		return diff.Range{}, false
	}
	start, end, _, ok := finding.Place([]byte(strings.ToValidUTF8(string(text), "\uFFFD")), quote, hint, 0)
	return diff.Range{Start: start, End: end}, ok
}

// touches reports whether a range of a file at the head is in what the change
// shows of it: a hunk with its context.
func (c Change) touches(path string, r diff.Range) bool {
	f := c.file(path)
	if f == nil {
		return false
	}
	for i := range f.Hunks {
		if span, ok := f.Hunks[i].Span(true); ok && r.Start <= span.End && r.End >= span.Start {
			return true
		}
	}
	return false
}

// shown are blocks of untrusted text up to a limit.
type shown struct {
	fence string
	limit int
	b     strings.Builder
	// left counts the blocks that did not fit.
	left int
}

// add appends a fenced block, or counts it when it does not fit any more.
func (s *shown) add(label, text string) {
	block := model.Fenced(s.fence, label, text)
	if s.b.Len()+len(block) > s.limit {
		s.left++
		return
	}
	s.b.WriteString(block)
}

// patch renders the hunks of a file with the numbers of its lines.
func (c Change) patch(f *diff.File) string {
	var b strings.Builder
	// A strings.Builder takes every write.
	_ = diff.WriteNumbered(&b, f.Hunks)
	return c.Redact(b.String())
}

// numberedLines renders a range of lines with their numbers.
func numberedLines(lines []string, r diff.Range) string {
	var b strings.Builder
	for n := max(1, r.Start); n <= min(r.End, len(lines)); n++ {
		fmt.Fprintf(&b, "%5d  %s\n", n, strings.ToValidUTF8(lines[n-1], "\uFFFD"))
	}
	return b.String()
}

// linesOf returns the lines of a text without their ends.
func linesOf(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}
