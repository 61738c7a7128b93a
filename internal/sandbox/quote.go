package sandbox

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// quotePrefix stands before every line of foreign output, so that no line of it
// begins with "::" or "##[", which a GitHub runner takes for a command.
const quotePrefix = "  | "

// Quote makes the output of a script safe to print in a job's log: every line
// is prefixed, carriage returns end a line, escape sequences and other control
// characters become visible, and so do the Unicode characters that reorder or
// hide text. It returns "" for empty output; otherwise it ends in a newline.
func Quote(output string) string {
	if output == "" {
		return ""
	}
	output = strings.ReplaceAll(output, "\r\n", "\n")
	output = strings.TrimSuffix(output, "\n")
	var b strings.Builder
	b.Grow(len(output) + len(output)/8)
	b.WriteString(quotePrefix)
	for i := 0; i < len(output); {
		c, n := utf8.DecodeRuneInString(output[i:])
		switch {
		case c == '\n', c == '\r', c == '\u2028', c == '\u2029', c == '\u0085', c == '\v', c == '\f':
			b.WriteString("\n" + quotePrefix)
		case c == '\t':
			b.WriteByte('\t')
		case c == utf8.RuneError && n == 1:
			b.WriteString(hexByte(output[i]))
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c), c >= 0xE0100 && c <= 0xE01EF:
			b.WriteString(visible(c))
		default:
			b.WriteRune(c)
		}
		i += n
	}
	b.WriteByte('\n')
	return b.String()
}

func hexByte(c byte) string {
	const digits = "0123456789abcdef"
	return `\x` + string([]byte{digits[c>>4], digits[c&15]})
}

// visible writes a character as "<U+202E>".
func visible(c rune) string {
	const digits = "0123456789ABCDEF"
	width := 4
	for c>>(4*width) != 0 {
		width++
	}
	out := make([]byte, width)
	for i := range out {
		out[i] = digits[(c>>(4*(width-1-i)))&15]
	}
	return "<U+" + string(out) + ">"
}
