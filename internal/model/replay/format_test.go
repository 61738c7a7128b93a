package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/model"
)

const someKey = "0f6a3c1f0b6a5f5e9d3a2c4b8e7d6f1a0f6a3c1f0b6a5f5e9d3a2c4b8e7d6f1a"

// file renders a recording with the given end.
func file(key, end string) string {
	return fmt.Sprintf(`{"version":1,"kind":"recording","key":%q,"purpose":"judge","model":"m","request":{"system":[],"messages":[],"schema":"","max_tokens":0}%s}`, key, end)
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ data, want string }{
		"nothing":            {``, "unexpected end"},
		"no version":         {`{"kind":"script"}`, `set "version": 1`},
		"no kind":            {`{"version":1}`, `want "recording" or "script"`},
		"unknown field":      {file(someKey, `,"reply":{"json":{}},"retries":1`), `unknown field "retries"`},
		"misspelt condition": {`{"version":1,"kind":"script","answers":[{"when":{"contain":["a"]},"reply":{"json":{}}}]}`, `unknown field "contain"`},
		"two values":         {file(someKey, `,"reply":{"json":{}}`) + ` {}`, "after top-level value"},
		"short key":          {file("abc", `,"reply":{"json":{}}`), "64 hex digits"},
		"no answer":          {file(someKey, ``), "either a reply or an error"},
		"both":               {file(someKey, `,"reply":{"json":{}},"error":{"failure":"refused","detail":""}`), "either a reply or an error"},
		"a list":             {file(someKey, `,"reply":{"json":[]}`), "no object"},
		"no json":            {file(someKey, `,"reply":{}`), "no object"},
		"a moment's failure": {file(someKey, `,"error":{"failure":"unauthorized","detail":""}`), `failure "unauthorized"`},
		"empty script":       {`{"version":1,"kind":"script","answers":[]}`, "add one"},
		"second answer":      {`{"version":1,"kind":"script","answers":[{"when":{},"reply":{"json":{}}},{"when":{}}]}`, "answer 2"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := parse([]byte(tt.data))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parse(%s) = %v, want an error that says %q", tt.data, err, tt.want)
			}
			if _, err := Open(fstest.MapFS{"a/b.json": {Data: []byte(tt.data)}}); err == nil || !strings.Contains(err.Error(), "a/b.json") {
				t.Errorf("Open() = %v, want an error that names the file", err)
			}
		})
	}
}

func TestNewerFormat(t *testing.T) {
	t.Parallel()
	_, _, err := parse([]byte(`{"version":2,"kind":"letter","new":true}`))
	if !errors.Is(err, ErrNewerFormat) {
		t.Errorf("parse() = %v, want ErrNewerFormat", err)
	}
}

func TestTwoRecordingsOfOneKey(t *testing.T) {
	t.Parallel()
	a := file(someKey, `,"reply":{"json":{"a":1}}`)
	same := file(someKey, `,"reply":{"json":{ "a": 1 }}`)
	other := file(someKey, `,"reply":{"json":{"a":2}}`)
	if _, err := Open(fstest.MapFS{"a.json": {Data: []byte(a)}, "b.json": {Data: []byte(same)}}); err != nil {
		t.Errorf("Open() of two equal recordings = %v", err)
	}
	_, err := Open(fstest.MapFS{"a.json": {Data: []byte(a)}, "b.json": {Data: []byte(other)}})
	if err == nil || !strings.Contains(err.Error(), "a.json") || !strings.Contains(err.Error(), "b.json") {
		t.Errorf("Open() of two recordings that differ = %v, want an error that names both", err)
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for purpose, want := range map[string]string{
		"review/code":               "review-code-0f6a3c1f0b6a.json",
		"../../etc/passwd":          "etc-passwd-0f6a3c1f0b6a.json",
		"":                          "request-0f6a3c1f0b6a.json",
		"Prüfung\x00":               "Pr-fung-0f6a3c1f0b6a.json",
		strings.Repeat("abcd", 100): strings.Repeat("abcd", 15) + "-0f6a3c1f0b6a.json",
	} {
		if got := fileName(purpose, someKey); got != want {
			t.Errorf("fileName(%q) = %q, want %q", purpose, got, want)
		}
	}
}

// rendered is whichever of the two a file was, written again.
func rendered(rec *recording, scr *script) string {
	if rec != nil {
		return string(marshal(*rec))
	}
	return string(marshal(*scr))
}

// What is recorded reads back as the same request and the same outcome, whatever
// bytes the texts are made of.
func FuzzRecording(f *testing.F) {
	f.Add("review/code", "You review.\n", "+a\r\n", "rounds twice", "")
	f.Add("judge", "", "\x00\xff\u2028", "</script>", "declined")
	f.Fuzz(func(t *testing.T, purpose, system, text, finding, refusal string) {
		req := model.Request{Purpose: purpose, Model: "m", System: system, Messages: []model.Message{{Role: model.User, Content: text}}}
		o := outcome{Error: &failure{Failure: model.Refused, Detail: refusal}}
		if refusal == "" {
			o = outcome{Reply: &reply{JSON: json.RawMessage(encode(map[string]string{"finding": finding})), Usage: &model.Usage{Prompt: 1}}}
		}
		data := marshal(newRecording(req.Key(), req, o))
		got, _, err := parse(data)
		if err != nil {
			t.Fatalf("parse(%s) = %v", data, err)
		}
		// JSON holds Unicode only: other bytes become U+FFFD, one by one.
		want := string([]rune(text))
		if read := strings.Join(got.Request.Messages[0].Text, "\n"); got.Key != req.Key() || read != want {
			t.Fatalf("key %s, text %q became key %s, text %q", req.Key(), want, got.Key, read)
		}
		if refusal != "" && got.Error.Detail != string([]rune(refusal)) {
			t.Fatalf("the error %q became %q", refusal, got.Error.Detail)
		}
		if refusal == "" && !got.outcome.equal(o) {
			t.Fatalf("the reply %s became %s", o.Reply.JSON, got.Reply.JSON)
		}
	})
}

// What is accepted survives a round trip.
func FuzzParse(f *testing.F) {
	files, err := fs.Glob(os.DirFS("testdata/v1"), "*.json")
	if err != nil || len(files) < 2 {
		f.Fatalf("files to begin with: %v, %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile("testdata/v1/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"version":1,"kind":"script","answers":[{"when":{},"reply":{"calls":[{"name":"read_file","arguments":{"path":"a.go"}}]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, scr, err := parse(data)
		if err != nil {
			return
		}
		once := rendered(rec, scr)
		rec, scr, err = parse([]byte(once))
		if err != nil {
			t.Fatalf("parse(%s) = %v, though it was accepted before", once, err)
		}
		if diff := cmp.Diff(once, rendered(rec, scr)); diff != "" {
			t.Fatalf("the second round trip differs:\n%s", diff)
		}
	})
}
