package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/model"
)

func request() model.Request {
	return model.Request{
		Purpose:   "review/code",
		Model:     "gpt-4.1",
		System:    "You review code between q7k2 fences.",
		Messages:  []model.Message{{Role: model.User, Content: "[begin q7k2 diff]\n+a\n[end q7k2]\n"}},
		Schema:    model.Schema{Name: "review", JSON: json.RawMessage(`{"type":"object","required":["a"]}`)},
		MaxTokens: 900,
		Fence:     "q7k2",
	}
}

// A recording made today must be found by tomorrow's program: if this changes,
// every recording in the world is lost.
func TestKeyIsStable(t *testing.T) {
	t.Parallel()
	const want = "0be1fe1e329ed8d0bda4fda630c22a37db67247f49ce39f417de0cf0e04b5d75"
	if got := request().Key(); got != want {
		t.Errorf("Key() = %s, want %s", got, want)
	}
}

func TestKeyIgnores(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*model.Request){
		"the purpose": func(r *model.Request) { r.Purpose = "judge" },
		"the fence": func(r *model.Request) {
			r.Fence = "zzzz"
			r.System = "You review code between zzzz fences."
			r.Messages = []model.Message{{Role: model.User, Content: "[begin zzzz diff]\n+a\n[end zzzz]\n"}}
		},
		"white space and order in the schema": func(r *model.Request) {
			r.Schema.JSON = json.RawMessage("{ \"required\": [\"a\"],\n \"type\": \"object\" }")
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request()
			change(&r)
			if got, want := r.Key(), request().Key(); got != want {
				t.Errorf("Key() = %s, want %s", got, want)
			}
		})
	}
}

func TestKeyTellsApart(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*model.Request){
		"model":       func(r *model.Request) { r.Model = "other" },
		"system":      func(r *model.Request) { r.System += "." },
		"message":     func(r *model.Request) { r.Messages[0].Content += "+b" },
		"role":        func(r *model.Request) { r.Messages[0].Role = model.Assistant },
		"order":       func(r *model.Request) { r.Messages = append([]model.Message{{Role: model.User}}, r.Messages...) },
		"schema":      func(r *model.Request) { r.Schema.JSON = json.RawMessage(`{"type":"object"}`) },
		"no schema":   func(r *model.Request) { r.Schema.JSON = nil },
		"bad schema":  func(r *model.Request) { r.Schema.JSON = json.RawMessage(`{`) },
		"schema name": func(r *model.Request) { r.Schema.Name = "other" },
		"cap":         func(r *model.Request) { r.MaxTokens = 1 },
		"tool":        func(r *model.Request) { r.Tools = []model.Tool{{Name: "read_file"}} },
		"other tool":  func(r *model.Request) { r.Tools = []model.Tool{{Name: "search"}} },
		"call":        func(r *model.Request) { r.Messages = append(r.Messages, turns("a", "a.go", "x")...) },
		"other call":  func(r *model.Request) { r.Messages = append(r.Messages, turns("a", "b.go", "x")...) },
		"result":      func(r *model.Request) { r.Messages = append(r.Messages, turns("a", "a.go", "y")...) },
	}
	seen := map[string]string{request().Key(): "unchanged"}
	for name, change := range tests {
		r := request()
		change(&r)
		if same, ok := seen[r.Key()]; ok {
			t.Errorf("%s and %s have one key", name, same)
		}
		seen[r.Key()] = name
	}
}

func TestWithoutFenceLeavesTheRequestAlone(t *testing.T) {
	t.Parallel()
	r := request()
	fixed := r.WithoutFence()
	if diff := cmp.Diff(request(), r); diff != "" {
		t.Errorf("WithoutFence changed its receiver (-want +got):\n%s", diff)
	}
	if want := "[begin FENCE diff]\n+a\n[end FENCE]\n"; fixed.Messages[0].Content != want {
		t.Errorf("WithoutFence() has message %q, want %q", fixed.Messages[0].Content, want)
	}
}

// turns are a call and its result.
func turns(id, path, result string) []model.Message {
	return []model.Message{
		{Role: model.Assistant, Calls: []model.Call{{ID: id, Name: "read_file", Arguments: json.RawMessage(`{"path":"` + path + `"}`)}}},
		{Role: model.ToolResult, CallID: id, Content: result},
	}
}

// Endpoints choose the ids of calls at random.
func TestKeyIgnoresTheIDsOfCalls(t *testing.T) {
	t.Parallel()
	key := func(first, second string) string {
		r := request()
		r.Messages = append(r.Messages, turns(first, "a.go", "x")...)
		r.Messages = append(r.Messages, turns(second, "b.go", "y")...)
		return r.Key()
	}
	if key("call_1", "call_2") != key("fZ3kq9", "Ab77") {
		t.Error("the key depends on the ids of calls")
	}
}

func TestWithoutFenceReachesCalls(t *testing.T) {
	t.Parallel()
	r := request()
	r.Messages = append(r.Messages, turns("1", "q7k2", "[begin q7k2 a.go]")...)
	want := turns("1", "FENCE", "[begin FENCE a.go]")
	if diff := cmp.Diff(want, r.WithoutFence().Messages[1:]); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}
