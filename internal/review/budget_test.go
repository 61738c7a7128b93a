package review

import (
	"strings"
	"sync"
	"testing"

	"github.com/crev-ratchet/crev/internal/model"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	req := model.Request{Model: "m", System: strings.Repeat("word ", 100), MaxTokens: 1000}
	b := newBudget(ModelConfig{MaxTokens: 3000})
	first, err := b.admit(req)
	if err != nil {
		t.Fatal(err)
	}
	if first <= req.MaxTokens {
		t.Fatalf("admit reserves %d tokens, want the prompt and the %d of the reply", first, req.MaxTokens)
	}
	second, err := b.admit(req)
	if err != nil {
		t.Fatal(err)
	}
	// What is under way counts: a third does not fit.
	if _, err := b.admit(req); err == nil || !strings.Contains(err.Error(), "model.max_tokens_per_run") {
		t.Errorf("the third request: %v, want a refusal that names the key", err)
	}
	// What was used for less is free again, and retries count.
	b.settle(first, "m", model.Usage{Prompt: 100, Completion: 10}, 3)
	b.settle(second, "m", model.Usage{}, 1)
	if _, err := b.admit(req); err != nil {
		t.Errorf("after two cheap requests: %v", err)
	}
	if b.requests != 4 || b.used.Prompt != 100 {
		t.Errorf("requests = %d, prompt tokens = %d, want 4 and 100", b.requests, b.used.Prompt)
	}
}

func TestBudgetInMoney(t *testing.T) {
	t.Parallel()
	b := newBudget(ModelConfig{MaxUSD: 1, Prices: map[string]Price{"m": {Prompt: 2, Completion: 8}}})
	for i, want := range []float64{0.5, 1} {
		e, err := b.admit(model.Request{Model: "m"})
		if err != nil {
			t.Fatalf("request %d: %v", i+1, err)
		}
		b.settle(e, "m", model.Usage{Prompt: 50_000, Completion: 50_000}, 1)
		if b.usd != want {
			t.Errorf("after request %d: $%v, want $%v", i+1, b.usd, want)
		}
	}
	if _, err := b.admit(model.Request{Model: "m"}); err == nil || !strings.Contains(err.Error(), "model.max_usd_per_run") {
		t.Errorf("the third request: %v, want a refusal that names the key", err)
	}
}

// Whatever requests run at once, a run reserves no more than it may spend.
func TestBudgetAtOnce(t *testing.T) {
	t.Parallel()
	b := newBudget(ModelConfig{MaxTokens: 50_000})
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			e, err := b.admit(model.Request{Model: "m", MaxTokens: 900})
			if err == nil {
				b.settle(e, "m", model.Usage{Prompt: e}, 1)
			}
		})
	}
	wg.Wait()
	if got := b.used.Prompt + b.used.Completion; got > 50_000 || got < 49_000 || b.reserved != 0 {
		t.Errorf("used %d, reserved %d, want nearly 50,000 and 0", got, b.reserved)
	}
}
