package finding

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

const (
	// anchorLines is how many significant lines an anchor keeps on each side.
	anchorLines = 4
	// blockLines is how many of them a block3/v1 fingerprint covers.
	blockLines = 3
	// maxAnchorLine is how many bytes of a line an anchor keeps. A fingerprint
	// covers all of the line.
	maxAnchorLine = 2000
)

// NewAnchor keeps what is needed to find a line again when its commit is gone:
// its text and what stands around it. start counts from 1; nil when the text
// has no such line.
//
// redact takes the secrets out of one line and must give the same for the same
// line. Everything in the anchor, fingerprints included, is made of redacted
// lines: a fingerprint of a weak secret would give it away. A nil redact keeps
// lines as they are.
func NewAnchor(text []byte, start int, redact func(string) string) *Anchor {
	lines := splitLines(text)
	if start < 1 || start > len(lines) {
		return nil
	}
	if redact == nil {
		redact = func(line string) string { return line }
	}
	line := redact(lines[start-1])
	var before, after []string
	for i := start - 2; i >= 0 && len(before) < anchorLines; i-- {
		if significant(lines[i]) {
			before = append(before, redact(lines[i]))
		}
	}
	for i := start; i < len(lines) && len(after) < anchorLines; i++ {
		if significant(lines[i]) {
			after = append(after, redact(lines[i]))
		}
	}
	slices.Reverse(before)
	return &Anchor{
		Line:     kept(line),
		Before:   keptAll(before),
		After:    keptAll(after),
		LineV1:   LineV1(line),
		Block3V1: Block3V1(before, line, after),
	}
}

// LineV1 returns the line/v1 fingerprint: 16 hex digits of the SHA-256 of a
// line without its blanks. It is evidence in a comparison and never the
// identity of anything.
func LineV1(line string) string {
	sum := sha256.Sum256([]byte(withoutBlanks(line)))
	return hex.EncodeToString(sum[:8])
}

// Block3V1 returns the block3/v1 fingerprint of a line and the three significant
// lines nearest to it on each side, all without blanks. before has the nearest
// line last, after has it first; more than three are ignored.
func Block3V1(before []string, line string, after []string) string {
	var b strings.Builder
	for _, l := range before[max(0, len(before)-blockLines):] {
		b.WriteString(withoutBlanks(l) + "\n")
	}
	b.WriteString(withoutBlanks(line) + "\n")
	for _, l := range after[:min(len(after), blockLines)] {
		b.WriteString(withoutBlanks(l) + "\n")
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}

// splitLines returns the lines of a file without their ends and without a byte
// order mark.
func splitLines(text []byte) []string {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// significant reports whether a line holds a letter or a digit.
func significant(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// withoutBlanks drops all ASCII blanks.
func withoutBlanks(line string) string {
	if !strings.ContainsAny(line, " \t\r\n\v\f") {
		return line
	}
	b := make([]byte, 0, len(line))
	for i := range len(line) {
		if !isBlank(line[i]) {
			b = append(b, line[i])
		}
	}
	return string(b)
}

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// kept returns a line fit for the ledger: valid UTF-8 of bounded length.
func kept(line string) string {
	return strings.ToValidUTF8(line[:min(len(line), maxAnchorLine)], "\uFFFD")
}

func keptAll(lines []string) []string {
	var list []string
	for _, l := range lines {
		list = append(list, kept(l))
	}
	return list
}
