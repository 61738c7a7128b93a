package learn

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/rule"
)

// Case is everything that is known of a reply when it is decided. Code
// established each field; those that came from a model were checked.
type Case struct {
	By       string
	Standing Standing
	Class    Class
	// Injection is true when the reply gives orders to the tool.
	Injection bool
	// Own is true for a person's own comment on the change: it answers
	// nothing of crev's.
	Own bool
	// Explicit is true for `@crev remember`.
	Explicit bool

	// HasDefect says that a comment about a defect is answered; Shielded and
	// Severity are the defect's.
	HasDefect bool
	Shielded  bool
	Severity  finding.Severity
	// About is false_positive, accepted_risk, wont_fix or "".
	About string

	Claims []Checked
	Rules  []RuleCase
}

// RuleCase is one rule that the reply may lead to.
type RuleCase struct {
	Proposal
	// Draft is the record that would be saved.
	Draft rule.Rule
	// Complaints are the lint's reasons against the draft.
	Complaints []rule.Complaint
	// Target is the rule it is about, where Relation is not Unrelated.
	Target   rule.Rule
	Relation Relation
	// Dispute is what the history of the code says of a conflict.
	Dispute expertise.Decision
	// Asked is true when the owners of the rule were asked in this pull request
	// already.
	Asked bool
}

// Decision is what becomes of a reply.
type Decision struct {
	// Outcome and Reason are of the reply as a whole; where it has rules they
	// are those of the first one.
	Outcome Outcome
	Reason  Reason
	Rules   []RuleDecision
	// Dismiss is the kind of dismissal of the defect, "" for none.
	Dismiss string
	// Signal is the kind of an implicit sign, "" for none.
	Signal string
	// React is the reaction to add, "" for none.
	React string
}

// RuleDecision is what becomes of one rule.
type RuleDecision struct {
	RuleCase
	Outcome Outcome
	Reason  Reason
	// Status is what the rule is afterwards.
	Status rule.Status
}

// Reason says in one word why; an answer is made from it. The zero value needs
// no answer.
type Reason string

// The reasons.
const (
	BecauseTaught       Reason = "taught"
	BecauseInjection    Reason = "injection"
	BecauseShield       Reason = "shield"
	BecausePermission   Reason = "permission"
	BecauseContradicted Reason = "contradicted"
	BecauseUnproven     Reason = "unproven"
	BecauseUnchecked    Reason = "unchecked"
	BecauseVague        Reason = "vague"
	BecauseSpecific     Reason = "specific"
	BecauseException    Reason = "exception"
	BecauseConflict     Reason = "conflict"
	BecauseAsked        Reason = "asked"
	BecauseAccepted     Reason = "accepted"
	BecauseWrong        Reason = "wrong"
	BecauseQuestion     Reason = "question"
	BecauseThanks       Reason = "thanks"
	BecausePromise      Reason = "promise"
	BecauseForgotten    Reason = "forgotten"
	BecauseUnknownRule  Reason = "unknown_rule"
	BecauseLint         Reason = "lint"
)

// The kinds of signals.
const (
	SignalBareNo   = "bare_no"
	SignalDisputed = "disputed"
	SignalMissed   = "judge_missed_rule"
)

// Decide says what becomes of a reply. It is a function of the case alone, and
// no field of a case that a model filled can make a rule of a reply that gives
// orders, hide what is shielded, or pass a claim that the code does not bear
// out.
func Decide(c Case) Decision {
	switch {
	case c.Injection || c.Class == Injected:
		return Decision{Outcome: Refuse, Reason: BecauseInjection}
	case !c.Standing.mayTeach():
		return c.fromReader()
	}
	switch c.Class {
	case ThanksFixed:
		return Decision{Outcome: None, Reason: BecauseThanks, React: "+1"}
	case Promise:
		return Decision{Outcome: None, Reason: BecausePromise}
	case Question:
		return Decision{Outcome: None, Reason: BecauseQuestion}
	case BareNo:
		return c.signal(SignalBareNo)
	case AcceptedRisk:
		return c.dismiss("accepted_risk")
	case OneOff:
		return c.oneOff()
	case Forget:
		return c.forget()
	case Teach:
		return c.teach()
	}
	return Decision{Outcome: None}
}

// fromReader is for people who may not write and did not open the pull request:
// at most a signal.
func (c Case) fromReader() Decision {
	switch c.Class {
	case BareNo:
		return c.signal(SignalBareNo)
	case AcceptedRisk, OneOff, Teach:
		return c.signal(SignalDisputed)
	}
	return Decision{Outcome: None}
}

// signal notes a sign about a comment of crev's; about nothing there is none.
func (c Case) signal(kind string) Decision {
	if !c.HasDefect {
		return Decision{Outcome: None}
	}
	return Decision{Outcome: Signal, Signal: kind}
}

// dismiss closes this one defect by decision of a person. What is shielded takes
// the explicit command.
func (c Case) dismiss(kind string) Decision {
	switch {
	case !c.HasDefect:
		return Decision{Outcome: None}
	case c.Shielded:
		return Decision{Outcome: Refuse, Reason: BecauseShield}
	case !c.Standing.mayWrite():
		d := c.signal(SignalDisputed)
		d.Reason = BecausePermission
		return d
	case kind == "accepted_risk":
		return Decision{Outcome: Dismiss, Reason: BecauseAccepted, Dismiss: kind}
	}
	return Decision{Outcome: Dismiss, Reason: BecauseWrong, Dismiss: kind}
}

