package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openai/openai-go"

	"github.com/crev-ratchet/crev/internal/model"
)

// talk is one call of Complete: the HTTP requests it took and what they cost.
type talk struct {
	client   *Client
	req      model.Request
	check    *model.Validator
	began    time.Time
	usage    model.Usage
	requests int
	named    string // the model's name in the last reply
}

// run goes down the ladder until a reply fits.
func (t *talk) run(ctx context.Context) (model.Reply, error) {
	for {
		known := t.client.known(t.req)
		reply, misfit, err := t.onRung(ctx, known)
		if refused, ok := errors.AsType[*refusedRung](err); ok &&
			t.client.stepDown(t.req, refused.rung, refused.fault.remedy == stepBeside, refused.fault.detail) {
			continue
		}
		if err != nil {
			return model.Reply{}, err
		}
		if misfit == nil {
			return reply, nil
		}
		if !t.client.stepDown(t.req, known.rung, false, misfit.Error()) {
			return model.Reply{}, t.fail(model.BadOutput, 0,
				"no reply fitted the schema: "+t.client.secrets.clean(misfit.Error()), nil)
		}
	}
}

// refusedRung is an endpoint's refusal of a way to ask.
type refusedRung struct {
	rung  Rung
	fault *fault
}

func (r *refusedRung) Error() string { return r.rung.String() + " refused: " + r.fault.detail }

// onRung asks once and, when the reply does not fit, once more with what was
// wrong. misfit is why the second reply did not fit either.
func (t *talk) onRung(ctx context.Context, known traits) (reply model.Reply, misfit, err error) {
	turns := t.req.Messages
	for turn := range 2 {
		said, err := t.ask(ctx, known.rung, turns)
		if err != nil {
			return model.Reply{}, nil, err
		}
		if len(said.calls) > 0 {
			return t.reply(nil, said.calls), nil, nil
		}
		var object json.RawMessage
		object, misfit = t.fit(said)
		if misfit == nil {
			if turn > 0 && known.rung == StrictSchema {
				// An endpoint that obeys a strict schema never needs the
				// second turn: this one ignores it, and the next request
				// need not find out again.
				t.client.stepDown(t.req, StrictSchema, false, "the endpoint does not enforce the schema")
			}
			return t.reply(object, nil), nil, nil
		}
		if turn > 0 && said.text == "" && said.misfit == nil {
			return model.Reply{}, nil, t.fail(model.Refused, 0, "the model answered with nothing, twice", nil)
		}
		turns = t.repair(known.rung, said.text, misfit)
	}
	return model.Reply{}, misfit, nil
}

// fit finds the object in an answer and checks it.
func (t *talk) fit(said answer) (json.RawMessage, error) {
	if said.misfit != nil {
		return nil, said.misfit
	}
	object, err := model.Extract(said.text)
	if err != nil {
		return nil, err
	}
	if err := t.check.Validate(object); err != nil {
		return nil, err
	}
	return object, nil
}

// repair is the conversation so far, the answer, and what is wrong with it.
func (t *talk) repair(r Rung, answer string, misfit error) []model.Message {
	turns := append([]model.Message(nil), t.req.Messages...)
	if answer != "" {
		turns = append(turns, model.Message{Role: model.Assistant, Content: answer})
	}
	text := "That reply cannot be used: " + misfit.Error() + ". Answer again, whole and corrected."
	if r == StrictSchema {
		text += " " + t.req.Schema.Prompt()
	}
	return append(turns, model.Message{Role: model.User, Content: text})
}

// admit asks the caller's budget.
func (t *talk) admit(tokens int) error {
	if t.req.Admit == nil {
		return nil
	}
	return t.req.Admit(tokens)
}

