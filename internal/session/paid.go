package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/crev-ratchet/crev/internal/model"
)

// Completer answers model requests: the client of an endpoint.
type Completer interface {
	Complete(context.Context, model.Request) (model.Reply, error)
}

// Paid answers requests from the journal where it has the reply, and else asks
// Next and journals what came of it before it returns: a killed run that goes on
// asks the same and pays nothing twice. Several goroutines may use it.
//
// The same request may be asked more than once on purpose: the n-th time that one
// Paid is asked it gets the n-th reply.
type Paid struct {
	journal      *Journal
	batch, scope string
	next         Completer

	mu    sync.Mutex
	asked map[string]int
}

// Paid returns the completer for one scope of requests of a batch, by a name that
// the caller chooses: within it the same request is told apart by its number.
// Requests that belong to no batch have batch ""; a machine that reviews one batch
// has none of those.
func (j *Journal) Paid(batch, scope string, next Completer) *Paid {
	return &Paid{journal: j, batch: batch, scope: scope, next: next, asked: map[string]int{}}
}

// Complete answers one request. Failures that belong to the question (refused, no
// usable output, too long) were paid for and are journaled; those that belong to
// the moment are not. An error that is no *model.Error says that the journal
// cannot be written.
func (p *Paid) Complete(ctx context.Context, req model.Request) (model.Reply, error) {
	key := paidKey{file: batchOf(fileName(p.batch)), scope: p.scope, request: req.Key()}
	p.mu.Lock()
	p.asked[key.request]++
	key.nth = p.asked[key.request]
	p.mu.Unlock()
	if o, ok := p.journal.recall(key); ok {
		return o.result()
	}
	reply, err := p.next.Complete(ctx, req)
	o, final := outcomeOf(reply, err)
	if !final {
		return reply, err
	}
	pay := payment{Scope: key.scope, Key: key.request, Nth: key.nth, Purpose: req.Purpose, outcome: o}
	if err := p.journal.append(p.batch, line{Paid: &pay}); err != nil {
		return model.Reply{}, fmt.Errorf("keep the reply to %s: %w", req.Purpose, err)
	}
	return o.result()
}

// recall returns what a request came to before this process began.
func (j *Journal) recall(k paidKey) (outcome, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	o, ok := j.paid[k]
	return o, ok
}

// paidKey finds a reply. Request is model.Request.Key, which does not depend on
// the random fence.
type paidKey struct {
	file, scope, request string
	nth                  int
}

// payment is a reply as it is stored.
type payment struct {
	Scope   string `json:"scope"`
	Key     string `json:"key"`
	Nth     int    `json:"nth"`
	Purpose string `json:"purpose"`
	outcome
}

// outcome is a reply or a final failure.
type outcome struct {
	Reply   *model.Reply `json:"reply,omitempty"`
	Failure *failure     `json:"failure,omitempty"`
}

// failure is a *model.Error as it is stored.
type failure struct {
	Failure  model.Failure `json:"failure"`
	Status   int           `json:"status,omitempty"`
	Detail   string        `json:"detail"`
	Usage    model.Usage   `json:"usage"`
	Requests int           `json:"requests"`
}

// final are the failures that asking again would not change.
func final(f model.Failure) bool {
	return f == model.Refused || f == model.BadOutput || f == model.TooLong
}

func outcomeOf(reply model.Reply, err error) (o outcome, keep bool) {
	if err == nil {
		// A resumed run gets the reply as it is written. This one has to get
		// the same bytes, because they may become part of the next request.
		var text bytes.Buffer
		if json.Compact(&text, reply.JSON) == nil {
			reply.JSON = text.Bytes()
		}
		return outcome{Reply: &reply}, true
	}
	e, ok := errors.AsType[*model.Error](err)
	if !ok || !final(e.Failure) || e.Cause != nil {
		return outcome{}, false
	}
	return outcome{Failure: &failure{e.Failure, e.Status, e.Detail, e.Usage, e.Requests}}, true
}

func (o outcome) result() (model.Reply, error) {
	if f := o.Failure; f != nil {
		return model.Reply{}, &model.Error{Failure: f.Failure, Status: f.Status, Detail: f.Detail, Usage: f.Usage, Requests: f.Requests}
	}
	return *o.Reply, nil
}

func (p *payment) check() error {
	switch {
	case p.Key == "" || p.Scope == "" || p.Nth < 1:
		return errors.New("a paid reply without key, scope or number")
	case (p.Reply == nil) == (p.Failure == nil):
		return errors.New("want either a reply or a failure")
	case p.Reply != nil && !json.Valid(p.Reply.JSON):
		return errors.New("the paid reply is no JSON")
	case p.Failure != nil && !final(p.Failure.Failure):
		return fmt.Errorf("failure %q is not one that is kept", p.Failure.Failure)
	}
	return nil
}
