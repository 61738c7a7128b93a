package relocate

import (
	"regexp"
	"strings"
)

var indentDecl = regexp.MustCompile(`^\s*(?:(?:async|private|public|protected)\s+)*(?:(def|defp|defmacro|proc|func)\s+(?:self\.)?([A-Za-z_][\w]*[?!]?)|(class|module|defmodule)\s+([A-Za-z_]\w*(?:(?:\.|::)\w+)*))`)

// indentSymbols lists the declarations of a language whose blocks are told by
// indentation, or whose authors indent as if they were.
func indentSymbols(t *text) []Symbol {
	s := indentScanner{t: t, decorated: -1}
	inside := tripleQuoted(t)
	for i, norm := range t.norm {
		switch {
		case norm == "":
		case inside[i]:
			s.last = i + 1
		case norm[0] == '#':
		default:
			s.line(i)
		}
	}
	s.closeTo(0)
	return s.symbols
}

type indentScanner struct {
	t       *text
	symbols []Symbol
	open    []indentedDecl
	// decorated is the first decorator of the declaration to come, -1 for
	// none; last is the last line with code, from 1.
	decorated, last int
}

// indentedDecl is a declaration whose body goes on.
type indentedDecl struct{ symbol, width int }

// line takes the next line of code.
func (s *indentScanner) line(i int) {
	norm, width := s.t.norm[i], s.t.indent(i)
	switch top := len(s.open) - 1; {
	case norm[0] == ')' || norm[0] == ']' || norm[0] == '}':
		// The end of a signature spread over lines belongs to it.
	case norm == "end" && top >= 0 && s.open[top].width == width:
		s.last = i + 1
		s.closeTo(width)
		return
	default:
		s.closeTo(width)
	}
	s.last = i + 1
	m := indentDecl.FindStringSubmatch(s.t.raw[i])
	switch {
	case m != nil:
		s.declare(i, width, m[2], m[4])
	case norm[0] == '@' && s.decorated < 0:
		s.decorated = i
	case norm[0] != '@' && norm[0] != ')' && s.decorated >= 0 && s.t.indent(s.decorated) >= width:
		s.decorated = -1 // it decorated something without a body
	}
}

func (s *indentScanner) declare(i, width int, function, class string) {
	d := Symbol{Name: function, Kind: "func", Start: i + 1, From: "indent"}
	if class != "" {
		d.Name, d.Kind = class, "type"
	}
	if top := len(s.open) - 1; top >= 0 {
		d.Name = s.symbols[s.open[top].symbol].Name + "." + d.Name
	}
	if s.decorated >= 0 {
		d.Start, s.decorated = s.decorated+1, -1
	}
	s.open = append(s.open, indentedDecl{len(s.symbols), width})
	s.symbols = append(s.symbols, d)
}

// closeTo ends the declarations that are indented by width or more.
func (s *indentScanner) closeTo(width int) {
	for top := len(s.open) - 1; top >= 0 && s.open[top].width >= width; top-- {
		s.symbols[s.open[top].symbol].End = s.last
		s.open = s.open[:top]
	}
}

// tripleQuoted marks the lines that begin inside a triple-quoted string.
func tripleQuoted(t *text) []bool {
	inside := make([]bool, t.len())
	quote := ""
	for i, l := range t.raw {
		inside[i] = quote != ""
		for {
			if quote != "" {
				k := strings.Index(l, quote)
				if k < 0 {
					break
				}
				l, quote = l[k+3:], ""
				continue
			}
			k := firstIndex(l, `"""`, `'''`)
			if k < 0 || strings.IndexByte(l[:k], '#') >= 0 {
				break
			}
			l, quote = l[k+3:], l[k:k+3]
		}
	}
	return inside
}

func firstIndex(s string, seps ...string) int {
	first := -1
	for _, sep := range seps {
		if k := strings.Index(s, sep); k >= 0 && (first < 0 || k < first) {
			first = k
		}
	}
	return first
}
