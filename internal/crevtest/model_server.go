package crevtest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

func reasoningParams(req *ModelRequest, _ int) *answer {
	if _, ok := req.Body["max_tokens"]; ok {
		return modelFault(http.StatusBadRequest, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
			"invalid_request_error", "max_tokens", "unsupported_parameter")
	}
	for _, name := range []string{"temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs"} {
		if v, ok := req.Body[name]; ok {
			return modelFault(http.StatusBadRequest, fmt.Sprintf("Unsupported value: '%s' does not support %v with this model. Only the default (1) value is supported.", name, v),
				"invalid_request_error", name, "unsupported_value")
		}
	}
	return nil
}

func ollama(req *ModelRequest, a *answer) {
	if a.message == nil {
		return
	}
	a.extra["system_fingerprint"] = "fp_ollama"
	if req.Form == "tool" {
		// tool_choice is not known: the model answers as it likes.
		a.message["content"] = "I looked at the change and found nothing to say."
		delete(a.message, "tool_calls")
		a.finish = "stop"
	}
	if n, ok := a.usage["prompt_tokens"].(int); ok && n > smallContext {
		a.usage["prompt_tokens"] = smallContext
	}
}

func llamaCppRefusal(req *ModelRequest, _ int) *answer {
	switch {
	case req.Tokens > smallContext:
		a := modelFault(http.StatusBadRequest, "the request exceeds the available context size, try increasing it", "exceed_context_size_error", "", "")
		a.headers["Server"] = "llama.cpp"
		return a
	case req.Form == "json_schema":
		return modelFault(http.StatusBadRequest, `Either "json_schema" or "grammar" can be specified, but not both`, "invalid_request_error", "", "")
	case withTools(req):
		return modelFault(http.StatusInternalServerError, "tools param requires --jinja flag", "server_error", "", "")
	}
	return nil
}

func llamaCpp(_ *ModelRequest, a *answer) {
	a.headers["Server"] = "llama.cpp"
	if a.message == nil {
		return
	}
	a.message["reasoning_content"] = "The invoice is rounded twice."
	a.extra["timings"] = map[string]any{"prompt_ms": 12.5}
}

func vllmRefusal(req *ModelRequest, _ int) *answer {
	if req.Tokens <= smallContext {
		return nil
	}
	body := map[string]any{
		"object": "error", "type": "BadRequestError", "param": nil, "code": 400,
		"message": fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens in the messages. Please reduce the length of the messages.", smallContext, req.Tokens),
	}
	return &answer{status: http.StatusBadRequest, headers: withJSON(nil), raw: []byte(modelJSON(body))}
}

func lmStudioRefusal(req *ModelRequest, _ int) *answer {
	if req.Form != "json_object" {
		return nil
	}
	return &answer{
		status: http.StatusBadRequest, headers: withJSON(nil),
		raw: []byte(`{"error":"'response_format.type' must be 'json_schema' or 'text'"}`),
	}
}

func anthropic(req *ModelRequest, a *answer) {
	text, ok := a.message["content"].(string)
	if !ok || req.Form == "tool" {
		return
	}
	if strings.Contains(req.Text, "JSON Schema") {
		a.message["content"] = "Here is the review.\n\n```json\n" + text + "\n```"
		return
	}
	a.message["content"] = "Looking at this change, I see nothing that {stands out}."
}

func geminiRefusal(req *ModelRequest, _ int) *answer {
	if req.Form != "json_schema" {
		return nil
	}
	body := []any{map[string]any{"error": map[string]any{
		"code": 400, "status": "INVALID_ARGUMENT",
		"message": "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'generation_config.response_schema': Cannot find field.",
	}}}
	return &answer{status: http.StatusBadRequest, headers: withJSON(nil), raw: []byte(modelJSON(body))}
}

func gemini(_ *ModelRequest, a *answer) {
	if a.finish == "tool_calls" {
		a.finish = "stop"
	}
}

func openRouterRefusal(req *ModelRequest, _ int) *answer {
	provider, _ := req.Body["provider"].(map[string]any)
	if req.Form != "json_schema" || provider["require_parameters"] != true {
		return nil
	}
	body := map[string]any{"error": map[string]any{
		"code": 404, "message": "No endpoints found that can handle the requested parameters.",
	}}
	return &answer{status: http.StatusNotFound, headers: withJSON(nil), raw: []byte(modelJSON(body))}
}

func openRouter(req *ModelRequest, a *answer) {
	if a.message == nil {
		return
	}
	if a.usage != nil {
		a.usage["cost"] = 0.0014
	}
	if req.Form == "json_schema" {
		a.message["content"] = "I see nothing to say about this change."
	}
}

// mistralIDs is what Mistral takes as the id of a call.
var mistralIDs = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)

func mistralRefusal(req *ModelRequest, _ int) *answer {
	if _, ok := req.Body["max_completion_tokens"]; ok {
		body := map[string]any{"object": "error", "detail": []any{map[string]any{
			"type": "extra_forbidden", "loc": []any{"body", "max_completion_tokens"}, "msg": "Extra inputs are not permitted",
		}}}
		return &answer{status: http.StatusUnprocessableEntity, headers: withJSON(nil), raw: []byte(modelJSON(body))}
	}
	messages, _ := req.Body["messages"].([]any)
	for _, raw := range messages {
		message, _ := raw.(map[string]any)
		if id, ok := message["tool_call_id"].(string); ok && !mistralIDs.MatchString(id) {
			return modelFault(http.StatusBadRequest, "Tool call id was "+id+" but must be a-z, A-Z, 0-9, with a length of 9.", "invalid_request_error", "", "")
		}
	}
	return nil
}

// mistral gives calls the ids that it takes.
func mistral(req *ModelRequest, a *answer) {
	calls, _ := a.message["tool_calls"].([]any)
	for i, raw := range calls {
		call, _ := raw.(map[string]any)
		call["id"] = fmt.Sprintf("D68%06d", req.Tokens%1000*1000+i)
	}
}

func groqRefusal(req *ModelRequest, _ int) *answer {
	if req.Form != "json_schema" && req.Form != "json_object" {
		return nil
	}
	body := map[string]any{"error": map[string]any{
		"message": "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
		"type":    "invalid_request_error", "code": "json_validate_failed", "failed_generation": "{\"findings\": [",
	}}
	return &answer{status: http.StatusBadRequest, headers: withJSON(nil), raw: []byte(modelJSON(body))}
}

func deepSeekRefusal(req *ModelRequest, _ int) *answer {
	switch req.Form {
	case "json_schema":
		return modelFault(http.StatusBadRequest, "This response_format type is unavailable now", "invalid_request_error", "", "invalid_request_error")
	case "tool":
		return modelFault(http.StatusBadRequest, "deepseek-reasoner does not support this tool_choice", "invalid_request_error", "", "invalid_request_error")
	}
	return nil
}

func deepSeek(_ *ModelRequest, a *answer) {
	if a.message != nil {
		a.message["reasoning_content"] = "Perhaps {\"findings\": [\"a draft\"]}."
	}
}

func azureRefusal(req *ModelRequest, _ int) *answer {
	if !strings.Contains(req.Text, "how to attack") {
		return nil
	}
	return modelFault(http.StatusBadRequest, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
		"", "prompt", "content_filter")
}
