package session

import (
	"fmt"
	"slices"
	"strings"
)

// Step is a stage of the session.
type Step string

// The steps, in their order.
const (
	// StepReady looks whether everything is there.
	StepReady Step = "0"
	// StepHandOut gives a batch to the reviewers.
	StepHandOut Step = "1"
	// StepSubmit takes what they found and asks the gate.
	StepSubmit Step = "2"
	// StepCheck runs the checkers, one by one.
	StepCheck Step = "2.x"
	// StepReport is the end: everything is done.
	StepReport Step = "3"
)

// Move is one thing that may be done.
type Move struct {
	Step    Step   `json:"step"`
	Batch   string `json:"batch,omitempty"`
	Checker string `json:"checker,omitempty"`
}

// String says what is done.
func (m Move) String() string {
	switch m.Step {
	case StepReady:
		return "get ready"
	case StepHandOut:
		return strings.TrimSpace("hand out batch " + m.Batch)
	case StepSubmit:
		return "submit batch " + m.Batch
	case StepCheck:
		return "check batch " + m.Batch + " with " + m.Checker
	case StepReport:
		return "report"
	}
	return "nothing"
}

// OrderError is a move that is not allowed now. The state is unchanged.
type OrderError struct {
	Asked Move
	// Allowed are the moves that are, those of the same batch alone where
	// there are any.
	Allowed []Move
}

// Error names what was asked and what is allowed.
func (e *OrderError) Error() string {
	var allowed []string
	for _, m := range e.Allowed {
		allowed = append(allowed, m.String())
	}
	return fmt.Sprintf("session: cannot %s now; allowed: %s", e.Asked, strings.Join(allowed, ", "))
}

// permit refuses a move that is not among the allowed ones.
func (s *Session) permit(asked Move) error {
	if m := s.machine(asked.Batch); s.ready && m != nil {
		if s.nextOf(m) == asked {
			return nil
		}
	}
	allowed := s.allowed()
	if slices.Contains(allowed, asked) {
		return nil
	}
	e := &OrderError{Asked: asked, Allowed: allowed}
	if own := slices.DeleteFunc(slices.Clone(allowed), func(m Move) bool { return m.Batch != asked.Batch }); len(own) > 0 {
		e.Allowed = own
	}
	return e
}

// Allowed returns what may be done now, in order of the batches. It is never
// empty: at the end it is the report.
func (s *Session) Allowed() []Move {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allowed()
}

// Step returns the earliest step that any batch is at.
func (s *Session) Step() Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stepNow()
}

func (s *Session) allowed() []Move {
	if !s.ready {
		return []Move{{Step: StepReady}}
	}
	var out []Move
	for _, m := range append(slices.Clone(s.batches), s.last) {
		if next := s.nextOf(m); next.Step != StepReport {
			out = append(out, next)
		}
	}
	if len(out) == 0 {
		return []Move{{Step: StepReport}}
	}
	return out
}

// stepOf is the step that one machine is at, StepReport when it is done. The last
// checkers wait for every batch.
func (s *Session) stepOf(m *machine) Step {
	switch {
	case m.status == Completed:
		return StepCheck
	case m.status == Reviewing:
		return StepSubmit
	case m.status == Pending && m != s.last:
		return StepHandOut
	}
	return StepReport
}

// nextOf returns what one machine may do.
func (s *Session) nextOf(m *machine) Move {
	switch step := s.stepOf(m); step {
	case StepReport:
		return Move{Step: step}
	case StepCheck:
		return Move{Step: step, Batch: m.id, Checker: m.next()}
	default:
		return Move{Step: step, Batch: m.id}
	}
}

func (s *Session) stepNow() Step {
	if !s.ready {
		return StepReady
	}
	step := s.stepOf(s.last)
	for _, m := range s.batches {
		step = min(step, s.stepOf(m)) // the names of the steps are in their order
	}
	return step
}
