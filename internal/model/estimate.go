package model

import (
	"math"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Bytes per token. Go source measured 3.8 bytes a token and tables of hex
// numbers 1.56 with OpenAI's vocabularies; the estimate is on the safe side of
// both. No tokenizer is linked: it would cost 12 MB, and the vocabularies of
// other vendors differ anyway.
const (
	textBytesPerToken  = 3.0
	denseBytesPerToken = 1.5
)

// Estimate says how many tokens a text has at most, roughly: a third of its
// bytes, and two thirds of the bytes of lines that are mostly numbers. A
// Calibrator makes it fit a model.
func Estimate(text string) int {
	tokens := 0.0
	for len(text) > 0 {
		line := text
		if i := indexNewline(text); i >= 0 {
			line = text[:i+1]
		}
		text = text[len(line):]
		if dense(line) {
			tokens += float64(len(line)) / denseBytesPerToken
		} else {
			tokens += float64(len(line)) / textBytesPerToken
		}
	}
	return int(math.Ceil(tokens))
}

func indexNewline(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			return i
		}
	}
	return -1
}

// dense reports whether a line is mostly digits and hex numbers: a third of it
// decimal digits, more than half of it hex digits. Words alone never reach the
// first share.
func dense(line string) bool {
	const fewest = 8
	digits, hex, visible := 0, 0, 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case '0' <= c && c <= '9':
			digits++
			hex++
		case 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F':
			hex++
		}
		visible++
	}
	return visible >= fewest && 3*digits >= visible && 2*hex > visible
}

// Floor says how few tokens a text can have. Every vocabulary in common use cuts
// text where letters, digits and punctuation meet and at white space before it
// looks anything up, so each word is a token or more. Fewer prompt tokens than
// this means that the endpoint did not read the whole prompt.
func Floor(text string) int {
	tokens := 0
	var prev rune // class of the rune before: 'a' letter, '0' digit, '.' other, ' ' space
	run := 0      // length of the run that prev belongs to
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		class := classOf(r)
		if class == prev {
			run++
			// Vocabularies keep up to three digits together.
			if class == '0' && run%3 == 1 {
				tokens++
			}
			continue
		}
		// One mark of punctuation may go with the letters after it: ".name".
		joined := class == 'a' && prev == '.' && run == 1
		if class != ' ' && !joined {
			tokens++
		}
		prev, run = class, 1
	}
	return tokens
}

func classOf(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsDigit(r):
		return '0'
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 'a'
	}
	return '.'
}

// Calibrator corrects estimates by what an endpoint counted before. The zero
// value corrects nothing. It may be used by several goroutines.
type Calibrator struct {
	mu        sync.Mutex
	estimated int
	counted   int
}

// The correction is kept within these bounds, so that one odd report (a prompt
// cache that counts only what is new, a count in characters) cannot ruin the
// budget of a run.
const (
	leastCorrection = 0.5
	mostCorrection  = 2.0
)

// Observe takes what was estimated for a prompt and what the endpoint counted.
// Counts that are not positive are ignored.
func (c *Calibrator) Observe(estimated, counted int) {
	if estimated <= 0 || counted <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.estimated += estimated
	c.counted += counted
}

// Factor is what estimates are multiplied by: 1 before the first observation.
func (c *Calibrator) Factor() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.estimated == 0 {
		return 1
	}
	f := float64(c.counted) / float64(c.estimated)
	return min(max(f, leastCorrection), mostCorrection)
}
