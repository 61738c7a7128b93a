package learn

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Claim is a statement of a reply about the code.
type Claim struct {
	// Text is the statement, Quote the words of the reply that make it.
	Text, Quote string
	// Search are names and words to look for, as a model gives them.
	Search []string
	// Fact is true for a statement of what the code does, which can be true or
	// false; without it, it may be a wish about code that it names.
	Fact bool
	// Generated is true when it says that a file is generated. Code decides
	// that by the file's header.
	Generated bool
}

var (
	// codeName is a word that is written as code is: a call, a dotted or a
	// scoped name, snake or camel case, a path or a route.
	codeName = regexp.MustCompile("`[^`]+`" + `|\b[A-Za-z_]\w*\(|\b[a-z]\w*\.[A-Za-z]\w+|\b\w+::\w+|\b[A-Za-z]+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z]\w*[a-z][A-Z]\w*|(?:^|\s)/[\w/-]+|\b[\w.-]+/[\w./-]*\w`)

	// asserts are words that say how something is.
	asserts = regexp.MustCompile(`(?i)\b(?:already|covers?|covered|handles?|handled|guarantee[sd]?|validate[sd]?|checked|checks|sanitize[sd]?|escape[sd]?|enforce[sd]?|` +
		`never (?:nil|null|empty|negative|zero|called|happens?)|cannot|can't|can not|impossible|unreachable|only (?:ever )?(?:called|used|reached)|` +
		`always (?:set|called|non|closed|valid|checked)|elsewhere|upstream|by the (?:caller|framework|middleware|wrapper|compiler|runtime|router)|` +
		`logs?|locks?|closes?|closed|retries|recovers?|dead code|unused)\b`)

	saysGenerated = regexp.MustCompile(`(?i)\b(?:is|are|was|were|it's|its|being) (?:auto[- ]?|machine[- ]?)?generated\b|\b(?:auto|machine)[- ]?generated\b|\bgenerated (?:file|code)\b|\bcode generated\b`)

	sentenceEnd = regexp.MustCompile(`[.!?;]+(?:\s+|$)|\n+`)
)

// Claims returns what has to be checked before a reply may hide anything: the
// claims that the reply makes by its own words, whatever a model makes of it,
// and those that the model adds. A model can add a claim and cannot drop one.
func Claims(t Text, fromModel []Claim) []Claim {
	var out []Claim
	for _, s := range sentences(t.Said) {
		c := Claim{Text: s, Quote: s, Generated: saysGenerated.MatchString(s)}
		named := codeName.MatchString(s)
		c.Fact = c.Generated || asserts.MatchString(s)
		if (named && !strings.HasSuffix(s, "?")) || c.Fact {
			out = append(out, c)
		}
	}
	for _, m := range fromModel {
		i := slices.IndexFunc(out, func(c Claim) bool { return within(c.Quote, m.Quote) })
		if i >= 0 {
			out[i].Search = append(out[i].Search, m.Search...)
			out[i].Fact = true
			continue
		}
		m.Fact, m.Generated = true, saysGenerated.MatchString(m.Quote)
		out = append(out, m)
	}
	return out[:min(len(out), maxClaims)]
}

func sentences(s string) []string {
	var out []string
	for _, part := range sentenceEnd.Split(s, -1) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// within reports whether one of two texts holds the other.
func within(a, b string) bool {
	a, b = finding.Normalize(a), finding.Normalize(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// Names returns the names of code that a claim uses, without what surrounds
// them, in the order of the text.
func (c Claim) Names() []string {
	var out []string
	for _, m := range codeName.FindAllString(c.Quote, -1) {
		m = strings.Trim(strings.TrimSpace(m), "`(")
		if len(m) > 1 && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// maxTerms is how many names and words are looked for.
const maxTerms = 8

// Terms returns what is looked for in the code to check a claim: the names in
// the reply first, then what the model asks for.
func (c Claim) Terms() []string {
	out := c.Names()
	for _, s := range c.Search {
		if s = oneLine(s); len(s) > 2 && len(s) <= 80 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out[:min(len(out), maxTerms)]
}

// behaviours are stems of words that say what a piece of code does. Evidence for
// such a claim has to show it, not the name alone.
var behaviours = []string{
	"log", "lock", "clos", "check", "validat", "sanitiz", "escap", "retr", "recover", "flush", "releas",
	"cancel", "verif", "encrypt", "hash", "round", "trim", "authoriz", "authenticat",
}

// behaviour returns the stems of behaviours in a claim that are no part of a
// name in it.
func (c Claim) behaviour() []string {
	plain := strings.ToLower(c.Quote)
	for _, n := range c.Names() {
		plain = strings.ReplaceAll(plain, strings.ToLower(n), " ")
	}
	var out []string
	for _, w := range strings.FieldsFunc(plain, func(r rune) bool { return r < 'a' || r > 'z' }) {
		for _, stem := range behaviours {
			if strings.HasPrefix(w, stem) && !slices.Contains(out, stem) {
				out = append(out, stem)
			}
		}
	}
	return out
}

// shownBy reports whether quoted code can support the claim: it holds a name of
// the claim where it uses any, and every behaviour that it speaks of, and is not
// a comment alone. That a model finds it convincing is not enough.
func (c Claim) shownBy(quotes []string) bool {
	var code []string
	for _, q := range quotes {
		for line := range strings.SplitSeq(q, "\n") {
			if !commentLine(line) {
				code = append(code, strings.ToLower(line))
			}
		}
	}
	text := strings.Join(code, "\n")
	if strings.TrimSpace(text) == "" {
		return false
	}
	names := c.Names()
	named := len(names) == 0 || slices.ContainsFunc(names, func(n string) bool {
		return strings.Contains(text, strings.ToLower(lastPart(n)))
	})
	for _, n := range names {
		text = strings.ReplaceAll(text, strings.ToLower(n), " ")
	}
	for _, stem := range c.behaviour() {
		if len(names) > 0 && !strings.Contains(text, stem) {
			return false
		}
	}
	return named
}

// lastPart is the name itself without package, type or folder.
func lastPart(name string) string {
	i := strings.LastIndexAny(strings.TrimRight(name, "/"), "./:")
	if i >= 0 && i+1 < len(name) {
		return name[i+1:]
	}
	return name
}

// commentLine reports whether a line holds a comment and no code.
func commentLine(line string) bool {
	s := strings.TrimSpace(line)
	for _, mark := range []string{"//", "# ", "/*", "* ", "*/", "-- ", "<!--", ";; ", `"""`} {
		if strings.HasPrefix(s, mark) {
			return true
		}
	}
	return s == "" || s == "#" || s == "*"
}
