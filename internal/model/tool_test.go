package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/model"
)

// An endpoint without tools gets what was found out as ordinary turns.
func TestPlain(t *testing.T) {
	t.Parallel()
	ask := model.Message{Role: model.User, Content: "diff"}
	call := func(id, path string) model.Call {
		return model.Call{ID: id, Name: "read_file", Arguments: json.RawMessage(`{"path":"` + path + `"}`)}
	}
	result := func(id, text string) model.Message {
		return model.Message{Role: model.ToolResult, CallID: id, Content: text}
	}
	tests := map[string]struct{ turns, want []model.Message }{
		"no turns": {},
		"no calls": {[]model.Message{ask}, []model.Message{ask}},
		"one call": {
			append([]model.Message{ask}, turns("1", "a.go", "package a")...),
			[]model.Message{ask,
				{Role: model.Assistant, Content: `I asked for read_file with {"path":"a.go"}.`},
				{Role: model.User, Content: "Result of read_file:\npackage a"}},
		},
		"two calls at once, and one later": {
			[]model.Message{ask,
				{Role: model.Assistant, Content: "Let me look.", Calls: []model.Call{call("1", "a.go"), call("2", "b.go")}},
				result("2", "package b"), result("1", "package a"),
				{Role: model.Assistant, Calls: []model.Call{call("3", "c.go")}},
				result("3", "package c")},
			[]model.Message{ask,
				{Role: model.Assistant, Content: "Let me look.\nI asked for read_file with {\"path\":\"a.go\"}.\nI asked for read_file with {\"path\":\"b.go\"}."},
				{Role: model.User, Content: "Result of read_file:\npackage b\nResult of read_file:\npackage a"},
				{Role: model.Assistant, Content: `I asked for read_file with {"path":"c.go"}.`},
				{Role: model.User, Content: "Result of read_file:\npackage c"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, model.Plain(tt.turns)); diff != "" {
				t.Errorf("Plain() (-want +got):\n%s", diff)
			}
		})
	}
}
