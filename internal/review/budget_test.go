package review

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crev-ratchet/crev/internal/model"
)

func still() time.Time { return time.Unix(1_780_000_000, 0) }

func TestBudget(t *testing.T) {
	t.Parallel()
	b := newBudget(ModelConfig{MaxTokens: 3000}, still)
	first, second := b.ticket(nil), b.ticket(nil)
	for i, c := range []*ticket{first, second} {
		if err := c.admit(1200); err != nil {
			t.Fatalf("request %d: %v", i+1, err)
		}
	}
	// What is under way counts: a third does not fit.
	err := b.ticket(nil).admit(1200)
	if !errors.As(err, new(overBudget)) || !strings.Contains(err.Error(), "model.max_tokens_per_run") {
		t.Errorf("the third request: %v, want a refusal that names the key", err)
	}
	// A request that is sent again, however often, takes the place of the one
	// that failed; one that is longer needs room for the rest.
	for range 5 {
		if err := first.admit(1200); err != nil {
			t.Errorf("the same request again: %v", err)
		}
	}
	if err := first.admit(1800); err != nil {
		t.Errorf("a repair that fits: %v", err)
	}
	if err := first.admit(1801); err == nil {
		t.Error("a repair that does not fit was admitted")
	}
	// What was used for less is free again, and retries count.
	first.settle("m", model.Usage{Prompt: 100, Completion: 10}, 8)
	second.settle("m", model.Usage{}, 1)
	if err := b.ticket(nil).admit(2800); err != nil {
		t.Errorf("after two cheap calls: %v", err)
	}
	if b.requests != 10 || b.used.Prompt != 100 {
		t.Errorf("requests = %d, prompt tokens = %d, want 10 and 100", b.requests, b.used.Prompt)
	}
}

// A batch whose purse is filled is not stopped by what comes after it.
func TestBudgetPurse(t *testing.T) {
	t.Parallel()
	b := newBudget(ModelConfig{MaxTokens: 10_000}, still)
	p, err := b.fill(6000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.fill(6000); !errors.As(err, new(overBudget)) {
		t.Errorf("a second batch: %v, want a refusal", err)
	}
	other := b.ticket(nil)
	if err := other.admit(4000); err != nil {
		t.Fatalf("a call beside the batch: %v", err)
	}
	inside := b.ticket(p)
	if err := inside.admit(5000); err != nil {
		t.Errorf("a request of the batch within its purse: %v", err)
	}
	if err := inside.admit(6001); err == nil {
		t.Error("a request beyond the purse was admitted though nothing else is left")
	}
	inside.settle("m", model.Usage{Prompt: 2000}, 1)
	other.settle("m", model.Usage{Prompt: 1000}, 1)
	p.empty()
	if b.reserved != 0 {
		t.Errorf("%d tokens stay reserved after all is settled", b.reserved)
	}
}

func TestBudgetLimits(t *testing.T) {
	t.Parallel()
	tenth := .1
	for name, tt := range map[string]struct {
		config ModelConfig
		used   model.Usage
		after  time.Duration
		want   string // part of the refusal, "" for none
	}{
		"money": {config: ModelConfig{MaxUSD: 1, Prices: map[string]Price{"m": {Prompt: 2, Completion: 8}}},
			used: model.Usage{Prompt: 100_000, Completion: 100_000}, want: "model.max_usd_per_run"},
		"money, most of it cached": {config: ModelConfig{MaxUSD: 1, Prices: map[string]Price{"m": {Prompt: 10, Cached: &tenth}}},
			used: model.Usage{Prompt: 100_000, Cached: 99_000}},
		"requests":               {config: ModelConfig{MaxRequests: 1}, want: "model.max_requests_per_run"},
		"time":                   {config: ModelConfig{MaxSeconds: 60}, after: time.Minute, want: "model.max_seconds_per_run"},
		"time that is not over":  {config: ModelConfig{MaxSeconds: 60}, after: 59 * time.Second},
		"no limits, much of all": {used: model.Usage{Prompt: 1 << 40}, after: 1000 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := still()
			b := newBudget(tt.config, func() time.Time { return now })
			c := b.ticket(nil)
			if err := c.admit(10); err != nil {
				t.Fatalf("the first request: %v", err)
			}
			c.settle("m", tt.used, 1)
			now = now.Add(tt.after)
			err := b.ticket(nil).admit(10)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("the second request: %v, want %q in it", err, tt.want)
			}
		})
	}
}

// Whatever requests run at once, a run reserves no more than it may spend.
func TestBudgetAtOnce(t *testing.T) {
	t.Parallel()
	b := newBudget(ModelConfig{MaxTokens: 50_000}, still)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			c := b.ticket(nil)
			if c.admit(900) == nil {
				c.settle("m", model.Usage{Prompt: 900}, 1)
			}
		})
	}
	wg.Wait()
	if b.reserved != 0 || b.used.Prompt > 50_000 || b.used.Prompt < 40_000 {
		t.Errorf("reserved %d and used %d of 50000", b.reserved, b.used.Prompt)
	}
}
