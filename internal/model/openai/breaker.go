package openai

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/model"
)

// mostStrikes is how many calls in a row may find the endpoint unavailable before
// it is asked no more. Each has already been retried.
const mostStrikes = 3

// broken is why a model is asked no more.
type broken struct {
	failure model.Failure
	status  int
	detail  string
}

// strike counts a call that ended for the endpoint's sake. What no later call of
// the run can mend (a key, a quota, a name that is not accepted) counts at once.
func (c *Client) strike(name string, e *model.Error) {
	final := e.Failure == model.Unauthorized
	if !final && e.Failure != model.Unavailable || e.Cause != nil {
		return
	}
	c.learn(name, func(t *traits) {
		t.strikes++
		if t.broken == nil && (final || t.strikes >= mostStrikes) {
			t.broken = &broken{e.Failure, e.Status, e.Detail}
			c.cfg.Log.Warn("model endpoint: not asked again in this run", "model", name, "because", e.Detail)
		}
	})
}

// answered forgets the strikes: the endpoint is there.
func (c *Client) answered(name string) {
	c.learn(name, func(t *traits) { t.strikes = 0 })
}

// refuse returns the failure of a call that need not be tried, or nil.
func (t *talk) refuse(known traits) error {
	b := known.broken
	if b == nil {
		return nil
	}
	said := "the endpoint failed before in this run and is not asked again: " + b.detail
	if b.failure == model.Unavailable {
		said = fmt.Sprintf("%d requests in a row had no answer, so the endpoint is not asked again in this run: %s", mostStrikes, b.detail)
	}
	return t.fail(b.failure, b.status, said, nil)
}
