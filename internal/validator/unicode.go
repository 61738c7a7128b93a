package validator

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hiddenUnicode finds characters that show the reader something else than what
// the machine reads: directions, joiners, tags, variation selectors and letters
// of another script inside of a Latin word.
func hiddenUnicode(f *file, in Input) []Failure {
	if isASCII(f.data) {
		return nil
	}
	translated := isTranslation(f.path)
	var fails []Failure
	f.eachLine(func(n int, line []byte) {
		if isASCII(line) || !in.changed(f.path, n, n) {
			return
		}
		fails = append(fails, hiddenInLine(f.path, n, string(line), translated)...)
	})
	return fails
}

func hiddenInLine(name string, n int, line string, translated bool) []Failure {
	var fails []Failure
	var before rune
	for i := 0; i < len(line); {
		r, width := utf8.DecodeRuneInString(line[i:])
		after, _ := utf8.DecodeRuneInString(line[i+width:])
		if what := hidden(before, r, after, translated); what != "" {
			fails = append(fails, Failure{
				Path: name, Line: n, Column: i + 1,
				Message: fmt.Sprintf("%s <U+%04X>", what, r),
			})
		}
		before = r
		i += width
	}
	if translated {
		return fails
	}
	for _, w := range mixedWords(line) {
		fails = append(fails, Failure{
			Path: name, Line: n, Column: w.column,
			Message: fmt.Sprintf("a letter that only looks Latin, <U+%04X>, in the word %q", w.letter, w.text),
		})
	}
	return fails
}

// hidden says what a character does, "" when it is what it seems. Joiners are
// part of some scripts and of composed emoji; the marks of direction are part of
// translated text.
func hidden(before, r, after rune, translated bool) string {
	switch {
	case r < 0x80:
		return ""
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return "character that reorders the text"
	case r == 0x200E, r == 0x200F, r == 0x061C:
		if translated || isRightToLeft(before) || isRightToLeft(after) {
			return ""
		}
		return "invisible mark of direction"
	case r == 0x200C, r == 0x200D:
		if joins(before, after) {
			return ""
		}
		return "invisible joiner"
	case r == 0x200B, r >= 0x2060 && r <= 0x2064, r == 0x00AD, r == 0x180E, r == 0x034F:
		if r == 0x00AD && translated || r == 0x200B && (isSpaceless(before) || isSpaceless(after)) {
			return ""
		}
		return "invisible character"
	case r == 0xFEFF:
		return "byte order mark inside of the text"
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return "invisible letter"
	case r >= 0x206A && r <= 0x206F, r >= 0xFFF9 && r <= 0xFFFB:
		return "invisible control character"
	case r == 0xFE0F, r == 0xFE0E:
		if isEmojiBase(before) {
			return ""
		}
		return "variation selector where there is nothing to vary"
	case r >= 0xFE00 && r <= 0xFE0D, r >= 0xE0100 && r <= 0xE01EF:
		if unicode.Is(unicode.Han, before) || before == 0x30FB || unicode.Is(unicode.Sm, before) || unicode.Is(unicode.Mongolian, before) || unicode.Is(unicode.Myanmar, before) {
			return ""
		}
		return "variation selector where there is nothing to vary"
	case r >= 0xE0000 && r <= 0xE007F:
		// Flags of regions such as Scotland are spelt with tags.
		if before == 0x1F3F4 || before >= 0xE0061 && before <= 0xE007A || before >= 0xE0030 && before <= 0xE0039 {
			if r == 0xE007F || after >= 0xE0030 && after <= 0xE007F {
				return ""
			}
		}
		return "invisible tag"
	}
	return ""
}

// joins reports whether a joiner between two characters belongs there.
func joins(before, after rune) bool {
	if isEmojiBase(before) || before == 0xFE0F || before >= 0x1F3FB && before <= 0x1F3FF {
		return isEmojiBase(after)
	}
	for _, script := range []*unicode.RangeTable{
		unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	} {
		if unicode.Is(script, before) {
			return true
		}
	}
	return false
}

func isRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// isSpaceless reports whether a script marks where a line may break with
// U+200B, having no spaces.
func isSpaceless(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// isEmojiBase is close enough for what may carry a selector or a joiner: symbols
// and the keys of a keypad.
func isEmojiBase(r rune) bool {
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r > 0x1F000 ||
		r == 0x00A9 || r == 0x00AE || r == 0x203C || r == 0x2049 || r == 0x2122 || r == 0x2139 ||
		r >= 0x2190 && r <= 0x21FF || r >= 0x2300 && r <= 0x27BF || r >= 0x2900 && r <= 0x2BFF ||
		r == 0x3030 || r == 0x303D || r >= 0x1F000 && r <= 0x1FAFF ||
		r == '#' || r == '*' || r >= '0' && r <= '9'
}

// mixedWord is a word of Latin letters with one that only looks like them.
type mixedWord struct {
	text   string
	letter rune
	column int
}

// lookalikes are the letters of other scripts that are drawn as Latin ones in
// most fonts.
const lookalikes = "аеорсухіјѕһԁԛԝѵԍԚԜАВЕКМНОРСТУХІЈЅҮԌԐ" + // Cyrillic
	"οναρυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + // Greek
	"օոսցհքԼՕՏՍ" + // Armenian
	"ᎪᏴᏟᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᏔᏃ" // Cherokee

func mixedWords(line string) []mixedWord {
	var found []mixedWord
	start := -1
	flush := func(end int) {
		if start >= 0 {
			if w, ok := mixed(line[start:end]); ok {
				w.column = start + 1
				found = append(found, w)
			}
			start = -1
		}
	}
	for i, r := range line {
		if unicode.IsLetter(r) || unicode.IsMark(r) || start >= 0 && (unicode.IsDigit(r) || r == '_') {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
	}
	flush(len(line))
	return found
}

// mixed judges one word. Between underscores each part stands for itself, as in
// test_имя.
func mixed(word string) (mixedWord, bool) {
	for part := range strings.SplitSeq(word, "_") {
		latin, odd := false, rune(0)
		for _, r := range part {
			switch {
			case unicode.Is(unicode.Latin, r):
				latin = true
			case odd == 0 && strings.ContainsRune(lookalikes, r):
				odd = r
			}
		}
		if latin && odd != 0 {
			return mixedWord{text: part, letter: odd}, true
		}
	}
	return mixedWord{}, false
}

// isTranslation reports whether a file holds text for people in many languages.
func isTranslation(name string) bool {
	switch path.Ext(name) {
	case ".po", ".pot", ".xlf", ".xliff", ".arb", ".ftl", ".strings", ".resx":
		return true
	}
	for part := range strings.SplitSeq(strings.ToLower(path.Dir(name)), "/") {
		switch part {
		case "locale", "locales", "i18n", "l10n", "lang", "langs", "translations", "lproj":
			return true
		}
	}
	return false
}

func isASCII(data []byte) bool {
	for _, c := range data {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
