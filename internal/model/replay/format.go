package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
)

// Version is the format that this program writes, and the newest it reads.
const Version = 1

// The kinds of file.
const (
	kindRecording = "recording"
	kindScript    = "script"
)

// ErrNewerFormat is returned for a file that a newer crev wrote.
var ErrNewerFormat = errors.New("written by a newer crev; update crev to read it")

// recording is one request and what came of it.
type recording struct {
	Version int      `json:"version"`
	Kind    string   `json:"kind"`
	Key     string   `json:"key"`
	Purpose string   `json:"purpose"`
	Model   string   `json:"model"`
	Request question `json:"request"`
	outcome
}

// question is the request for people to read; nothing is decided by it. Texts
// are lists of lines, and the fence is replaced by a fixed word.
type question struct {
	System    lines     `json:"system"`
	Messages  []message `json:"messages"`
	Schema    string    `json:"schema"`
	MaxTokens int       `json:"max_tokens"`
	Tools     []string  `json:"tools,omitempty"`
}

type message struct {
	Role   model.Role   `json:"role"`
	Text   lines        `json:"text"`
	Calls  []model.Call `json:"calls,omitempty"`
	CallID string       `json:"call_id,omitempty"`
}

// script is answers written by hand.
type script struct {
	Version int      `json:"version"`
	Kind    string   `json:"kind"`
	About   string   `json:"about,omitempty"`
	Answers []answer `json:"answers"`
}

// answer is given to the requests that meet its conditions.
type answer struct {
	When when `json:"when"`
	outcome
}

// when holds conditions that must all be met; an empty one is met by everything.
type when struct {
	// Purpose is the request's purpose, whole.
	Purpose string `json:"purpose,omitempty"`
	// Contains are texts that all occur in the system text or a message.
	Contains []string `json:"contains,omitempty"`
	// Lacks are texts of which none occurs.
	Lacks []string `json:"lacks,omitempty"`
}

// outcome is a reply or an error, never both.
type outcome struct {
	Reply *reply   `json:"reply,omitempty"`
	Error *failure `json:"error,omitempty"`
}

// reply is either the object or calls of tools.
type reply struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Calls []model.Call    `json:"calls,omitempty"`
	Model string          `json:"model,omitempty"`
	Usage *model.Usage    `json:"usage,omitempty"`
}

type failure struct {
	Failure model.Failure `json:"failure"`
	Status  int           `json:"status,omitempty"`
	Detail  string        `json:"detail"`
}

// lines is a text, one string a line, so that a person can read it in JSON.
type lines []string

func toLines(text string) lines { return strings.Split(text, "\n") }

// equal compares what a caller gets.
func (o outcome) equal(p outcome) bool {
	a, b := o, p
	return reflect.DeepEqual(a.Error, b.Error) && encode(a.Reply) == encode(b.Reply)
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("replay: encode a recording: " + err.Error())
	}
	return string(b)
}

// parse reads a file of either kind. Exactly one of the results is set.
func parse(data []byte) (*recording, *script, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var head struct {
		Version int    `json:"version"`
		Kind    string `json:"kind"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, nil, err
	}
	switch {
	case head.Version > Version:
		return nil, nil, fmt.Errorf("version %d: %w", head.Version, ErrNewerFormat)
	case head.Version != Version:
		return nil, nil, fmt.Errorf("version %d: the first version is 1; set \"version\": 1", head.Version)
	}
	switch head.Kind {
	case kindRecording:
		var r recording
		if err := strict(data, &r); err != nil {
			return nil, nil, err
		}
		return &r, nil, r.check()
	case kindScript:
		var s script
		if err := strict(data, &s); err != nil {
			return nil, nil, err
		}
		return nil, &s, s.check()
	}
	return nil, nil, fmt.Errorf("kind %q: want %q or %q", head.Kind, kindRecording, kindScript)
}

// strict decodes one JSON value and refuses unknown fields.
func strict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value; keep one a file")
	}
	return nil
}

func (r *recording) check() error {
	if len(r.Key) != 64 || strings.Trim(r.Key, "0123456789abcdef") != "" {
		return fmt.Errorf("key %q: want 64 hex digits", r.Key)
	}
	return r.outcome.check()
}

func (s *script) check() error {
	if len(s.Answers) == 0 {
		return errors.New("a script without answers; add one")
	}
	for i, a := range s.Answers {
		if err := a.outcome.check(); err != nil {
			return fmt.Errorf("answer %d: %w", i+1, err)
		}
	}
	return nil
}

func (o outcome) check() error {
	switch {
	case (o.Reply == nil) == (o.Error == nil):
		return errors.New("want either a reply or an error")
	case o.Reply != nil:
		return o.Reply.check()
	case o.Error != nil && !recordable(o.Error.Failure):
		return fmt.Errorf("failure %q: want %s, %s or %s", o.Error.Failure, model.Refused, model.TooLong, model.BadOutput)
	}
	return nil
}

func (r *reply) check() error {
	if len(r.Calls) == 0 {
		if !isObject(r.JSON) {
			return errors.New("the reply's json is no object")
		}
		return nil
	}
	if r.JSON != nil {
		return errors.New("a reply has either json or calls")
	}
	for _, c := range r.Calls {
		if c.Name == "" || !isObject(c.Arguments) {
			return fmt.Errorf("call %q: want a name and an object of arguments", c.Name)
		}
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

// recordable reports whether a failure belongs to the question. Keys, quotas,
// networks and budgets belong to the moment.
func recordable(f model.Failure) bool {
	return f == model.Refused || f == model.TooLong || f == model.BadOutput
}
