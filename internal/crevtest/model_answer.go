package crevtest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// answer is what goes back over the wire.
type answer struct {
	status  int
	headers map[string]string
	// raw is the body where it is no completion.
	raw []byte
	// message and the rest make a completion.
	message map[string]any
	finish  string
	usage   map[string]any
	extra   map[string]any // further top-level fields
	// cut breaks the connection in the middle of the body.
	cut bool
	// hang sends nothing at all.
	hang bool
}

// answer renders a rule in the form that the request asked for.
func (r Rule) answer(req *ModelRequest) *answer {
	if r.Hang {
		return &answer{hang: true}
	}
	if r.Status != 0 {
		return &answer{status: r.Status, headers: withJSON(r.Headers), raw: []byte(r.Body)}
	}
	a := &answer{
		status:  http.StatusOK,
		headers: withJSON(r.Headers),
		message: map[string]any{"role": "assistant", "content": nil},
		finish:  "stop",
		extra:   map[string]any{},
	}
	text := ""
	switch {
	case r.Refusal != "":
		a.message["refusal"] = r.Refusal
	case r.Content != nil:
		text = *r.Content
		a.message["content"] = text
	case len(r.Calls) > 0:
		for _, c := range r.Calls {
			arguments := c.Raw
			if arguments == "" {
				arguments = modelJSON(c.Arguments)
			}
			a.callTool(c.Name, arguments)
			text += arguments
		}
	case req.Form == "tool":
		text = modelJSON(r.Reply)
		tools, _ := req.Body["tools"].([]any)
		a.callTool(toolName(tools[len(tools)-1]), text)
	default:
		text = modelJSON(r.Reply)
		a.message["content"] = text
	}
	if r.Finish != "" {
		a.finish = r.Finish
	}
	usage := ModelUsage{Prompt: req.Tokens, Completion: countTokens(text)}
	if r.Usage != nil {
		usage = *r.Usage
	}
	a.usage = map[string]any{
		"prompt_tokens":             usage.Prompt,
		"completion_tokens":         usage.Completion,
		"total_tokens":              usage.Prompt + usage.Completion,
		"prompt_tokens_details":     map[string]any{"cached_tokens": usage.Cached},
		"completion_tokens_details": map[string]any{"reasoning_tokens": usage.Reasoning},
	}
	return a
}

// callTool answers with one more call.
func (a *answer) callTool(name, arguments string) {
	a.finish = "tool_calls"
	calls, _ := a.message["tool_calls"].([]any)
	a.message["tool_calls"] = append(calls, map[string]any{
		"id":       fmt.Sprintf("call_%d", len(calls)+1),
		"type":     "function",
		"function": map[string]any{"name": name, "arguments": arguments},
	})
}

// modelFault is an error in OpenAI's shape.
func modelFault(status int, message, kind, param, code string) *answer {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	body := map[string]any{"error": map[string]any{
		"message": message, "type": kind, "param": orNull(param), "code": orNull(code),
	}}
	return &answer{status: status, headers: withJSON(nil), raw: []byte(modelJSON(body))}
}

func withJSON(headers map[string]string) map[string]string {
	out := map[string]string{"Content-Type": "application/json"}
	for name, value := range headers {
		out[name] = value
	}
	return out
}

// body renders a completion. Nothing in it varies between two runs.
func (a *answer) body(model any) []byte {
	if a.message == nil {
		return a.raw
	}
	completion := map[string]any{
		"id":      "chatcmpl-1",
		"object":  "chat.completion",
		"created": 1700000000,
		"model":   model,
		"choices": []any{map[string]any{"index": 0, "message": a.message, "finish_reason": a.finish}},
	}
	if a.usage != nil {
		completion["usage"] = a.usage
	}
	for name, value := range a.extra {
		completion[name] = value
	}
	return []byte(modelJSON(completion))
}

func writeAnswer(w http.ResponseWriter, a *answer) {
	for name, value := range a.headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	// A client that has gone away has nothing to read.
	_, _ = w.Write(a.body("scripted"))
}

// cutConnection promises a longer body than it sends.
func cutConnection(w http.ResponseWriter) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic("crevtest: take over a connection: " + err.Error())
	}
	defer conn.Close()
	_, _ = buffered.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4096\r\n\r\n{\"choices\": [")
	_ = buffered.Flush()
}

// countTokens is about what a tokenizer makes of source code.
func countTokens(text string) int { return len(text)*10/38 + 1 }

func modelJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("crevtest: encode an answer: " + err.Error())
	}
	return string(b)
}
