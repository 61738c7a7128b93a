package review

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

// ask is one reviewer's part in one batch: its request, which grows with each
// retry, and the latest answer.
type ask struct {
	reviewer string
	request  model.Request

	findings []finding.Finding
	// earlier are the findings of the answers that were not taken.
	earlier []finding.Finding
	raw     []byte
	err     error
	// usage and elapsed count every try, last is the usage of the latest.
	usage, last model.Usage
	elapsed     time.Duration
}

// asks builds the requests about a batch, one for each reviewer that reads it.
func (j *job) asks(b batch.Batch) []*ask {
	m := j.material(b)
	texts := []string{m.title, m.description, m.uses}
	for _, g := range m.guides {
		texts = append(texts, g.text)
	}
	for _, p := range m.batch.Parts {
		texts = append(texts, numbered(p.Hunks), m.around[p.File.Path()])
	}
	var out []*ask
	for _, r := range j.reviewers {
		if r.reads(b) {
			out = append(out, &ask{reviewer: r.name,
				request: findRequest(r, j.cfg.Model.Name, model.Fence(j.d.Rand, texts...), m)})
		}
	}
	return out
}

// cost estimates, in tokens, what the requests of a batch and the judge of what
// they find may take.
func cost(asks []*ask) int {
	n := 0
	for _, a := range asks {
		n = max(n, requestTokens(a.request))
	}
	return n * (len(asks) + 1)
}

// askAll sends the requests of several reviewers at once.
func (j *job) askAll(ctx context.Context, asks []*ask, p payer) {
	var group errgroup.Group
	for _, a := range asks {
		group.Go(func() error {
			j.send(ctx, a, p)
			return nil
		})
	}
	_ = group.Wait() // no member returns an error; asks carry theirs
}

// send asks one reviewer and reads what it answers.
func (j *job) send(ctx context.Context, a *ask, p payer) {
	reply, err := j.converse(ctx, a.request, p)
	a.last, a.elapsed = reply.Usage, a.elapsed+reply.Elapsed
	a.usage = a.usage.Plus(reply.Usage)
	if a.err = err; err != nil {
		return
	}
	a.raw = reply.JSON
	if a.findings, err = readFindings(reply.JSON, a.reviewer); err != nil {
		a.err = &model.Error{Failure: model.BadOutput, Detail: err.Error()}
	}
}

// again adds to the request why the answer was not taken.
func (a *ask) again(why string) {
	a.earlier = append(a.earlier, a.findings...)
	a.request.Messages = append(a.request.Messages[:1:1],
		model.Message{Role: model.Assistant, Content: string(a.raw)}, model.Message{Role: model.User, Content: why})
}
