package learn

import (
	"regexp"
	"strings"
)

// Verb is what a command asks for. The zero value is no command.
type Verb string

// The verbs.
const (
	Remember   Verb = "remember"
	ForgetRule Verb = "forget"
	DismissIt  Verb = "dismiss"
	Undismiss  Verb = "undismiss"
	Confirm    Verb = "confirm"
)

// Command is an explicit order to crev.
type Command struct {
	Verb Verb
	// Target is the defect of dismiss and undismiss, the rule of confirm, and
	// of forget where it names one.
	Target string
	// Rest is what follows: the reason, or what to remember or forget.
	Rest string
}

var (
	command  = regexp.MustCompile(`(?i)^(?:@crev|/crev)[ \t]+(remember|forget|dismiss|undismiss|confirm)\b[:,]?[ \t]*(.*)$`)
	defectID = regexp.MustCompile(`^D-[0-9a-f]{8}$`)
	ruleID   = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
)

// ParseCommand reads the first command of a cleaned text. A command begins a
// line; its text runs to the end of the comment. Only one counts: one comment
// causes one action.
func ParseCommand(t Text) (Command, bool) {
	lines := strings.Split(t.Said, "\n")
	for i, line := range lines {
		m := command.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rest := strings.TrimSpace(strings.Join(append([]string{m[2]}, lines[i+1:]...), "\n"))
		c := Command{Verb: Verb(strings.ToLower(m[1])), Rest: rest}
		word, after, _ := strings.Cut(strings.ReplaceAll(rest, "\n", " "), " ")
		switch {
		case (c.Verb == DismissIt || c.Verb == Undismiss) && defectID.MatchString(word),
			c.Verb == Confirm && ruleID.MatchString(word),
			c.Verb == ForgetRule && after == "" && ruleID.MatchString(word):
			c.Target, c.Rest = word, strings.TrimSpace(after)
		}
		return c, true
	}
	return Command{}, false
}
