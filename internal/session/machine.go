package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/model"
)

// Status is where a batch is. There is no way back from Done.
type Status string

// The statuses of a batch.
const (
	Pending   Status = "pending"
	Reviewing Status = "reviewing"
	// Completed has a gate result and checkers still to run.
	Completed Status = "completed"
	Done      Status = "done"
)

// Gate is how a batch came through the gate.
type Gate string

// The results of the gate.
const (
	Passed     Gate = "passed"
	Retried    Gate = "retried"
	Forced     Gate = "forced"
	ReusedGate Gate = "reused"
	Unreviewed Gate = "unreviewed"
)

// Result is what the reviewers made of a batch.
type Result struct {
	// Findings is how many there are.
	Findings int `json:"findings"`
	// Verdict is the gate's.
	Verdict gate.Verdict `json:"verdict"`
	// Unreviewed is why the batch has no complete answer: "refused",
	// "budget". Such a batch is not asked again; what was found stays.
	Unreviewed string        `json:"unreviewed,omitempty"`
	Usage      model.Usage   `json:"usage"`
	Elapsed    time.Duration `json:"elapsed"`
}

// CheckResult is what a checker came to.
type CheckResult struct {
	// Failed is why it could not do its work, "" when it did.
	Failed  string        `json:"failed,omitempty"`
	Usage   model.Usage   `json:"usage"`
	Elapsed time.Duration `json:"elapsed"`
}

// Outcome is how a checker ended.
type Outcome string

// The outcomes of a checker.
const (
	Ran     Outcome = "ran"
	Failed  Outcome = "failed"
	Timeout Outcome = "timed_out"
	Skipped Outcome = "skipped"
)

// CheckRecord is one checker that is over with.
type CheckRecord struct {
	Checker string  `json:"checker"`
	Outcome Outcome `json:"outcome"`
	// Reason says why it did not run to its end.
	Reason string `json:"reason,omitempty"`
}

// Kind is what an entry of the journal says.
type Kind string

// The kinds of entries. Claimed is about the session, the others about a batch.
const (
	HandedOut Kind = "handed_out"
	Submitted Kind = "submitted"
	Missing   Kind = "missing"
	Began     Kind = "began"
	Checked   Kind = "checked"
	Late      Kind = "late"
	Resumed   Kind = "resumed"
	Abandoned Kind = "abandoned"
	Claimed   Kind = "claimed"
)

// Entry is one transition.
type Entry struct {
	Kind    Kind      `json:"kind"`
	At      time.Time `json:"at"`
	Batch   string    `json:"batch,omitempty"`
	Checker string    `json:"checker,omitempty"`
	// Reason is set for Abandoned.
	Reason string       `json:"reason,omitempty"`
	Result *Result      `json:"result,omitempty"`
	Check  *CheckResult `json:"check,omitempty"`
	// Step is set for Claimed.
	Step Step `json:"step,omitempty"`
}

// asWritten is the entry as a reader of the journal gets it, so that the state
// here and the state rebuilt there cannot differ.
func (e Entry) asWritten() (Entry, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	var out Entry
	return out, json.Unmarshal(text, &out)
}

// machine is the state of one batch, or of the last checkers.
type machine struct {
	id       string
	status   Status
	checkers []string

	// tries counts results that the gate judged, lost those that never came.
	tries, lost int
	deadline    time.Time

	gate   Gate
	reason string
	result *Result
	// usage and elapsed count every try and every checker; earlier is what
	// they were before the result that was taken.
	usage   model.Usage
	elapsed time.Duration
	earlier struct {
		usage   model.Usage
		elapsed time.Duration
	}
	// checkTries counts the failures of the checker that is next.
	checkTries int
	checks     []CheckRecord
}

func newMachine(id string, status Status, checkers []string) *machine {
	return &machine{id: id, status: status, checkers: checkers}
}

func (m *machine) clone() *machine {
	c := *m
	c.checks = slices.Clone(m.checks)
	return &c
}

// next names the checker that is next, "" when none is.
func (m *machine) next() string {
	if m.status == Completed && len(m.checks) < len(m.checkers) {
		return m.checkers[len(m.checks)]
	}
	return ""
}

// transitions says in which statuses an entry is allowed, and what it does.
// docs/session.md has the table in words.
var transitions = map[Kind]struct {
	from []Status
	do   func(*machine, Entry, Limits)
}{
	HandedOut: {[]Status{Pending}, (*machine).handedOut},
	Submitted: {[]Status{Reviewing}, (*machine).submitted},
	Missing:   {[]Status{Reviewing, Completed}, (*machine).missing},
	Began:     {[]Status{Pending}, (*machine).began},
	Checked:   {[]Status{Completed}, (*machine).checked},
	Late:      {[]Status{Pending, Reviewing, Completed}, (*machine).late},
	Resumed:   {[]Status{Reviewing, Completed}, (*machine).resumed},
	Abandoned: {[]Status{Pending, Reviewing, Completed}, (*machine).abandoned},
}

