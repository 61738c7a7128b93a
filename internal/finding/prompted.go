package finding

import (
	"regexp"
	"strconv"
	"strings"
)

// A reviewer sees code with line numbers and diff signs in front of it and
// often copies them into its quote.

// variant is one reading of a quote: what its lines are without what the prompt
// put in front of them.
type variant struct {
	lines []string
	// number is the first line number that was taken off, 0 for none.
	number int
}

// prefixes are the forms in which code is shown, the fuller first. Group 1 is
// the line number, group 2 the diff sign, group 3 the code.
var prefixes = []*regexp.Regexp{
	regexp.MustCompile(`^ *(\d*) ([-+ ])(?: (.*))?$`),            // "  12 + code"
	regexp.MustCompile(`^\s*[Ll]?(\d+)\s*[:|→)]()\s?(.*)$`),      // "12: code", "L12| code"
	regexp.MustCompile(`^\s*(\d+)()(?:[\t ](.*))?$`),             // "12 code"
	regexp.MustCompile(`^\s*[Ll]?(\d+)\s*[:|→)]?\s*([-+])(.*)$`), // "12: +code"
	regexp.MustCompile(`^()([-+ ])(.*)$`),                        // "+code"
}

// notCode are lines a quote may hold that are no line of any file: fences, hunk
// headers, and the mark of a missing newline.
var notCode = regexp.MustCompile("^\\s*(?:```.*|@@ -\\d.*|\\\\ [Nn]o newline at end of file)$")

// cutNote is what stands at the end of a line that was too long to be shown.
var cutNote = regexp.MustCompile(` … \[\d+ more bytes\]$`)

// stripped returns the readings of a quote, the surest first.
func stripped(quoted []string) []variant {
	var code []string
	for _, l := range quoted {
		if !notCode.MatchString(l) {
			code = append(code, cutNote.ReplaceAllString(l, ""))
		}
	}
	variants := appendVariant(nil, variant{lines: code})
	for _, re := range prefixes {
		// With both signs in it the quote shows two files: the new one has
		// no removed lines, the old one no added lines.
		for _, leaveOut := range [...]string{"", "-", "+"} {
			if v, ok := strip(code, re, leaveOut); ok {
				variants = appendVariant(variants, v)
			}
		}
	}
	return variants
}

func appendVariant(list []variant, v variant) []variant {
	if v.lines = trimBlankLines(v.lines); len(v.lines) == 0 {
		return list
	}
	return append(list, v)
}

// strip takes a prefix off every line and drops the lines with one sign. ok is
// false when a line lacks the prefix, or when no line has a number or a sign:
// an indentation is no prefix.
func strip(code []string, re *regexp.Regexp, leaveOut string) (v variant, ok bool) {
	for _, l := range code {
		if strings.TrimSpace(l) == "" {
			v.lines = append(v.lines, "")
			continue
		}
		m := re.FindStringSubmatch(l)
		if m == nil {
			return variant{}, false
		}
		number, sign := m[1], m[2]
		if number != "" || sign == "+" || sign == "-" {
			ok = true
		}
		if n, err := strconv.Atoi(number); err == nil && v.number == 0 {
			v.number = n
		}
		if leaveOut == "" || sign != leaveOut {
			v.lines = append(v.lines, m[3])
		}
	}
	return v, ok
}
