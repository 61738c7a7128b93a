package openai

import (
	"slices"
	"strings"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"

	"github.com/crev-ratchet/crev/internal/model"
)

// Rung is a way to ask for JSON. A client begins at the first one and goes down
// when an endpoint refuses it or ignores it.
type Rung int

// The rungs, from the strictest to the loosest.
const (
	// StrictSchema asks for response_format json_schema with strict.
	StrictSchema Rung = iota
	// ForcedTool offers one function and demands that it is called.
	ForcedTool
	// JSONObject asks for response_format json_object, schema in the prompt.
	JSONObject
	// PlainText asks in words only and looks for the object in the text.
	PlainText
)

// String returns the rung's name in the API's words.
func (r Rung) String() string {
	switch r {
	case StrictSchema:
		return "json_schema"
	case ForcedTool:
		return "tool"
	case JSONObject:
		return "json_object"
	}
	return "text"
}

// traits is what a client has learned about one model of its endpoint.
type traits struct {
	rung Rung
	// beside is the highest rung that goes together with the request's own
	// tools: some endpoints take each, but not both.
	beside Rung
	// noTools is true once the endpoint refused the request's own tools.
	noTools bool
	// server is "ollama" or "llama.cpp" when a reply gave it away.
	server string
	// maxTokens is true when the reply's cap is called max_tokens.
	maxTokens bool
	// swapped is true once the name of the cap was changed: never back.
	swapped bool
	// dropped are parameters the endpoint refused.
	dropped []string
	// strikes counts the calls in a row that the endpoint did not answer;
	// broken is set once there were too many.
	strikes int
	broken  *broken
}

// traitsOf returns what is known of a model; c.mu is held.
func (c *Client) traitsOf(name string) *traits {
	t := c.traits[name]
	if t == nil {
		t = &traits{}
		if c.base.Port() == "11434" { // Ollama's default port
			t.meet("ollama")
		}
		c.traits[name] = t
	}
	return t
}

// meet notes which server this is.
func (t *traits) meet(server string) {
	t.server = server
	// Ollama's compatible endpoint knows max_tokens only, and ignores the
	// other name without a word.
	if server == "ollama" {
		t.maxTokens, t.swapped = true, true
	}
}

// limitName is what the reply's cap is called.
func (t *traits) limitName() string {
	if t.maxTokens {
		return "max_tokens"
	}
	return "max_completion_tokens"
}

// offers reports whether a request's own tools are sent.
func (t *traits) offers(req model.Request) bool { return len(req.Tools) > 0 && !t.noTools }

// rungFor is the rung that a request starts on.
func (t *traits) rungFor(req model.Request) Rung {
	if t.offers(req) {
		return max(t.rung, t.beside)
	}
	return t.rung
}

// below is the next rung, leaving out the one that the server ignores.
func (t *traits) below(r Rung) Rung {
	if r == StrictSchema && t.server == "ollama" {
		// Ollama takes tools but ignores tool_choice.
		return JSONObject
	}
	return r + 1
}

// known copies the traits for the length of one HTTP request; rung is the one
// that the request starts on.
func (c *Client) known(req model.Request) traits {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := *c.traitsOf(req.Model)
	t.rung = t.rungFor(req)
	t.dropped = slices.Clone(t.dropped)
	return t
}

// learn changes the traits of a model.
func (c *Client) learn(name string, change func(*traits)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c.traitsOf(name))
}

// stepDown leaves a rung for good and returns false when it was the last one;
// beside leaves it for requests with tools of their own only. Another goroutine
// may have left it already.
func (c *Client) stepDown(req model.Request, from Rung, beside bool, why string) bool {
	if from == PlainText {
		return false
	}
	c.learn(req.Model, func(t *traits) {
		if t.rungFor(req) != from {
			return
		}
		rung := &t.rung
		if beside || t.offers(req) && t.beside > t.rung {
			rung = &t.beside
		}
		*rung = t.below(from)
		c.cfg.Log.Info("model endpoint: ask for JSON another way",
			"model", req.Model, "from", from.String(), "to", rung.String(), "because", why)
	})
	return true
}

// params builds the body of one HTTP request and what has to be changed in it.
func (c *Client) params(req model.Request, t traits, turns []model.Message) (openai.ChatCompletionNewParams, []option.RequestOption) {
	p := openai.ChatCompletionNewParams{Model: req.Model}
	opts := c.extras(t)
	offers := t.offers(req)
	if system := systemText(req, t.rung, offers); system != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(system))
	}
	if !offers {
		turns = model.Plain(turns)
	}
	for _, m := range turns {
		p.Messages = append(p.Messages, turn(m))
	}
	if offers {
		opts = append(opts, offer(&p, req.Tools)...)
	}
	switch t.rung {
	case StrictSchema:
		p.ResponseFormat.OfJSONSchema = &openai.ResponseFormatJSONSchemaParam{
			JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{
				Name:   req.Schema.Name,
				Strict: openai.Bool(true),
				Schema: req.Schema.JSON,
			},
		}
	case ForcedTool:
		opts = append(opts, answerTool(&p, req.Schema))
	case JSONObject:
		p.ResponseFormat.OfJSONObject = &openai.ResponseFormatJSONObjectParam{}
	}
	if limit := t.limitName(); req.MaxTokens > 0 && !slices.Contains(t.dropped, limit) {
		if t.maxTokens {
			p.MaxTokens = openai.Int(int64(req.MaxTokens))
		} else {
			p.MaxCompletionTokens = openai.Int(int64(req.MaxTokens))
		}
	}
	return p, opts
}

// extras sets the configured parameters and deletes the refused ones.
func (c *Client) extras(t traits) []option.RequestOption {
	var opts []option.RequestOption
	for _, name := range c.extraNames() {
		if !slices.Contains(t.dropped, name) {
			opts = append(opts, option.WithJSONSet(name, c.extra(name)))
		}
	}
	return opts
}

// requireParameters makes OpenRouter choose only upstreams that obey
// response_format; by default it drops it silently.
// https://openrouter.ai/docs/features/provider-routing
const requireParameters = "provider"

func (c *Client) onOpenRouter() bool {
	host := c.base.Hostname()
	return host == "openrouter.ai" || strings.HasSuffix(host, ".openrouter.ai")
}

func (c *Client) extraNames() []string {
	var names []string
	for name := range c.cfg.Extra {
		names = append(names, name)
	}
	if c.onOpenRouter() && c.cfg.Extra[requireParameters] == nil {
		names = append(names, requireParameters)
	}
	slices.Sort(names)
	return names
}

func (c *Client) extra(name string) any {
	if v, ok := c.cfg.Extra[name]; ok {
		return v
	}
	return map[string]any{"require_parameters": true}
}

// systemText is the system text, and the schema behind it where the endpoint is
// not told it in another way. It comes last so that the prefix stays the same.
func systemText(req model.Request, r Rung, offers bool) string {
	if r != JSONObject && r != PlainText {
		return req.System
	}
	text := req.System + "\n\n"
	if offers {
		text += "Call the functions that you need first. "
	}
	return strings.TrimLeft(text+req.Schema.Prompt(), "\n")
}
