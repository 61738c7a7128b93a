package review

import (
	"fmt"
	"sync"
	"time"

	"github.com/crev-ratchet/crev/internal/model"
)

// budget bounds what a run spends on the model: tokens, requests, seconds and
// money. Every request asks before it is sent, retries and repairs included, and
// tells afterwards what it took. The budget never touches tier 0.
type budget struct {
	ModelConfig
	now   func() time.Time
	began time.Time

	mu sync.Mutex
	// used is what replies reported, reserved what requests under way and
	// batches under way may still take.
	used     model.Usage
	reserved int
	usd      float64
	requests int
}

func newBudget(c ModelConfig, now func() time.Time) *budget {
	return &budget{ModelConfig: c, now: now, began: now()}
}

// deadline is when the run stops asking; zero is never.
func (b *budget) deadline() time.Time {
	if b.MaxSeconds == 0 {
		return time.Time{}
	}
	return b.began.Add(time.Duration(b.MaxSeconds) * time.Second)
}

// overBudget is a refusal of the budget; its text names the key to raise.
type overBudget string

func (o overBudget) Error() string { return "budget: " + string(o) }

// purse is what one batch may spend. It is filled before the first request of
// the batch, so that a batch is not left half read because the money ended.
type purse struct {
	b    *budget
	held int
}

// fill takes tokens out of the budget for a batch. The caller empties the purse.
func (b *budget) fill(tokens int) (*purse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.take(tokens); err != nil {
		return nil, err
	}
	return &purse{b: b, held: tokens}, nil
}

// empty gives back what the batch did not need.
func (p *purse) empty() {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	p.b.reserved -= p.held
	p.held = 0
}

// take reserves tokens, or says which limit is reached. The caller holds the
// lock.
func (b *budget) take(tokens int) error {
	if spent := b.used.Prompt + b.used.Completion + b.reserved; b.MaxTokens > 0 && spent+tokens > b.MaxTokens {
		return overBudget(fmt.Sprintf("%d of %d tokens are spent or reserved and %d more may be needed; raise model.max_tokens_per_run",
			spent, b.MaxTokens, tokens))
	}
	if b.MaxUSD > 0 && b.usd >= b.MaxUSD {
		return overBudget(fmt.Sprintf("$%.2f of $%.2f are spent; raise model.max_usd_per_run", b.usd, b.MaxUSD))
	}
	if b.MaxRequests > 0 && b.requests >= b.MaxRequests {
		return overBudget(fmt.Sprintf("%d requests were sent; raise model.max_requests_per_run", b.requests))
	}
	if d := b.deadline(); !d.IsZero() && !b.now().Before(d) {
		return overBudget(fmt.Sprintf("%d seconds are over; raise model.max_seconds_per_run", b.MaxSeconds))
	}
	b.reserved += tokens
	return nil
}

// ticket is one call of the model: the HTTP requests it takes together.
type ticket struct {
	b        *budget
	purse    *purse
	reserved int
	sent     int
}

// ticket opens a call. purse is nil for a call that belongs to no batch.
func (b *budget) ticket(p *purse) *ticket { return &ticket{b: b, purse: p} }

// admit is asked before each HTTP request with the tokens it may take. What the
// purse still holds is used first. The requests of a call follow one another, and
// one that is sent again has mostly failed and cost nothing, so the largest of
// them is reserved and not their sum: an endpoint that turns requests away must
// not use the budget up.
func (t *ticket) admit(tokens int) error {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	tokens = max(0, tokens-t.reserved)
	held := 0
	if t.purse != nil {
		held = min(t.purse.held, tokens)
	}
	if err := t.b.take(tokens - held); err != nil {
		return err
	}
	if t.purse != nil {
		t.purse.held -= held
	}
	t.reserved += tokens
	t.b.requests++
	t.sent++
	return nil
}

// settle replaces what the call reserved by what it used. sent is how many
// requests it took, where it did not ask for each.
func (t *ticket) settle(name string, used model.Usage, sent int) {
	b := t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= t.reserved
	b.used = b.used.Plus(used)
	b.requests += max(0, sent-t.sent)
	b.usd += b.Prices[name].of(used)
}

// of is the price of a usage in dollars.
func (p Price) of(u model.Usage) float64 {
	cached := p.Prompt
	if p.Cached != nil {
		cached = *p.Cached
	}
	return (float64(u.Prompt-u.Cached)*p.Prompt + float64(u.Cached)*cached + float64(u.Completion)*p.Completion) / 1e6
}

// left says how much of the budget is left, for the progress lines: tokens and
// time, "" where there is no limit.
func (b *budget) left() (tokens, wait string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.MaxTokens > 0 {
		tokens = fmt.Sprint(max(0, b.MaxTokens-b.used.Prompt-b.used.Completion))
	}
	if d := b.deadline(); !d.IsZero() {
		wait = max(0, d.Sub(b.now())).Round(time.Second).String()
	}
	return tokens, wait
}
