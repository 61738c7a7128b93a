package review

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/learn"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/rule"
)

// act carries out a decision: events, lessons and what to say.
func (l *learner) act(h heard, d learn.Decision, c learn.Case, rest string) {
	repeated := d.Reason == learn.BecauseVague && l.askedForWords(h)
	h.earlier = l.setBy(h.URL)
	l.record(&h, d, c.Class)
	l.amend(h, d)
	r := reply{to: h.Said, react: d.React}
	if !repeated {
		r.body = learn.Answer(d, c, l.words(h, rest))
	}
	if d.Dismiss != "" {
		r.dismissed, r.thread = h.defect.ID, h.thread
	}
	if r.body != "" {
		r.react = "" // one action a comment
	}
	l.say(r)
}

// say keeps what crev does about a comment; the last version of an edited one
// counts.
func (l *learner) say(r reply) {
	if r.body == "" && r.react == "" && r.dismissed == "" {
		return
	}
	l.replies = append(slices.DeleteFunc(l.replies, func(o reply) bool { return o.to.ID == r.to.ID && o.to.Root == r.to.Root }), r)
}

// askedForWords reports whether somebody was asked for plainer words about this
// comment of crev's before.
func (l *learner) askedForWords(h heard) bool {
	return slices.ContainsFunc(slices.Concat(l.past, l.events), func(e ledger.Event) bool {
		return e.Learned != nil && e.Learned.Reason == string(learn.BecauseVague) && e.PR == h.PR &&
			(h.defect == nil || e.Defect == h.defect.ID)
	})
}

// record writes down what became of a reply: one learned event a rule, or one
// for the reply as a whole, and what it means beside.
func (l *learner) record(h *heard, d learn.Decision, class learn.Class) {
	about := func(p ledger.Payload) ledger.Event {
		e := ledger.Event{By: h.By, Payload: p}
		if h.defect != nil {
			e.FP, e.Defect = h.defect.FP, h.defect.ID
		}
		return e
	}
	learned := func(o learn.Outcome, why learn.Reason, id string) {
		l.add(about(ledger.Payload{Learned: &ledger.Learned{
			Outcome: string(o), Rule: id, From: h.URL, Hash: hash(h.text.Said), Reason: string(why), Key: h.key()}}))
		out := ReplyOutcome{key: h.key(), URL: h.URL, PR: h.PR, By: h.By, Outcome: o, Reason: why, Rule: id}
		if h.defect != nil {
			out.Defect = h.defect.ID
		}
		l.outcomes = append(l.outcomes, out)
	}
	if len(d.Rules) == 0 {
		learned(d.Outcome, d.Reason, "")
	}
	for _, r := range d.Rules {
		learned(r.Outcome, r.Reason, l.teach(h, r))
	}
	if d.Signal != "" {
		l.signal(*h, d.Signal)
	}
	if d.Dismiss != "" && h.defect != nil {
		l.add(about(ledger.Payload{Dismissed: &ledger.Dismissed{
			Kind: d.Dismiss, Reason: cmp.Or(clipped(h.text.Said), "see the comment"), Permission: h.permission, From: h.URL}}))
	}
	l.credit(*h, class)
}

// clipped is a reason for the ledger: the first words of what a person said.
func clipped(s string) string { return cut(strings.Join(strings.Fields(s), " "), maxItem) }

func (l *learner) signal(h heard, kind string) {
	if l.signalled(h, kind) {
		return
	}
	s := &ledger.Signal{Kind: kind, From: h.URL}
	s.Path, _ = l.spot(h)
	e := ledger.Event{By: h.By, Payload: ledger.Payload{Signal: s}}
	if h.defect != nil {
		s.Category = h.defect.Category
		e.FP, e.Defect = h.defect.FP, h.defect.ID
	}
	l.add(e)
}

// credit counts a word of praise or of protest for the rules that shaped the
// comment.
func (l *learner) credit(h heard, class learn.Class) {
	content := ""
	switch class {
	case learn.ThanksFixed, learn.Agree:
		content = "+1"
	case learn.BareNo:
		content = "-1"
	}
	if content == "" || h.defect == nil || h.standing < learn.Author {
		return
	}
	for _, id := range h.shaped {
		l.add(ledger.Event{FP: h.defect.FP, Defect: h.defect.ID, By: h.By, Payload: ledger.Payload{
			Reaction: &ledger.Reaction{Comment: h.ID, Content: content, Count: 1, Rule: id}}})
	}
}

