package finding

import (
	"regexp"
	"strings"
	"unicode"
)

// Normalize returns the normal form of a claim: two wordings that differ only
// in how they are typed have the same one. It is idempotent.
//
// It removes letter case, blanks, dashes, the punctuation around words,
// contractions ("don't" is "do not"), the style of quotes and references to
// lines ("on lines 3-7", "(line 42)", "auth.go:42"). It keeps every other word,
// every other number, and whatever stands in quotes or back-ticks, to the
// letter. An apostrophe is never a quote: no text between two contractions is
// ever taken out.
func Normalize(claim string) string {
	return strings.Join(withoutLineReferences(tokenize(claim)), " ")
}

// token is a word of a claim.
type token struct {
	text string
	// quoted text is kept to the letter; its marks are back-ticks.
	quoted bool
	// dash stands for a dash between words. It only matters inside a range
	// of lines and never reaches the normal form.
	dash bool
	// bracketed says that the word was alone in brackets, or opened one and
	// a dash followed.
	bracketed bool
	// comma says that a comma followed.
	comma bool
}

// tokenize cuts a claim into words and quoted texts.
func tokenize(claim string) []token {
	text := plainRunes(claim)
	var tokens []token
	start := 0
	for i := 0; i < len(text); {
		end, inner, ok := quotedAt(text, i)
		if !ok {
			i++
			continue
		}
		tokens = appendWords(tokens, text[start:i])
		if t := quote(inner); t != "" {
			tokens = append(tokens, token{text: t, quoted: true})
		}
		i, start = end, end
	}
	return appendWords(tokens, text[start:])
}

// plainRunes maps typographic characters to their plain forms and drops what
// cannot be seen.
func plainRunes(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		switch {
		case strings.ContainsRune("’‘‛ʼ′´", r):
			out = append(out, '\'')
		case strings.ContainsRune("“”„‟″«»", r):
			out = append(out, '"')
		case r >= '\u2010' && r <= '\u2015', r == '\u2212':
			out = append(out, '-')
		case r == '…':
			out = append(out, '.')
		case unicode.IsSpace(r):
			out = append(out, ' ')
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		default:
			out = append(out, r)
		}
	}
	return out
}

// quotedAt reports whether a quoted text starts at text[i], what is in it and
// where the rest begins. Single quotes enclose one word only and stand at its
// borders, so that the apostrophes of "don't" and "users'" are none.
func quotedAt(text []rune, i int) (end int, inner []rune, ok bool) {
	mark := text[i]
	switch mark {
	case '`', '"':
		for j := i + 1; j < len(text); j++ {
			if text[j] == mark {
				return j + 1, text[i+1 : j], true
			}
		}
	case '\'':
		if i > 0 && isWordRune(text[i-1]) {
			return 0, nil, false
		}
		for j := i + 1; j < len(text) && text[j] != ' '; j++ {
			atEnd := j+1 == len(text) || !isWordRune(text[j+1])
			if text[j] == '\'' && j > i+1 && atEnd {
				return j + 1, text[i+1 : j], true
			}
		}
	}
	return 0, nil, false
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\''
}

