package openai_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/openai"
)

var readFile = model.Tool{
	Name: "read_file", Description: "Reads a file at the head.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"at":{"type":"string"}},"required":["path","at"],"additionalProperties":false}`),
}

func askWithTool(text string) model.Request {
	req := ask(text)
	req.Tools = []model.Tool{readFile}
	return req
}

// looksFirst reads a file where it can, and then answers.
func looksFirst() crevtest.Script {
	return crevtest.Script{Rules: []crevtest.Rule{
		{Lacks: []string{"package rounding"}, Calls: []crevtest.ModelCall{
			{Name: "read_file", Arguments: map[string]any{"path": "a.go"}},
		}},
		{Reply: fit},
	}}
}

// converse runs tools until there is a reply and returns how often it asked.
func converse(t *testing.T, r *rig, req model.Request) (turns int) {
	t.Helper()
	for turns < 5 {
		turns++
		reply, err := r.Complete(t.Context(), req)
		if err != nil {
			t.Fatalf("Complete() = %v", err)
		}
		if len(reply.Calls) == 0 {
			if got := string(reply.JSON); got != fitJSON {
				t.Errorf("Complete() = %s, want %s", got, fitJSON)
			}
			return turns
		}
		if reply.JSON != nil {
			t.Errorf("a reply has calls and JSON %s", reply.JSON)
		}
		req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Calls: reply.Calls})
		for _, c := range reply.Calls {
			if c.Name != "read_file" || string(c.Arguments) != `{"path":"a.go"}` {
				t.Errorf("call %s %s", c.Name, c.Arguments)
			}
			req.Messages = append(req.Messages, model.Message{Role: model.ToolResult, CallID: c.ID, Content: "package rounding"})
		}
	}
	t.Fatalf("no reply after %d turns", turns)
	return turns
}

// On every kind of server a request with tools ends with a reply: after a look
// where the server has tools, without one where it has none.
func TestToolsOnEveryServer(t *testing.T) {
	t.Parallel()
	plain := crevtest.NoSchema
	tests := map[string]struct {
		modes []crevtest.Mode
		turns int
		forms []string // of both conversations
	}{
		"plain":        {nil, 2, []string{"json_schema+", "json_schema+", "json_schema+", "json_schema+"}},
		"vllm":         {[]crevtest.Mode{crevtest.VLLM}, 2, []string{"json_schema+", "json_schema+", "json_schema+", "json_schema+"}},
		"no schema":    {[]crevtest.Mode{plain}, 2, []string{"json_schema+", "tool+", "tool+", "tool+", "tool+"}},
		"gemini":       {[]crevtest.Mode{crevtest.Gemini}, 2, []string{"json_schema+", "tool+", "tool+", "tool+", "tool+"}},
		"no tools":     {[]crevtest.Mode{crevtest.NoTools}, 1, []string{"json_schema+", "json_schema", "json_schema"}},
		"not together": {[]crevtest.Mode{crevtest.ToolsAlone}, 2, []string{"json_schema+", "tool+", "tool+", "tool+", "tool+"}},
		"no schema, no tools": {[]crevtest.Mode{plain, crevtest.NoTools}, 1,
			[]string{"json_schema+", "tool+", "json_object+", "json_object", "tool", "json_object"}},
		"ollama":    {[]crevtest.Mode{crevtest.Ollama}, 2, []string{"json_schema+", "json_schema+", "json_schema+", "json_schema+"}},
		"anthropic": {[]crevtest.Mode{crevtest.Anthropic}, 2, []string{"json_schema+", "json_schema+", "json_schema+", "tool+", "tool+"}},
		"mistral":   {[]crevtest.Mode{crevtest.Mistral}, 2, []string{"json_schema+", "json_schema+", "json_schema+", "json_schema+"}},
		"groq":      {[]crevtest.Mode{crevtest.Groq}, 2, []string{"json_schema+", "tool+", "tool+", "tool+", "tool+"}},
		"deepseek": {[]crevtest.Mode{crevtest.DeepSeek}, 2,
			[]string{"json_schema+", "tool+", "json_object+", "json_object+", "json_object+", "json_object+"}},
		"llama.cpp": {[]crevtest.Mode{crevtest.LlamaCpp}, 1,
			[]string{"json_schema+", "tool+", "json_object+", "json_object", "tool", "json_object"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, looksFirst(), nil, tt.modes...)
			for range 2 {
				if got := converse(t, r, askWithTool("diff")); got != tt.turns {
					t.Errorf("%d turns, want %d", got, tt.turns)
				}
			}
			var forms []string
			for _, q := range r.server.Requests() {
				form := q.Form
				if len(q.Tools) > 0 {
					form += "+"
				}
				forms = append(forms, form)
			}
			if diff := cmp.Diff(tt.forms, forms); diff != "" {
				t.Errorf("forms, + is with tools (-want +got):\n%s", diff)
			}
			if got, want := r.TakesTools(""), tt.turns == 2; got != want {
				t.Errorf("TakesTools() = %v, want %v", got, want)
			}
		})
	}
}

// An endpoint that takes tools and json_schema, but not both, keeps json_schema
// for the requests without tools.
func TestRungBesideToolsIsItsOwn(t *testing.T) {
	t.Parallel()
	r := newRig(t, looksFirst(), nil, crevtest.ToolsAlone)
	converse(t, r, askWithTool("diff"))
	wantReply(t, r, ask("package rounding"))
	forms := r.forms()
	if got := forms[len(forms)-1]; got != "json_schema" {
		t.Errorf("a request without tools is asked as %s, want json_schema", got)
	}
}

