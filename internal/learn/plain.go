package learn

import (
	"strings"
	"unicode"
)

// Plain tells the class of a reply that is too short to mean anything else, so
// that no model is asked: thanks, a bare no, agreement, an emoji. Any word that
// is not in its lists makes it false.
func Plain(t Text) (Class, bool) {
	words := strings.FieldsFunc(strings.ToLower(t.Said), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '-' && r != '\''
	})
	emoji := strings.Map(onlyEmoji, t.Said)
	switch {
	case len(words) == 0 && emoji == "":
		return OffTopic, true
	case len(words) == 0:
		return classOfEmoji(emoji), true
	case len(words) > maxPlainWords:
		return "", false
	case allOf(words, noWords) && anyOf(words, noHeads):
		return BareNo, true
	case allOf(words, thanksWords) && anyOf(words, thanksHeads):
		return ThanksFixed, true
	case allOf(words, agreeWords):
		return Agree, true
	}
	return "", false
}

// maxPlainWords is the most words of a reply that the lists are asked about.
const maxPlainWords = 8

func onlyEmoji(r rune) rune {
	if r > 0x2000 && !unicode.IsLetter(r) {
		return r
	}
	return -1
}

func classOfEmoji(s string) Class {
	switch {
	case strings.ContainsAny(s, "👎❌🚫⛔"):
		return BareNo
	case strings.ContainsAny(s, "🙏❤🎉✅"):
		return ThanksFixed
	case strings.ContainsAny(s, "👍👌💯"):
		return Agree
	}
	return OffTopic
}

// The words of short replies, in the languages that need no dictionary. A list
// of heads holds the words of which one has to be there.
var (
	noHeads = set("no nope nah nein non 不 不是 -1 disagree wrong wontfix nonsense")
	noWords = set("no nope nah nein non 不 不是 -1 disagree wrong wontfix nonsense this is that it's just i")

	thanksHeads = set("thanks thank thx ty cheers danke merci 谢谢 感谢 fixed done pushed catch resolved addressed")
	thanksWords = set("thanks thank you thx ty cheers danke merci 谢谢 感谢 fixed done pushed catch resolved addressed " +
		"good nice great a the fix for so much very that it now all this spot one great")

	agreeWords = set("yes yep yeah ok okay sure agreed agree right true indeed +1 lgtm makes make sense i you're good point fair ja oui 好 好的 that this is")
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

func allOf(words []string, in map[string]bool) bool {
	for _, w := range words {
		if !in[w] {
			return false
		}
	}
	return true
}

func anyOf(words []string, in map[string]bool) bool {
	for _, w := range words {
		if in[w] {
			return true
		}
	}
	return false
}
