package openai

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/crev-ratchet/crev/internal/model"
)

// Found is what a probe found out about an endpoint, and what it cost.
type Found struct {
	// Model is the name the endpoint answers under.
	Model string
	// Rung is how it is asked for JSON.
	Rung Rung
	// Tools says what becomes of a request's tools.
	Tools ToolUse
	// Usage and Requests are what the probe took, failures included.
	Usage    model.Usage
	Requests int
}

// ToolUse is what an endpoint and its model do with tools. The zero value is not
// known.
type ToolUse string

const (
	// ToolsCalled: the model called the tool it was told to call.
	ToolsCalled ToolUse = "called"
	// ToolsIgnored: the endpoint took the tool and the model did not call it.
	ToolsIgnored ToolUse = "ignored"
	// ToolsRefused: the endpoint refused the tool.
	ToolsRefused ToolUse = "refused"
)

// mostProbeTokens caps each of the probe's replies. A reasoning model thinks
// before it says one word.
const mostProbeTokens = 2000

// Probe asks the configured model two small questions: one for JSON, one with a
// tool. What it finds out stays with the client. An error is a *model.Error of the
// first question; Found then holds what it cost.
func (c *Client) Probe(ctx context.Context) (Found, error) {
	var found Found
	ask := func(req model.Request) (model.Reply, error) {
		reply, err := c.Complete(ctx, req)
		found.Usage, found.Requests = found.Usage.Plus(reply.Usage), found.Requests+reply.Requests
		if failed, ok := errors.AsType[*model.Error](err); ok {
			found.Usage, found.Requests = found.Usage.Plus(failed.Usage), found.Requests+failed.Requests
		}
		return reply, err
	}
	plain := model.Request{
		Purpose:   "doctor",
		System:    "This is a test of the connection.",
		Messages:  []model.Message{{Role: model.User, Content: `Answer with the word "ready".`}},
		MaxTokens: mostProbeTokens,
		Schema: model.Schema{Name: "probe", JSON: json.RawMessage(
			`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`)},
	}
	reply, err := ask(plain)
	if err != nil {
		return found, err
	}
	found.Model, found.Rung = reply.Model, c.Rung("")

	withTool := plain
	withTool.Messages = []model.Message{{Role: model.User, Content: "Call read_word first, then answer with the word that it returns."}}
	withTool.Tools = []model.Tool{{Name: "read_word", Description: "Returns the word.",
		Parameters: json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)}}
	// A failure here says something about tools only: JSON was fine.
	reply, err = ask(withTool)
	switch {
	case !c.TakesTools(""), err != nil:
		found.Tools = ToolsRefused
	case len(reply.Calls) > 0:
		found.Tools = ToolsCalled
	default:
		found.Tools = ToolsIgnored
	}
	return found, nil
}
