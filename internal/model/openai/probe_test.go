package openai_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/openai"
)

// ready answers the questions of a probe.
func ready() crevtest.Script {
	word := map[string]any{"word": "ready"}
	return crevtest.Script{Rules: []crevtest.Rule{
		{Contains: []string{"Call read_word"}, Calls: []crevtest.ModelCall{{Name: "read_word", Arguments: map[string]any{}}}},
		{Reply: word},
	}}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	all := []crevtest.Mode{crevtest.NoSchema, crevtest.NoTools, crevtest.NoJSONObject}
	tests := map[string]struct {
		modes []crevtest.Mode
		want  openai.Found
	}{
		"plain":     {nil, openai.Found{Rung: openai.StrictSchema, Tools: openai.ToolsCalled, Requests: 2}},
		"llama.cpp": {[]crevtest.Mode{crevtest.LlamaCpp}, openai.Found{Rung: openai.JSONObject, Tools: openai.ToolsRefused, Requests: 5}},
		"groq":      {[]crevtest.Mode{crevtest.Groq}, openai.Found{Rung: openai.ForcedTool, Tools: openai.ToolsCalled, Requests: 3}},
		"deepseek":  {[]crevtest.Mode{crevtest.DeepSeek}, openai.Found{Rung: openai.JSONObject, Tools: openai.ToolsCalled, Requests: 4}},
		"text only": {all, openai.Found{Rung: openai.PlainText, Tools: openai.ToolsRefused, Requests: 6}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, ready(), nil, tt.modes...)
			got, err := r.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.Usage.Prompt == 0 || got.Usage.Completion == 0 {
				t.Errorf("Usage = %+v, want what it cost", got.Usage)
			}
			tt.want.Model, got.Usage = "scripted", model.Usage{}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Probe() (-want +got):\n%s", diff)
			}
			if n := len(r.server.Requests()); n != got.Requests {
				t.Errorf("Requests = %d, the server saw %d", got.Requests, n)
			}
		})
	}
}

func TestProbeOfToolsThatAreNotUsed(t *testing.T) {
	t.Parallel()
	word := map[string]any{"word": "ready"}
	tests := map[string]struct {
		rule crevtest.Rule
		want openai.ToolUse
	}{
		"the model does not call": {crevtest.Rule{Reply: word}, openai.ToolsIgnored},
		"the endpoint fails":      {crevtest.Rule{Contains: []string{"Call read_word"}, Status: 418}, openai.ToolsRefused},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, crevtest.Script{Rules: []crevtest.Rule{tt.rule, {Reply: word}}}, nil)
			if got, err := r.Probe(t.Context()); err != nil || got.Tools != tt.want {
				t.Errorf("Probe() = %+v, %v; want tools %s", got, err, tt.want)
			}
		})
	}
}

func TestProbeOfAnEndpointThatFails(t *testing.T) {
	t.Parallel()
	r := newRig(t, always(crevtest.Rule{Status: 401, Body: `{"error":{"message":"bad key"}}`}), nil)
	got, err := r.Probe(t.Context())
	if failed, ok := err.(*model.Error); !ok || failed.Failure != model.Unauthorized || got.Requests != 1 {
		t.Errorf("Probe() = %+v, %v; want unauthorized after one request", got, err)
	}
}
