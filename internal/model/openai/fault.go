package openai

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
)

// remedy is what to do about an HTTP request that brought no reply.
type remedy int

const (
	giveUp     remedy = iota
	again             // the same request, after a while
	stepDown          // another way to ask for JSON
	stepBeside        // the same, for requests with tools of their own
	dropOne           // the same request without one parameter
	dropTools         // the same request without its tools
)

// fault is a failed HTTP request: what it means and what to do.
type fault struct {
	remedy  remedy
	failure model.Failure
	status  int
	detail  string
	drop    string // the parameter, for dropOne
}

// Words by which endpoints are told apart from each other's meanings. Codes are
// OpenAI's; the sentences are those of the servers named in docs/models.md.
var (
	tooLongWords = []string{
		"context_length_exceeded", "maximum context length", "context window", "context length",
		"context size", "prompt is too long", "too many tokens", "input is too long",
		"maximum number of tokens", "exceeds the maximum number", "string_above_max_length",
		"reduce the length",
	}
	policyWords = []string{
		"content_filter", "content_policy", "content management policy", "responsibleaipolicyviolation",
		"safety system", "flagged", "moderation",
	}
	quotaWords = []string{
		"insufficient_quota", "billing_hard_limit", "credit balance", "insufficient credits",
		"exceeded your current quota",
	}
	formatWords = []string{
		"response_format", "response_schema", "response mime type", "json_schema", "json_object", "json schema",
		"json mode", "structured output", "additionalproperties", "grammar", "strict", "requested parameters",
		"json_validate_failed", "failed to generate json", "failed to validate json",
	}
	toolWords = []string{
		"tool_choice", "tools", "tool use", "tool call", "function call", "functions", "--jinja",
		"tool_use_failed", "call a function",
		// What some want back with each call, in fields that the API has not:
		// Gemini and DeepSeek.
		"thought_signature", "reasoning_content",
	}
	modelWords = []string{"model_not_found", "model"}
)

