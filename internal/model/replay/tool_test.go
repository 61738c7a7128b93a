package replay_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/replay"
)

func requestWithTool(fence string) model.Request {
	req := request(fence, "+total")
	req.Tools = []model.Tool{{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object"}`)}}
	return req
}

// converse reads what is asked for and asks again, with a fence of its own.
func converse(t *testing.T, c replay.Completer, fence string) (all []model.Reply) {
	t.Helper()
	req := requestWithTool(fence)
	for range 5 {
		reply, err := c.Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, reply)
		if len(reply.Calls) == 0 {
			return all
		}
		req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Calls: reply.Calls})
		for _, call := range reply.Calls {
			req.Messages = append(req.Messages, model.Message{
				Role: model.ToolResult, CallID: call.ID, Content: "[begin " + fence + " file]\npackage total\n[end " + fence + "]\n"})
		}
	}
	t.Fatal("no reply after five turns")
	return nil
}

func TestEachTurnIsRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, server := client(t,
		crevtest.Rule{Lacks: []string{"package total"}, Calls: []crevtest.ModelCall{
			{Name: "read_file", Arguments: map[string]any{"path": "a.go"}}, {Name: "read_file", Arguments: map[string]any{"path": "b.go"}}}},
		crevtest.Rule{Reply: map[string]any{"findings": []any{"found"}}})
	live := converse(t, &replay.Recorder{Next: c, Dir: dir}, "q7k2q7k2")
	if n := len(server.Requests()); n != 2 || len(live) != 2 {
		t.Fatalf("%d requests and %d replies, want two turns", n, len(live))
	}
	replayed := converse(t, open(t, os.DirFS(dir)), "q7k2q7k2")
	for i := range live {
		live[i].Elapsed = 0
	}
	if diff := cmp.Diff(live, replayed); diff != "" {
		t.Errorf("replayed (-want +got):\n%s", diff)
	}
	// Another run draws another fence.
	converse(t, open(t, os.DirFS(dir)), "zzzzzzzz")
}

const scripted = `{"version": 1, "kind": "script", "answers": [
  {"when": {"lacks": ["package total"]}, "reply": {"calls": [
    {"name": "read_file", "arguments": {"path": "a.go"}},
    {"name": "read_file", "arguments": {"path": "b.go"}}]}},
  {"when": {"contains": ["read_file {\"path\":\"b.go\"}"]}, "reply": {"json": {"findings": ["looked"]}}},
  {"when": {}, "reply": {"json": {"findings": ["did not look"]}}}
]}`

func TestScriptCallsTools(t *testing.T) {
	t.Parallel()
	p := open(t, fstest.MapFS{"s.json": {Data: []byte(scripted)}})
	all := converse(t, p, "q7k2q7k2")
	if len(all) != 2 || string(all[1].JSON) != `{"findings":["looked"]}` {
		t.Errorf("replies %v, want calls and then a look", all)
	}
	if ids := []string{all[0].Calls[0].ID, all[0].Calls[1].ID}; ids[0] == "" || ids[0] == ids[1] {
		t.Errorf("ids %q, want two that differ", ids)
	}
	// Where no tools are offered, the answer with calls is not meant.
	reply, err := p.Complete(t.Context(), request("q7k2q7k2", "+total"))
	if err != nil || string(reply.JSON) != `{"findings":["did not look"]}` {
		t.Errorf("Complete() without tools = %s, %v", reply.JSON, err)
	}
}

func TestOpenRefusesCalls(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ reply, want string }{
		"beside JSON":         {`{"json": {}, "calls": [{"name": "a", "arguments": {}}]}`, "either json or calls"},
		"without a name":      {`{"calls": [{"arguments": {}}]}`, "want a name"},
		"without arguments":   {`{"calls": [{"name": "a"}]}`, "object of arguments"},
		"arguments of a list": {`{"calls": [{"name": "a", "arguments": []}]}`, "object of arguments"},
		"an unknown field":    {`{"calls": [{"name": "a", "arguments": {}, "args": 1}]}`, "unknown field"},
		"nothing":             {`{"calls": []}`, "no object"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := `{"version": 1, "kind": "script", "answers": [{"when": {}, "reply": ` + tt.reply + `}]}`
			_, err := replay.Open(fstest.MapFS{"s.json": {Data: []byte(data)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, replay.ErrNewerFormat) {
				t.Errorf("Open(%s) = %v, want an error that says %q", tt.reply, err, tt.want)
			}
		})
	}
}
