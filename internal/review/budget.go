package review

import (
	"fmt"
	"sync"

	"github.com/crev-ratchet/crev/internal/model"
)

// budget bounds what a run spends on the model. It is asked before each request
// and told after it; it never touches tier 0.
type budget struct {
	mu sync.Mutex
	ModelConfig
	// used is what replies reported, reserved what requests under way may
	// still take.
	used     model.Usage
	reserved int
	usd      float64
	requests int
}

func newBudget(c ModelConfig) *budget { return &budget{ModelConfig: c} }

// admit reserves room for a request, or says why there is none. The caller
// settles it.
func (b *budget) admit(r model.Request) (estimate int, err error) {
	estimate = model.Estimate(r.System) + r.MaxTokens
	for _, m := range r.Messages {
		estimate += model.Estimate(m.Content)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if spent := b.used.Prompt + b.used.Completion + b.reserved; b.MaxTokens > 0 && spent+estimate > b.MaxTokens {
		return 0, fmt.Errorf("budget: %d of %d tokens are spent or reserved and the request may take %d; raise model.max_tokens_per_run",
			spent, b.MaxTokens, estimate)
	}
	if b.MaxUSD > 0 && b.usd >= b.MaxUSD {
		return 0, fmt.Errorf("budget: $%.2f of $%.2f are spent; raise model.max_usd_per_run", b.usd, b.MaxUSD)
	}
	b.reserved += estimate
	return estimate, nil
}

// settle replaces a reservation by what was really used.
func (b *budget) settle(estimate int, name string, used model.Usage, requests int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= estimate
	b.used = b.used.Plus(used)
	b.requests += requests
	p := b.Prices[name]
	b.usd += (float64(used.Prompt)*p.Prompt + float64(used.Completion)*p.Completion) / 1e6
}
