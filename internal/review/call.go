package review

import (
	"context"
	"errors"

	"github.com/crev-ratchet/crev/internal/model"
)

// noModel says why no model is asked, "" when one is.
func (j *job) noModel() string {
	switch {
	case j.in.NoModel != "":
		return j.in.NoModel
	case j.model == nil:
		return "no model configured"
	}
	return ""
}

// complete sends one request within the budget.
func (j *job) complete(ctx context.Context, req model.Request, p payer) (model.Reply, error) {
	j.slots <- struct{}{}
	defer func() { <-j.slots }()
	if d := j.budget.deadline(); !d.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.Sub(j.d.Now()))
		defer cancel()
	}
	t := j.budget.ticket(p.purse)
	req.Admit = t.admit
	reply, err := p.model.Complete(ctx, req)
	var e *model.Error
	if errors.As(err, &e) {
		reply.Usage, reply.Requests = e.Usage, e.Requests
	}
	t.settle(req.Model, reply.Usage, reply.Requests)
	if err != nil {
		j.d.Log.Warn(req.Purpose, "error", j.redact(err.Error()))
		return reply, err
	}
	j.progress(req.Purpose, reply)
	return reply, nil
}

// progress says what a request took and what is left.
func (j *job) progress(purpose string, r model.Reply) {
	attrs := []any{"prompt", r.Usage.Prompt, "completion", r.Usage.Completion}
	tokens, wait := j.budget.left()
	if tokens != "" {
		attrs = append(attrs, "tokens_left", tokens)
	}
	if wait != "" {
		attrs = append(attrs, "time_left", wait)
	}
	j.d.Log.Info(purpose, attrs...)
}

// requestTokens estimates what a request may take, its reply included.
func requestTokens(r model.Request) int {
	n := model.Estimate(r.System) + r.MaxTokens
	for _, m := range r.Messages {
		n += model.Estimate(m.Content)
	}
	return n
}

// failure is the word for a batch that has no answer.
func failure(err error) string {
	var e *model.Error
	var over overBudget
	switch {
	case errors.As(err, &over):
		return string(model.OverBudget)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return deadline
	case errors.As(err, &e):
		return string(e.Failure)
	}
	return "error"
}
