package session

import (
	"slices"
	"time"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/model"
)

// BatchState is one batch as it is now.
type BatchState struct {
	ID     string   `json:"id"`
	Paths  []string `json:"paths"`
	Status Status   `json:"status"`
	// Gate is set when the batch is completed; Reason says why it is forced
	// or unreviewed.
	Gate   Gate   `json:"gate,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Tries counts the results that the gate judged, Lost those that never
	// came.
	Tries int `json:"tries"`
	Lost  int `json:"lost"`
	// Findings is how many the taken result has.
	Findings int           `json:"findings"`
	Usage    model.Usage   `json:"usage"`
	Elapsed  time.Duration `json:"elapsed"`
	Checks   []CheckRecord `json:"checks,omitempty"`
	// Deadline is when the state is taken back; zero is never.
	Deadline time.Time `json:"deadline,omitzero"`
	// Result is the one that was taken, nil for none.
	Result *Result `json:"result,omitempty"`
}

// Snapshot is the whole state, for a log or a comparison.
type Snapshot struct {
	Step Step `json:"step"`
	// Allowed is what may be done next. It is data: nobody derives it from
	// texts.
	Allowed []Move       `json:"allowed"`
	Batches []BatchState `json:"batches"`
	// Last are the checkers of the whole review.
	Last BatchState `json:"last"`
}

// Snapshot returns a copy of the state.
func (s *Session) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

func (s *Session) snapshot() Snapshot {
	out := Snapshot{Step: s.stepNow(), Allowed: s.allowed(), Last: s.last.state(nil)}
	if s.plan.Reused != nil {
		out.Batches = append(out.Batches, BatchState{ID: batch.ReusedID, Paths: slices.Clone(s.plan.Reused.Paths),
			Status: Done, Gate: ReusedGate, Findings: s.plan.Reused.Reviews})
	}
	for i, m := range s.batches {
		out.Batches = append(out.Batches, m.state(s.plan.Batches[i].Paths))
	}
	return out
}

func (m *machine) state(paths []string) BatchState {
	st := BatchState{
		ID: m.id, Paths: slices.Clone(paths), Status: m.status, Gate: m.gate, Reason: m.reason, Tries: m.tries, Lost: m.lost,
		Usage: m.usage, Elapsed: m.elapsed, Checks: slices.Clone(m.checks), Deadline: m.deadline, Result: m.result,
	}
	if m.result != nil {
		st.Findings = m.result.Findings
	}
	return st
}

// Report is what a finished session came to.
type Report struct {
	Batches []BatchState  `json:"batches"`
	Last    []CheckRecord `json:"last,omitempty"`
	Shares  gate.Shares   `json:"shares"`
	// Usage and Elapsed count every try and every checker.
	Usage   model.Usage   `json:"usage"`
	Elapsed time.Duration `json:"elapsed"`
	// Broken are the checkers that failed or were late, once each, in order.
	Broken []string `json:"broken,omitempty"`
}

// Report is step 3. It is refused until every batch and every checker is done.
func (s *Session) Report() (Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.permit(Move{Step: StepReport}); err != nil {
		return Report{}, err
	}
	snap := s.snapshot()
	r := Report{Batches: snap.Batches, Last: snap.Last.Checks}
	for _, b := range append(slices.Clone(snap.Batches), snap.Last) {
		r.Usage, r.Elapsed = r.Usage.Plus(b.Usage), r.Elapsed+b.Elapsed
		for _, c := range b.Checks {
			if (c.Outcome == Failed || c.Outcome == Timeout) && !slices.Contains(r.Broken, c.Checker) {
				r.Broken = append(r.Broken, c.Checker)
			}
		}
	}
	for _, b := range snap.Batches {
		r.Shares.Add(string(b.Gate))
	}
	return r, nil
}
