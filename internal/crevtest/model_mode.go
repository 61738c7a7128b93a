package crevtest

import (
	"net/http"
)

// Mode makes a Model behave like one of the servers that call themselves
// OpenAI-compatible, or break in one way. Modes combine: the first that refuses a
// request answers it. docs/models.md says what each stands for.
type Mode string

// The modes of servers.
const (
	// ReasoningParams refuses max_tokens and every sampling parameter.
	ReasoningParams Mode = "reasoning-params"
	// Ollama knows max_tokens only, ignores tools, and reads no more than 4096
	// tokens of a prompt without saying so.
	Ollama Mode = "ollama"
	// LlamaCpp refuses json_schema beside its grammar, wants --jinja for tools,
	// and refuses prompts above its context size.
	LlamaCpp Mode = "llamacpp"
	// VLLM refuses prompts above 4096 tokens, with an error that is not wrapped.
	VLLM Mode = "vllm"
	// LMStudio refuses json_object.
	LMStudio Mode = "lmstudio"
	// Anthropic ignores response_format and answers in prose unless the schema
	// is in the prompt; then in a code fence.
	Anthropic Mode = "anthropic"
	// Gemini wraps errors into a list, refuses json_schema, and ends tool calls
	// with "stop".
	Gemini Mode = "gemini"
	// OpenRouter has no upstream for json_schema when parameters are required,
	// drops response_format when they are not, and reports a cost.
	OpenRouter Mode = "openrouter"
	// Mistral refuses parameters it does not know with a list of complaints,
	// and ids of calls that are not nine letters or digits.
	Mistral Mode = "mistral"
	// Groq writes JSON that it then refuses itself, unless a tool takes it.
	Groq Mode = "groq"
	// DeepSeek refuses json_schema and every forced tool, and thinks in a
	// field of its own.
	DeepSeek Mode = "deepseek"
	// Azure refuses prompts that hold the words "how to attack", by a filter of
	// its own.
	Azure Mode = "azure"
)

// The modes of single faults.
const (
	// RetryAfter answers the first request with 429 and Retry-After: 120.
	RetryAfter Mode = "retry-after"
	// HTML502 answers the first request with a proxy's page.
	HTML502 Mode = "html-502"
	// CutConnection breaks the first answer off.
	CutConnection Mode = "cut-connection"
	// Down answers every request with a 503.
	Down Mode = "down"
	// NoSchema, NoTools and NoJSONObject refuse one way to ask for JSON.
	NoSchema     Mode = "no-schema"
	NoTools      Mode = "no-tools"
	NoJSONObject Mode = "no-json-object"
	// ToolsAlone refuses tools beside a response_format.
	ToolsAlone Mode = "tools-alone"
	// MaxTokensOnly refuses max_completion_tokens.
	MaxTokensOnly Mode = "max-tokens-only"
	// Thinks puts a think block and a code fence around the text of answers.
	Thinks Mode = "thinks"
	// NoUsage reports no token counts.
	NoUsage Mode = "no-usage"
	// WrongType labels JSON as text/plain.
	WrongType Mode = "wrong-type"
)

// smallContext is the context of the servers that have a small one; it is
// Ollama's default.
const smallContext = 4096

// behaviour changes a server: before may answer in the script's place, after may
// change the script's answer.
type behaviour struct {
	before func(req *ModelRequest, number int) *answer
	after  func(req *ModelRequest, a *answer)
}

