package main

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// pageWidth is how many columns the demo takes.
const pageWidth = 80

// page is a writer that folds long lines, so that what was written for logs is
// read in a terminal. What is not a whole line yet waits for its end.
type page struct {
	w       io.Writer
	pending []byte
	err     error
}

// Write takes text of any length. An error of the writer below is returned by
// every later call.
func (p *page) Write(b []byte) (int, error) {
	p.pending = append(p.pending, b...)
	for {
		line, rest, ok := bytes.Cut(p.pending, []byte("\n"))
		if !ok {
			return len(b), p.err
		}
		p.line(string(line))
		p.pending = rest
	}
}

// Flush writes what waits for the end of its line, and returns the first error
// there was.
func (p *page) Flush() error {
	if len(p.pending) > 0 {
		p.line(string(p.pending))
		p.pending = nil
	}
	return p.err
}

func (p *page) line(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, foldLine(s, pageWidth)+"\n")
	}
}

// foldLine breaks a line at blanks, or within a word that is wider than the
// page. What follows stands two columns deeper than the line itself, text
// without indent at the margin.
func foldLine(s string, width int) string {
	indent := s[:len(s)-len(strings.TrimLeft(s, " "))]
	indent = indent[:min(len(indent), width/2)]
	deeper := indent
	if indent != "" {
		deeper += "  "
	}
	var b strings.Builder
	for {
		s = strings.TrimRight(s, " ")
		if utf8.RuneCountInString(s) <= width {
			b.WriteString(s)
			return b.String()
		}
		cut := offset(s, width)
		if i := strings.LastIndexByte(s[:cut+1], ' '); i > len(deeper) {
			cut = i
		}
		b.WriteString(strings.TrimRight(s[:cut], " ") + "\n")
		s = deeper + strings.TrimLeft(s[cut:], " ")
	}
}

// offset is where the rune number n of a longer text begins, in bytes.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