// ask sends one turn until it is answered, retried and without the parameters
// that the endpoint refuses, and returns what was said.
func (t *talk) ask(ctx context.Context, rung Rung, turns []model.Message) (answer, error) {
	c := t.client
	estimate := t.estimate(turns)
	for retries := 0; ; {
		known := c.known(t.req)
		if err := t.refuse(known); err != nil {
			return answer{}, err
		}
		known.rung = rung
		if err := ctx.Err(); err != nil {
			return answer{}, t.fail(model.Unavailable, 0, "the run ended before the model answered", err)
		}
		if err := t.admit(estimate + t.req.MaxTokens); err != nil {
			return answer{}, t.fail(model.OverBudget, 0, c.secrets.clean(err.Error()), err)
		}
		t.requests++
		ex := c.send(ctx, t.req, known, turns)
		if err := ctx.Err(); err != nil && ex.status == 0 {
			return answer{}, t.fail(model.Unavailable, 0, "the run ended before the model answered", err)
		}
		f := c.diagnose(ex, known, t.req)
		if f == nil {
			c.answered(t.req.Model)
			return t.read(ex, known, turns)
		}
		switch f.remedy {
		case dropOne:
			c.drop(t.req.Model, f.drop)
			continue
		case dropTools:
			c.dropTools(t.req.Model, f.detail)
			continue
		case stepDown, stepBeside:
			return answer{}, &refusedRung{rung, f}
		case giveUp:
			return answer{}, t.fail(f.failure, f.status, f.detail, nil)
		}
		if retries >= c.cfg.MaxRetries {
			return answer{}, t.fail(f.failure, f.status, fmt.Sprintf("%s (gave up after %d attempts)", f.detail, retries+1), nil)
		}
		d := c.wait(ex.header, retries)
		c.cfg.Log.Warn("model endpoint: try again", "model", t.req.Model, "status", f.status, "wait", d, "because", f.detail)
		if err := c.pause(ctx, d); err != nil {
			return answer{}, t.fail(f.failure, f.status, f.detail+"; "+err.Error(), err)
		}
		retries++
	}
}

// read takes the answer out of a completion, counts what it cost, and refuses what
// is no whole answer to the whole prompt.
func (t *talk) read(ex *exchange, known traits, turns []model.Message) (answer, error) {
	done := ex.completion
	t.named = done.Model
	t.recognise(ex)
	var choice openai.ChatCompletionChoice
	if len(done.Choices) > 0 {
		choice = done.Choices[0]
	}
	cost := t.count(done, known, turns, choice.Message)
	if err := t.wholePrompt(cost, known, turns); err != nil {
		return answer{}, err
	}
	if !cost.Estimated {
		t.client.calibrate.Observe(t.rawEstimate(turns), cost.Prompt)
	}
	switch {
	case choice.FinishReason == "content_filter":
		return answer{}, t.fail(model.Refused, 0, "the endpoint's content filter stopped the reply", nil)
	case choice.Message.Refusal != "":
		return answer{}, t.fail(model.Refused, 0, "the model declined: "+t.client.secrets.clean(choice.Message.Refusal), nil)
	case choice.FinishReason == "length":
		return answer{}, t.fail(model.TooLong, 0, fmt.Sprintf(
			"the reply was cut after %d tokens; lower batch.max_lines, or raise the model's reply limit", cost.Completion), nil)
	}
	said := answerOf(choice.Message, t.req, known.rung, known.offers(t.req))
	said.text = strings.TrimSpace(said.text)
	return said, nil
}

// recognise notes servers that sign their replies.
func (t *talk) recognise(ex *exchange) {
	server := ""
	switch {
	case ex.completion.SystemFingerprint == "fp_ollama":
		server = "ollama"
	case strings.HasPrefix(strings.ToLower(ex.header.Get("Server")), "llama.cpp"):
		server = "llama.cpp"
	}
	if server != "" {
		t.client.learn(t.req.Model, func(k *traits) {
			if k.server == "" {
				k.meet(server)
			}
		})
	}
}

