// Package replay answers model requests from files and writes such files. There
// are two kinds. A recording holds one request and the reply that a model gave;
// it is found by the request's key and answers only the very same question. A
// script holds replies that a person wrote, each with words to look for in the
// request, and so outlives a change of a prompt's wording. docs/models.md
// specifies both formats.
package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
)

// Completer is what a Recorder records: the client of an endpoint.
type Completer interface {
	Complete(context.Context, model.Request) (model.Reply, error)
}

// Player answers from files, without any network. It may be used by several
// goroutines.
type Player struct {
	recordings map[string]outcome // by key
	answers    []answer           // of scripts, in the order they are tried
}

// Open reads every .json file of a folder and below it; give embed.FS or
// os.DirFS. Recordings go before scripts; scripts are tried in the order of
// their file names, their answers from top to bottom. A file that is neither,
// or two recordings of one key that differ, is an error.
func Open(fsys fs.FS) (*Player, error) {
	p := &Player{recordings: map[string]outcome{}}
	from := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || path.Ext(name) != ".json" {
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		rec, script, err := parse(data)
		switch {
		case err != nil:
			return fmt.Errorf("read recording %s: %w", name, err)
		case script != nil:
			p.answers = append(p.answers, script.Answers...)
		case from[rec.Key] != "" && !rec.outcome.equal(p.recordings[rec.Key]):
			return fmt.Errorf("read recording %s: %s answers the same request otherwise; delete one of them", name, from[rec.Key])
		default:
			from[rec.Key] = name
			p.recordings[rec.Key] = rec.outcome
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Complete returns the recorded reply or the recorded *model.Error. Without one
// the error is model.NotRecorded and says which purpose and key are missing. The
// same request gets the same answer each time.
func (p *Player) Complete(ctx context.Context, req model.Request) (model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return model.Reply{}, &model.Error{Failure: model.Unavailable, Detail: "the run ended before the model answered", Cause: err}
	}
	key := req.Key()
	if o, ok := p.recordings[key]; ok {
		return o.result(req)
	}
	text := requestText(req)
	for _, a := range p.answers {
		if a.When.matches(req.Purpose, text) && a.offered(req) {
			return a.outcome.result(req)
		}
	}
	return model.Reply{}, &model.Error{
		Failure: model.NotRecorded,
		Detail: fmt.Sprintf("no recording answers %s (model %s, key %s); record it with --record DIR and a real model, or add an answer to a script",
			req.Purpose, req.Model, key),
	}
}

// matches reports whether a script's answer is meant for a request.
func (w when) matches(purpose, text string) bool {
	if w.Purpose != "" && w.Purpose != purpose {
		return false
	}
	has := func(s string) bool { return strings.Contains(text, s) }
	return !slices.ContainsFunc(w.Contains, func(s string) bool { return !has(s) }) &&
		!slices.ContainsFunc(w.Lacks, has)
}

// offered reports whether the request has every tool that the answer calls.
func (o outcome) offered(req model.Request) bool {
	return o.Reply == nil || !slices.ContainsFunc(o.Reply.Calls, func(c model.Call) bool { return !req.Offers(c.Name) })
}

// requestText is what a script's conditions look into.
func requestText(req model.Request) string {
	var b strings.Builder
	b.WriteString(req.System)
	for _, m := range req.Messages {
		b.WriteString("\n")
		b.WriteString(m.Content)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "\n%s %s", c.Name, c.Arguments)
		}
	}
	return b.String()
}

// result is a copy of the outcome for a caller.
func (o outcome) result(req model.Request) (model.Reply, error) {
	if o.Error != nil {
		return model.Reply{}, &model.Error{Failure: o.Error.Failure, Status: o.Error.Status, Detail: o.Error.Detail}
	}
	reply := model.Reply{Model: o.Reply.Model, Requests: 1}
	if err := o.Reply.fill(&reply, req); err != nil {
		return model.Reply{}, &model.Error{Failure: model.BadOutput, Detail: "the recorded reply is no JSON: " + err.Error()}
	}
	if o.Reply.Usage != nil {
		reply.Usage = *o.Reply.Usage
	} else {
		reply.Usage = model.Usage{
			Prompt:     model.Estimate(requestText(req)),
			Completion: o.Reply.estimate(),
			Estimated:  true,
		}
	}
	return reply, nil
}

// fill copies the object or the calls. Calls that a person wrote get the ids that
// an endpoint would have chosen.
func (r *reply) fill(to *model.Reply, req model.Request) (err error) {
	if len(r.Calls) == 0 {
		to.JSON, err = compact(r.JSON)
		return err
	}
	number := 0
	for _, m := range req.Messages {
		number += len(m.Calls)
	}
	for _, c := range r.Calls {
		number++
		if c.ID == "" {
			c.ID = fmt.Sprintf("call%05d", number)
		}
		if c.Arguments, err = compact(c.Arguments); err != nil {
			return err
		}
		to.Calls = append(to.Calls, c)
	}
	return nil
}

func (r *reply) estimate() int {
	n := model.Estimate(string(r.JSON))
	for _, c := range r.Calls {
		n += model.Estimate(string(c.Arguments))
	}
	return n
}

// compact undoes the indentation of files: a model's reply has none.
func compact(raw json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	err := json.Compact(&b, raw)
	return b.Bytes(), err
}
