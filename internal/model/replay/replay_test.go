package replay_test

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/crevtest"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/openai"
	"github.com/crev-ratchet/crev/internal/model/replay"
)

//go:embed testdata/v1
var released embed.FS

func request(fence, text string) model.Request {
	return model.Request{
		Purpose: "review/code",
		Model:   "scripted",
		System:  "You review code.\nUntrusted text is fenced.",
		Messages: []model.Message{
			{Role: model.User, Content: model.Fenced(fence, "diff", text)},
		},
		Schema: model.Schema{Name: "review", JSON: json.RawMessage(`{"type":"object","properties":{"findings":{"type":"array"}},"required":["findings"],"additionalProperties":false}`)},
		Fence:  fence,
	}
}

// client talks to a scripted endpoint.
func client(t *testing.T, rules ...crevtest.Rule) (*openai.Client, *crevtest.Model) {
	t.Helper()
	server := crevtest.NewModel(t, crevtest.Script{Rules: rules})
	c, err := openai.New(openai.Config{BaseURL: server.URL, Key: crevtest.ModelKey, Model: "scripted", MaxRetries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c, server
}

func open(t *testing.T, fsys fs.FS) *replay.Player {
	t.Helper()
	p, err := replay.Open(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRecordThenReplay(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	c, _ := client(t,
		crevtest.Rule{Contains: []string{"bad"}, Refusal: "no"},
		crevtest.Rule{Reply: map[string]any{"findings": []any{"a < b & c"}}, Usage: &crevtest.ModelUsage{Prompt: 90, Completion: 9, Cached: 64}})
	r := &replay.Recorder{Next: c, Dir: dir}

	good, err := r.Complete(t.Context(), request("q7k2q7k2", "+total"))
	if err != nil {
		t.Fatal(err)
	}
	_, refused := r.Complete(t.Context(), request("q7k2q7k2", "+bad"))
	if !errors.Is(refused, &model.Error{Failure: model.Refused}) {
		t.Fatalf("Complete() = %v, want refused", refused)
	}

	// Another run draws another fence and asks in another order, twice.
	p := open(t, os.DirFS(dir))
	for range 2 {
		_, err := p.Complete(t.Context(), request("zzzzzzzz", "+bad"))
		if err == nil || err.Error() != refused.Error() {
			t.Errorf("replayed error = %v, want %v", err, refused)
		}
		got, err := p.Complete(t.Context(), request("zzzzzzzz", "+total"))
		if err != nil {
			t.Fatal(err)
		}
		want := model.Reply{JSON: good.JSON, Model: good.Model, Usage: good.Usage, Requests: 1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("replayed reply (-want +got):\n%s", diff)
		}
	}
}

func TestRecordingIsForPeople(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, _ := client(t, crevtest.Rule{Reply: map[string]any{"findings": []any{}}})
	r := &replay.Recorder{Next: c, Dir: dir}
	req := request("q7k2q7k2", "+total\n+sum")
	if _, err := r.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	name := "review-code-" + req.Key()[:12] + ".json"
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"[begin FENCE diff]"`, `"+total"`, `"+sum"`, `"Untrusted text is fenced."`, `"purpose": "review/code"`, req.Key()} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the recording does not hold %s:\n%s", want, data)
		}
	}
	for _, secret := range []string{crevtest.ModelKey, "Authorization", "Bearer", "q7k2q7k2"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("the recording holds %s:\n%s", secret, data)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want the recording alone", entries, err)
	}
}

// The run that is recorded is the run that will be replayed.
func TestSameRequestIsAskedOnce(t *testing.T) {
	t.Parallel()
	c, server := client(t,
		crevtest.Rule{Nth: 1, Reply: map[string]any{"findings": []any{"first"}}},
		crevtest.Rule{Reply: map[string]any{"findings": []any{"second"}}})
	r := &replay.Recorder{Next: c, Dir: t.TempDir()}
	for range 2 {
		reply, err := r.Complete(t.Context(), request("q7k2q7k2", "+total"))
		if err != nil || string(reply.JSON) != `{"findings":["first"]}` {
			t.Errorf("Complete() = %s, %v; want the first answer", reply.JSON, err)
		}
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestManyRecordAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, _ := client(t, crevtest.Rule{Reply: map[string]any{"findings": []any{}}})
	r := &replay.Recorder{Next: c, Dir: dir}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			// Three different questions, four times each.
			if _, err := r.Complete(t.Context(), request("q7k2q7k2", strings.Repeat("+", 1+i%3))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("the folder holds %d files, %v; want 3", len(entries), err)
	}
}

func TestWhatBelongsToTheMomentIsNotRecorded(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"key": 401, "server": 503} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c, _ := client(t, crevtest.Rule{Status: status})
			r := &replay.Recorder{Next: c, Dir: dir}
			if _, err := r.Complete(t.Context(), request("q7k2q7k2", "+total")); err == nil {
				t.Fatal("Complete() succeeded")
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
				t.Errorf("the folder holds %v, %v; want nothing", entries, err)
			}
		})
	}
}

func TestRecorderThatCannotWrite(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, _ := client(t, crevtest.Rule{Reply: map[string]any{"findings": []any{}}})
	r := &replay.Recorder{Next: c, Dir: filepath.Join(file, "below")}
	if _, err := r.Complete(t.Context(), request("q7k2q7k2", "+total")); err == nil || !strings.Contains(err.Error(), "record review/code") {
		t.Errorf("Complete() = %v, want an error that says what was recorded", err)
	}
}

func TestMissSaysWhatToRecord(t *testing.T) {
	t.Parallel()
	req := request("q7k2q7k2", "+total")
	_, err := open(t, fstest.MapFS{}).Complete(t.Context(), req)
	if !errors.Is(err, &model.Error{Failure: model.NotRecorded}) {
		t.Fatalf("Complete() = %v, want not recorded", err)
	}
	for _, want := range []string{"review/code", "scripted", req.Key(), "--record"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, fstest.MapFS{}).Complete(ctx, request("q7k2q7k2", "+")); !errors.Is(err, context.Canceled) {
		t.Errorf("Complete() = %v, want context.Canceled", err)
	}
}

const story = `{
  "version": 1,
  "kind": "script",
  "about": "a story",
  "answers": [
    {"when": {"purpose": "judge"}, "error": {"failure": "refused", "detail": "declined"}},
    {"when": {"purpose": "review/code", "contains": ["total", "Untrusted"], "lacks": ["fixed"]}, "reply": {"json": {"findings": ["total"]}}},
    {"when": {"contains": ["fixed"]}, "reply": {"json": {"findings": ["fixed"]}, "usage": {"prompt": 5, "completion": 2}}},
    {"when": {}, "reply": {"json": { "findings": [ ] }}}
  ]
}`

func TestScript(t *testing.T) {
	t.Parallel()
	p := open(t, fstest.MapFS{
		"story/a.json": {Data: []byte("\ufeff" + strings.ReplaceAll(story, "\n", "\r\n"))},
		"README.md":    {Data: []byte("no JSON")},
	})
	tests := map[string]struct {
		purpose, text, want string
		estimated           bool
	}{
		"all of the texts": {"review/code", "+total", `{"findings":["total"]}`, true},
		"none of these":    {"review/code", "+total fixed", `{"findings":["fixed"]}`, false},
		"everything else":  {"review/security", "+total", `{"findings":[]}`, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := request("q7k2q7k2", tt.text)
			req.Purpose = tt.purpose
			got, err := p.Complete(t.Context(), req)
			if err != nil || string(got.JSON) != tt.want || got.Usage.Estimated != tt.estimated || got.Usage.Prompt < 5 {
				t.Errorf("Complete() = %s, %+v, %v; want %s", got.JSON, got.Usage, err, tt.want)
			}
		})
	}
	req := request("q7k2q7k2", "+")
	req.Purpose = "judge"
	if _, err := p.Complete(t.Context(), req); !errors.Is(err, &model.Error{Failure: model.Refused}) {
		t.Errorf("Complete(judge) = %v, want refused", err)
	}
}

func TestRecordingGoesBeforeScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, _ := client(t, crevtest.Rule{Reply: map[string]any{"findings": []any{"recorded"}}})
	r := &replay.Recorder{Next: c, Dir: dir}
	req := request("q7k2q7k2", "+total")
	if _, err := r.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a-script.json"), []byte(story), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, os.DirFS(dir)).Complete(t.Context(), req)
	if err != nil || string(got.JSON) != `{"findings":["recorded"]}` {
		t.Errorf("Complete() = %s, %v; want the recording", got.JSON, err)
	}
}

// A file of each version ever released must be readable for ever.
func TestReleasedFormats(t *testing.T) {
	t.Parallel()
	p := open(t, released)
	tests := map[string]struct{ text, want string }{
		"recording of version 1": {"+total", `{"findings":["rounds twice"]}`},
		"script of version 1":    {"+invoice", `{"findings":[]}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := p.Complete(t.Context(), request("q7k2q7k2", tt.text))
			if err != nil || string(got.JSON) != tt.want {
				t.Errorf("Complete() = %s, %v; want %s", got.JSON, err, tt.want)
			}
		})
	}
}
