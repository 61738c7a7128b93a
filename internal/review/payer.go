package review

import (
	"context"
	"time"

	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/session"
)

// payer is what a batch asks with: a model, and what it may spend.
type payer struct {
	model Model
	purse *purse
	// till is behind the journal, nil where there is none.
	till *till
}

func (p payer) empty() {
	if p.purse != nil {
		p.purse.empty()
	}
}

// till is the model behind a journal: it is asked what the journal does not
// know, unless it is closed.
type till struct {
	Model
	closed bool
}

// Complete asks the model.
func (t *till) Complete(ctx context.Context, req model.Request) (model.Reply, error) {
	if t.closed {
		return model.Reply{}, &model.Error{Failure: model.NotRecorded, Detail: "the session holds no reply to this request"}
	}
	return t.Model.Complete(ctx, req)
}

// payerOf is what a batch asks with. Where the session has a journal, a reply
// that was paid for comes from there.
func (j *job) payerOf(batch string) payer {
	if j.journal == nil {
		return payer{model: j.model}
	}
	t := &till{Model: j.model, closed: j.in.Part == PartCollect}
	return payer{model: j.journal.Paid(batch, "review", t), till: t}
}

// whole is the payer of requests that belong to no batch.
func (j *job) whole() payer {
	if j.journal == nil {
		return payer{model: j.model}
	}
	if j.memo == nil {
		j.memo = j.journal.Paid("", "whole", j.model)
	}
	return payer{model: j.memo}
}

// recall rebuilds what a killed run knew about a batch that answers were given
// for, from the replies that were paid for. The session holds what came of it,
// and that counts; what it has not come to yet goes on from here: a batch whose
// answers were refused with the next try.
func (j *job) recall(ctx context.Context, r *result) error {
	st := j.stateOf(r.batch.ID)
	taken := st.Status == session.Completed || st.Status == session.Done
	if !taken && st.Tries == 0 {
		return nil
	}
	j.prepare(r)
	closed := r.payer.till.closed
	r.payer.till.closed = true
	for range st.Tries {
		j.attempt(ctx, r, time.Time{})
	}
	r.payer.till.closed = closed
	if !taken {
		return nil
	}
	return j.finish(ctx, r)
}

// stateOf is where a batch is in the session.
func (j *job) stateOf(batch string) session.BatchState {
	for _, b := range j.session.Snapshot().Batches {
		if b.ID == batch {
			return b
		}
	}
	return session.BatchState{}
}
