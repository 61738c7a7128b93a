package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tool is a read-only function that a model may ask for. The caller of the model
// runs it and asks again; nothing here runs anything. An endpoint that has no
// tools gets the request without them, so a prompt must not depend on them: it
// says that tools may be absent.
type Tool struct {
	// Name is letters, digits, "_" and "-", at most 64, and not the name of the
	// request's schema.
	Name string `json:"name"`
	// Description says what the tool does, for the model.
	Description string `json:"description"`
	// Parameters is the JSON Schema of the arguments, an object.
	Parameters json.RawMessage `json:"parameters"`
}

// Call is a model's wish to have a tool run. Arguments is a JSON object that was
// not checked against the tool's parameters: a caller answers bad arguments with
// a result that says so.
type Call struct {
	// ID joins the call and its result. It is unique in a conversation and
	// means nothing.
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Offers reports whether the request has a tool of that name.
func (r Request) Offers(name string) bool {
	return slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == name })
}

// Plain writes calls and their results as ordinary turns, for an endpoint that
// has no tools: what was found out before must not be lost. Turns without calls
// stay as they are. Results of one turn become one message.
func Plain(turns []Message) []Message {
	names := map[string]string{}
	var out []Message
	results := false
	for _, m := range turns {
		joins := results && m.Role == ToolResult
		results = m.Role == ToolResult
		switch {
		case len(m.Calls) > 0:
			text := m.Content
			for _, c := range m.Calls {
				names[c.ID] = c.Name
				text += fmt.Sprintf("\nI asked for %s with %s.", c.Name, c.Arguments)
			}
			m = Message{Role: Assistant, Content: strings.TrimPrefix(text, "\n")}
		case m.Role == ToolResult:
			m = Message{Role: User, Content: "Result of " + names[m.CallID] + ":\n" + m.Content}
		}
		if joins {
			out[len(out)-1].Content += "\n" + m.Content
			continue
		}
		out = append(out, m)
	}
	return out
}

// numbered returns the turns with the ids of calls replaced by their numbers in
// the conversation: endpoints choose them at random.
func numbered(turns []Message) []Message {
	ids := map[string]string{}
	number := func(id string) string {
		if ids[id] == "" {
			ids[id] = strconv.Itoa(len(ids) + 1)
		}
		return ids[id]
	}
	out := slices.Clone(turns)
	for i := range out {
		out[i].Calls = slices.Clone(out[i].Calls)
		for k := range out[i].Calls {
			c := &out[i].Calls[k]
			c.ID, c.Arguments = number(c.ID), sortedJSON(c.Arguments)
		}
		if out[i].CallID != "" {
			out[i].CallID = number(out[i].CallID)
		}
	}
	return out
}
