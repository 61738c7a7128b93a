package openai

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"

	"github.com/crev-ratchet/crev/internal/model"
)

// turn is one message in the library's shape.
func turn(m model.Message) openai.ChatCompletionMessageParamUnion {
	switch {
	case m.Role == model.ToolResult:
		return openai.ToolMessage(m.Content, m.CallID)
	case m.Role != model.Assistant:
		return openai.UserMessage(m.Content)
	case len(m.Calls) == 0:
		return openai.AssistantMessage(m.Content)
	}
	said := &openai.ChatCompletionAssistantMessageParam{}
	if m.Content != "" {
		said.Content.OfString = openai.String(m.Content)
	}
	for _, c := range m.Calls {
		said.ToolCalls = append(said.ToolCalls, openai.ChatCompletionMessageToolCallParam{
			ID: c.ID,
			Function: openai.ChatCompletionMessageToolCallFunctionParam{
				Name: c.Name, Arguments: string(c.Arguments),
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: said}
}

// offer adds the request's own tools. Like the schema of the reply, parameters
// are set as they are written, because the library would sort their properties.
func offer(p *openai.ChatCompletionNewParams, tools []model.Tool) []option.RequestOption {
	var opts []option.RequestOption
	for i, t := range tools {
		p.Tools = append(p.Tools, openai.ChatCompletionToolParam{Function: openai.FunctionDefinitionParam{
			Name: t.Name, Description: openai.String(t.Description),
		}})
		opts = append(opts, option.WithJSONSet(fmt.Sprintf("tools.%d.function.parameters", i), t.Parameters))
	}
	return opts
}

// answerTool offers the schema as one more function, the last one, which must be
// called unless another one is.
func answerTool(p *openai.ChatCompletionNewParams, s model.Schema) option.RequestOption {
	place := fmt.Sprintf("tools.%d.function.parameters", len(p.Tools))
	if len(p.Tools) == 0 {
		p.ToolChoice = openai.ChatCompletionToolChoiceOptionParamOfChatCompletionNamedToolChoice(
			openai.ChatCompletionNamedToolChoiceFunctionParam{Name: s.Name})
	} else {
		p.ToolChoice.OfAuto = openai.String(string(openai.ChatCompletionToolChoiceOptionAutoRequired))
	}
	p.Tools = append(p.Tools, openai.ChatCompletionToolParam{Function: openai.FunctionDefinitionParam{
		Name:        s.Name,
		Description: openai.String("Takes the answer. Call it exactly once."),
		Strict:      openai.Bool(true),
	}})
	return option.WithJSONSet(place, s.JSON)
}

// answer is what a model said in one turn.
type answer struct {
	// text is the reply's object, or what was said in its place.
	text string
	// calls are tools that it wants to have run.
	calls []model.Call
	// misfit says why the calls cannot be used.
	misfit error
}

// answerOf sorts out a message. The function that takes the answer wins over
// other calls: the model has made up its mind.
func answerOf(message openai.ChatCompletionMessage, req model.Request, rung Rung, offers bool) answer {
	a := answer{text: message.Content}
	for _, c := range message.ToolCalls {
		if rung == ForcedTool && (c.Function.Name == req.Schema.Name || !offers) {
			return answer{text: c.Function.Arguments}
		}
	}
	if len(message.ToolCalls) == 0 {
		return a
	}
	used := usedIDs(req.Messages)
	for i, c := range message.ToolCalls {
		call := model.Call{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)}
		if len(call.Arguments) == 0 {
			call.Arguments = json.RawMessage("{}")
		}
		switch {
		case !offers || !req.Offers(call.Name):
			a.misfit = fmt.Errorf("there is no function %q", call.Name)
		case !isObject(call.Arguments):
			a.misfit = fmt.Errorf("the arguments of %s are no JSON object", call.Name)
		}
		if call.ID == "" || used[call.ID] {
			call.ID = freshID(used, i)
		}
		used[call.ID] = true
		a.calls = append(a.calls, call)
	}
	if a.misfit != nil {
		a.calls = nil
	}
	return a
}

func isObject(raw json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object != nil
}

// usedIDs are the ids of the calls so far.
func usedIDs(turns []model.Message) map[string]bool {
	used := map[string]bool{}
	for _, m := range turns {
		for _, c := range m.Calls {
			used[c.ID] = true
		}
	}
	return used
}

// freshID makes an id where an endpoint gave none or the same twice. Mistral
// takes ids of nine letters and digits only.
// https://docs.mistral.ai/api/
func freshID(used map[string]bool, n int) string {
	for {
		n++
		if id := fmt.Sprintf("call%05d", n); !used[id] {
			return id
		}
	}
}
