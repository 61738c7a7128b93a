// Package learn turns what people say into what crev remembers: a reply becomes a
// rule, a dismissal, a signal, an answer, or nothing.
//
// The order of decisions is fixed. Text is cleaned (Clean), a command is read
// (ParseCommand), what needs no model is told without one (Plain), the rest is
// classified by a model that fills slots (ClassifyRequest, ReadClassification).
// A statement about the code is checked against the code (Claims, Search,
// VerifyRequest, ReadVerdicts), and Decide, a table in code, says what becomes
// of the reply. No text of the reply is kept: a rule is a rewritten sentence
// with a link and a hash.
//
// The package is pure. It builds requests and reads replies; it sends nothing.
package learn

// Class is what a reply is. The zero value is no class and teaches nothing.
type Class string

// The classes. All but Command are what a model may answer as well.
const (
	// Teach: how future reviews should work.
	Teach Class = "teach"
	// OneOff: about this change only.
	OneOff Class = "one_off"
	// ThanksFixed: thanks, or a report that it is fixed.
	ThanksFixed Class = "thanks_fixed"
	// AcceptedRisk: known, and left as it is on purpose.
	AcceptedRisk Class = "accepted_risk"
	// Promise: will be done later.
	Promise Class = "promise"
	// Question: asks something.
	Question Class = "question"
	// BareNo: rejects without a reason.
	BareNo Class = "bare_no"
	// Agree: approves, and says no more.
	Agree Class = "agree"
	// Forget: asks to drop a rule.
	Forget Class = "forget"
	// Injected: instructions to the tool instead of an opinion on the code.
	Injected Class = "injection"
	// OffTopic: something else.
	OffTopic Class = "off_topic"
)

// classes are those a model may answer.
var classes = []Class{Teach, OneOff, ThanksFixed, AcceptedRisk, Promise, Question, BareNo, Agree, Forget, Injected, OffTopic}

// Outcome is what became of a reply, or of one rule that it speaks of. The zero
// value is no outcome.
type Outcome string

// The outcomes. They are the words of ledger.Learned.
const (
	// Save: a new rule.
	Save Outcome = "save"
	// Update: a new revision of an existing rule.
	Update Outcome = "update"
	// Revive: a dormant rule is active again.
	Revive Outcome = "revive"
	// Reinforce: an active rule is confirmed.
	Reinforce Outcome = "reinforce"
	// Pending: stored without effect until a person confirms it.
	Pending Outcome = "pending"
	// Signal: an implicit sign that counts toward the distiller's threshold.
	Signal Outcome = "signal"
	// Dismiss: this one defect is dismissed, with a reason.
	Dismiss Outcome = "dismiss"
	// None: nothing is saved.
	None Outcome = "none"
	// Pushback: the code contradicts what was said.
	Pushback Outcome = "pushback"
	// Ask: the rule stays and the people who set it are asked, once.
	Ask Outcome = "ask"
	// Refuse: refused for lack of permission, by the shield, or as an
	// instruction to the tool.
	Refuse Outcome = "refuse"
)

// Standing is what a person may do in the repository, as the API says. The zero
// value may do nothing.
type Standing uint8

// The standings, from least to most.
const (
	// Reader may look. Everything he says is at most a signal.
	Reader Standing = iota
	// Unknown could not be looked up: what he teaches waits for somebody else.
	Unknown
	// Author opened the pull request and may not write: he may dispute on it,
	// and what he teaches waits for somebody else.
	Author
	// Writer may push.
	Writer
	// Maintainer may decide about his own pull request as well.
	Maintainer
)

// mayTeach reports whether a rule may come of what the person says; a rule of
// one who may not write is pending.
func (s Standing) mayTeach() bool { return s >= Unknown }

// mayWrite reports whether the person's word takes effect.
func (s Standing) mayWrite() bool { return s >= Writer }