// behaviours is written once.
var behaviours = map[Mode]behaviour{
	ReasoningParams: {before: reasoningParams},
	Ollama:          {after: ollama},
	LlamaCpp:        {before: llamaCppRefusal, after: llamaCpp},
	VLLM:            {before: vllmRefusal},
	LMStudio:        {before: lmStudioRefusal},
	Anthropic:       {after: anthropic},
	Gemini:          {before: geminiRefusal, after: gemini},
	OpenRouter:      {before: openRouterRefusal, after: openRouter},
	Mistral:         {before: mistralRefusal, after: mistral},
	Groq:            {before: groqRefusal},
	DeepSeek:        {before: deepSeekRefusal, after: deepSeek},
	Azure:           {before: azureRefusal},

	RetryAfter:    {before: firstOnly(retryAfter)},
	HTML502:       {before: firstOnly(html502)},
	CutConnection: {before: firstOnly(func() *answer { return &answer{cut: true} })},
	Down: {before: func(*ModelRequest, int) *answer {
		return modelFault(http.StatusServiceUnavailable, "no capacity", "", "", "")
	}},
	NoSchema: {before: refuseForm("json_schema", http.StatusBadRequest,
		"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.")},
	NoTools: {before: refuseTools},
	NoJSONObject: {before: refuseForm("json_object", http.StatusBadRequest,
		"response_format json_object is not supported")},
	ToolsAlone:    {before: toolsAlone},
	MaxTokensOnly: {before: maxTokensOnly},
	Thinks:        {after: thinks},
	NoUsage:       {after: func(_ *ModelRequest, a *answer) { a.usage = nil }},
	WrongType:     {after: func(_ *ModelRequest, a *answer) { a.headers["Content-Type"] = "text/plain" }},
}

// Modes lists every mode, for messages and for tests that try them all.
func Modes() []Mode {
	return []Mode{
		ReasoningParams, Ollama, LlamaCpp, VLLM, LMStudio, Anthropic, Gemini, OpenRouter,
		Mistral, Groq, DeepSeek, Azure,
		RetryAfter, HTML502, CutConnection, Down, NoSchema, NoTools, NoJSONObject, ToolsAlone, MaxTokensOnly,
		Thinks, NoUsage, WrongType,
	}
}

func firstOnly(fail func() *answer) func(*ModelRequest, int) *answer {
	return func(_ *ModelRequest, number int) *answer {
		if number != 1 {
			return nil
		}
		return fail()
	}
}

func refuseForm(form string, status int, message string) func(*ModelRequest, int) *answer {
	return func(req *ModelRequest, _ int) *answer {
		if req.Form != form {
			return nil
		}
		return modelFault(status, message, "invalid_request_error", "", "")
	}
}

func refuseTools(req *ModelRequest, _ int) *answer {
	if !withTools(req) {
		return nil
	}
	return modelFault(http.StatusUnprocessableEntity, "tool_choice: this model does not support function calling",
		"invalid_request_error", "", "")
}

func toolsAlone(req *ModelRequest, _ int) *answer {
	if req.Body["response_format"] == nil || !withTools(req) {
		return nil
	}
	return modelFault(http.StatusBadRequest, "json mode cannot be combined with tool/function calling", "invalid_request_error", "", "")
}

func withTools(req *ModelRequest) bool { return req.Form == "tool" || len(req.Tools) > 0 }

func retryAfter() *answer {
	a := modelFault(http.StatusTooManyRequests, "Rate limit reached for requests", "requests", "", "rate_limit_exceeded")
	a.headers["Retry-After"] = "120"
	return a
}

func html502() *answer {
	return &answer{
		status:  http.StatusBadGateway,
		headers: map[string]string{"Content-Type": "text/html"},
		raw:     []byte("<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>"),
	}
}

func maxTokensOnly(req *ModelRequest, _ int) *answer {
	if _, ok := req.Body["max_completion_tokens"]; !ok {
		return nil
	}
	return modelFault(http.StatusBadRequest, "Unrecognized request argument supplied: max_completion_tokens", "invalid_request_error", "", "")
}

func thinks(_ *ModelRequest, a *answer) {
	if text, ok := a.message["content"].(string); ok {
		a.message["content"] = "<think>Maybe {\"findings\": [\"a draft\"]}? No.</think>\n```json\n" + text + "\n```"
	}
}