// count adds what the endpoint reports, or an estimate where it reports nothing.
func (t *talk) count(done *openai.ChatCompletion, known traits, turns []model.Message, said openai.ChatCompletionMessage) model.Usage {
	u := model.Usage{
		Prompt:     int(done.Usage.PromptTokens),
		Completion: int(done.Usage.CompletionTokens),
		Cached:     int(done.Usage.PromptTokensDetails.CachedTokens),
		Reasoning:  int(done.Usage.CompletionTokensDetails.ReasoningTokens),
	}
	if u.Prompt <= 0 {
		u = model.Usage{Prompt: t.estimate(turns), Completion: model.Estimate(said.Content), Estimated: true}
		for _, c := range said.ToolCalls {
			u.Completion += model.Estimate(c.Function.Arguments)
		}
	}
	t.usage = t.usage.Plus(u)
	if limit := t.req.MaxTokens; limit > 0 && u.Completion > limit && !known.maxTokens {
		// The endpoint did not obey the cap: it may know its older name.
		t.client.learn(t.req.Model, func(k *traits) {
			if !k.swapped {
				k.swapped, k.maxTokens = true, true
			}
		})
	}
	return u
}

// The guard against prompts that an endpoint cuts without saying so.
const (
	// smallPrompt is the estimate below which nothing is concluded: no server
	// has a context that small, and the template around it weighs too much.
	smallPrompt = 1500
	// readShare is the share of the estimate that a whole prompt reaches.
	readShare = 0.7
)

// wholePrompt refuses a reply to a prompt of which the endpoint counted fewer
// tokens than there can be. The estimate alone would accuse every second Markdown
// file, because prose takes fewer tokens a byte than code (figures are in
// docs/models.md), so the count must be below the floor too.
func (t *talk) wholePrompt(u model.Usage, known traits, turns []model.Message) error {
	estimate := t.rawEstimate(turns)
	if u.Estimated || estimate < smallPrompt || float64(u.Prompt) >= readShare*float64(estimate) || u.Prompt >= t.floor(turns) {
		return nil
	}
	setting := "raise the server's context length"
	switch {
	case known.server == "ollama" || t.client.known(t.req).server == "ollama":
		setting = "raise OLLAMA_CONTEXT_LENGTH, or num_ctx in the Modelfile"
	case known.server == "llama.cpp":
		setting = "raise --ctx-size"
	}
	return t.fail(model.TooLong, 0, fmt.Sprintf(
		"the endpoint read %d tokens of a prompt of about %d and dropped the rest; %s, or lower batch.max_lines",
		u.Prompt, estimate, setting), nil)
}

func (t *talk) rawEstimate(turns []model.Message) int {
	n := model.Estimate(t.req.System)
	for _, m := range turns {
		n += model.Estimate(m.Content)
	}
	return n
}

func (t *talk) floor(turns []model.Message) int {
	n := model.Floor(t.req.System)
	for _, m := range turns {
		n += model.Floor(m.Content)
	}
	return n
}

// estimate is the corrected one, with the schema, which is sent in any case, and
// the tools.
func (t *talk) estimate(turns []model.Message) int {
	n := t.rawEstimate(turns) + model.Estimate(string(t.req.Schema.JSON))
	for _, tool := range t.req.Tools {
		n += model.Estimate(tool.Description) + model.Estimate(string(tool.Parameters))
	}
	for _, m := range turns {
		for _, c := range m.Calls {
			n += model.Estimate(string(c.Arguments))
		}
	}
	return int(float64(n) * t.client.calibrate.Factor())
}

func (t *talk) reply(object json.RawMessage, calls []model.Call) model.Reply {
	return model.Reply{
		JSON:     object,
		Calls:    calls,
		Model:    t.named,
		Usage:    t.usage,
		Requests: t.requests,
		Elapsed:  t.client.cfg.Now().Sub(t.began),
	}
}

func (t *talk) fail(failure model.Failure, status int, detail string, cause error) error {
	return &model.Error{
		Failure:  failure,
		Status:   status,
		Detail:   detail,
		Usage:    t.usage,
		Requests: t.requests,
		Cause:    cause,
	}
}