func (c Case) oneOff() Decision {
	if v, stop := c.falseClaim(); stop {
		return v
	}
	switch c.About {
	case "accepted_risk", "wont_fix":
		return c.dismiss(c.About)
	case "false_positive":
		if c.borneOut() {
			return c.dismiss(c.About)
		}
		return c.signal(SignalDisputed)
	}
	return Decision{Outcome: None}
}

// falseClaim ends a reply whose statement about the code is wrong, or that a
// model calls right without showing it.
func (c Case) falseClaim() (Decision, bool) {
	is := func(v Verdict) bool {
		return slices.ContainsFunc(c.Claims, func(k Checked) bool { return k.Verdict == v })
	}
	switch {
	case is(Contradicted):
		return Decision{Outcome: Pushback, Reason: BecauseContradicted}, true
	case is(Unproven):
		return Decision{Outcome: None, Reason: BecauseUnproven}, true
	}
	return Decision{}, false
}

// borneOut reports whether the reply states a fact and the code shows every one.
func (c Case) borneOut() bool {
	facts := 0
	for _, k := range c.Claims {
		if k.Fact && k.Verdict != Supported {
			return false
		}
		if k.Fact {
			facts++
		}
	}
	return facts > 0
}

// unchecked reports whether the reply rests on a fact that the code does not
// show either way.
func (c Case) unchecked() bool {
	return slices.ContainsFunc(c.Claims, func(k Checked) bool { return k.Fact && k.Verdict == NotCheckable })
}

func (c Case) teach() Decision {
	if v, stop := c.falseClaim(); stop {
		return v
	}
	var d Decision
	for _, r := range c.Rules {
		d.Rules = append(d.Rules, c.rule(r))
	}
	if len(d.Rules) == 0 {
		return c.oneOff()
	}
	d.Outcome, d.Reason = d.Rules[0].Outcome, d.Rules[0].Reason
	for _, r := range d.Rules {
		if r.Outcome == Reinforce && r.Draft.Kind == rule.Silence && c.HasDefect {
			// The judge let a comment through that a rule hides.
			d.Signal = SignalMissed
		}
		saved := r.Outcome == Save || r.Outcome == Update
		if saved && r.Draft.Kind == rule.Silence && c.HasDefect && !c.Shielded && c.Standing.mayWrite() &&
			c.About == "false_positive" && c.borneOut() {
			d.Dismiss = "false_positive"
		}
	}
	return d
}

// rule decides about one rule of a reply.
func (c Case) rule(r RuleCase) RuleDecision {
	out := func(o Outcome, why Reason, s rule.Status) RuleDecision {
		return RuleDecision{RuleCase: r, Outcome: o, Reason: why, Status: s}
	}
	silence := r.Draft.Kind == rule.Silence
	switch {
	case r.ThisChangeOnly && silence:
		return out(None, BecauseException, "")
	case silence && (c.Shielded || r.has("shielded")):
		return out(Refuse, BecauseShield, "")
	case r.has("instruction", "hidden", "url", "markup"):
		return out(Refuse, BecauseInjection, "")
	case c.Own && silence && !c.Explicit:
		// Only an answer to a comment of crev's says which comments are not
		// wanted.
		return out(None, "", "")
	case r.has("specific"):
		return out(None, BecauseSpecific, "")
	case r.has("vague"):
		return out(None, BecauseVague, "")
	case len(r.Complaints) > 0:
		return out(None, BecauseLint, "")
	case r.Relation != Unrelated:
		return c.known(r)
	case !c.Standing.mayWrite():
		return out(Pending, BecausePermission, rule.Pending)
	case silence && c.unchecked() && c.Severity.Rank() >= finding.Medium.Rank():
		return out(Pending, BecauseUnchecked, rule.Pending)
	}
	return out(Save, BecauseTaught, rule.Active)
}

func (r RuleCase) has(codes ...string) bool {
	return slices.ContainsFunc(r.Complaints, func(k rule.Complaint) bool { return slices.Contains(codes, k.Code) })
}

// known decides about a rule that is there already.
func (c Case) known(r RuleCase) RuleDecision {
	out := func(o Outcome, why Reason, s rule.Status) RuleDecision {
		return RuleDecision{RuleCase: r, Outcome: o, Reason: why, Status: s}
	}
	setter := slices.ContainsFunc(r.Target.Teachers(), func(t string) bool { return sameLogin(t, c.By) })
	switch {
	case !c.Standing.mayWrite():
		return out(Signal, BecausePermission, r.Target.Status)
	case r.Relation == Same && r.Target.Status == rule.Active:
		return out(Reinforce, BecauseTaught, rule.Active)
	case r.Relation == Same && r.Target.Status == rule.Pending:
		return out(Reinforce, BecauseTaught, rule.Active)
	case r.Relation == Same:
		return out(Revive, BecauseTaught, rule.Active)
	case !r.Relation.against() || setter:
		return out(Update, BecauseTaught, rule.Active)
	case r.Dispute.Outcome == expertise.Wins:
		return out(Update, BecauseTaught, rule.Active)
	case r.Asked:
		return out(None, BecauseAsked, r.Target.Status)
	}
	return out(Ask, BecauseConflict, r.Target.Status)
}

// forget takes a rule back. Who taught it may; anybody else is a conflict.
func (c Case) forget() Decision {
	if len(c.Rules) == 0 || c.Rules[0].Target.ID == "" {
		return Decision{Outcome: None, Reason: BecauseUnknownRule}
	}
	r := c.Rules[0]
	r.Relation = Contradicts
	d := c.known(r)
	if d.Outcome == Update {
		d.Reason, d.Status = BecauseForgotten, rule.Disabled
	}
	return Decision{Outcome: d.Outcome, Reason: d.Reason, Rules: []RuleDecision{d}}
}
