package review

import (
	"testing"

	"github.com/crev-ratchet/crev/internal/model"
)

func TestExplainReason(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{string(model.Refused), string(model.BadOutput), string(model.OverBudget), deadline, "error"} {
		happened, todo := explainReason(reason)
		if happened == "" || todo == "" || happened == reason {
			t.Errorf("explainReason(%q) = %q, %q; want what happened and what to do", reason, happened, todo)
		}
	}
}
