package model

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible replaces characters that nobody sees, and those that reorder what is
// seen, by their code point, as in "<U+202E>". What a model reads is then what
// the machine reads, and no instruction hides from the people who read the same
// file. The number and the order of the lines stay.
func Visible(s string) string {
	if strings.IndexFunc(s, unseen) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unseen(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unseen reports format characters (directions, joiners, tags) and the variation
// selectors that can carry data. U+FE0F, which emoji use, is let through.
func unseen(r rune) bool {
	switch {
	case r < 0x80 || r == 0xFE0F:
		return false
	case r >= 0xFE00 && r <= 0xFE0E, r >= 0xE0100 && r <= 0xE01EF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}
