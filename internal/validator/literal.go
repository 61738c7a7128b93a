package validator

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// maxLiterals bounds how many texts are searched for in place of one match.
const maxLiterals = 8

// requiredLiterals returns texts of which every match of the expression holds
// at least one, or nil when that is not known. A file without any of them need
// not be matched, and looking for a text is many times faster than matching.
func requiredLiterals(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		// A folded literal is many texts. U+FFFD also matches a byte that
		// is no UTF-8.
		if re.Flags&syntax.FoldCase != 0 || strings.ContainsRune(string(re.Rune), utf8.RuneError) {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredLiterals(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredLiterals(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if l := requiredLiterals(sub); shortest(l) > shortest(best) {
				best = l
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			l := requiredLiterals(sub)
			if all = append(all, l...); l == nil || len(all) > maxLiterals {
				return nil
			}
		}
		return all
	}
	return nil
}

func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	n := len(texts[0])
	for _, t := range texts[1:] {
		n = min(n, len(t))
	}
	return n
}
