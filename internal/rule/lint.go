package rule

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/glob"
)

// Complaint is a reason against a rule, one of the codes of docs/memory.md.
type Complaint struct {
	// Code is the reason in one word, for programs.
	Code string `json:"code"`
	// Key is the field it is about.
	Key string `json:"key"`
	// Msg says what is wrong and what to write instead.
	Msg string `json:"message"`
}

// String returns "key: message".
func (c Complaint) String() string { return c.Key + ": " + c.Msg }

// Lint returns every reason against a rule. files are the tracked files of the
// repository; without any, whether the scope matches one is not asked.
//
// A rule that was learned is saved only without a complaint. One that people
// committed is used in spite of complaints, except for those of Forbidden.
func (r Rule) Lint(files []string) []Complaint {
	cs := r.Forbidden()
	add := func(code, key, msg string) { cs = append(cs, Complaint{code, key, msg}) }
	symbol := namesSymbol(r.Says)
	switch {
	case r.Category == "" && !symbol:
		add("vague", "says", "it names neither a category nor a symbol; say what it is about, or add a category")
	case !symbol && platitude.MatchString(plain(r.Says)):
		add("vague", "says", "it could be said of any code; name what to do or what to leave out")
	case len(strings.Fields(r.Says)) < 3:
		add("vague", "says", "it is too short to act on; write one sentence")
	}
	if m := oneLineOnly.FindString(r.Says); m != "" {
		add("specific", "says", fmt.Sprintf("%q is one place, and lines move; name what it is instead", m))
	}
	if m := onceOnly.FindString(plain(r.Says)); m != "" {
		add("specific", "says", fmt.Sprintf("%q is one occasion, and a rule is for all; dismiss the one defect instead", m))
	}
	if m := oneVariable.FindString(r.Says); m != "" && len(r.Scope) == 1 && !strings.ContainsAny(r.Scope[0], "*?{[") {
		add("specific", "says", fmt.Sprintf("%q in one file is too little for a rule; dismiss the one defect instead", m))
	}
	if who := r.namesPerson(); who != "" {
		add("person", "says", fmt.Sprintf("%q looks like a person; a rule is about code (put an annotation in back-ticks)", who))
	}
	if len(files) > 0 {
		cs = append(cs, r.lintScope(files)...)
	}
	return cs
}

// lintScope looks whether the scope matches a file.
func (r Rule) lintScope(files []string) []Complaint {
	if slices.ContainsFunc(files, func(f string) bool { return glob.Match(r.Scope, f) && r.hasType(f) }) {
		return nil
	}
	msg := fmt.Sprintf("%s matches no file", r.reach())
	for _, g := range r.Scope {
		folder := strings.TrimSuffix(g, "/")
		if slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, folder+"/") }) {
			msg += fmt.Sprintf("; for all of a folder write %s/**", folder)
			break
		}
	}
	return []Complaint{{"scope", "scope", msg}}
}

// Forbidden returns the reasons for which a rule has no effect even when it was
// committed: a text that speaks to the reviewer instead of about code, characters
// that do not show, and a silence without bounds or over what no rule may hide.
func (r Rule) Forbidden() []Complaint {
	var cs []Complaint
	add := func(code, key, msg string) { cs = append(cs, Complaint{code, key, msg}) }
	for _, f := range []struct {
		key, text string
		code      bool // examples of code may hold what a sentence may not
	}{
		{"says", r.Says, false}, {"condition", r.Condition, false}, {"exclusion", r.Exclusion, false}, {"why", r.Why, false},
		{"scope", r.Scope.String(), true}, {"breaks", r.Breaks, true}, {"follows", r.Follows, true},
	} {
		if c := hiddenRune(f.text); c != 0 {
			add("hidden", f.key, fmt.Sprintf("it holds a character that does not show, <U+%04X>; take it out", c))
		}
		if f.code {
			continue
		}
		if m := address.FindString(f.text); m != "" {
			add("url", f.key, fmt.Sprintf("it holds an address, %q; the link belongs into learned", m))
		}
		if m := markup.FindString(f.text); m != "" {
			add("markup", f.key, fmt.Sprintf("it holds markup, %q; write plain words", m))
		}
		if m := instruction(f.text); m != "" {
			add("instruction", f.key, fmt.Sprintf("%q tells the reviewer what to do, and a rule says how code is; rules cannot approve, skip or overrule a review", m))
		}
	}
	if r.Kind == Silence {
		cs = append(cs, r.lintSilence()...)
	}
	return cs
}

