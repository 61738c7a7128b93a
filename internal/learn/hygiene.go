package learn

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText is how many characters of a reply are read.
const MaxText = 2000

// Text is a reply after hygiene: only what its author says himself and every
// reader sees.
type Text struct {
	// Said has no quotes, code blocks, markup or invisible characters. It is
	// what a model is shown, and where quoted words have to stand.
	Said string
	// Hidden is true when something was cut that readers do not see: an HTML
	// comment, a link definition, invisible characters.
	Hidden bool
	// Long is true when the text was cut at MaxText.
	Long bool
}

// Clean takes out of a comment what its author does not say to crev: quotes of
// others, code blocks, and whatever GitHub does not show. Redact takes secrets
// out of what is left.
func Clean(body string, redact func(string) string) Text {
	body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(body, "\uFFFD"))
	var t Text
	body, t.Hidden = dropComments(body)
	var kept []string
	fence, blank := "", true
	for line := range strings.SplitSeq(body, "\n") {
		mark, info := fenceOf(line)
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && info == "" {
				fence = ""
			}
			continue
		case mark != "":
			fence = mark
			continue
		case quoted(line), blank && indentedCode(line):
			continue
		case linkDefinition.MatchString(line):
			t.Hidden = true
			continue
		}
		blank = strings.TrimSpace(line) == ""
		kept = append(kept, line)
	}
	text := plainText(strings.Join(kept, "\n"))
	shown := strings.Map(visible, text)
	t.Hidden = t.Hidden || shown != text
	t.Said, t.Long = clip(tidy(redact(shown)), MaxText)
	return t
}

// dropComments cuts HTML comments that stand outside of code. One that is never
// closed hides the rest.
func dropComments(s string) (string, bool) {
	var b strings.Builder
	hidden := false
	for {
		at := strings.Index(s, "<!--")
		if at < 0 {
			b.WriteString(s)
			return b.String(), hidden
		}
		b.WriteString(s[:at])
		if inCode(b.String()) {
			b.WriteString("<!--")
			s = s[at+len("<!--"):]
			continue
		}
		hidden = true
		_, after, closed := strings.Cut(s[at:], "-->")
		if !closed {
			return b.String(), true
		}
		b.WriteString(" ")
		s = after
	}
}

// inCode reports whether the end of s is within a fenced block or a code span
// of its last line.
func inCode(s string) bool {
	fence, last := "", ""
	for line := range strings.SplitSeq(s, "\n") {
		last = line
		switch mark, info := fenceOf(line); {
		case fence != "" && strings.HasPrefix(mark, fence) && info == "":
			fence = ""
		case fence == "" && mark != "":
			fence = mark
		}
	}
	return fence != "" || strings.Count(last, "`")%2 == 1
}

// fenceOf returns the run of backticks or tildes that opens or closes a code
// block on this line, and what follows it.
func fenceOf(line string) (mark, info string) {
	t := strings.TrimLeft(line, " ")
	if len(line)-len(t) > 3 || t == "" || t[0] != '`' && t[0] != '~' {
		return "", ""
	}
	n := len(t) - len(strings.TrimLeft(t, t[:1]))
	info = strings.TrimSpace(t[n:])
	if n < 3 || t[0] == '`' && strings.Contains(info, "`") {
		return "", ""
	}
	return t[:n], info
}

func quoted(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), ">") }

func indentedCode(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

var (
	// linkDefinition is a line that GitHub does not show:
	// https://github.github.com/gfm/#link-reference-definitions
	linkDefinition = regexp.MustCompile(`^ {0,3}\[[^\]]+\]:\s*\S`)
	image          = regexp.MustCompile(`!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?`)
	link           = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	tag            = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)
)

// plainText replaces markup by the text that it shows.
func plainText(s string) string {
	s = image.ReplaceAllString(s, " ")
	s = link.ReplaceAllString(s, "$1")
	s = tag.ReplaceAllString(s, " ")
	return html.UnescapeString(s)
}

// visible drops characters that hide or reorder text. U+FE0F, which emoji use,
// stays.
func visible(r rune) rune {
	switch {
	case r == '\n', r == '\t', r == 0xFE0F:
		return r
	case r >= 0xFE00 && r <= 0xFE0E, r >= 0xE0100 && r <= 0xE01EF,
		unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// tidy makes blanks alike and drops empty lines.
func tidy(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// clip cuts a text to at most limit characters.
func clip(s string, limit int) (string, bool) {
	if utf8.RuneCountInString(s) <= limit {
		return s, false
	}
	return strings.TrimSpace(string([]rune(s)[:limit])), true
}