func TestToolsInTheBody(t *testing.T) {
	t.Parallel()
	r := newRig(t, looksFirst(), nil)
	converse(t, r, askWithTool("diff"))
	second := r.server.Requests()[1]
	want := []any{
		map[string]any{"role": "system", "content": "You review code."},
		map[string]any{"role": "user", "content": "diff"},
		map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
			"id": "call_1", "type": "function",
			"function": map[string]any{"name": "read_file", "arguments": `{"path":"a.go"}`},
		}}},
		map[string]any{"role": "tool", "tool_call_id": "call_1", "content": "package rounding"},
	}
	if diff := cmp.Diff(want, second.Body["messages"]); diff != "" {
		t.Errorf("messages of the second turn (-want +got):\n%s", diff)
	}
	if !strings.Contains(string(second.Raw), string(readFile.Parameters)) {
		t.Errorf("the parameters were rewritten: %s", second.Raw)
	}
	if _, ok := second.Body["tool_choice"]; ok {
		t.Error("tool_choice is sent where the model may choose")
	}
}

// A conversation that goes on without tools says in words what was found out.
func TestLastTurnWithoutTools(t *testing.T) {
	t.Parallel()
	r := newRig(t, looksFirst(), nil)
	req := askWithTool("diff")
	reply, err := r.Complete(t.Context(), req)
	if err != nil || len(reply.Calls) != 1 {
		t.Fatalf("Complete() = %v, %v; want one call", reply, err)
	}
	req.Messages = append(req.Messages,
		model.Message{Role: model.Assistant, Calls: reply.Calls},
		model.Message{Role: model.ToolResult, CallID: reply.Calls[0].ID, Content: "package rounding"})
	req.Tools = nil
	wantReply(t, r, req)
	last := r.server.Requests()[1]
	if _, ok := last.Body["tools"]; ok || !strings.Contains(last.Text, "Result of read_file:\npackage rounding") {
		t.Errorf("the last request has tools %v and the text %q", ok, last.Text)
	}
}

func TestCallsThatCannotBeRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		call crevtest.ModelCall
		says string
	}{
		"unknown":     {crevtest.ModelCall{Name: "delete_file", Raw: "{}"}, `there is no function "delete_file"`},
		"no object":   {crevtest.ModelCall{Name: "read_file", Raw: `["a.go"]`}, "arguments of read_file are no JSON object"},
		"broken JSON": {crevtest.ModelCall{Name: "read_file", Raw: `{"path":`}, "arguments of read_file are no JSON object"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, crevtest.Script{Rules: []crevtest.Rule{
				{Lacks: []string{"cannot be used"}, Calls: []crevtest.ModelCall{tt.call}}, {Reply: fit},
			}}, nil)
			wantReply(t, r, askWithTool("diff"))
			all := r.server.Requests()
			if len(all) != 2 || !strings.Contains(all[1].Text, tt.says) {
				t.Errorf("%d requests, the last says %q; want 2 and %q", len(all), all[len(all)-1].Text, tt.says)
			}
		})
	}
}

// Some endpoints want fields back with a call that the API does not have. They
// refuse in the middle of a conversation, which goes on in plain words.
func TestToolsThatAreRefusedLater(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"Function call is missing a thought_signature in functionCall parts.",
		"The reasoning_content in the thinking mode must be passed back to the API.",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, crevtest.Script{Rules: []crevtest.Rule{
				{Contains: []string{"package rounding"}, Lacks: []string{"Result of read_file:"}, Status: 400,
					Body: `{"error":{"message":"` + said + `"}}`},
				{Lacks: []string{"package rounding"}, Calls: []crevtest.ModelCall{
					{Name: "read_file", Arguments: map[string]any{"path": "a.go"}}}},
				{Reply: fit},
			}}, nil)
			if got := converse(t, r, askWithTool("diff")); got != 2 {
				t.Errorf("%d turns, want 2", got)
			}
			if r.TakesTools("") || r.Rung("") != openai.StrictSchema {
				t.Errorf("TakesTools() = %v, Rung() = %v; want no tools and the same rung", r.TakesTools(""), r.Rung(""))
			}
		})
	}
}

// Ids join calls with results, so each is given once in a conversation.
func TestIDsOfCallsAreUnique(t *testing.T) {
	t.Parallel()
	call := crevtest.ModelCall{Name: "read_file", Arguments: map[string]any{"path": "a.go"}}
	r := newRig(t, always(crevtest.Rule{Calls: []crevtest.ModelCall{call, call}}), nil)
	req := askWithTool("diff")
	var ids []string
	for range 3 {
		reply, err := r.Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Calls: reply.Calls})
		for _, c := range reply.Calls {
			ids = append(ids, c.ID)
			req.Messages = append(req.Messages, model.Message{Role: model.ToolResult, CallID: c.ID, Content: "x"})
		}
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(ids) != 6 || len(unique) != 6 {
		t.Errorf("ids = %v, want six that differ", ids)
	}
	if got := r.Rung(""); got != openai.StrictSchema {
		t.Errorf("Rung() = %v: calls are no reply that does not fit", got)
	}
}
