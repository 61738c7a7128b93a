package openai_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/openai"
)

// Every kind of server gives a reply that fits, and the second request takes the
// way that the first one found.
func TestServers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		modes  []crevtest.Mode
		first  []string // forms of the requests of the first call
		second []string
		rung   openai.Rung
	}{
		"plain":      {nil, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},
		"reasoning":  {[]crevtest.Mode{crevtest.ReasoningParams}, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},
		"ollama":     {[]crevtest.Mode{crevtest.Ollama}, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},
		"vllm":       {[]crevtest.Mode{crevtest.VLLM}, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},
		"lmstudio":   {[]crevtest.Mode{crevtest.LMStudio}, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},
		"llama.cpp":  {[]crevtest.Mode{crevtest.LlamaCpp}, []string{"json_schema", "tool", "json_object"}, []string{"json_object"}, openai.JSONObject},
		"anthropic":  {[]crevtest.Mode{crevtest.Anthropic}, []string{"json_schema", "json_schema"}, []string{"tool"}, openai.ForcedTool},
		"gemini":     {[]crevtest.Mode{crevtest.Gemini}, []string{"json_schema", "tool"}, []string{"tool"}, openai.ForcedTool},
		"openrouter": {[]crevtest.Mode{crevtest.OpenRouter}, []string{"json_schema", "json_schema", "tool"}, []string{"tool"}, openai.ForcedTool},
		"mistral":    {[]crevtest.Mode{crevtest.Mistral}, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},
		"groq":       {[]crevtest.Mode{crevtest.Groq}, []string{"json_schema", "tool"}, []string{"tool"}, openai.ForcedTool},
		"deepseek":   {[]crevtest.Mode{crevtest.DeepSeek}, []string{"json_schema", "tool", "json_object"}, []string{"json_object"}, openai.JSONObject},
		"azure":      {[]crevtest.Mode{crevtest.Azure}, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},

		"no schema": {[]crevtest.Mode{crevtest.NoSchema}, []string{"json_schema", "tool"}, []string{"tool"}, openai.ForcedTool},
		"no schema, no tools": {[]crevtest.Mode{crevtest.NoSchema, crevtest.NoTools},
			[]string{"json_schema", "tool", "json_object"}, []string{"json_object"}, openai.JSONObject},
		"text only": {[]crevtest.Mode{crevtest.NoSchema, crevtest.NoTools, crevtest.NoJSONObject},
			[]string{"json_schema", "tool", "json_object", "text"}, []string{"text"}, openai.PlainText},
		"LM Studio without schema and tools": {[]crevtest.Mode{crevtest.NoSchema, crevtest.NoTools, crevtest.LMStudio},
			[]string{"json_schema", "tool", "json_object", "text"}, []string{"text"}, openai.PlainText},
		"thinks aloud, text only": {[]crevtest.Mode{crevtest.Thinks, crevtest.NoSchema, crevtest.NoTools, crevtest.NoJSONObject},
			[]string{"json_schema", "tool", "json_object", "text"}, []string{"text"}, openai.PlainText},
		"thinks aloud": {[]crevtest.Mode{crevtest.Thinks}, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},
		"wrong type":   {[]crevtest.Mode{crevtest.WrongType}, []string{"json_schema"}, []string{"json_schema"}, openai.StrictSchema},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, tt.modes...)
			reply := wantReply(t, r, ask("first diff"))
			if diff := cmp.Diff(tt.first, r.forms()); diff != "" {
				t.Errorf("forms of the first call (-want +got):\n%s", diff)
			}
			if reply.Requests != len(tt.first) {
				t.Errorf("Requests = %d, want %d", reply.Requests, len(tt.first))
			}
			wantReply(t, r, ask("second diff"))
			if diff := cmp.Diff(tt.second, r.forms()[len(tt.first):]); diff != "" {
				t.Errorf("forms of the second call (-want +got):\n%s", diff)
			}
			if got := r.Rung(""); got != tt.rung {
				t.Errorf("Rung() = %v, want %v", got, tt.rung)
			}
		})
	}
}

