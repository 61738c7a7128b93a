package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// fixedFence stands for the random fence wherever a request has to look the
// same in two runs.
const fixedFence = "FENCE"

// Key names the question: the SHA-256, in hex, of the model's name, the system
// text, the messages, the schema, the token cap and the tools, with the fence
// replaced by a fixed word and the ids of calls by their numbers. Two requests
// with one key ask the same thing; Purpose is not part of it. Recordings are found
// by it (see model/replay).
func (r Request) Key() string {
	r = r.WithoutFence()
	canonical := struct {
		Model     string    `json:"model"`
		System    string    `json:"system"`
		Messages  []Message `json:"messages"`
		Schema    Schema    `json:"schema"`
		MaxTokens int       `json:"max_tokens"`
		Tools     []Tool    `json:"tools,omitempty"`
	}{
		r.Model, r.System, numbered(r.Messages),
		Schema{r.Schema.Name, sortedJSON(r.Schema.JSON)}, r.MaxTokens, slices.Clone(r.Tools),
	}
	for i := range canonical.Tools {
		canonical.Tools[i].Parameters = sortedJSON(canonical.Tools[i].Parameters)
	}

	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(canonical); err != nil {
		panic("model: encode request for its key: " + err.Error())
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}

// WithoutFence returns a copy of the request in which the random fence is
// replaced by the fixed word that Key uses. A request without a fence comes back
// as it is.
func (r Request) WithoutFence() Request {
	if r.Fence == "" {
		return r
	}
	fixed := strings.NewReplacer(r.Fence, fixedFence)
	out := r
	out.System = fixed.Replace(r.System)
	out.Messages = make([]Message, len(r.Messages))
	for i, m := range r.Messages {
		out.Messages[i] = Message{Role: m.Role, Content: fixed.Replace(m.Content), CallID: m.CallID}
		for _, c := range m.Calls {
			// A model may repeat the fence, which is a word without anything
			// that JSON would escape.
			c.Arguments = json.RawMessage(fixed.Replace(string(c.Arguments)))
			out.Messages[i].Calls = append(out.Messages[i].Calls, c)
		}
	}
	out.Fence = ""
	return out
}

// sortedJSON renders raw without white space and with sorted object keys, so that
// reformatting a schema file does not change a key. What is no JSON is kept as a
// JSON string.
func sortedJSON(raw json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("null")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		v = string(raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		panic("model: encode schema for a key: " + err.Error())
	}
	return out
}
