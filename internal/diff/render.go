package diff

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxShownLine is how many bytes of one line a numbered rendering shows. A
// reviewer reads no more of a minified file, and a request pays for each byte.
const MaxShownLine = 1000

// String returns the hunk as git prints it.
func (h *Hunk) String() string {
	var b strings.Builder
	b.WriteString("@@ -")
	writeRange(&b, h.OldStart, h.OldLines)
	b.WriteString(" +")
	writeRange(&b, h.NewStart, h.NewLines)
	b.WriteString(" @@")
	if h.Section != "" {
		b.WriteByte(' ')
		b.WriteString(h.Section)
	}
	b.WriteByte('\n')
	for i := range h.Lines {
		l := &h.Lines[i]
		b.WriteByte(byte(l.Op))
		b.WriteString(l.Text)
		b.WriteByte('\n')
		if l.NoEOL {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
	return b.String()
}

func writeRange(b *strings.Builder, start, count int) {
	b.WriteString(strconv.Itoa(start))
	if count != 1 {
		b.WriteByte(',')
		b.WriteString(strconv.Itoa(count))
	}
}

// WriteNumbered writes hunks for a reader who must name lines:
//
//	@@ -11,2 +11,2 @@ func total
//	  11   sum := 0
//	     - sum += a
//	  12 + sum += a * b
//
// The numbers are those of the new file; a removed line has none. Bytes that
// are not UTF-8 are shown as U+FFFD and a line is cut after MaxShownLine bytes
// with a note, so the output is for reading and cannot be applied.
func WriteNumbered(w io.Writer, hunks []Hunk) error {
	width := 4
	for i := range hunks {
		if r, ok := hunks[i].Span(true); ok {
			width = max(width, len(strconv.Itoa(r.End)))
		}
	}
	out := bufio.NewWriter(w)
	for i := range hunks {
		h := &hunks[i]
		fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@ %s\n",
			h.OldStart, h.OldLines, h.NewStart, h.NewLines, shown(h.Section))
		for j := range h.Lines {
			l := &h.Lines[j]
			number := ""
			if l.New != 0 {
				number = strconv.Itoa(l.New)
			}
			fmt.Fprintf(out, "%*s %c %s\n", width, number, l.Op, shown(l.Text))
			if l.NoEOL {
				fmt.Fprintf(out, "%*s \\ no newline at end of file\n", width, "")
			}
		}
	}
	return out.Flush()
}

// shown returns text fit to be read: valid UTF-8 of bounded length.
func shown(text string) string {
	rest := 0
	if len(text) > MaxShownLine {
		n := MaxShownLine
		for n > MaxShownLine-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		text, rest = text[:n], len(text)-n
	}
	text = strings.ToValidUTF8(strings.TrimSuffix(text, "\r"), "\uFFFD")
	if rest > 0 {
		text += fmt.Sprintf(" … [%d more bytes]", rest)
	}
	return text
}