// lintSilence looks at what a rule would hide.
func (r Rule) lintSilence() []Complaint {
	switch {
	case r.Category == "":
		return []Complaint{{"unbounded", "category", "a silence rule needs a category: what kind of finding does it hide?"}}
	case finding.Shielded(r.Category, r.Severity, r.Says, r.Condition):
		return []Complaint{{"shielded", "category", "no rule hides findings about security, crashes, lost data or secrets, or of high severity; dismiss the one defect instead"}}
	case slices.Contains(everyCategory, r.Category),
		slices.Contains(wideCategory, r.Category) && r.wholeRepository():
		return []Complaint{{"unbounded", "category", fmt.Sprintf("%s is more than one kind of finding; hide one kind, or choose a narrower scope", r.Category)}}
	}
	return nil
}

// everyCategory are labels that stand for all findings, wideCategory those that
// stand for several kinds.
var (
	everyCategory = []string{"all", "any", "anything", "everything", "every", "review", "finding", "findings", "comment", "comments", "issue", "issues"}
	wideCategory  = []string{
		"bug", "bugs", "code", "code-quality", "correctness", "defect", "error", "errors", "general", "logic", "maintainability",
		"minor", "misc", "nit", "nits", "other", "problem", "quality", "reliability", "robustness", "style", "suggestion", "warning",
	}
)

// wholeRepository reports whether the scope bounds nothing.
func (r Rule) wholeRepository() bool {
	return len(r.FileTypes) == 0 && slices.ContainsFunc(r.Scope, func(g string) bool {
		return strings.Trim(g, "*/") == "" && strings.Contains(g, "**") || path.Clean(g) == "*"
	})
}

var (
	address     = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://\S+|\bwww\.\S+|\bmailto:\S+|\S+@\S+\.[a-z]{2,}\b`)
	markup      = regexp.MustCompile("(?i)<!--|</?(?:a|b|br|code|details|div|img|p|script|span|style|sub|sup|summary)\\b[^>]*>|!?\\[[^\\]]*\\]\\([^)]*\\)|```")
	oneLineOnly = regexp.MustCompile(`(?i)\blines? \d+(?:\s*(?:-|to)\s*\d+)?\b|\b[\w./-]+\.\w+:\d+\b|\bL\d+\b|\b[0-9a-f]{12,40}\b`)
	oneVariable = regexp.MustCompile("(?i)\\b(?:variable|constant|field|parameter|argument) `?[A-Za-z_]\\w*`?")
	onceOnly    = regexp.MustCompile(`\b(?:this time|just this once|for now|in this (?:pr|pull request|change|commit)|for this (?:pr|pull request|change|commit)(?: only)?|(?:pr|pull request) \d+)\b`)
	platitude   = regexp.MustCompile(`\b(?:(?:code|good|high) quality|quality code|clean(?:ly)?(?: code)?|best practices?|good practices?|be careful|take care|readab\w+|maintainab\w+|well (?:written|tested|structured|documented)|good (?:code|names?|style|tests)|simple code|keep it simple|proper(?:ly)?|as usual|common sense)\b`)
)

// plain writes a text in lower case with single blanks and without marks, so
// that a phrase is found however it was typed.
func plain(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(finding.Normalize(s)), func(r rune) bool {
		return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

var symbolLike = regexp.MustCompile("`[^`]+`|\\b[a-z][a-z0-9]*[A-Z]\\w*|\\b[A-Z][a-z0-9]+[A-Z]\\w*|\\b\\w+_\\w+|\\b\\w+\\(\\)|\\b\\w+\\.\\w+(?:\\.\\w+)*\\b|\\w+/\\w+|\\w+::\\w+")

// namesSymbol reports whether a sentence names something of code: an identifier,
// a call, a path, something in back-ticks.
func namesSymbol(s string) bool { return symbolLike.MatchString(s) }

var mention = regexp.MustCompile(`(?:^|[\s(,;:])(@[A-Za-z0-9][\w-]*)`)

// namesPerson returns what looks like a person in the sentence: a mention, or
// one of its teachers.
func (r Rule) namesPerson() string {
	outside := inBackticks.ReplaceAllString(r.Says, " ")
	if m := mention.FindStringSubmatch(outside); m != nil {
		return m[1]
	}
	words := strings.FieldsFunc(strings.ToLower(outside), func(c rune) bool {
		return c != '-' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	for _, who := range r.Teachers() {
		if len(who) > 2 && slices.Contains(words, strings.ToLower(who)) {
			return who
		}
	}
	return ""
}

var inBackticks = regexp.MustCompile("`[^`]*`")

// hiddenRune returns the first character that a reader would not see: marks of
// direction, joiners, tags, variation selectors, private use. 0 for none.
func hiddenRune(s string) rune {
	for _, c := range s {
		switch {
		case c == '\n' || c == '\t':
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c), unicode.Is(unicode.Co, c),
			unicode.Is(unicode.Variation_Selector, c), unicode.Is(unicode.Zl, c), unicode.Is(unicode.Zp, c),
			c == '\u115f', c == '\u1160', c == '\u3164', c == '\uffa0', c == '\u2800', c == unicode.ReplacementChar:
			return c
		}
	}
	return 0
}
