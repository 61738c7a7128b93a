// Package session says what a review may do next. It is a compiled state
// machine outside of any model: it hands out batches, takes results, decides by
// the gate's verdict whether a batch is asked again, and walks through the
// checkers in their order. What is out of order is refused, and every state has
// a retry limit, a deadline and an end.
//
// A session has no clock, sends nothing and starts nothing; the caller tells it
// the time. Its journal (see Open) is an append-only record from which a killed
// review goes on where it stopped, without paying a model twice.
// docs/session.md has the states, the transitions and the format.
package session

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Limits bound every state. The zero value of a duration is no deadline. In JSON
// durations are nanoseconds.
type Limits struct {
	// MaxRetries is how often a batch is asked again after the gate refused
	// its result; then the result is taken as forced.
	MaxRetries int `json:"max_retries"`
	// MaxLost is how often a batch is handed out again because its result or
	// a checker's was missing or late, and how often step 0 may fail; then
	// the batch is unreviewed.
	MaxLost int `json:"max_lost"`
	// CheckRetries is how often a failed checker is tried again.
	CheckRetries int `json:"check_retries"`
	// Run is how long the session may take from New or Resume; a batch that
	// was not handed out by then is unreviewed.
	Run time.Duration `json:"run"`
	// Review is how long a batch may be under review, each time.
	Review time.Duration `json:"review"`
	// Check is how long one checker may take for one batch, each time.
	Check time.Duration `json:"check"`
}

// DefaultLimits are three retries of the gate (R-126 of the article the machine
// comes from), and deadlines that only a run which hangs meets.
var DefaultLimits = Limits{
	MaxRetries: 3, MaxLost: 3, CheckRetries: 1,
	Run: 3 * time.Hour, Review: time.Hour, Check: 30 * time.Minute,
}

// Log is where a transition is written before it counts.
type Log interface {
	Append(Entry) error
}

// Session is one review on its way. Several goroutines may use it.
type Session struct {
	mu     sync.Mutex
	plan   Plan
	limits Limits
	log    Log
	ready  bool
	// notReady counts how often step 0 failed.
	notReady int
	// until is when batches that nobody took are given up.
	until   time.Time
	batches []*machine
	last    *machine
	// claimed is the step that the log was told last, corrected what that was
	// wrong about.
	claimed   Step
	corrected string
}

// New starts a session at step 0. Transitions are written to log; nil keeps them
// in memory alone.
func New(p Plan, l Limits, log Log, now time.Time) (*Session, error) {
	return Restore(p, l, log, nil, now)
}

// Restore rebuilds a session from the entries of its journal: those of one batch
// in their order, batches in any order. A session with entries goes on after
// Resume. An entry that its state does not allow is an error. Step 0 is not
// journaled, because the environment of a killed run says nothing about this one.
func Restore(p Plan, l Limits, log Log, entries []Entry, now time.Time) (*Session, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &Session{plan: p, limits: l, log: log, claimed: StepReady, until: after(now, l.Run)}
	for _, b := range p.Batches {
		s.batches = append(s.batches, newMachine(b.ID, Pending, p.checkers(EachBatch)))
	}
	s.last = newMachine(LastID, Pending, p.checkers(LastBatch))
	// The last checkers begin when the batches are done, so they come last.
	for _, last := range []bool{false, true} {
		for _, e := range entries {
			if e.Kind == Claimed {
				s.claimed = e.Step
				continue
			}
			if (e.Batch == LastID) != last {
				continue
			}
			m := s.machine(e.Batch)
			if m == nil {
				return nil, fmt.Errorf("restore session: an entry is about batch %q, which the plan does not have", e.Batch)
			}
			if err := m.apply(e, l); err != nil {
				return nil, fmt.Errorf("restore session: %w", err)
			}
		}
	}
	s.ready = true
	if step := s.stepNow(); s.claimed != StepReady && s.claimed != step {
		s.corrected = fmt.Sprintf("the session was recorded at step %s, its batches are at step %s; the batches count", s.claimed, step)
	}
	s.ready = false
	return s, nil
}

// Corrected says where the recorded step of the session differed from the state
// of its batches, which wins; "" when the two agreed. A run that was killed
// between the two leaves such a difference.
func (s *Session) Corrected() string { return s.corrected }

// Ready is step 0: the caller has looked whether the model, the tools and the
// permissions are there, and passes what is missing. After MaxLost failures more
// than one every batch is unreviewed, and the session can be reported.
func (s *Session) Ready(environment error, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.permit(Move{Step: StepReady}); err != nil {
		return err
	}
	if environment == nil {
		s.ready = true
		return s.advance(now)
	}
	if s.notReady++; s.notReady > s.limits.MaxLost {
		s.ready = true
		if err := s.abandon("environment", now); err != nil {
			return err
		}
	}
	return fmt.Errorf("session not ready: %w", environment)
}

// Task is a batch to review.
type Task struct {
	Batch string
	// Paths are the files of the batch.
	Paths []string
	// Try counts from 1.
	Try int
	// Deadline is when the batch is taken back; zero is never.
	Deadline time.Time
}

// HandOut is step 1: it returns the next batch to review, and false when there is
// none now. Several batches may be out at once.
func (s *Session) HandOut(now time.Time) (Task, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready {
		return Task{}, false, s.permit(Move{Step: StepHandOut})
	}
	i := slices.IndexFunc(s.batches, func(m *machine) bool { return m.status == Pending })
	if i < 0 {
		return Task{}, false, nil
	}
	m := s.batches[i]
	if err := s.write(m, Entry{Kind: HandedOut, At: now}); err != nil {
		return Task{}, false, err
	}
	return Task{
		Batch: m.id, Paths: slices.Clone(s.plan.Batches[i].Paths), Try: m.tries + 1, Deadline: m.deadline,
	}, true, s.advance(now)
}

