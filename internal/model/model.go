// Package model is what crev asks a language model and what comes back. It does
// not talk to anything: model/openai sends a Request over HTTP and model/replay
// answers it from a recording.
package model

import (
	"encoding/json"
	"fmt"
	"time"
)

// Request is one question to a model. Everything that can vary between two runs
// over the same input (the fence) is named, so that Key does not depend on it.
type Request struct {
	// Purpose says which part of crev asks, for logs, budgets and file names
	// of recordings: "review/code", "judge", "adjudicate".
	Purpose string
	// Model is the model's name as the endpoint knows it.
	Model string
	// System is the fixed instruction: byte-identical for every pull request.
	System string
	// Messages follow the system text. Untrusted text appears only in the
	// last message of a user and in results of tools, inside fences: what a
	// tool read is as untrusted as the change itself, and the caller fences it.
	Messages []Message
	// Tools may be called before the reply. A caller that offers them handles
	// Reply.Calls.
	Tools []Tool
	// Schema is what the reply has to look like.
	Schema Schema
	// MaxTokens caps the reply; 0 leaves it to the endpoint.
	MaxTokens int
	// Fence is the random word that delimits untrusted text in Messages. Key
	// replaces it by a fixed word.
	Fence string
	// Admit is asked before each HTTP request that the call takes, retries and
	// repairs included, with the tokens it may use: the estimated prompt and
	// the reply's cap. An error ends the call as OverBudget. nil admits
	// everything. It is not part of Key.
	Admit func(tokens int) error
}

// Message is one turn of the conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
	// Calls are what an assistant's turn asked for: Reply.Calls as they came.
	// A ToolResult for each of them follows, in any order.
	Calls []Call `json:"calls,omitempty"`
	// CallID is the call that a ToolResult answers.
	CallID string `json:"call_id,omitempty"`
}

// Role says who speaks.
type Role string

// The roles that crev uses besides the system text.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	// ToolResult is what a called tool returned.
	ToolResult Role = "tool"
)

// Schema is a JSON Schema with the name that endpoints ask for. It is written
// in the subset that strict structured output accepts: every property is
// required, optional ones are nullable, additionalProperties is false, there
// are no length or range keywords.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"schema"`
}

// Reply is a model's answer that passed the request's schema, or its wish to
// have tools run first.
type Reply struct {
	// JSON is the validated object; nil when there are Calls.
	JSON json.RawMessage `json:"json,omitempty"`
	// Calls are tools to run, each one of Request.Tools. The caller appends a
	// turn with them and one with each result, and asks again. How often is
	// the caller's to bound: the last time it asks without Tools.
	Calls []Call `json:"calls,omitempty"`
	// Model is the name the endpoint reports, "" when it reports none.
	Model string `json:"model,omitempty"`
	Usage Usage  `json:"usage"`
	// Requests is how many HTTP requests were sent, retries and repairs
	// included.
	Requests int `json:"requests"`
	// Elapsed is the wall time of those requests.
	Elapsed time.Duration `json:"elapsed"`
}

// Usage counts tokens.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
	Cached     int `json:"cached,omitempty"`
	Reasoning  int `json:"reasoning,omitempty"`
	// Estimated is true when the endpoint gave no usage and crev counted
	// bytes instead.
	Estimated bool `json:"estimated,omitempty"`
}

// Plus returns the sum of two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Prompt:     u.Prompt + v.Prompt,
		Completion: u.Completion + v.Completion,
		Cached:     u.Cached + v.Cached,
		Reasoning:  u.Reasoning + v.Reasoning,
		Estimated:  u.Estimated || v.Estimated,
	}
}

// Error is a failed request. Its text never holds a key or an Authorization
// header.
type Error struct {
	Failure Failure
	// Status is the HTTP status, 0 when there was none.
	Status int
	// Detail is what the endpoint said, redacted and cut, and what to do.
	Detail string
	// Usage and Requests are what was paid for nothing.
	Usage    Usage
	Requests int
	// Cause is set when the request was given up for a reason of the caller's:
	// a cancelled context, an exhausted budget. It is not part of the text.
	Cause error
}

// Error returns one line.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("model request %s (HTTP %d): %s", e.Failure, e.Status, e.Detail)
	}
	return fmt.Sprintf("model request %s: %s", e.Failure, e.Detail)
}

// Unwrap returns the caller's reason, so that errors.Is(err, context.Canceled)
// works.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an *Error with the same Failure, so that
// errors.Is(err, &Error{Failure: Refused}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Failure == e.Failure
}
