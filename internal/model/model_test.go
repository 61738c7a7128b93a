package model_test

import (
	"context"
	"errors"
	"testing"

	"github.com/crev-ratchet/crev/internal/model"
)

func TestError(t *testing.T) {
	t.Parallel()
	err := error(&model.Error{Failure: model.TooLong, Status: 400, Detail: "4096 tokens", Cause: context.Canceled})
	if got, want := err.Error(), "model request context_truncated (HTTP 400): 4096 tokens"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, &model.Error{Failure: model.TooLong}) || errors.Is(err, &model.Error{Failure: model.Refused}) {
		t.Error("errors.Is does not go by the failure")
	}
	if !errors.Is(err, context.Canceled) {
		t.Error("errors.Is does not find the cause")
	}
	err = &model.Error{Failure: model.Refused, Detail: "no"}
	if got, want := err.Error(), "model request refused: no"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestUsagePlus(t *testing.T) {
	t.Parallel()
	a := model.Usage{Prompt: 1, Completion: 2, Cached: 3, Reasoning: 4}
	b := model.Usage{Prompt: 10, Completion: 20, Cached: 30, Reasoning: 40, Estimated: true}
	want := model.Usage{Prompt: 11, Completion: 22, Cached: 33, Reasoning: 44, Estimated: true}
	if got := a.Plus(b); got != want {
		t.Errorf("Plus() = %+v, want %+v", got, want)
	}
}