// Submit is step 2: the result of a batch that was handed out. A nil result says
// that there is none: the batch is handed out again. Next is what the batch may
// do now.
func (s *Session) Submit(batch string, r *Result, now time.Time) (Move, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.permit(Move{Step: StepSubmit, Batch: batch}); err != nil {
		return Move{}, err
	}
	m := s.machine(batch)
	e := Entry{Kind: Submitted, At: now, Result: r}
	if r == nil {
		e = Entry{Kind: Missing, At: now}
	}
	return s.step(m, e, now)
}

// Check is step 2.x: what one checker came to about a batch, or about the whole
// review with LastID. A nil result says that there is none: the state of the
// batch's checkers is cleared, and it is handed out again; a last checker has
// failed.
func (s *Session) Check(batch, checker string, r *CheckResult, now time.Time) (Move, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.permit(Move{Step: StepCheck, Batch: batch, Checker: checker}); err != nil {
		return Move{}, err
	}
	m := s.machine(batch)
	e := Entry{Kind: Checked, At: now, Checker: checker, Check: r}
	if r == nil {
		e = Entry{Kind: Missing, At: now}
	}
	return s.step(m, e, now)
}

// Expired is a deadline that passed.
type Expired struct {
	Batch string
	// Checker is the one that was late, "" for the reviewers.
	Checker string
	// To is what the batch is now.
	To Status
}

// Expire takes back what is past its deadline: a batch is handed out again or is
// unreviewed, a checker is recorded as late and the next one goes on.
func (s *Session) Expire(now time.Time) ([]Expired, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Expired
	for _, m := range append(slices.Clone(s.batches), s.last) {
		deadline := m.deadline
		if m.status == Pending && m != s.last {
			deadline = s.until
		}
		if deadline.IsZero() || !now.After(deadline) || m.status == Done {
			continue
		}
		checker := m.next()
		if err := s.write(m, Entry{Kind: Late, At: now}); err != nil {
			return out, err
		}
		out = append(out, Expired{Batch: m.id, Checker: checker, To: m.status})
	}
	return out, s.advance(now)
}

// Resume goes on after a restart: batches that were out are handed out again, and
// deadlines begin anew. That costs none of the retries.
func (s *Session) Resume(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = after(now, s.limits.Run)
	for _, m := range append(slices.Clone(s.batches), s.last) {
		if m.status != Reviewing && m.status != Completed {
			continue
		}
		if err := s.write(m, Entry{Kind: Resumed, At: now}); err != nil {
			return err
		}
	}
	return s.advance(now)
}

// Abandon ends the session for a reason such as "deadline": every batch that has no
// result is unreviewed, and every checker that did not run is skipped. What is
// under review is lost, so call it when nothing is; a batch that could not be paid
// for is submitted as unreviewed instead.
func (s *Session) Abandon(reason string, now time.Time) error {
	if reason == "" {
		return errors.New("abandon session: no reason given")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.abandon(reason, now)
}

func (s *Session) abandon(reason string, now time.Time) error {
	for _, m := range append(slices.Clone(s.batches), s.last) {
		if m.status == Done {
			continue
		}
		if err := s.write(m, Entry{Kind: Abandoned, At: now, Reason: reason}); err != nil {
			return err
		}
	}
	return s.advance(now)
}

// step writes an entry and returns what the machine may do next.
func (s *Session) step(m *machine, e Entry, now time.Time) (Move, error) {
	if err := s.write(m, e); err != nil {
		return Move{}, err
	}
	if err := s.advance(now); err != nil {
		return Move{}, err
	}
	return s.nextOf(m), nil
}

// write makes a transition durable and then true. An entry that cannot be
// written or is not allowed changes nothing.
func (s *Session) write(m *machine, e Entry) error {
	e.Batch = m.id
	e.At = e.At.UTC()
	e, err := e.asWritten()
	if err != nil {
		return fmt.Errorf("batch %s: %w", m.id, err)
	}
	trial := m.clone()
	if err := trial.apply(e, s.limits); err != nil {
		return err
	}
	if s.log != nil {
		if err := s.log.Append(e); err != nil {
			return err
		}
	}
	*m = *trial
	return nil
}

// advance begins the last checkers when every batch is done, and tells the log
// what step the session is at.
func (s *Session) advance(now time.Time) error {
	if s.last.status == Pending && !slices.ContainsFunc(s.batches, func(m *machine) bool { return m.status != Done }) {
		if err := s.write(s.last, Entry{Kind: Began, At: now}); err != nil {
			return err
		}
	}
	if step := s.stepNow(); step != s.claimed && s.log != nil {
		if err := s.log.Append(Entry{Kind: Claimed, At: now.UTC(), Step: step}); err != nil {
			return err
		}
		s.claimed = step
	}
	return nil
}

func (s *Session) machine(id string) *machine {
	if id == LastID {
		return s.last
	}
	for _, m := range s.batches {
		if m.id == id {
			return m
		}
	}
	return nil
}

// after is a deadline, zero for none.
func after(now time.Time, d time.Duration) time.Time {
	if d <= 0 {
		return time.Time{}
	}
	return now.UTC().Add(d)
}
