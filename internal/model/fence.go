package model

import (
	"bytes"
	"encoding/base32"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// fenceBytes is how much randomness a fence holds: 80 bits, 16 letters.
const fenceBytes = 10

// Fence draws a random word that occurs in none of the texts, in no mixture of
// upper and lower case. Text that was written before the word was drawn cannot
// hold it, so it cannot end its own block and pass for an instruction. The
// reader is crypto/rand in the program and a fixed one in a test; a reader that
// fails is a bug and panics.
func Fence(rand io.Reader, texts ...string) string {
	lower := make([]string, len(texts))
	for i, t := range texts {
		lower[i] = strings.ToLower(t)
	}
	word := randomWord(rand)
	for try := 2; occursIn(word, lower); try++ {
		// The counter ends the loop even where a test's reader repeats itself.
		word = randomWord(rand) + strconv.Itoa(try)
	}
	return word
}

func randomWord(rand io.Reader) string {
	var b [fenceBytes]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		panic("model: read randomness for a fence: " + err.Error())
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

func occursIn(word string, texts []string) bool {
	for _, t := range texts {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

// Fenced renders one block of untrusted text between two lines that bear the
// fence:
//
//	[begin q7k2… diff of src/a.go]
//	…
//	[end q7k2…]
//
// The label may come from outside as well (a file name): it is put on one line,
// and the fence is taken out of it and of the text, should a caller have drawn
// the fence without showing it both. Characters that nobody sees are shown by
// their code point; see Visible.
func Fenced(fence, label, text string) string {
	text = withoutWord(Visible(text), fence)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fmt.Sprintf("[begin %s %s]\n%s[end %s]\n",
		fence, withoutWord(oneLine(Visible(label)), fence), text, fence)
}

// withoutWord removes word from text, whatever its case, also where taking one
// out would put another together.
func withoutWord(text, word string) string {
	if word == "" || len(text) < len(word) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		out = append(out, text[i])
		if start := len(out) - len(word); start >= 0 && bytes.EqualFold(out[start:], []byte(word)) {
			out = out[:start]
		}
	}
	return string(out)
}

// oneLine replaces what could end a line, and other control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
