package projection

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
)

// breaker is U+200B: invisible, and enough to stop GitHub from seeing a
// mention, a reference or a tag. A backslash is not enough for a mention.
const breaker = "\u200b"

// Escape makes text from a model or a contributor safe in a comment: what is
// left is text, emphasis, lists and code. Mentions, references, images, links,
// HTML, hidden characters and crev's own markers become literal text.
func Escape(s string) string {
	s = Visible(strings.ReplaceAll(s, "\r\n", "\n"))
	var b strings.Builder
	fence := ""
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		mark, info := fenceOf(line)
		switch {
		case fence != "" && strings.HasPrefix(mark, fence) && info == "":
			b.WriteString(mark)
			fence = ""
		case fence != "":
			b.WriteString(breakComments(line))
		case mark != "" && !strings.Contains(info, "`"):
			fence = mark
			b.WriteString(mark + language(info))
		default:
			b.WriteString(escapeLine(line))
		}
	}
	if fence != "" {
		b.WriteString("\n" + fence)
	}
	return b.String()
}

// Line is Escape for text that has to stay on one line, such as a claim.
func Line(s string) string {
	return escapeLine(Visible(strings.Join(strings.Fields(s), " ")))
}

// Code renders s as a code span whatever backticks it holds.
func Code(s string) string {
	s = breakComments(Visible(strings.Join(strings.Fields(s), " ")))
	if s == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// Block renders s as a fenced block whose fence is longer than any run of
// backticks in it, so that nothing inside can end it.
func Block(info, s string) string {
	ticks := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return ticks + info + "\n" + s + ticks
}

// Visible replaces characters that hide or reorder text by their code point.
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports controls, bidirectional overrides, zero-width characters, tag
// characters and the variation selectors that carry data. U+FE0F, which emoji
// use, is let through.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == 0xFE0F:
		return false
	case r >= 0xFE00 && r <= 0xFE0E, r >= 0xE0100 && r <= 0xE01EF:
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}

// fenceOf returns the run of backticks or tildes that opens or closes a fenced
// block on this line, and what follows it.
func fenceOf(line string) (mark, info string) {
	t := strings.TrimLeft(line, " ")
	if len(line)-len(t) > 3 || t == "" || t[0] != '`' && t[0] != '~' {
		return "", ""
	}
	n := len(t) - len(strings.TrimLeft(t, t[:1]))
	if n < 3 {
		return "", ""
	}
	return t[:n], strings.TrimSpace(t[n:])
}

// language keeps the info string of a block when it is a plain word that GitHub
// only colours. "suggestion" would offer to commit the block; the others are
// drawn.
func language(info string) string {
	switch strings.ToLower(info) {
	case "suggestion", "mermaid", "math", "geojson", "topojson", "stl":
		return "text"
	}
	if !plainWord.MatchString(info) {
		return "text"
	}
	return info
}

var (
	plainWord = regexp.MustCompile(`^[A-Za-z0-9+#_.-]{0,20}$`)
	address   = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]*://|www\.|mailto:|javascript:|data:)[^\s<>` + "`" + `]*`)
	issueLike = regexp.MustCompile(`(?i)\b(gh)-(\d)`)
	underline = regexp.MustCompile(`^ {0,3}(=+|-+)\s*$`)
)

// escapeLine escapes what is outside code spans and keeps the spans.
func escapeLine(line string) string {
	if underline.MatchString(line) {
		return `\` + strings.TrimLeft(line, " ")
	}
	var b strings.Builder
	for line != "" {
		i := strings.IndexByte(line, '`')
		if i < 0 {
			b.WriteString(escapeText(line))
			break
		}
		n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		end := closing(line[i+n:], n)
		b.WriteString(escapeText(line[:i]))
		if end < 0 {
			b.WriteString(strings.Repeat("\\`", n))
			line = line[i+n:]
			continue
		}
		b.WriteString(line[i:i+n] + breakComments(line[i+n:i+n+end]) + line[i:i+n])
		line = line[i+n+end+n:]
	}
	return b.String()
}

// closing finds a run of exactly n backticks.
func closing(s string, n int) int {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		run := len(s[at+i:]) - len(strings.TrimLeft(s[at+i:], "`"))
		if run == n {
			return at + i
		}
		at += i + run
	}
}

// escapeText escapes text that holds no code span. Entities are decoded first,
// since GitHub decodes "&#64;user" before it looks for mentions.
func escapeText(s string) string {
	for range 3 {
		d := html.UnescapeString(s)
		if d == s {
			break
		}
		s = d
	}
	s = strings.ReplaceAll(Visible(s), "`", "\\`")
	var b strings.Builder
	for s != "" {
		m := address.FindStringIndex(s)
		if m == nil {
			b.WriteString(escapeWords(s))
			break
		}
		b.WriteString(escapeWords(s[:m[0]]))
		b.WriteString(Code(s[m[0]:m[1]]))
		s = s[m[1]:]
	}
	return b.String()
}

var words = strings.NewReplacer(
	"&", "&amp;",
	"<", "&lt;",
	"[", `\[`, "]", `\]`,
	"@", "@"+breaker,
	"\uFF20", "\uFF20"+breaker,
	"#", "#"+breaker,
	"\uFF03", "\uFF03"+breaker,
)

func escapeWords(s string) string {
	return issueLike.ReplaceAllString(words.Replace(s), "$1-"+breaker+"$2")
}

// breakComments keeps a marker of crev's from appearing inside code.
func breakComments(s string) string {
	return strings.ReplaceAll(s, "<!--", "<"+breaker+"!--")
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == c {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}