// apply makes one transition, or refuses it and changes nothing.
func (m *machine) apply(e Entry, l Limits) error {
	t, ok := transitions[e.Kind]
	isLast := m.id == LastID
	switch {
	case !ok:
		return fmt.Errorf("batch %s: unknown entry %q; there are %q", m.id, e.Kind, slices.Sorted(maps.Keys(transitions)))
	case !slices.Contains(t.from, m.status):
		return fmt.Errorf("batch %s: %q is not allowed while it is %s", m.id, e.Kind, m.status)
	case isLast && m.status == Pending && e.Kind != Began && e.Kind != Abandoned, !isLast && e.Kind == Began:
		return fmt.Errorf("batch %s: %q is not for it", m.id, e.Kind)
	case e.Kind == Checked && e.Checker != m.next():
		return fmt.Errorf("batch %s: checker %q is not next, %q is", m.id, e.Checker, m.next())
	case e.Kind == Submitted && e.Result == nil, e.Kind == Checked && e.Check == nil:
		return fmt.Errorf("batch %s: %q without a result", m.id, e.Kind)
	case e.Kind == Abandoned && e.Reason == "":
		return fmt.Errorf("batch %s: %q without a reason", m.id, e.Kind)
	}
	t.do(m, e, l)
	return nil
}

func (m *machine) handedOut(e Entry, l Limits) {
	m.status, m.deadline = Reviewing, after(e.At, l.Review)
}

func (m *machine) submitted(e Entry, l Limits) {
	r := e.Result
	m.tries++
	m.earlier.usage, m.earlier.elapsed = m.usage, m.elapsed
	m.usage, m.elapsed = m.usage.Plus(r.Usage), m.elapsed+r.Elapsed
	switch {
	case r.Unreviewed != "":
		m.complete(Unreviewed, r.Unreviewed, e, l)
	case r.Verdict.Passed && m.tries == 1:
		m.complete(Passed, "", e, l)
	case r.Verdict.Passed:
		m.complete(Retried, "", e, l)
	case m.tries > l.MaxRetries:
		m.complete(Forced, strings.Join(r.Verdict.Reasons, "; "), e, l)
	default:
		m.status, m.deadline = Pending, time.Time{}
	}
}

// complete takes a result, and starts the checkers if they have anything to look
// at.
func (m *machine) complete(g Gate, reason string, e Entry, l Limits) {
	m.gate, m.reason, m.result = g, reason, e.Result
	m.status = Completed
	if g == Unreviewed && e.Result.Findings == 0 {
		m.skipChecks("nothing to check")
	}
	m.settle(e.At, l)
}

// settle ends the machine when no checker is left, else the next one's time
// begins.
func (m *machine) settle(at time.Time, l Limits) {
	m.checkTries = 0
	if len(m.checks) == len(m.checkers) {
		m.finish()
		return
	}
	m.deadline = after(at, l.Check)
}

func (m *machine) skipChecks(reason string) {
	for _, name := range m.checkers[len(m.checks):] {
		m.checks = append(m.checks, CheckRecord{Checker: name, Outcome: Skipped, Reason: reason})
	}
}

func (m *machine) missing(e Entry, l Limits) { m.lose("results missing", e, l) }

// lose goes back to step 1 and clears the checkers. The try that a result was
// taken from is repeated, so that its requests are the same and are not paid for
// again. Where a batch was lost too often, the checker has failed, or the batch
// is unreviewed. The last checkers have no step 1 to go back to.
func (m *machine) lose(reason string, e Entry, l Limits) {
	m.lost++
	switch again := m.lost <= l.MaxLost; {
	case m.id == LastID || m.status == Completed && !again:
		m.checks = append(m.checks, CheckRecord{Checker: m.next(), Outcome: Failed, Reason: reason})
		m.settle(e.At, l)
	case again:
		back := machine{id: m.id, status: Pending, checkers: m.checkers, tries: m.tries, lost: m.lost,
			usage: m.usage, elapsed: m.elapsed}
		if m.status == Completed {
			back.tries, back.usage, back.elapsed = m.tries-1, m.earlier.usage, m.earlier.elapsed
		}
		*m = back
	default:
		m.giveUp(reason)
	}
}

// giveUp ends a batch that has no result.
func (m *machine) giveUp(reason string) {
	m.gate, m.reason = Unreviewed, reason
	m.skipChecks("nothing to check")
	m.finish()
}

func (m *machine) finish() {
	m.status, m.deadline = Done, time.Time{}
}

// began starts the last checkers, or ends them where there are none.
func (m *machine) began(e Entry, l Limits) {
	m.status = Completed
	m.settle(e.At, l)
}

func (m *machine) checked(e Entry, l Limits) {
	m.usage, m.elapsed = m.usage.Plus(e.Check.Usage), m.elapsed+e.Check.Elapsed
	record := CheckRecord{Checker: e.Checker, Outcome: Ran}
	if e.Check.Failed != "" {
		if m.checkTries++; m.checkTries <= l.CheckRetries {
			m.deadline = after(e.At, l.Check)
			return
		}
		record.Outcome, record.Reason = Failed, e.Check.Failed
	}
	m.checks = append(m.checks, record)
	m.settle(e.At, l)
}

func (m *machine) late(e Entry, l Limits) {
	switch m.status {
	case Reviewing:
		m.lose("deadline", e, l)
	case Completed:
		m.checks = append(m.checks, CheckRecord{Checker: m.next(), Outcome: Timeout, Reason: "deadline"})
		m.settle(e.At, l)
	default:
		m.giveUp("deadline")
	}
}

func (m *machine) resumed(e Entry, l Limits) {
	if m.status == Reviewing {
		m.status, m.deadline = Pending, time.Time{}
		return
	}
	m.deadline = after(e.At, l.Check)
}

func (m *machine) abandoned(e Entry, _ Limits) {
	if m.status != Completed && m.id != LastID {
		m.giveUp(e.Reason)
		return
	}
	m.skipChecks(e.Reason)
	m.finish()
}