// What is learned about one model says nothing about another.
func TestRungIsRememberedPerModel(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, crevtest.NoSchema)
	wantReply(t, r, ask("diff"))
	if got := r.Rung("another"); got != openai.StrictSchema {
		t.Errorf("Rung(another) = %v, want %v", got, openai.StrictSchema)
	}
	req := ask("diff")
	req.Model = "another"
	wantReply(t, r, req)
	want := []string{"json_schema", "tool", "json_schema", "tool"}
	if diff := cmp.Diff(want, r.forms()); diff != "" {
		t.Errorf("forms (-want +got):\n%s", diff)
	}
}

func TestSchemaIsInThePromptWhereNothingElseCarriesIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, crevtest.NoSchema, crevtest.NoTools)
	wantReply(t, r, ask("diff"))
	for _, q := range r.server.Requests() {
		got := strings.Contains(q.Text, `"additionalProperties":false`)
		if want := q.Form == "json_object"; got != want {
			t.Errorf("form %s: schema in the prompt = %v, want %v", q.Form, got, want)
		}
		if !strings.HasPrefix(q.Text, "You review code.") {
			t.Errorf("form %s: the prompt does not begin with the system text", q.Form)
		}
	}
}

func TestOllamaTakesNoTools(t *testing.T) {
	t.Parallel()
	// The first reply tells that this is Ollama.
	script := crevtest.Script{Rules: []crevtest.Rule{
		{Nth: 1, Contains: []string{"first"}, Reply: fit},
		{Contains: []string{"JSON Schema"}, Reply: fit},
		{Content: new("nothing to say")},
	}}
	r := newRig(t, script, nil, crevtest.Ollama)
	wantReply(t, r, ask("first"))
	wantReply(t, r, ask("second"))
	wantReply(t, r, ask("third"))
	if slices.Contains(r.forms(), "tool") {
		t.Errorf("forms = %v: Ollama ignores tool_choice", r.forms())
	}
	if got := r.Rung(""); got != openai.JSONObject {
		t.Errorf("Rung() = %v, want %v", got, openai.JSONObject)
	}
}

func TestOllamaGetsTheCapItKnows(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, crevtest.Ollama)
	req := ask("diff")
	req.MaxTokens = 300
	wantReply(t, r, req)
	wantReply(t, r, req)
	body := r.server.Requests()[1].Body
	if body["max_tokens"] != 300.0 || body["max_completion_tokens"] != nil {
		t.Errorf("the second request has max_tokens %v and max_completion_tokens %v", body["max_tokens"], body["max_completion_tokens"])
	}
}

// An endpoint that writes more than it was allowed to did not know the name.
func TestCapThatIsIgnoredIsRenamed(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit, Usage: &crevtest.ModelUsage{Prompt: 50, Completion: 900}}), nil)
	req := ask("diff")
	req.MaxTokens = 300
	wantReply(t, r, req)
	wantReply(t, r, req)
	body := r.server.Requests()[1].Body
	if body["max_tokens"] != 300.0 || body["max_completion_tokens"] != nil {
		t.Errorf("the second request has max_tokens %v and max_completion_tokens %v", body["max_tokens"], body["max_completion_tokens"])
	}
}

func TestRefusedParametersAreDroppedOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		modes []crevtest.Mode
		extra map[string]any
		want  []map[string]any // the parameters of each request of two calls
	}{
		"cap under its other name": {
			[]crevtest.Mode{crevtest.MaxTokensOnly}, nil,
			[]map[string]any{{"max_completion_tokens": 300.0}, {"max_tokens": 300.0}, {"max_tokens": 300.0}},
		},
		"cap that is an extra input": {
			[]crevtest.Mode{crevtest.Mistral}, nil,
			[]map[string]any{{"max_completion_tokens": 300.0}, {"max_tokens": 300.0}, {"max_tokens": 300.0}},
		},
		"no cap at all": {
			[]crevtest.Mode{crevtest.MaxTokensOnly, crevtest.ReasoningParams}, nil,
			[]map[string]any{{"max_completion_tokens": 300.0}, {"max_tokens": 300.0}, {}, {}},
		},
		"temperature": {
			[]crevtest.Mode{crevtest.ReasoningParams}, map[string]any{"temperature": 0},
			[]map[string]any{
				{"max_completion_tokens": 300.0, "temperature": 0.0},
				{"max_completion_tokens": 300.0}, {"max_completion_tokens": 300.0},
			},
		},
		"two of three": {
			[]crevtest.Mode{crevtest.ReasoningParams}, map[string]any{"temperature": 0, "top_p": 1, "seed": 7},
			[]map[string]any{
				{"max_completion_tokens": 300.0, "temperature": 0.0, "top_p": 1.0, "seed": 7.0},
				{"max_completion_tokens": 300.0, "top_p": 1.0, "seed": 7.0},
				{"max_completion_tokens": 300.0, "seed": 7.0}, {"max_completion_tokens": 300.0, "seed": 7.0},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, always(crevtest.Rule{Reply: fit}), func(c *openai.Config) { c.Extra = tt.extra }, tt.modes...)
			req := ask("diff")
			req.MaxTokens = 300
			wantReply(t, r, req)
			wantReply(t, r, req)
			var got []map[string]any
			for _, q := range r.server.Requests() {
				sent := map[string]any{}
				for _, name := range []string{"max_tokens", "max_completion_tokens", "temperature", "top_p", "seed"} {
					if v, ok := q.Body[name]; ok {
						sent[name] = v
					}
				}
				got = append(got, sent)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("parameters (-want +got):\n%s", diff)
			}
		})
	}
}

// On OpenRouter's host the upstream must obey response_format.
func TestOpenRouterIsToldToRequireParameters(t *testing.T) {
	t.Parallel()
	server := crevtest.NewModel(t, always(crevtest.Rule{Reply: fit}), crevtest.OpenRouter)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at.Host)
	}
	transport := &http.Transport{DialContext: dial}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := openai.New(openai.Config{
		BaseURL: "http://openrouter.ai/v1", Key: crevtest.ModelKey, Model: "scripted",
		HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(t.Context(), ask("diff")); err != nil {
		t.Fatal(err)
	}
	var forms []string
	for _, q := range server.Requests() {
		forms = append(forms, q.Form)
		if diff := cmp.Diff(map[string]any{"require_parameters": true}, q.Body["provider"]); diff != "" {
			t.Errorf("provider (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff([]string{"json_schema", "tool"}, forms); diff != "" {
		t.Errorf("forms (-want +got):\n%s", diff)
	}
}

func TestPromptThatIsCutSilently(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("if err := invoice.Round(ctx, order.Total()); err != nil { return err }\n", 400)
	prose := strings.Repeat("Everybody understands that reviewing considerable documentation requires patience. ", 400)
	words := len(strings.Fields(prose))

	t.Run("ollama", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, crevtest.Ollama)
		wantFailure(t, r, ask(code), model.TooLong, "read 4096 tokens", "OLLAMA_CONTEXT_LENGTH")
	})
	t.Run("another server", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, always(crevtest.Rule{Reply: fit, Usage: &crevtest.ModelUsage{Prompt: 2048, Completion: 5}}), nil)
		wantFailure(t, r, ask(code), model.TooLong, "read 2048 tokens", "context length")
	})
	t.Run("whole code", func(t *testing.T) {
		t.Parallel()
		wantReply(t, newRig(t, always(crevtest.Rule{Reply: fit}), nil), ask(code))
	})
	t.Run("whole prose takes few tokens", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, always(crevtest.Rule{Reply: fit, Usage: &crevtest.ModelUsage{Prompt: words * 12 / 10, Completion: 5}}), nil)
		wantReply(t, r, ask(prose))
	})
	t.Run("half of the prose", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, always(crevtest.Rule{Reply: fit, Usage: &crevtest.ModelUsage{Prompt: words / 2, Completion: 5}}), nil)
		wantFailure(t, r, ask(prose), model.TooLong)
	})
	t.Run("a small prompt proves nothing", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, always(crevtest.Rule{Reply: fit, Usage: &crevtest.ModelUsage{Prompt: 3, Completion: 5}}), nil)
		wantReply(t, r, ask("a short diff"))
	})
}

