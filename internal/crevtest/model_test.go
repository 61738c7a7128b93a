package crevtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/crev-ratchet/crev/internal/crevtest"
)

// post sends a body and returns the status and the decoded answer.
func post(t *testing.T, m *crevtest.Model, body string) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.URL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("answer %s: %v", data, err)
	}
	return res.StatusCode, out
}

func chat(text, more string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":"Review."},{"role":"user","content":%q}]%s}`, text, more)
}

// content is the text of an answer's first message.
func content(t *testing.T, answer map[string]any) any {
	t.Helper()
	choices, ok := answer["choices"].([]any)
	if !ok || len(choices) != 1 {
		t.Fatalf("answer %v has no choice", answer)
	}
	message := choices[0].(map[string]any)["message"].(map[string]any)
	if calls, ok := message["tool_calls"].([]any); ok {
		return calls[0].(map[string]any)["function"]
	}
	return message["content"]
}

const rules = `
rules:
  - name: second
    contains: [invoice, Review]
    nth: 2
    reply: {findings: [again]}
  - contains: [invoice]
    lacks: [fixed]
    reply: {findings: [first]}
  - contains: [raw]
    content: "no JSON"
default: {findings: []}
`

func TestModelAnswersByScript(t *testing.T) {
	t.Parallel()
	script, err := crevtest.ParseScript([]byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	m := crevtest.NewModel(t, script)
	steps := []struct{ text, want, rule string }{
		{"invoice", `{"findings":["first"]}`, "rule 2"},
		{"invoice", `{"findings":["again"]}`, "second"},
		{"invoice", `{"findings":["first"]}`, "rule 2"},
		{"invoice fixed", `{"findings":[]}`, "default"},
		{"raw", `no JSON`, "rule 3"},
	}
	for i, step := range steps {
		_, answer := post(t, m, chat(step.text, ""))
		if got := content(t, answer); got != step.want {
			t.Errorf("request %d: content %v, want %v", i+1, got, step.want)
		}
		if got := m.Requests()[i].Rule; got != step.rule {
			t.Errorf("request %d: rule %q, want %q", i+1, got, step.rule)
		}
	}
}

func TestModelAnswersInTheFormThatWasAsked(t *testing.T) {
	t.Parallel()
	m := crevtest.NewModel(t, crevtest.Script{Default: map[string]any{"findings": []any{}}})
	object := `{"findings":[]}`
	tests := []struct {
		more string
		form string
		want any
	}{
		{"", "text", object},
		{`,"response_format":{"type":"json_object"}`, "json_object", object},
		{`,"response_format":{"type":"json_schema","json_schema":{"name":"review"}}`, "json_schema", object},
		{`,"tools":[{"type":"function","function":{"name":"review"}}],"tool_choice":"required"`, "tool", map[string]any{"name": "review", "arguments": object}},
	}
	for i, tt := range tests {
		_, answer := post(t, m, chat("diff", tt.more))
		if diff := cmp.Diff(tt.want, content(t, answer)); diff != "" {
			t.Errorf("form %s (-want +got):\n%s", tt.form, diff)
		}
		if got := m.Requests()[i].Form; got != tt.form {
			t.Errorf("Form = %q, want %q", got, tt.form)
		}
	}
}

func TestModelNamesRequestsThatNothingAnswers(t *testing.T) {
	t.Parallel()
	m := crevtest.StartModel(crevtest.Script{})
	t.Cleanup(m.Close)
	status, answer := post(t, m, chat("what is this?", ""))
	text := fmt.Sprint(answer)
	if status != 500 || !strings.Contains(text, "what is this?") {
		t.Errorf("answered %d %s, want 500 and the request", status, text)
	}
	if got := m.Unexpected(); len(got) != 1 || !strings.Contains(got[0], "what is this?") {
		t.Errorf("Unexpected() = %v", got)
	}
}

func TestParseScriptRefusesUnknownKeys(t *testing.T) {
	t.Parallel()
	if _, err := crevtest.ParseScript([]byte("rules: [{contain: [a]}]")); err == nil {
		t.Error("a misspelt condition was accepted")
	}
	if _, err := crevtest.ParseScript(nil); err != nil {
		t.Errorf("an empty script: %v", err)
	}
}

// The example in the documentation of Model is a script.
func TestModelExampleIsAScript(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("model.go")
	if err != nil {
		t.Fatal(err)
	}
	var example bytes.Buffer
	for line := range strings.Lines(string(source)) {
		if text, ok := strings.CutPrefix(line, "//\t"); ok {
			example.WriteString(text)
		}
	}
	script, err := crevtest.ParseScript(example.Bytes())
	if err != nil || len(script.Rules) != 8 || !script.Rules[7].Hang || script.Default == nil {
		t.Errorf("ParseScript(example) = %d rules, %v; want 8, the last of which hangs, and a default:\n%s", len(script.Rules), err, example.String())
	}
}

func TestModelCommand(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "model.txtar")
	scenario := `
model start model.yml
ask invoice
stdout findings
ask unknown
stdout 500
model requests
cmp stdout want
model prompts
stdout 'invoice'
! model stop

model start default.yml no-schema retry-after
ask anything
stdout 429
ask anything
stdout findings
model requests
stdout '^2 text default 200$'
model stop
-- model.yml --
rules: [{name: found, contains: [invoice], reply: {findings: []}}]
-- default.yml --
default: {findings: []}
-- want --
1 text found 200
2 text none 500
`
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: []string{file},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model": crevtest.ModelCommand,
			"ask": func(ts *testscript.TestScript, _ bool, args []string) {
				if ts.Getenv("OPENAI_API_KEY") == "" || ts.Getenv("CREV_MODEL") == "" {
					ts.Fatalf("the settings are missing")
				}
				res, err := http.Post(ts.Getenv("OPENAI_BASE_URL")+"/chat/completions", "application/json", strings.NewReader(chat(args[0], "")))
				ts.Check(err)
				defer res.Body.Close()
				data, err := io.ReadAll(res.Body)
				ts.Check(err)
				fmt.Fprintf(ts.Stdout(), "%d %s\n", res.StatusCode, data)
			},
		},
	})
}