// teach keeps a decision about a rule for the commit, and returns the id of the
// rule that the event names.
func (l *learner) teach(h *heard, r learn.RuleDecision) string {
	id := r.Target.ID
	switch r.Outcome {
	case learn.Save, learn.Pending, learn.Update, learn.Revive, learn.Reinforce:
	default:
		return id
	}
	checkedAt := ""
	if len(r.Draft.Learned) > 0 {
		checkedAt = r.Draft.Learned[0].CheckedAgainst
	}
	le := lesson{key: h.key(), decision: r, rules: l.rulesFor(*h), from: l.lesson(*h, checkedAt)}
	if len(h.earlier) > 0 && (r.Outcome == learn.Save || r.Outcome == learn.Pending) {
		// An edited reply corrects the rule that its first version set.
		le.decision.Target, le.decision.Outcome = h.earlier[0], learn.Update
		h.earlier = h.earlier[1:]
	}
	changed, ok := le.decision.Apply(le.rules, l.pool, le.from)
	if !ok {
		return id
	}
	l.lessons = append(l.lessons, le)
	l.pool = l.pool.With(changed)
	return changed.ID
}

// setBy returns the rules that a comment set, by its link.
func (l *learner) setBy(url string) []rule.Rule {
	return slices.DeleteFunc(l.pool.Rules(), func(r rule.Rule) bool {
		return len(r.Learned) == 0 || r.Learned[0].From != url || r.Status == rule.Disabled
	})
}

// amend takes back the rules that the first version of an edited reply set and
// its new one does not.
func (l *learner) amend(h heard, d learn.Decision) {
	for _, first := range h.earlier {
		if slices.ContainsFunc(d.Rules, func(r learn.RuleDecision) bool { return r.Target.ID == first.ID }) {
			continue
		}
		l.teach(&h, learn.RuleDecision{RuleCase: learn.RuleCase{Target: first}, Outcome: learn.Update, Status: rule.Disabled})
	}
}

// keepMemory commits the events and the rules in one commit and says what
// changed, in a line a rule.
func (l *learner) keepMemory(ctx context.Context) ([]string, error) {
	var memory []string
	build := func(tree fs.FS) (map[string][]byte, error) {
		l.yield(tree)
		files, said, err := l.memoryFiles(ctx, tree)
		memory = said
		return files, err
	}
	if l.in.LedgerMode == LedgerReport || l.d.Forge == nil {
		files, err := build(l.baseTree)
		if err != nil {
			return nil, err
		}
		return memory, l.keepFiles(files)
	}
	where, err := l.d.Conversation.CommitMemory(ctx, l.cfg.Ledger.Branch, l.in.BaseRef, build, "crev: what was learned in run "+l.in.Run)
	if err == nil {
		l.report.LedgerWhere = where
	}
	return memory, err
}

// memoryFiles are the files of the commit on top of a tree: the run file, the
// rules that changed and the index.
func (l *learner) memoryFiles(ctx context.Context, tree fs.FS) (map[string][]byte, []string, error) {
	files := map[string][]byte{}
	if len(l.events) > 0 {
		p, content := l.runFile()
		files[p] = content
		if readme := ledger.Folder + "/README.md"; readText(tree, readme) == nil {
			files[readme] = []byte(ledger.README)
		}
	}
	there, _, err := rule.Load(tree)
	if err != nil {
		return nil, nil, err
	}
	base, _, err := rule.Load(l.baseTree)
	if err != nil {
		return nil, nil, err
	}
	pool := base.Newest(there)
	var memory []string
	for _, le := range l.lessons {
		r, ok := le.decision.Apply(le.rules, pool, le.from)
		if !ok {
			continue
		}
		if _, err := r.Marshal(); err != nil {
			return nil, nil, err
		}
		pool = pool.With(r)
		memory = append(memory, memoryLine(le, r))
	}
	pool, tended := l.tend(ctx, pool)
	memory = append(memory, tended...)
	if len(memory) == 0 {
		return files, nil, nil
	}
	maps.Copy(files, ruleFiles(pool, nil, there))
	return files, memory, nil
}

// memoryLine says what became of a rule, for people who read a summary.
func memoryLine(le lesson, r rule.Rule) string {
	what := map[learn.Outcome]string{learn.Save: "new rule", learn.Pending: "proposed rule", learn.Update: "changed rule",
		learn.Revive: "rule woken", learn.Reinforce: "rule confirmed"}[le.decision.Outcome]
	if r.Status == rule.Disabled {
		what = "rule disabled"
	}
	return what + " " + r.ID + ": " + r.Says + " (" + string(r.Kind) + ", " + r.Scope.String() + "), by " + le.from.By + ", " + le.from.From
}

// words are what answers are written with.
func (l *learner) words(h heard, rest string) learn.Words {
	w := learn.Words{Escape: projection.Line, Code: projection.Code, Rest: rest,
		Link: func(p learn.Place) string {
			if l.in.RepoURL == "" {
				return ""
			}
			return projection.CodeURL(l.in.RepoURL, p.Commit, p.Path, p.Line)
		},
	}
	if h.defect != nil {
		w.Defect = string(h.defect.ID)
	}
	return w
}
