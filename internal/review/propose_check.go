package review

import (
	"context"
	"fmt"
	"io"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/ratchet"
)

// Proposer asks a model for checks of classes that keep coming back. Nothing of
// what it says is written or run outside of a proof.
type Proposer struct {
	Model Model
	// Name is the model's name.
	Name     string
	Redactor *finding.Redactor
	// Rand is the source of fences.
	Rand io.Reader
}

// Propose asks for the check of one class. An error that wraps
// ratchet.ErrNoPattern says that the model sees none.
func (p Proposer) Propose(ctx context.Context, d ledger.Due) (ratchet.Proposal, error) {
	for _, text := range []*string{&d.Code, &d.Detail, &d.Suggestion} {
		*text = p.Redactor.Redact(*text)
	}
	req := ratchet.Request(p.Name, model.Fence(p.Rand, ratchet.Texts(d)...), d)
	reply, err := p.Model.Complete(ctx, req)
	if err != nil {
		return ratchet.Proposal{}, fmt.Errorf("propose a check of %s: %w", d.FP, err)
	}
	return ratchet.Read(reply.JSON)
}
