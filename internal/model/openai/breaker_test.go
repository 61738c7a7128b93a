package openai_test

import (
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/openai"
)

func once(c *openai.Config) { c.MaxRetries = -1 }

// An endpoint that is down is asked a few times, not once for each batch.
func TestEndpointThatIsDown(t *testing.T) {
	t.Parallel()
	r := newRig(t, crevtest.Script{}, once, crevtest.Down)
	for range 3 {
		wantFailure(t, r, ask("diff"), model.Unavailable, "no capacity")
	}
	for range 5 {
		failed := wantFailure(t, r, ask("diff"), model.Unavailable, "not asked again", "no capacity")
		if failed.Requests != 0 || failed.Status != 503 {
			t.Errorf("after the third: %d requests, status %d; want none and 503", failed.Requests, failed.Status)
		}
	}
	if n := len(r.server.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	if n := strings.Count(r.log.String(), "not asked again"); n != 1 {
		t.Errorf("the log says it %d times:\n%s", n, r.log)
	}
	req := ask("diff")
	req.Model = "another"
	wantFailure(t, r, req, model.Unavailable)
	if n := len(r.server.Requests()); n != 4 {
		t.Errorf("another model of the endpoint was asked %d times, want once", n-3)
	}
}

func TestKeyThatIsRefusedIsTriedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Status: 401, Body: `{"error":{"message":"bad key"}}`}), nil)
	wantFailure(t, r, ask("diff"), model.Unauthorized, "bad key")
	wantFailure(t, r, ask("diff"), model.Unauthorized, "bad key", "not asked again")
	if n := len(r.server.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// Faults that come and go, and refusals of single prompts, break nothing.
func TestAnswersBetweenFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rule crevtest.Rule
		want model.Failure
	}{
		"faults":   {crevtest.Rule{Status: 500}, model.Unavailable},
		"refusals": {crevtest.Rule{Refusal: "no"}, model.Refused},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.rule.Contains = []string{"bad"}
			r := newRig(t, crevtest.Script{Rules: []crevtest.Rule{tt.rule, {Reply: fit}}}, once)
			for range 4 {
				wantFailure(t, r, ask("bad"), tt.want)
				wantFailure(t, r, ask("bad"), tt.want)
				wantReply(t, r, ask("good"))
			}
		})
	}
}

// A model that refuses every batch is there all the same.
func TestRefusalsAreNoOutage(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Refusal: "no"}), nil)
	for range 5 {
		wantFailure(t, r, ask("diff"), model.Refused, "the model declined: no")
	}
	if n := len(r.server.Requests()); n != 5 {
		t.Errorf("%d requests, want 5", n)
	}
}
