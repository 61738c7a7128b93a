package model_test

import (
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/model"
)

// Every failure says what happened and what to do, in words of its own.
func TestSentences(t *testing.T) {
	t.Parallel()
	all := []model.Failure{
		model.Refused, model.TooLong, model.BadOutput, model.Unauthorized, model.Unavailable,
		model.NotRecorded, model.OverBudget, "", "something new",
	}
	seen := map[string]model.Failure{}
	for _, f := range all {
		s := f.Sentence()
		happened, todo, ok := strings.Cut(s, "; ")
		if !ok || happened == "" || todo == "" || strings.HasSuffix(s, ".") || strings.Contains(s, "\n") {
			t.Errorf("%q.Sentence() = %q, want what happened; what to do", f, s)
		}
		if f != "" && strings.Contains(s, string(f)) && strings.Contains(string(f), "_") {
			t.Errorf("%q.Sentence() = %q holds the code word", f, s)
		}
		if other, ok := seen[s]; ok && f != "something new" {
			t.Errorf("%q and %q have one sentence", f, other)
		}
		seen[s] = f
	}
}
