package reconcile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A term is one feature of a text. Its first byte says which kind: 'w' for a
// word stem, 'i' for a whole identifier, 'f' for the base name of a file.
const (
	kindWord       = 'w'
	kindIdentifier = 'i'
	kindFile       = 'f'
)

// terms returns the features of a text in order of appearance, repeats
// included. Words are lower-cased, stemmed and kept unless they are too common
// to say anything; an identifier counts as a whole and as its parts, so that
// getUserByID meets "get user by id"; a path counts as its base name and its
// parts.
func terms(text string) []string {
	var out []string
	for _, tok := range tokens(text) {
		out = appendTerms(out, tok)
	}
	return out
}

// tokens cuts a text at everything that can not stand inside an identifier or
// a path.
func tokens(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '_', '$', '/', '.', '-', '\'', '’', ':':
			return false
		}
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func appendTerms(out []string, tok string) []string {
	tok = strings.Trim(tok, "./-'’:")
	if tok == "" {
		return out
	}
	if isFile(tok) {
		base := tok[strings.LastIndexByte(tok, '/')+1:]
		out = append(out, string(kindFile)+strings.ToLower(base))
		stem, _, _ := strings.Cut(base, ".")
		return appendParts(out, stem)
	}
	for _, piece := range strings.FieldsFunc(tok, func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == ':'
	}) {
		if isIdentifier(piece) {
			out = append(out, string(kindIdentifier)+strings.ToLower(strings.Trim(piece, "_$'’")))
		}
		out = appendParts(out, piece)
	}
	return out
}

// appendParts adds the word stems of an identifier or a plain word.
func appendParts(out []string, s string) []string {
	for _, part := range splitIdentifier(s) {
		word := strings.ToLower(part)
		if w, ok := strings.CutSuffix(word, "n't"); ok {
			out = append(out, string(kindWord)+"not")
			word = w
		}
		word = strings.TrimSuffix(word, "'s")
		word = strings.Trim(word, "'’")
		if common[word] || len(word) < 2 {
			continue
		}
		out = append(out, string(kindWord)+stem(word))
	}
	return out
}

// isFile reports whether a token looks like a file: its last part ends in a
// dot and a short extension with a letter in it that is no method call.
func isFile(tok string) bool {
	base := tok[strings.LastIndexByte(tok, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 {
		return false
	}
	return extensions[strings.ToLower(base[dot+1:])]
}

// isIdentifier reports whether a token is written as code names are: with an
// underscore or a dollar sign inside, a capital after a small letter, or a
// digit beside a letter.
func isIdentifier(s string) bool {
	var lower, letter, digit bool
	for i, r := range s {
		switch {
		case r == '_' || r == '$':
			if i > 0 && i < len(s)-1 {
				return true
			}
		case unicode.IsUpper(r):
			if lower {
				return true
			}
			letter = true
		case unicode.IsDigit(r):
			digit = true
		case unicode.IsLetter(r):
			lower, letter = true, true
		}
	}
	return letter && digit
}

// splitIdentifier cuts at underscores, at dollar signs, before a capital that
// follows a small letter or a digit, and before the last capital of a run that
// goes on with a small one: HTTPServer is HTTP and Server.
func splitIdentifier(s string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, s[start:end])
		}
		start = end
	}
	prev := rune(0)
	for i, r := range s {
		switch {
		case r == '_' || r == '$':
			cut(i)
			start = i + 1
		case unicode.IsUpper(r):
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if unicode.IsLower(prev) || unicode.IsDigit(prev) || (unicode.IsUpper(prev) && unicode.IsLower(next)) {
				cut(i)
			}
		}
		prev = r
	}
	cut(len(s))
	return parts
}

// stem takes the commonest English endings off a lower-case word. It is meant
// to bring "validates", "validated", "validating" and "validation" together,
// not to be right about the language.
func stem(w string) string {
	for _, e := range endings {
		root, ok := strings.CutSuffix(w, e.end)
		if !ok || len(root) < e.keep {
			continue
		}
		w = root + e.put
		break
	}
	// "stopped" leaves "stopp", "cancelled" leaves "cancell"; "call" stays.
	if n := len(w); n > 4 && w[n-1] == w[n-2] && w[n-1] != 's' && (w[n-1] != 'l' || n > 5) {
		w = w[:n-1]
	}
	if len(w) > 4 {
		w = strings.TrimSuffix(w, "e")
	}
	if r, ok := strings.CutSuffix(w, "y"); ok && len(r) > 2 {
		w = r + "i"
	}
	return w
}

// endings are tried in order; the first that leaves at least keep letters is
// replaced.
var endings = []struct {
	end  string
	keep int
	put  string
}{
	{"izations", 3, "iz"}, {"ization", 3, "iz"}, {"isation", 3, "iz"},
	{"ations", 3, "at"}, {"ation", 3, "at"}, {"ating", 3, "at"}, {"ated", 3, "at"}, {"ates", 3, "at"}, {"ate", 3, "at"},
	{"nesses", 3, ""}, {"ness", 3, ""}, {"ibility", 3, "ib"}, {"ability", 3, "ab"}, {"able", 4, "ab"}, {"ible", 4, "ib"},
	{"ments", 4, ""}, {"ment", 4, ""}, {"encies", 3, "enc"}, {"ency", 3, "enc"}, {"ences", 3, "enc"}, {"ence", 3, "enc"}, {"ently", 3, "ent"},
	{"sions", 3, "s"}, {"sion", 3, "s"}, {"tions", 3, "t"}, {"tion", 3, "t"},
	{"ically", 3, "ic"}, {"ally", 3, "al"}, {"fully", 3, ""}, {"ful", 3, ""}, {"ingly", 3, ""}, {"edly", 3, ""}, {"ly", 3, ""},
	{"izing", 3, "iz"}, {"ized", 3, "iz"}, {"izes", 3, "iz"}, {"ize", 3, "iz"},
	{"ings", 3, ""}, {"ing", 3, ""}, {"ies", 2, "i"}, {"ied", 2, "i"}, {"ed", 3, ""}, {"sses", 2, "ss"},
	{"xes", 2, "x"}, {"ches", 2, "ch"}, {"shes", 2, "sh"}, {"ers", 3, "er"}, {"es", 3, "e"}, {"ss", 1, "ss"}, {"us", 2, "us"}, {"is", 2, "is"}, {"s", 3, ""},
}

// extensions are the file endings that make a dotted word a file rather than a
// method call.
var extensions = set(`go mod sum py pyi js jsx ts tsx mjs cjs java kt kts rb php cs
	c h cc cpp hpp rs swift scala sh bash sql md rst txt json jsonl yml yaml toml xml
	html css scss less vue svelte proto graphql tf lock cfg ini env example gradle
	dockerfile erb lua ex exs dart m mm properties`)

// common are words that nearly every review comment has.
var common = set(`a an the and or but if then else so as of at by for from in into on onto to
	with within without via per than that this these those it its is are was were be been
	being do does did done has have had having will would can could may might must shall
	should not no nor only also just even still such same other another any all each every
	some both more most when where which while who whose what why how there here up out
	about between because however instead e.g i.e etc eg ie now well very too
	we you they them their our your one two use using used uses make makes`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