// quote returns quoted text in back-ticks, "" when there is none.
func quote(inner []rune) string {
	s := strings.ReplaceAll(string(inner), "`", " ")
	s = strings.Join(strings.Fields(s), " ")
	s, _ = cutLineSuffix(s)
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// appendWords cuts unquoted text into words.
func appendWords(tokens []token, text []rune) []token {
	var word []rune
	flush := func(beforeDash bool) {
		tokens = appendWord(tokens, string(word), beforeDash)
		word = word[:0]
	}
	for i, r := range text {
		switch {
		case r == ' ':
			flush(false)
		case r == '-' && !isMinus(text, i):
			flush(true)
			tokens = append(tokens, token{dash: true})
		case r == '`' || r == '"':
			flush(false) // an unpaired mark
		default:
			word = append(word, unicode.ToLower(r))
		}
	}
	flush(false)
	return tokens
}

// isMinus reports whether the dash at i is the sign of a number: "returns -1"
// and "returns 1" are two claims.
func isMinus(text []rune, i int) bool {
	if i+1 == len(text) || !unicode.IsDigit(text[i+1]) {
		return false
	}
	return i == 0 || strings.ContainsRune(" ([{=<>,", text[i-1])
}

// appendWord appends one lower-case word without the punctuation around it, a
// contraction as its words, nothing for punctuation alone.
func appendWord(tokens []token, raw string, beforeDash bool) []token {
	word := trimPunctuation(raw)
	opened := strings.ContainsAny(raw[:len(raw)-len(strings.TrimLeft(raw, "([{"))], "([")
	closed := strings.ContainsAny(raw[len(strings.TrimRight(raw, ")]}.,;:!?")):], ")]")
	comma := strings.HasSuffix(raw, ",")
	for _, w := range expand(word) {
		tokens = append(tokens, token{text: w, bracketed: opened && (closed || beforeDash), comma: comma})
	}
	return tokens
}

// longWord is where a word stops to be looked at closely: no name is longer,
// and a hostile claim of brackets alone must not cost time.
const longWord = 256

// trimPunctuation strips what stands around a word, but keeps brackets that
// belong to it, as in "close()".
func trimPunctuation(word string) string {
	if len(word) > longWord {
		return strings.Trim(word, "'.,;:!?()[]{}")
	}
	for {
		before := word
		word = strings.Trim(word, "'")
		word = strings.TrimRight(word, ".,;:!?")
		if n := len(word); n > 0 && strings.IndexByte(")]}", word[n-1]) >= 0 && !balanced(word) {
			word = word[:n-1]
		}
		if n := len(word); n > 0 && strings.IndexByte("([{", word[0]) >= 0 {
			if !balanced(word) {
				word = word[1:]
			} else if strings.IndexByte(")]}", word[n-1]) >= 0 {
				word = word[1 : n-1]
			}
		}
		if word == before {
			return word
		}
	}
}

// balanced reports whether as many brackets open as close.
func balanced(word string) bool {
	n := 0
	for i := 0; i < len(word); i++ {
		switch word[i] {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n == 0
}

// contracted maps contractions without their apostrophe to what they stand for.
var contracted = map[string]string{
	"aint": "is not", "arent": "are not", "cannot": "can not", "cant": "can not",
	"couldnt": "could not", "didnt": "did not", "doesnt": "does not",
	"dont": "do not", "hadnt": "had not", "hasnt": "has not",
	"havent": "have not", "isnt": "is not", "mustnt": "must not",
	"neednt": "need not", "shant": "shall not", "shouldnt": "should not",
	"wasnt": "was not", "werent": "were not", "wont": "will not",
	"wouldnt": "would not",
}

// endings are contractions whose form without the apostrophe is another word
// ("we're" is not "were").
var endings = map[string]string{"'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}

// expand returns the words a word stands for: two for a contraction, none for
// an empty word. Every other apostrophe is dropped: "it's", "its" and "its'"
// are typed for each other too often to tell two claims apart.
func expand(word string) []string {
	if i := strings.LastIndexByte(word, '\''); i > 0 {
		if full, ok := endings[word[i:]]; ok {
			return append(expand(trimPunctuation(word[:i])), full)
		}
	}
	word = trimPunctuation(strings.ReplaceAll(word, "'", ""))
	if word == "" {
		return nil
	}
	if full, ok := contracted[word]; ok {
		return strings.Fields(full)
	}
	return []string{word}
}

var (
	lineNumber  = regexp.MustCompile(`^[#l]?[0-9]+(,[0-9]+)*$`)
	bareNumber  = regexp.MustCompile(`^#?[0-9]+(,[0-9]+)*$`)
	colonNumber = regexp.MustCompile(`^(:[0-9]+)+$`)
	markedLine  = regexp.MustCompile(`^#?l[0-9]+$`)
	// lineSuffix is a place after the name of a source file. Only known
	// endings count: "example.com:443" is a host and a port.
	lineSuffix = regexp.MustCompile(`(?i)^(.*\.(?:bash|c|cc|cfg|cjs|clj|cpp|cs|css|cxx|dart|erl|ex|exs|fs|go|gradle|graphql|groovy|h|hpp|hs|html|ini|ipynb|java|jl|js|json|jsx|kt|kts|lua|m|md|mjs|ml|mm|nix|php|pl|proto|ps1|py|pyi|r|rb|rs|scala|scss|sh|sql|svelte|swift|tf|toml|ts|tsx|txt|vue|xml|yaml|yml|zig))(?:(?::[0-9]+)+(?:-[0-9]+)?|#l[0-9]+(?:-l?[0-9]+)?)$`)
	// networkWord marks a claim in which ":8080" is a port.
	networkWord = regexp.MustCompile(`^(ports?|listen(s|ing|er|ers)?|bind(s|ing)?|addr(ess|esses)?|hosts?|localhost|sockets?|servers?|urls?|https?|tcp|udp)$`)
)

// cutLineSuffix cuts the line off "internal/auth.go:42".
func cutLineSuffix(s string) (rest string, cut bool) {
	for len(s) <= longWord {
		m := lineSuffix.FindStringSubmatch(s)
		if m == nil {
			return s, cut
		}
		s, cut = m[1], true
	}
	return s, cut
}

var (
	// introduces are the words before "line 42" that go with it.
	introduces = wordSet("at", "on", "in", "from", "near", "around", "see", "by")
	// until joins the ends of a range, also after the singular: "line 3 to 7".
	until = wordSet("to", "through", "thru", "until")
	// also joins the numbers after the plural: "lines 3 and 7".
	also = wordSet("to", "through", "thru", "until", "and", "or", "&")
)

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// reference says what may go on after a reference to a line.
type reference uint8

const (
	notReference   reference = iota
	placeReference           // ":42", "#L42": a dash and a number
	lineReference            // "line 42": also "to 47"
	linesReference           // "lines 42": also "and 47" and ", 47"
)

// withoutLineReferences returns the words that are no reference to a line. It
// works on a stack: when a reference is gone, what stood before it meets what
// comes after, and is looked at again.
func withoutLineReferences(tokens []token) []string {
	ports := false
	for _, t := range tokens {
		ports = ports || !t.quoted && networkWord.MatchString(t.text)
	}
	var kept []string
	var ref reference
	joined := false
	for i, t := range tokens {
		switch {
		case t.dash:
			joined = ref != notReference
		case joined && !t.quoted && lineNumber.MatchString(t.text):
			joined = ref == linesReference && t.comma
		case !t.quoted && joinsNumbers(ref, t.text) && numberFollows(tokens[i+1:]):
			joined = true
		default:
			kept, ref = push(kept, t, ports)
			joined = ref == linesReference && t.comma
		}
	}
	return kept
}

func joinsNumbers(ref reference, word string) bool {
	return ref == lineReference && until[word] || ref == linesReference && also[word]
}

func numberFollows(tokens []token) bool {
	for _, t := range tokens {
		if !t.dash {
			return !t.quoted && lineNumber.MatchString(t.text)
		}
	}
	return false
}

// push adds a word, or takes away the words that it completes to a reference.
func push(kept []string, t token, ports bool) ([]string, reference) {
	switch {
	case t.quoted:
		return append(kept, t.text), notReference
	case bareNumber.MatchString(t.text):
		n := len(kept)
		if n > 1 && (kept[n-1] == "number" || kept[n-1] == "no") {
			n--
		}
		if n > 0 && kept[n-1] == "line" {
			return popIntroduction(kept[:n-1]), lineReference
		}
		if n > 0 && kept[n-1] == "lines" {
			return popIntroduction(kept[:n-1]), linesReference
		}
	case colonNumber.MatchString(t.text) && !ports,
		markedLine.MatchString(t.text) && (t.bracketed || t.text[0] == '#'):
		return popIntroduction(kept), placeReference
	default:
		if file, cut := cutLineSuffix(t.text); cut {
			return append(kept, file), placeReference
		}
	}
	return append(kept, t.text), notReference
}

func popIntroduction(kept []string) []string {
	if n := len(kept); n > 0 && kept[n-1] == "the" {
		kept = kept[:n-1]
	}
	if n := len(kept); n > 0 && introduces[kept[n-1]] {
		kept = kept[:n-1]
	}
	return kept
}
