package crevtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Model is a server that speaks OpenAI's chat completions and answers from a
// Script. It runs on the loopback interface and is spoken to by the real client.
//
// A script file, in YAML or JSON, looks like this:
//
//	rules:                        # tried from top to bottom, first match answers
//	  - name: invoice             # optional, shown by "model requests"
//	    contains: [invoice.go]    # all of them in the system text or a message
//	    lacks: [already fixed]    # none of them
//	    nth: 2                    # only the second request that gets this far
//	    reply: {findings: []}     # an object, in the form the request asked for
//	  - contains: [judge]
//	    content: "no JSON at all" # the text of the answer, as it is
//	  - contains: [huge]
//	    status: 503               # an error instead of an answer
//	    headers: {Retry-After: "0"}
//	    body: '{"error": {"message": "overloaded"}}'
//	  - contains: [exploit]
//	    refusal: I cannot help with that.
//	  - contains: [long]
//	    reply: {findings: []}
//	    finish: length            # finish_reason, "stop" otherwise
//	    usage: {prompt: 90, completion: 10, cached: 64, reasoning: 5}
//	  - contains: [who calls it]  # tools to run first, where they are offered
//	    lacks: [Result]
//	    calls: [{name: read_file, arguments: {path: a.go}}]
//	  - contains: [billing]
//	    findings:                 # a reviewer's reply; see Findings for defaults
//	      - {path: a.go, quote: "x := 1", claim: "x is never read."}
//	  - contains: [slow]
//	    hang: true                # no answer until the client gives up
//	default: {findings: []}       # for requests that no rule matches
//
// Without a default such a request is answered with HTTP 500 and fails the test.
type Model struct {
	// URL is the base URL, ending in /v1.
	URL string

	server *httptest.Server
	script Script
	modes  []Mode

	mu         sync.Mutex
	requests   []ModelRequest
	counts     []int // how many requests got as far as each rule
	unexpected []string
}

// ModelKey is a key that a Model accepts. It accepts any other as well and looks
// like one that leaks must be looked for.
const ModelKey = "sk-crevtest-5f0c9a1e334cece5d8ab7d10"

// Script is what a Model answers.
type Script struct {
	Rules   []Rule         `yaml:"rules"`
	Default map[string]any `yaml:"default"`
}

// Rule answers the requests that meet its conditions.
type Rule struct {
	Name     string   `yaml:"name"`
	Contains []string `yaml:"contains"`
	Lacks    []string `yaml:"lacks"`
	// Nth picks one of the requests that meet the other conditions, counted
	// from 1; 0 is all of them.
	Nth int `yaml:"nth"`

	// Reply is answered in the form that the request asked for.
	Reply map[string]any `yaml:"reply"`
	// Findings is a reviewer's reply in short; it becomes Reply.
	Findings []map[string]any `yaml:"findings"`
	// Calls are tools to run. A request that offers none of that name does not
	// match the rule.
	Calls []ModelCall `yaml:"calls"`
	// Content is answered as the text of the message; it wins over Reply.
	Content *string `yaml:"content"`
	// Refusal is answered in the message's refusal field.
	Refusal string `yaml:"refusal"`
	// Status, Headers and Body answer instead of a completion. Headers are set
	// on completions, too.
	Status  int               `yaml:"status"`
	Headers map[string]string `yaml:"headers"`
	Body    string            `yaml:"body"`

	// Hang answers nothing, until the client gives up.
	Hang bool `yaml:"hang"`

	Finish string      `yaml:"finish"`
	Usage  *ModelUsage `yaml:"usage"`
}

// ModelCall is a call of one of the request's own tools.
type ModelCall struct {
	Name      string         `yaml:"name"`
	Arguments map[string]any `yaml:"arguments"`
	// Raw is sent as the arguments in their place, as it is.
	Raw string `yaml:"raw"`
}

// ModelUsage is what a Model reports instead of its own count.
type ModelUsage struct {
	Prompt     int `yaml:"prompt"`
	Completion int `yaml:"completion"`
	Cached     int `yaml:"cached"`
	Reasoning  int `yaml:"reasoning"`
}

// ModelRequest is one request as a Model saw it.
type ModelRequest struct {
	Header http.Header
	// Raw is the body, Body the same decoded.
	Raw  []byte
	Body map[string]any
	// Text is the system text and the messages.
	Text string
	// Form is how JSON was asked for: json_schema, tool, json_object or text.
	Form string
	// Tools are the functions offered besides the one that takes the answer.
	Tools []string
	// Rule is the name or number of the rule that answered, "default", the name
	// of the mode that refused, or "none".
	Rule string
	// Tokens is how long the prompt was, counted by the server.
	Tokens int
	// Status is what was answered; 0 is a connection that was cut.
	Status int
}

// NewModel starts a server that stops with the test. Requests that nothing
// answers fail the test.
func NewModel(t testing.TB, script Script, modes ...Mode) *Model {
	t.Helper()
	m := StartModel(script, modes...)
	t.Cleanup(func() {
		m.Close()
		for _, u := range m.Unexpected() {
			t.Error(u)
		}
	})
	return m
}

