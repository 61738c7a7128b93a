package review

import (
	"context"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/learn"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/rule"
)

// obey carries out a command. What it may do depends on the person, as the API
// knows them, and on nothing in the text.
func (l *learner) obey(ctx context.Context, h heard, c learn.Command) {
	switch c.Verb {
	case learn.Remember:
		h.text.Said = c.Rest
		l.weigh(ctx, h, true)
	case learn.ForgetRule:
		if c.Target == "" {
			h.text.Said = "Forget the rule about this: " + c.Rest
			l.weigh(ctx, h, true)
			return
		}
		l.forget(ctx, h, c.Target)
	case learn.Confirm:
		l.confirm(h, c.Target)
	case learn.DismissIt:
		l.dismiss(h, c)
	case learn.Undismiss:
		l.undismiss(h, c)
	}
}

// outcome ends a command with one outcome and an answer.
func (l *learner) outcome(h heard, o learn.Outcome, why learn.Reason, format string, args ...any) {
	l.record(&h, learn.Decision{Outcome: o, Reason: why}, "")
	l.say(reply{to: h.Said, body: fmt.Sprintf(format, args...)})
}

func (l *learner) forget(ctx context.Context, h heard, id string) {
	c := learn.Case{By: h.By, Standing: h.standing, Class: learn.Forget}
	if r, ok := l.pool.Find(id); ok {
		c.Rules = []learn.RuleCase{{Target: r, Dispute: l.dispute(ctx, h, r), Asked: l.asked(h.PR, id)}}
	}
	l.act(h, learn.Decide(c), c, "")
}

// confirm gives a pending rule effect. Somebody who may write does that.
func (l *learner) confirm(h heard, id string) {
	r, ok := l.pool.Find(id)
	switch {
	case id == "" || !ok:
		l.outcome(h, learn.None, learn.BecauseUnknownRule, "I know no rule of that name; the rules are listed in `%s`.", rule.IndexPath)
	case h.standing < learn.Writer:
		l.outcome(h, learn.Refuse, learn.BecausePermission, "Confirming rule %s takes somebody with write permission.", projection.Code(id))
	case r.Status != rule.Pending:
		l.outcome(h, learn.None, "", "Rule %s is %s already.", projection.Code(id), r.Status)
	default:
		c := learn.Case{By: h.By, Standing: h.standing, Class: learn.Teach}
		d := learn.RuleDecision{RuleCase: learn.RuleCase{Target: r, Relation: learn.Same}, Outcome: learn.Reinforce,
			Reason: learn.BecauseTaught, Status: rule.Active}
		l.act(h, learn.Decision{Outcome: d.Outcome, Reason: d.Reason, Rules: []learn.RuleDecision{d}}, c, "")
	}
}

// dismiss closes one defect by decision of a person with a reason. It makes no
// rule. The author of a pull request does not dismiss what is shielded in it,
// unless he maintains the repository.
func (l *learner) dismiss(h heard, c learn.Command) {
	d := l.named(h, c.Target)
	if d == nil {
		l.outcome(h, learn.None, "", "Which defect? Write `/crev dismiss D-…` with the id at the end of the comment, and a reason.")
		return
	}
	h.defect = d
	own := strings.EqualFold(h.By, h.place.Author)
	switch {
	case !h.standing.MayDismiss(d.Shielded(), own) && h.standing >= learn.Writer:
		l.outcome(h, learn.Refuse, learn.BecausePermission,
			"%s is about security, a crash, data or a secret, or of high severity. Somebody with write permission other than this pull request's author can dismiss it.", d.ID)
	case !h.standing.MayDismiss(d.Shielded(), own):
		l.outcome(h, learn.Refuse, learn.BecausePermission, "Dismissing %s takes somebody with write permission.", d.ID)
	case strings.TrimSpace(c.Rest) == "":
		l.outcome(h, learn.None, "", "Dismissing takes a reason: `/crev dismiss %s` and why.", d.ID)
	case !d.Status.Active():
		l.outcome(h, learn.None, "", "%s is %s already.", d.ID, strings.ReplaceAll(string(d.Status), "_", " "))
	default:
		h.text.Said = c.Rest
		decision := learn.Decision{Outcome: learn.Dismiss, Dismiss: dismissalKind(c.Rest)}
		l.record(&h, decision, "")
		l.say(reply{to: h.Said, dismissed: d.ID, thread: l.threadOf(h.place, d.ID),
			body: fmt.Sprintf("%s is dismissed. It makes no rule; `/crev undismiss %s` with a reason takes it back.", d.ID, d.ID)})
	}
}

// dismissalKind reads the kind from the reason.
func dismissalKind(reason string) string {
	s := strings.ToLower(reason)
	for _, k := range []struct{ word, kind string }{
		{"false positive", "false_positive"}, {"duplicate", "duplicate"}, {"won't fix", "wont_fix"}, {"wontfix", "wont_fix"},
	} {
		if strings.Contains(s, k.word) {
			return k.kind
		}
	}
	return "accepted_risk"
}

// undismiss opens a dismissed defect again.
func (l *learner) undismiss(h heard, c learn.Command) {
	d := l.named(h, c.Target)
	switch {
	case d == nil:
		l.outcome(h, learn.None, "", "Which defect? Write `/crev undismiss D-…` with its id, and a reason.")
	case h.standing < learn.Writer:
		l.outcome(h, learn.Refuse, learn.BecausePermission, "Reopening %s takes somebody with write permission.", d.ID)
	case d.Status != ledger.Waived:
		l.outcome(h, learn.None, "", "%s is not dismissed, it is %s.", d.ID, strings.ReplaceAll(string(d.Status), "_", " "))
	case strings.TrimSpace(c.Rest) == "":
		l.outcome(h, learn.None, "", "Reopening takes a reason: `/crev undismiss %s` and why.", d.ID)
	default:
		h.defect = d
		commit := h.place.Head
		if commit == "" {
			commit = h.place.Base
		}
		l.add(ledger.Event{FP: d.FP, Defect: d.ID, By: h.By, Payload: ledger.Payload{Reopened: &ledger.Reopened{
			Commit: commit, Reason: clipped(c.Rest), Evidence: []string{h.By + " takes the dismissal back, " + h.URL}}}})
		l.outcome(h, learn.None, "", "%s is open again.", d.ID)
	}
}

// named is the defect that a command names, or the one of its thread.
func (l *learner) named(h heard, id string) *ledger.Defect {
	if id == "" {
		return nil
	}
	return l.stateOf(h.PR).Defect(ledger.DefectID(id))
}

func (l *learner) threadOf(p *place, id ledger.DefectID) TalkThread {
	for _, t := range p.Threads {
		if t.Mine && t.Defect == id {
			return t
		}
	}
	return TalkThread{}
}
