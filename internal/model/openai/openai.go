// Package openai asks an OpenAI-compatible endpoint: OpenAI and Azure, vLLM,
// llama.cpp, Ollama, LM Studio, OpenRouter, and the compatible fronts of
// Anthropic and Gemini. They differ in what they refuse and in what they
// silently ignore, so every reply is checked against the request's schema here,
// whatever the endpoint promised, and a Client remembers what an endpoint took.
package openai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"

	"github.com/crev-ratchet/crev/internal/model"
)

// Config says which endpoint and how. Nothing is read from the environment.
type Config struct {
	// BaseURL is the URL below which chat/completions is:
	// https://api.openai.com/v1, http://127.0.0.1:11434/v1.
	BaseURL string
	// Key is sent as the bearer token. Servers without keys take any word.
	Key string
	// Model is asked when a Request names none.
	Model string
	// HTTPClient carries the requests; a proxy is its transport's affair. nil
	// is http.DefaultClient, which honours HTTPS_PROXY and NO_PROXY.
	HTTPClient *http.Client
	// Log gets one line for what is worth knowing about an endpoint (a rung
	// left, a parameter dropped, a retry); nil is silence. It never gets
	// prompts, replies or headers.
	Log *slog.Logger
	// MaxRetries is how often one HTTP request is sent again after a fault
	// that may pass; 0 is DefaultRetries, negative is never.
	MaxRetries int
	// Timeout bounds one HTTP request; 0 is DefaultTimeout. The context bounds
	// the whole call.
	Timeout time.Duration
	// Secrets are redacted from every detail, besides Key.
	Secrets []string
	// Extra is set in the body of every request. What the endpoint refuses of
	// it is dropped once and remembered.
	Extra map[string]any

	// Sleep waits or returns the context's error; nil is a timer.
	Sleep func(context.Context, time.Duration) error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Rand returns a number in [0, 1) for jitter; nil is math/rand.
	Rand func() float64
}

// Defaults of Config.
const (
	DefaultRetries = 4
	// DefaultTimeout is long because a reasoning model may think for minutes
	// before the first byte.
	DefaultTimeout = 10 * time.Minute
)

// Client asks one endpoint. It may be used by several goroutines; what it learns
// about the endpoint lives as long as it does.
type Client struct {
	cfg     Config
	base    *url.URL
	chat    openai.ChatCompletionService
	secrets redactor

	mu     sync.Mutex
	traits map[string]*traits
	checks map[string]*model.Validator
	// calibrate learns from the usage that the endpoint reports.
	calibrate model.Calibrator
}

// New returns a client for the endpoint, or says which setting is missing.
func New(cfg Config) (*Client, error) {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("model endpoint %q: not an http or https URL; set base_url or OPENAI_BASE_URL, for example https://api.openai.com/v1", withoutUser(cfg.BaseURL))
	}
	if cfg.Key == "" {
		return nil, errors.New("model endpoint: no key; set api_key or OPENAI_API_KEY (any word for a local server without keys)")
	}
	cfg.setDefaults()
	c := &Client{
		cfg:     cfg,
		base:    base,
		secrets: newRedactor(append([]string{cfg.Key}, cfg.Secrets...)),
		traits:  map[string]*traits{},
		checks:  map[string]*model.Validator{},
	}
	// The service is made directly because openai.NewClient reads the
	// environment, and would send a foreign organisation's id along.
	c.chat = openai.NewChatCompletionService(slices.Clip([]option.RequestOption{
		option.WithBaseURL(strings.TrimRight(cfg.BaseURL, "/") + "/"),
		option.WithAPIKey(cfg.Key),
		option.WithHTTPClient(withoutRedirects(cfg.HTTPClient)),
		option.WithMaxRetries(0),
		option.WithHeader("User-Agent", "crev"),
	})...)
	return c, nil
}

func (cfg *Config) setDefaults() {
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = http.DefaultClient
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.MaxRetries == 0 {
		cfg.MaxRetries = DefaultRetries
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Float64
	}
}

// withoutRedirects stops at the first redirect: a POST that is redirected becomes
// a GET, and prompts do not follow to another host.
func withoutRedirects(c *http.Client) *http.Client {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

func withoutUser(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return u.Redacted()
	}
	return "(not a URL)"
}

// Rung says how the client asks the model for JSON at present; "" names the
// configured model.
func (c *Client) Rung(name string) Rung {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.traitsOf(c.modelName(name)).rung
}

// TakesTools reports whether requests' own tools are still sent to the model, as
// they are until the endpoint refuses them; "" names the configured model.
func (c *Client) TakesTools(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.traitsOf(c.modelName(name)).noTools
}

func (c *Client) modelName(name string) string {
	if name == "" {
		return c.cfg.Model
	}
	return name
}

// Complete asks and returns a reply that fits the request's schema. An error is
// always a *model.Error; where the context ended it, errors.Is tells.
func (c *Client) Complete(ctx context.Context, req model.Request) (model.Reply, error) {
	req.Model = c.modelName(req.Model)
	t := &talk{client: c, req: req, began: c.cfg.Now()}
	if req.Model == "" {
		return model.Reply{}, t.fail(model.Unauthorized, 0, "no model named; set model or CREV_MODEL", nil)
	}
	check, err := c.check(req.Schema)
	if err != nil {
		return model.Reply{}, t.fail(model.BadOutput, 0, "the request's own schema cannot be used: "+err.Error(), nil)
	}
	t.check = check
	reply, err := t.run(ctx)
	if failed, ok := errors.AsType[*model.Error](err); ok && t.requests > 0 {
		c.strike(req.Model, failed)
	}
	return reply, err
}

// check compiles a schema once.
func (c *Client) check(s model.Schema) (*model.Validator, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.checks[string(s.JSON)]; ok {
		return v, nil
	}
	v, err := s.Compile()
	if err != nil {
		return nil, err
	}
	c.checks[string(s.JSON)] = v
	return v, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