// StartModel starts a server that the caller closes.
func StartModel(script Script, modes ...Mode) *Model {
	m := &Model{script: script, modes: modes, counts: make([]int, len(script.Rules))}
	m.server = httptest.NewServer(http.HandlerFunc(m.serve))
	m.URL = m.server.URL + "/v1"
	return m
}

// Close stops the server and waits for its answers.
func (m *Model) Close() { m.server.Close() }

// Requests returns what was asked so far, in the order of arrival.
func (m *Model) Requests() []ModelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Unexpected names the requests that neither a rule nor the default answered.
func (m *Model) Unexpected() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.unexpected)
}

// serve answers one request: the modes may refuse it or change the answer that
// the script gives.
func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		writeAnswer(w, modelFault(http.StatusNotFound, "no such path: "+r.Method+" "+r.URL.Path, "invalid_request_error", "", ""))
		return
	}
	req := ModelRequest{Header: r.Header.Clone(), Raw: raw}
	if err := json.Unmarshal(raw, &req.Body); err != nil {
		writeAnswer(w, modelFault(http.StatusBadRequest, "the body is no JSON: "+err.Error(), "invalid_request_error", "", ""))
		return
	}
	req.Text, req.Form = requestText(req.Body), requestForm(req.Body)
	req.Tools = requestTools(req.Body, req.Form)
	req.Tokens = countTokens(req.Text)

	a := m.answer(&req)
	switch {
	case a.hang:
		<-r.Context().Done()
		return
	case a.cut:
		cutConnection(w)
		return
	}
	writeAnswer(w, a)
}

// answer decides under the lock, so that "first request" and "nth" mean one
// thing when requests arrive together.
func (m *Model) answer(req *ModelRequest) *answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	number := len(m.requests) + 1
	var a *answer
	for _, mode := range m.modes {
		if b := behaviours[mode]; a == nil && b.before != nil {
			if a = b.before(req, number); a != nil {
				req.Rule = string(mode)
			}
		}
	}
	if a == nil {
		a = m.scripted(req)
		for _, mode := range m.modes {
			if b := behaviours[mode]; b.after != nil {
				b.after(req, a)
			}
		}
	}
	req.Status = a.status
	m.requests = append(m.requests, *req)
	return a
}

func (m *Model) scripted(req *ModelRequest) *answer {
	for i, rule := range m.script.Rules {
		if !rule.matches(req.Text) || !rule.offered(req.Tools) {
			continue
		}
		m.counts[i]++
		if rule.Nth != 0 && rule.Nth != m.counts[i] {
			continue
		}
		req.Rule = rule.Name
		if req.Rule == "" {
			req.Rule = fmt.Sprintf("rule %d", i+1)
		}
		return rule.answer(req)
	}
	if m.script.Default != nil {
		req.Rule = "default"
		return Rule{Reply: m.script.Default}.answer(req)
	}
	req.Rule = "none"
	text := fmt.Sprintf("the scripted model has no rule for request %d (%s), which begins: %.200q",
		len(m.requests)+1, req.Form, req.Text)
	m.unexpected = append(m.unexpected, text)
	a := modelFault(http.StatusInternalServerError, text, "crevtest", "", "")
	// OpenAI's own way to say that another attempt is useless.
	a.headers["x-should-retry"] = "false"
	return a
}

func (r Rule) matches(text string) bool {
	has := func(s string) bool { return strings.Contains(text, s) }
	return !slices.ContainsFunc(r.Contains, func(s string) bool { return !has(s) }) &&
		!slices.ContainsFunc(r.Lacks, has)
}

// offered reports whether every tool that the rule calls was offered.
func (r Rule) offered(tools []string) bool {
	return !slices.ContainsFunc(r.Calls, func(c ModelCall) bool { return !slices.Contains(tools, c.Name) && c.Raw == "" })
}

// requestText joins what the messages say.
func requestText(body map[string]any) string {
	var parts []string
	messages, _ := body["messages"].([]any)
	for _, raw := range messages {
		message, _ := raw.(map[string]any)
		switch content := message["content"].(type) {
		case string:
			parts = append(parts, content)
		case []any:
			for _, raw := range content {
				part, _ := raw.(map[string]any)
				if text, ok := part["text"].(string); ok {
					parts = append(parts, text)
				}
			}
		}
	}
	return strings.Join(parts, "\n")
}

// requestForm says how the request asks for JSON. A choice of tool that leaves no
// choice is made for the answer's sake only.
func requestForm(body map[string]any) string {
	if choice, ok := body["tool_choice"]; ok && choice != "auto" {
		return "tool"
	}
	format, _ := body["response_format"].(map[string]any)
	if kind, ok := format["type"].(string); ok {
		return kind
	}
	return "text"
}

// requestTools names the functions, without the last one where that takes the
// answer.
func requestTools(body map[string]any, form string) []string {
	var names []string
	tools, _ := body["tools"].([]any)
	for _, raw := range tools {
		names = append(names, toolName(raw))
	}
	if form == "tool" && len(names) > 0 {
		names = names[:len(names)-1]
	}
	return names
}

func toolName(raw any) string {
	tool, _ := raw.(map[string]any)
	function, _ := tool["function"].(map[string]any)
	name, _ := function["name"].(string)
	return name
}