func anyOf(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// diagnose says what a failed exchange means, or returns nil for a good one.
func (c *Client) diagnose(ex *exchange, t traits, req model.Request) *fault {
	status := ex.status
	if s, found := ex.errorInReply(); found {
		status = s
	}
	switch {
	case status == 0:
		return &fault{remedy: again, failure: model.Unavailable, detail: c.networkDetail(ex.err)}
	case ex.completion != nil && status < 300:
		return nil
	case status < 300:
		return c.strangeReply(ex)
	case status < 400:
		return &fault{failure: model.Unavailable, status: status, detail: fmt.Sprintf(
			"the endpoint redirects to %s; set base_url or OPENAI_BASE_URL to where it really is",
			c.secrets.clean(ex.header.Get("Location")))}
	}
	f := c.refusal(ex.complaint(), status, t, req)
	f.status = status
	if f.remedy == again && ex.header.Get("X-Should-Retry") == "false" {
		// OpenAI's servers say so when another attempt is useless.
		f.remedy = giveUp
	}
	return f
}

// networkDetail leaves out the method and the URL, which may hold a password.
func (c *Client) networkDetail(err error) string {
	text := err.Error()
	if interrupted(err) {
		text = fmt.Sprintf("no answer within %s", c.cfg.Timeout)
	}
	return c.secrets.clean(fmt.Sprintf("%s: %s; check base_url, the network and HTTPS_PROXY", c.base.Host, text))
}

// strangeReply is a success that is no completion: a login page, a proxy's
// greeting, a reply that was cut.
func (c *Client) strangeReply(ex *exchange) *fault {
	f := &fault{failure: model.Unavailable, status: ex.status}
	switch {
	case ex.cut:
		f.detail = fmt.Sprintf("the reply is longer than %d MiB", mostReplyBytes>>20)
	case strings.Contains(ex.header.Get("Content-Type"), "json"):
		// The body was complete by its length, yet it is broken JSON: it was
		// cut before it was sent.
		f.remedy = again
		f.detail = "the reply is broken JSON: " + c.secrets.clean(string(ex.body))
	default:
		f.detail = fmt.Sprintf("the answer is %s and no completion: %s; base_url usually ends in /v1",
			c.secrets.clean(contentType(ex.header)), c.secrets.clean(plainText(ex.header.Get("Content-Type"), string(ex.body))))
	}
	return f
}

func contentType(h http.Header) string {
	if ct := h.Get("Content-Type"); ct != "" {
		return ct
	}
	return "of no content type"
}

// refusal reads a status of 400 or more.
func (c *Client) refusal(said complaint, status int, t traits, req model.Request) *fault {
	text := said.text()
	shown := c.secrets.clean(said.message)
	switch status {
	case http.StatusUnauthorized:
		return &fault{failure: model.Unauthorized, detail: "the key is not accepted: " + shown + "; set api_key or OPENAI_API_KEY"}
	case http.StatusForbidden:
		if anyOf(text, policyWords) {
			return policy(shown)
		}
		return &fault{failure: model.Unauthorized, detail: "the key may not use this endpoint or model: " + shown + "; check api_key and model"}
	case http.StatusPaymentRequired:
		return quota(shown)
	case http.StatusRequestEntityTooLarge:
		return tooLong(shown)
	case http.StatusGone:
		return &fault{failure: model.Unavailable, detail: "the endpoint no longer exists: " + shown + "; set base_url and model"}
	case http.StatusRequestTimeout, http.StatusConflict:
		return &fault{remedy: again, failure: model.Unavailable, detail: shown}
	case http.StatusTooManyRequests:
		if anyOf(text, quotaWords) {
			return quota(shown)
		}
		return &fault{remedy: again, failure: model.Unavailable, detail: "the endpoint is asked too often: " + shown}
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return c.badRequest(said, status, t, req)
	}
	if strings.Contains(text, "--jinja") {
		// llama.cpp without --jinja answers 500 to a request with tools.
		if r := way(text, t, req); r != giveUp {
			return &fault{remedy: r, failure: model.BadOutput, detail: shown}
		}
	}
	if status >= 500 {
		return &fault{remedy: again, failure: model.Unavailable, detail: shown}
	}
	return &fault{failure: model.Unavailable, detail: "the endpoint refused the request: " + shown}
}

// badRequest tells apart what hides behind a 400 and its kin. The order matters:
// a message about too many tokens may name a parameter, and a message about a
// parameter may name the schema.
func (c *Client) badRequest(said complaint, status int, t traits, req model.Request) *fault {
	text, shown, name := said.text(), c.secrets.clean(said.message), req.Model
	drop := c.refusedParameter(said, text, t)
	switch {
	case anyOf(text, tooLongWords) && said.param != "max_tokens" && said.param != "max_completion_tokens":
		return tooLong(shown)
	case anyOf(text, policyWords):
		return policy(shown)
	case anyOf(text, quotaWords):
		return quota(shown)
	case drop != "":
		return &fault{remedy: dropOne, failure: model.BadOutput, drop: drop, detail: shown}
	case way(text, t, req) != giveUp:
		return &fault{remedy: way(text, t, req), failure: model.BadOutput, detail: shown}
	case status == http.StatusNotFound && anyOf(text, modelWords):
		return &fault{failure: model.Unauthorized, detail: fmt.Sprintf("the endpoint has no model %q: %s; set model or CREV_MODEL", name, shown)}
	case status == http.StatusNotFound:
		return &fault{failure: model.Unavailable, detail: "nothing answers at " + c.base.Redacted() + "/chat/completions: " + shown + "; base_url usually ends in /v1"}
	case anyOf(text, []string{"model_not_found", "model not found", "invalid model", "not a valid model", "unknown model", "does not exist"}):
		return &fault{failure: model.Unauthorized, detail: fmt.Sprintf("the endpoint has no model %q: %s; set model or CREV_MODEL", name, shown)}
	}
	return &fault{failure: model.Unavailable, detail: "the endpoint refused the request: " + shown}
}

// way says what to ask otherwise about when a complaint is about the way of
// asking, and giveUp when it is about something else or no way is left. The
// request's own tools and the rung are told apart by the words. Where both are
// named the two do not go together; on the rung that forces a tool it may be the
// force that is refused: in both cases the rung gives way first.
func way(text string, t traits, req model.Request) remedy {
	format, tools, offers := anyOf(text, formatWords), anyOf(text, toolWords), t.offers(req)
	switch {
	case offers && tools && (t.rung == ForcedTool || format && t.rung == StrictSchema):
		return stepBeside
	case offers && tools:
		return dropTools
	case t.rung < PlainText && (format || tools):
		return stepDown
	}
	return giveUp
}

// refusedParameter names the parameter that a complaint is about and that can
// still be left out or renamed; "" when it is about none.
func (c *Client) refusedParameter(said complaint, text string, t traits) string {
	candidates := append([]string{t.limitName()}, c.extraNames()...)
	for _, name := range candidates {
		if said.param == name && !slices.Contains(t.dropped, name) {
			return name
		}
	}
	if said.param != "" && said.param != "null" {
		return ""
	}
	for _, name := range candidates {
		if !slices.Contains(t.dropped, name) && strings.Contains(text, name) {
			return name
		}
	}
	return ""
}

// drop leaves a parameter out from now on. The cap on the reply is first tried
// under its other name.
func (c *Client) drop(name, parameter string) {
	c.learn(name, func(t *traits) {
		isCap := parameter == "max_tokens" || parameter == "max_completion_tokens"
		if isCap && !t.swapped {
			t.swapped, t.maxTokens = true, !t.maxTokens
			c.cfg.Log.Info("model endpoint: the reply's cap has another name", "model", name, "refused", parameter)
			return
		}
		if !slices.Contains(t.dropped, parameter) {
			t.dropped = append(t.dropped, parameter)
			c.cfg.Log.Info("model endpoint: leave a parameter out", "model", name, "parameter", parameter)
		}
	})
}

// dropTools leaves a request's own tools out from now on.
func (c *Client) dropTools(name, why string) {
	c.learn(name, func(t *traits) {
		if !t.noTools {
			t.noTools = true
			c.cfg.Log.Info("model endpoint: it takes no tools", "model", name, "because", why)
		}
	})
}

func policy(shown string) *fault {
	return &fault{failure: model.Refused, detail: "the endpoint's policy refuses the prompt: " + shown}
}

func quota(shown string) *fault {
	return &fault{failure: model.Unauthorized, detail: "the account has no quota left: " + shown + "; add credit or use another api_key"}
}

func tooLong(shown string) *fault {
	return &fault{failure: model.TooLong, detail: "the prompt does not fit: " + shown + "; lower batch.max_lines or use a model with a larger context"}
}
