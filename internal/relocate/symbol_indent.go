package relocate

import (
	"regexp"
	"strings"
)

var indentDecl = regexp.MustCompile(`^\s*(?:(?:async|private|public|protected)\s+)*(?:(def|defp|defmacro|proc|func)\s+(?:self\.)?([A-Za-z_][\w]*[?!]?)|(class|module|defmodule)\s+([A-Za-z_]\w*(?:(?:\.|::)\w+)*))`)

// indentSymbols lists the declarations of a language whose blocks are told by
// indentation, or whose authors indent as if they were.
func indentSymbols(t *text) []Symbol {
	inside := tripleQuoted(t)
	var syms []Symbol
	var open []int // indexes into syms
	var indents []int
	decorated := -1
	last := 0 // last line with code, 1-based
	closeTo := func(width int) {
		for len(open) > 0 && indents[len(open)-1] >= width {
			syms[open[len(open)-1]].End = last
			open, indents = open[:len(open)-1], indents[:len(open)-1]
		}
	}
	for i := range t.raw {
		if t.norm[i] == "" {
			continue
		}
		if inside[i] || t.norm[i][0] == '#' {
			if inside[i] {
				last = i + 1
			}
			continue
		}
		width := t.indent(i)
		switch first := t.norm[i]; {
		case first[0] == ')' || first[0] == ']' || first[0] == '}':
			// The end of a signature cut over lines belongs to it.
		case first == "end" && len(open) > 0 && indents[len(open)-1] == width:
			last = i + 1
			closeTo(width)
			continue
		default:
			closeTo(width)
		}
		last = i + 1
		if t.norm[i][0] == '@' {
			if decorated < 0 {
				decorated = i
			}
			continue
		}
		m := indentDecl.FindStringSubmatch(t.raw[i])
		if m == nil {
			if decorated >= 0 && t.indent(decorated) >= width && !strings.HasPrefix(t.norm[i], ")") {
				decorated = -1
			}
			continue
		}
		s := Symbol{Name: m[2], Kind: "func", Start: i + 1, From: "indent"}
		if m[4] != "" {
			s.Name, s.Kind = m[4], "type"
		}
		if len(open) > 0 {
			s.Name = syms[open[len(open)-1]].Name + "." + s.Name
		}
		if decorated >= 0 {
			s.Start, decorated = decorated+1, -1
		}
		open, indents = append(open, len(syms)), append(indents, width)
		syms = append(syms, s)
	}
	closeTo(0)
	return syms
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
