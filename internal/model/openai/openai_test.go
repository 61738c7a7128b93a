package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/openai"
)

var schema = model.Schema{
	Name: "review",
	JSON: json.RawMessage(`{"type":"object","properties":{"findings":{"type":"array","items":{"type":"string"}}},"required":["findings"],"additionalProperties":false}`),
}

// fit is a reply that fits the schema.
var fit = map[string]any{"findings": []any{"rounds twice"}}

const fitJSON = `{"findings":["rounds twice"]}`

func ask(text string) model.Request {
	return model.Request{
		Purpose:  "review/code",
		System:   "You review code.",
		Messages: []model.Message{{Role: model.User, Content: text}},
		Schema:   schema,
	}
}

// clock stands still until somebody sleeps, and keeps what was slept.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

type rig struct {
	*openai.Client
	server *crevtest.Model
	clock  *clock
	log    *bytes.Buffer
}

// newRig starts a scripted server and a client for it.
func newRig(t *testing.T, script crevtest.Script, change func(*openai.Config), modes ...crevtest.Mode) *rig {
	t.Helper()
	r := &rig{
		server: crevtest.NewModel(t, script, modes...),
		clock:  &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)},
		log:    &bytes.Buffer{},
	}
	cfg := openai.Config{
		BaseURL: r.server.URL,
		Key:     crevtest.ModelKey,
		Model:   "scripted",
		Log:     slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now:     r.clock.Now,
		Sleep:   r.clock.Sleep,
		Rand:    func() float64 { return 0 },
	}
	if change != nil {
		change(&cfg)
	}
	c, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Client = c
	return r
}

// forms lists how each request asked for JSON.
func (r *rig) forms() []string {
	var out []string
	for _, q := range r.server.Requests() {
		out = append(out, q.Form)
	}
	return out
}

func always(rule crevtest.Rule) crevtest.Script {
	return crevtest.Script{Rules: []crevtest.Rule{rule}}
}

func wantReply(t *testing.T, r *rig, req model.Request) model.Reply {
	t.Helper()
	reply, err := r.Complete(t.Context(), req)
	if err != nil {
		t.Fatalf("Complete() = %v", err)
	}
	if got := string(reply.JSON); got != fitJSON {
		t.Errorf("Complete() = %s, want %s", got, fitJSON)
	}
	return reply
}

func wantFailure(t *testing.T, r *rig, req model.Request, want model.Failure, words ...string) *model.Error {
	t.Helper()
	_, err := r.Complete(t.Context(), req)
	failed, ok := errors.AsType[*model.Error](err)
	if !ok || failed.Failure != want {
		t.Fatalf("Complete() error = %v, want failure %q", err, want)
	}
	for _, w := range words {
		if !strings.Contains(failed.Detail, w) {
			t.Errorf("detail %q does not say %q", failed.Detail, w)
		}
	}
	return failed
}

func TestPlainAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit, Usage: &crevtest.ModelUsage{Prompt: 90, Completion: 10, Cached: 64, Reasoning: 5}}), nil)
	req := ask("diff")
	req.MaxTokens = 500
	reply := wantReply(t, r, req)
	want := model.Reply{
		JSON: json.RawMessage(fitJSON), Model: "scripted", Requests: 1,
		Usage: model.Usage{Prompt: 90, Completion: 10, Cached: 64, Reasoning: 5},
	}
	if diff := cmp.Diff(want, reply); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
	var sent map[string]any
	if err := json.Unmarshal(r.server.Requests()[0].Raw, &sent); err != nil {
		t.Fatal(err)
	}
	var schemaObject any
	if err := json.Unmarshal(schema.JSON, &schemaObject); err != nil {
		t.Fatal(err)
	}
	body := map[string]any{
		"model":                 "scripted",
		"max_completion_tokens": 500.0,
		"messages": []any{
			map[string]any{"role": "system", "content": "You review code."},
			map[string]any{"role": "user", "content": "diff"},
		},
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": "review", "strict": true, "schema": schemaObject,
		}},
	}
	if diff := cmp.Diff(body, sent); diff != "" {
		t.Errorf("request body (-want +got):\n%s", diff)
	}
}

// Properties are filled in the order they are written, so the order must survive.
func TestSchemaKeepsItsOrder(t *testing.T) {
	t.Parallel()
	ordered := model.Schema{Name: "ordered", JSON: json.RawMessage(`{"type":"object","properties":{"why":{"type":"string"},"answer":{"type":"string"}},"required":["why","answer"],"additionalProperties":false}`)}
	for _, modes := range [][]crevtest.Mode{nil, {crevtest.NoSchema}} {
		r := newRig(t, always(crevtest.Rule{Reply: map[string]any{"why": "w", "answer": "a"}}), nil, modes...)
		req := ask("diff")
		req.Schema = ordered
		if _, err := r.Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		all := r.server.Requests()
		if raw := all[len(all)-1].Raw; !bytes.Contains(raw, ordered.JSON) {
			t.Errorf("modes %v: the schema was rewritten: %s", modes, raw)
		}
	}
}

func TestNewSaysWhatToSet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cfg  openai.Config
		want string
	}{
		"no URL":              {openai.Config{Key: "k"}, "OPENAI_BASE_URL"},
		"a path":              {openai.Config{Key: "k", BaseURL: "/v1"}, "OPENAI_BASE_URL"},
		"another scheme":      {openai.Config{Key: "k", BaseURL: "ftp://host/v1"}, "http or https"},
		"no key":              {openai.Config{BaseURL: "http://127.0.0.1:1/v1"}, "OPENAI_API_KEY"},
		"URL with a password": {openai.Config{Key: "k", BaseURL: "ftp://u:hunter2hunter2@host"}, "u:xxxxx@host"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := openai.New(tt.cfg)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New() = %v, want an error that says %q", err, tt.want)
			}
		})
	}
}

func TestNoModelNamed(t *testing.T) {
	t.Parallel()
	r := newRig(t, crevtest.Script{}, func(c *openai.Config) { c.Model = "" })
	wantFailure(t, r, ask("diff"), model.Unauthorized, "CREV_MODEL")
}

func TestNothingIsReadFromTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-from-the-environment")
	t.Setenv("OPENAI_ORG_ID", "org-environment")
	t.Setenv("OPENAI_PROJECT_ID", "proj-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/nowhere")
	r := newRig(t, always(crevtest.Rule{Reply: fit}), nil)
	wantReply(t, r, ask("diff"))
	got := r.server.Requests()[0].Header
	if a := got.Get("Authorization"); a != "Bearer "+crevtest.ModelKey {
		t.Errorf("Authorization = %q", a)
	}
	for name, values := range got {
		if strings.Contains(strings.Join(values, " "), "environment") {
			t.Errorf("header %s = %v comes from the environment", name, values)
		}
	}
}
