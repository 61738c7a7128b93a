package checker

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crev-ratchet/crev/internal/finding"
)

// maxSuggestion is the most lines a suggestion takes out or puts in. What is
// larger wants a commit that somebody ran, not a click.
const maxSuggestion = 20

// Suggested checks a suggestion against the file at the head whose lines
// StartLine to EndLine it replaces. It returns the text to offer, with the
// file's line ends, or why there is none to offer; the finding stands in either
// case. Redact takes secrets out of a text.
//
// A suggestion applies when it replaces lines that are there, at most twenty by
// at most twenty, changes them, is indented as they are, leaves as many brackets
// open as they do, does not repeat the lines around it, and holds no secret and
// nothing that a reader does not see.
func Suggested(f finding.Finding, text []byte, redact func(string) string) (suggestion, reason string) {
	lines, ends := fileLines(text)
	if reason := replaces(f, len(lines)); reason != "" {
		return "", reason
	}
	old := lines[f.StartLine-1 : f.EndLine]
	fresh := strings.Split(strings.TrimSuffix(strings.ReplaceAll(f.Suggestion, "\r\n", "\n"), "\n"), "\n")
	crlf := ends[f.StartLine-1] == "\r\n"
	switch {
	case !utf8.Valid(text) || !utf8.ValidString(f.Suggestion):
		return "", "it or the file is not UTF-8"
	case len(fresh) > maxSuggestion:
		return "", fmt.Sprintf("it has %d lines; at most %d are offered", len(fresh), maxSuggestion)
	case slices.ContainsFunc(ends[f.StartLine-1:f.EndLine], func(e string) bool { return e != "" && (e == "\r\n") != crlf }):
		return "", "the lines it replaces have mixed line ends"
	case slices.Equal(old, fresh):
		return "", "it changes nothing"
	case unseen(fresh, old):
		return "", "it holds characters that a reader does not see"
	case redact(f.Suggestion) != f.Suggestion:
		return "", "it holds what is never shown"
	}
	for _, check := range []string{
		indentFault(old, fresh, lines), bracketFault(f.Path, old, fresh), echoFault(fresh, old, lines, f.StartLine, f.EndLine),
	} {
		if check != "" {
			return "", check
		}
	}
	if crlf {
		return strings.Join(fresh, "\r\n") + "\r", ""
	}
	return strings.Join(fresh, "\n"), ""
}

// replaces says why the finding's lines are none that a suggestion can replace.
func replaces(f finding.Finding, lines int) string {
	switch {
	case f.Suggestion == "":
		return "there is none"
	case f.Side == finding.Left:
		return "it would replace lines that the change removed"
	case f.StartLine < 1 || f.EndLine < f.StartLine || f.EndLine > lines:
		return "the lines it replaces are not known"
	case f.EndLine-f.StartLine+1 > maxSuggestion:
		return fmt.Sprintf("it replaces %d lines; at most %d may be", f.EndLine-f.StartLine+1, maxSuggestion)
	}
	return ""
}

// fileLines returns the lines of a file and the end of each: "\n", "\r\n" or ""
// for a last line without one.
func fileLines(text []byte) (lines, ends []string) {
	for l := range strings.Lines(string(bytes.TrimPrefix(text, []byte("\ufeff")))) {
		bare := strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
		lines, ends = append(lines, bare), append(ends, l[len(bare):])
	}
	return lines, ends
}

// unseen reports control and format characters that the replaced lines do not
// hold themselves.
func unseen(fresh, old []string) bool {
	had := strings.Join(old, "\n")
	return slices.ContainsFunc(fresh, func(l string) bool {
		return strings.ContainsFunc(l, func(r rune) bool {
			return r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) && !strings.ContainsRune(had, r)
		})
	})
}

// indent is the white space a line begins with.
func indent(l string) string { return l[:len(l)-len(strings.TrimLeft(l, " \t"))] }

// indentFault says how the indentation differs in kind: blanks where the file
// has tabs, or none at all where all replaced lines are indented.
func indentFault(old, fresh, file []string) string {
	tabs, blanks := indentsOf(old)
	if tabs+blanks == 0 {
		tabs, blanks = indentsOf(file)
	}
	newTabs, newBlanks := indentsOf(fresh)
	switch {
	case tabs > 0 && blanks == 0 && newBlanks > 0:
		return "it is indented with blanks, the file with tabs"
	case blanks > 0 && tabs == 0 && newTabs > 0:
		return "it is indented with tabs, the file with blanks"
	case leastIndent(old) > 0 && leastIndent(fresh) == 0:
		return "it has lost the indentation"
	}
	return ""
}

// indentsOf counts the lines that begin with a tab and with two blanks or more;
// a single blank is how a comment in a block is aligned.
func indentsOf(lines []string) (tabs, blanks int) {
	for _, l := range lines {
		switch in := indent(l); {
		case strings.TrimSpace(l) == "":
		case strings.HasPrefix(in, "\t"):
			tabs++
		case strings.HasPrefix(in, "  "):
			blanks++
		}
	}
	return tabs, blanks
}

// leastIndent is the length of the shortest indentation, 0 for lines that are
// all blank.
func leastIndent(lines []string) int {
	least := -1
	for _, l := range lines {
		if strings.TrimSpace(l) != "" && (least < 0 || len(indent(l)) < least) {
			least = len(indent(l))
		}
	}
	return max(0, least)
}

// bracketFault says when the suggestion leaves another number of brackets open
// than the lines it replaces. Brackets in strings and comments cannot be told in
// every language, so a fault is one only if it is there with and without them.
func bracketFault(path string, old, fresh []string) string {
	if prose(path) || nesting(old, false) == nesting(fresh, false) || nesting(old, true) == nesting(fresh, true) {
		return ""
	}
	return "it leaves other brackets open than the lines it replaces"
}

// nesting is how many round, square and curly brackets some lines leave open. With
// bare set, what stands in quotes on one line and after // or # is not counted.
func nesting(lines []string, bare bool) (open [3]int) {
	for _, l := range lines {
		quote := byte(0)
		for i := 0; i < len(l); i++ {
			ch := l[i]
			if bare {
				switch {
				case quote != 0:
					if ch == '\\' {
						i++
					} else if ch == quote {
						quote = 0
					}
					continue
				case ch == '"' || ch == '\'' || ch == '`':
					if strings.IndexByte(l[i+1:], ch) >= 0 {
						quote = ch
						continue
					}
				case strings.HasPrefix(l[i:], "//"), ch == '#':
					i = len(l)
					continue
				}
			}
			if k := strings.IndexByte("([{", ch); k >= 0 {
				open[k]++
			} else if k := strings.IndexByte(")]}", ch); k >= 0 {
				open[k]--
			}
		}
	}
	return open
}

// echoFault says when the suggestion also holds the line before or after those
// it replaces: applied, that line would stand there twice.
func echoFault(fresh, old, file []string, start, end int) string {
	says := func(l string) bool {
		return strings.ContainsFunc(l, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	}
	same := func(a, b string) bool { return says(a) && strings.TrimSpace(a) == strings.TrimSpace(b) }
	switch {
	case start >= 2 && same(fresh[0], file[start-2]) && !same(old[0], file[start-2]):
		return "it repeats the line before those it replaces"
	case end < len(file) && same(fresh[len(fresh)-1], file[end]) && !same(old[len(old)-1], file[end]):
		return "it repeats the line after those it replaces"
	}
	return ""
}