func TestPromptThatIsRefusedForItsLength(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("total := order.Total()\n", 2000)
	for _, mode := range []crevtest.Mode{crevtest.VLLM, crevtest.LlamaCpp} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, mode)
			wantFailure(t, r, ask(long), model.TooLong, "context", "batch.max_lines")
			if got := len(r.server.Requests()); got != 1 {
				t.Errorf("%d requests, want 1: a prompt that is too long stays so", got)
			}
		})
	}
}

func TestUsageIsEstimatedWhereItIsMissing(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, crevtest.NoUsage)
	reply := wantReply(t, r, ask(strings.Repeat("total := order.Total()\n", 100)))
	if u := reply.Usage; !u.Estimated || u.Prompt < 500 || u.Completion < 1 {
		t.Errorf("Usage = %+v, want an estimate of the prompt and the reply", u)
	}
}

func TestEstimateLearnsFromUsage(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit}), nil)
	text := strings.Repeat("total := order.Total()\n", 100)
	plain, before := float64(model.Estimate(text)), r.Correction()
	wantReply(t, r, ask(text))
	counted := float64(r.server.Requests()[0].Tokens)
	if after := r.Correction(); before != 1 || after >= before || plain*after < .9*counted || plain*after > 1.1*counted {
		t.Errorf("the correction went from %v to %v; of an estimate of %v the server counts %v", before, after, plain, counted)
	}
}

// The filter of the endpoint is the endpoint's refusal, not a fault.
func TestPromptThatAFilterRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, crevtest.Azure)
	wantFailure(t, r, ask("// how to attack the cache"), model.Refused, "content management policy")
	wantReply(t, r, ask("diff"))
	if n := len(r.server.Requests()); n != 2 {
		t.Errorf("%d requests, want 2: a refusal is final, and nothing is learned from it", n)
	}
}

// A cache of the endpoint's matches the beginning of a prompt, so what varies
// between two requests of a run comes last.
func TestRequestsBeginAlike(t *testing.T) {
	t.Parallel()
	for _, modes := range [][]crevtest.Mode{nil, {crevtest.NoSchema}, {crevtest.DeepSeek}} {
		r := newRig(t, always(crevtest.Rule{Reply: fit}), nil, modes...)
		for _, fence := range []string{"aaaa", "bbbb", "cccc"} {
			req := askWithTool("[begin " + fence + " diff]\n+a\n[end " + fence + "]\n")
			req.Fence = fence
			wantReply(t, r, req)
		}
		all := r.server.Requests()
		first, last := all[len(all)-2], all[len(all)-1]
		for _, field := range []string{"tools", "response_format", "tool_choice", "model"} {
			if diff := cmp.Diff(first.Body[field], last.Body[field]); diff != "" {
				t.Errorf("modes %v: %s differs (-first +last):\n%s", modes, field, diff)
			}
		}
		a, b := first.Body["messages"].([]any), last.Body["messages"].([]any)
		if diff := cmp.Diff(a[:len(a)-1], b[:len(b)-1]); diff != "" || len(a) != 2 {
			t.Errorf("modes %v: the messages before the last differ (-first +last):\n%s", modes, diff)
		}
	}
}
