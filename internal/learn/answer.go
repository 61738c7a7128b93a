package learn

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/rule"
)

// Words is what an answer is written with.
type Words struct {
	// Escape makes text of a model or a person harmless on one line, Code
	// renders it as code.
	Escape, Code func(string) string
	// Link is the address of a place, "" without a repository on the web.
	Link func(Place) string
	// Defect is the defect that is answered about, "" for none.
	Defect string
	// Rest is, for a question, what a model answered.
	Rest string
	// Where is where the new rule waits, for example the ledger's pull
	// request.
	Where string
}

// Answer is what crev says to a decision: short, once, without the words of the
// reply and without anybody's points. "" says nothing.
func Answer(d Decision, c Case, w Words) string {
	var lines []string
	switch d.Reason {
	case BecauseContradicted:
		return w.pushback(c)
	case BecauseUnproven:
		return "I could not find that in the code, so I have not saved it. Which file and line shows it?"
	case BecauseQuestion:
		return w.Escape(w.Rest)
	case BecauseAccepted:
		lines = append(lines, fmt.Sprintf("Dismissed %s for this change as an accepted risk. It makes no rule: the same in other code is reported.", w.Defect))
	case BecauseWrong:
		lines = append(lines, fmt.Sprintf("Dismissed %s: the comment was wrong, thanks for showing it.", w.Defect))
	}
	if len(d.Rules) == 0 {
		lines = append(lines, w.plain(d.Reason))
	}
	for _, r := range d.Rules {
		lines = append(lines, w.rule(r))
	}
	if d.Outcome == Save && slices.ContainsFunc(c.Claims, func(k Checked) bool { return k.Generated }) {
		lines = append(lines, "To keep generated files out of review altogether, mark them `linguist-generated` in `.gitattributes`.")
	}
	if len(d.Rules) > 0 && d.Dismiss != "" {
		lines = append(lines, fmt.Sprintf("%s is dismissed as a false positive.", w.Defect))
	}
	return strings.TrimSpace(strings.Join(lines, "\n\n"))
}

// plain answers what led to no rule.
func (w Words) plain(why Reason) string {
	switch why {
	case BecauseInjection:
		return "This asks crev itself to do something rather than saying how the code should be reviewed, so nothing was saved. " +
			"What is reviewed at all is decided in `.crev/config.yml`."
	case BecauseShield:
		return w.shield()
	case BecausePermission:
		return "Noted. Dismissing it takes somebody with write permission."
	case BecauseUnknownRule:
		return "I do not know which rule that is. `/crev forget RULE` takes one back; the rules are listed in `.crev/rules.yaml`."
	}
	return ""
}

func (w Words) shield() string {
	if w.Defect == "" {
		return "No rule hides findings about security, crashes, lost data or secrets, or of high severity, so nothing was saved."
	}
	return fmt.Sprintf("No rule or reply hides findings about security, crashes, lost data or secrets, or of high severity, so nothing was saved and %s stays open. "+
		"Somebody with write permission other than this pull request's author can dismiss this one with `/crev dismiss %s` and a reason.", w.Defect, w.Defect)
}

// rule answers about one rule.
func (w Words) rule(d RuleDecision) string {
	says := func(r rule.Rule) string {
		return fmt.Sprintf("%s (%s, %s)", w.Escape(r.Says), r.Kind, w.Code(r.Scope.String()))
	}
	name := w.Code(d.Target.ID)
	switch d.Reason {
	case BecauseShield:
		return w.shield()
	case BecauseInjection:
		return w.plain(BecauseInjection)
	case BecauseException:
		return w.exception(d)
	case BecauseSpecific:
		return "That is about one place only, so it makes no rule."
	case BecauseVague:
		return "What should crev leave out or look for, in which files? With one concrete sentence it can become a rule."
	case BecauseLint:
		return "That cannot become a rule: " + w.Escape(d.Complaints[0].Msg) + "."
	case BecauseConflict:
		return w.ask(d)
	case BecauseForgotten:
		return fmt.Sprintf("Rule %s is disabled. It is kept, and teaching it again brings it back.%s", name, w.Where)
	}
	switch d.Outcome {
	case Save:
		return "Future reviews will take this into account: " + says(d.Draft) + w.Where
	case Pending:
		why := "somebody with write permission confirms it"
		if d.Reason == BecauseUnchecked {
			why = "somebody confirms it, because the code does not show whether it holds"
		}
		return fmt.Sprintf("Noted as a proposal that has no effect until %s with `/crev confirm %s`: %s", why, d.Draft.ID, says(d.Draft)+w.Where)
	case Update:
		return fmt.Sprintf("Rule %s now says: %s", name, says(d.Draft)+w.Where)
	case Revive:
		return fmt.Sprintf("Rule %s is active again: %s", name, says(d.Target)+w.Where)
	case Reinforce:
		if d.Target.Status == rule.Pending {
			return fmt.Sprintf("Rule %s is confirmed: %s", name, says(d.Target)+w.Where)
		}
		return fmt.Sprintf("Rule %s says so already: %s", name, says(d.Target))
	}
	return ""
}

func (w Words) exception(d RuleDecision) string {
	stays := "That would be a quiet exception, so it makes no rule."
	if d.Relation != Unrelated {
		stays = fmt.Sprintf("Rule %s stays as it is; there are no quiet exceptions for one pull request.", w.Code(d.Target.ID))
	}
	if w.Defect == "" {
		return stays
	}
	return fmt.Sprintf("%s This one can be dismissed with `/crev dismiss %s` and a reason.", stays, w.Defect)
}

var login = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}$`)

// ask asks the people who set the rule, by name. Their points are nobody's
// business.
func (w Words) ask(d RuleDecision) string {
	var who []string
	for _, o := range d.Dispute.Ask {
		if login.MatchString(o) {
			who = append(who, "@"+o)
		}
	}
	s := fmt.Sprintf("This is at odds with rule %s: %s. The rule stays for now.", w.Code(d.Target.ID), w.Escape(strings.TrimRight(d.Target.Says, ".")))
	if len(who) == 0 {
		return s
	}
	return fmt.Sprintf("%s %s, you set it: does it still hold?", s, strings.Join(who, " and "))
}

// pushback shows the code that contradicts the reply.
func (w Words) pushback(c Case) string {
	for _, k := range c.Claims {
		if k.Verdict != Contradicted {
			continue
		}
		if k.Generated && len(k.Places) == 0 {
			return "The file has no header of generated code, so crev takes it for hand-written and saved nothing."
		}
		s := "The code says otherwise, so nothing was saved:"
		for _, p := range k.Places[:min(len(k.Places), 3)] {
			at := fmt.Sprintf("%s:%d", p.Path, p.Line)
			if link := w.Link(p); link != "" {
				at = fmt.Sprintf("[%s](%s)", w.Escape(at), link)
			} else {
				at = w.Code(at)
			}
			s += fmt.Sprintf("\n- %s: %s", at, w.Code(strings.TrimSpace(p.Text)))
		}
		return s
	}
	return ""
}
