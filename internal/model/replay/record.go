package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/crev-ratchet/crev/internal/model"
)

// shortKey is how much of the key a file name holds.
const shortKey = 12

// Recorder passes requests on and writes one file for each. A file holds the
// request's texts and the reply, never a header or a key, because a Request has
// none. A request that was asked before in this run is answered as before and not
// paid for again, so that the run is the one that a Player will show. It may be
// used by several goroutines, and is not copied after first use.
type Recorder struct {
	// Next answers.
	Next Completer
	// Dir is created when it is missing; files with the same name are replaced.
	Dir string

	mu   sync.Mutex
	done map[string]outcome
}

// Complete asks Next and records what came of it. A failure that belongs to the
// moment (a refused key, a network that is down, a budget) is passed on and not
// recorded. An error without *model.Error says that the file cannot be written.
func (r *Recorder) Complete(ctx context.Context, req model.Request) (model.Reply, error) {
	key := req.Key()
	if o, ok := r.recorded(key); ok {
		return o.result(req)
	}
	got, err := r.Next.Complete(ctx, req)
	o := outcome{}
	if err == nil {
		o.Reply = &reply{JSON: got.JSON, Calls: got.Calls, Model: got.Model, Usage: &got.Usage}
	} else if failed, ok := errors.AsType[*model.Error](err); ok && recordable(failed.Failure) {
		o.Error = &failure{Failure: failed.Failure, Status: failed.Status, Detail: failed.Detail}
	} else {
		return got, err
	}
	if err := r.write(key, req, o); err != nil {
		return model.Reply{}, fmt.Errorf("record %s: %w", req.Purpose, err)
	}
	return got, err
}

func (r *Recorder) recorded(key string) (outcome, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, ok := r.done[key]
	return o, ok
}

// write stores the first outcome of a key. A second one, of a goroutine that
// asked at the same time, is dropped.
func (r *Recorder) write(key string, req model.Request, o outcome) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.done[key]; ok {
		return nil
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	data := marshal(newRecording(key, req, o))
	name := filepath.Join(r.Dir, fileName(req.Purpose, key))
	if err := os.WriteFile(name+".tmp", data, 0o644); err != nil {
		return err
	}
	if err := os.Rename(name+".tmp", name); err != nil {
		return err
	}
	if r.done == nil {
		r.done = map[string]outcome{}
	}
	r.done[key] = o
	return nil
}

func newRecording(key string, req model.Request, o outcome) recording {
	req = req.WithoutFence()
	q := question{System: toLines(req.System), Schema: req.Schema.Name, MaxTokens: req.MaxTokens}
	for _, m := range req.Messages {
		q.Messages = append(q.Messages, message{Role: m.Role, Text: toLines(m.Content), Calls: m.Calls, CallID: m.CallID})
	}
	for _, t := range req.Tools {
		q.Tools = append(q.Tools, t.Name)
	}
	return recording{
		Version: Version,
		Kind:    kindRecording,
		Key:     key,
		Purpose: req.Purpose,
		Model:   req.Model,
		Request: q,
		outcome: o,
	}
}

func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic("replay: encode a recording: " + err.Error())
	}
	return b.Bytes()
}

// fileName is what the request was for and the beginning of its key:
// review-code-3f1c09aa2b7d.json.
func fileName(purpose, key string) string {
	plain := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, purpose)
	plain = strings.Trim(plain, "-")
	if len(plain) > 60 {
		plain = plain[:60]
	}
	if plain == "" {
		plain = "request"
	}
	return plain + "-" + key[:shortKey] + ".json"
}
