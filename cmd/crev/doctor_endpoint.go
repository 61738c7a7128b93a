package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/model/openai"
)

// modelFound is the endpoint as doctor found it.
type modelFound struct {
	Name string `json:"name"`
	Host string `json:"host"`
	// Key says whether there is one. It is never shown.
	Key bool `json:"key"`
	// JSON is the way that the endpoint is asked for JSON, "" when it was not
	// asked or did not answer; see docs/models.md for the ladder.
	JSON string `json:"json,omitempty"`
	// Tools is "called", "ignored" or "refused".
	Tools openai.ToolUse `json:"tools,omitempty"`
	// What finding out has cost. USD is 0 where no price is configured.
	Requests         int     `json:"requests"`
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	USD              float64 `json:"usd,omitempty"`
}

// endpoint asks the model that a review on this machine would ask.
func (d *doctor) endpoint(ctx context.Context) {
	key := d.w.env("OPENAI_API_KEY")
	at := cmp.Or(d.w.env("OPENAI_BASE_URL"), d.config.Model.BaseURL)
	name := cmp.Or(d.w.env("CREV_MODEL"), d.config.Model.Name)
	if key == "" && at == "" {
		d.say("model", healthNote, "none configured: crev runs validators and follows what it knows, and reviews nothing",
			"set OPENAI_API_KEY and CREV_MODEL, or OPENAI_BASE_URL for another endpoint; in a workflow the inputs api_key, model and base_url")
		return
	}
	client, err := openai.New(openai.Config{
		BaseURL: cmp.Or(at, defaultBaseURL), Key: cmp.Or(key, "none"), Model: name, MaxRetries: 1,
		Secrets: []string{d.w.env("GITHUB_TOKEN")},
	})
	if err != nil {
		d.say("model", healthFail, err.Error(), "")
		return
	}
	host := cmp.Or(at, defaultBaseURL)
	if u, err := url.Parse(host); err == nil {
		host = u.Host
	}
	d.model = &modelFound{Name: name, Host: host, Key: key != ""}
	who := fmt.Sprintf("%s at %s, %s", cmp.Or(name, "no name"), host, keyWord(key))
	if d.offline {
		d.say("model", healthNote, who+"; not asked", "")
		return
	}
	d.probe(ctx, client, who)
}

func keyWord(key string) string {
	if key == "" {
		return "no key"
	}
	return "key set"
}

// probe asks, and says what the endpoint can do and what asking has cost.
func (d *doctor) probe(ctx context.Context, client *openai.Client, who string) {
	found, err := client.Probe(ctx)
	price := d.config.Model.Prices[d.model.Name]
	m := d.model
	m.Requests, m.PromptTokens, m.CompletionTokens = found.Requests, found.Usage.Prompt, found.Usage.Completion
	m.USD = (float64(found.Usage.Prompt)*price.Prompt + float64(found.Usage.Completion)*price.Completion) / 1e6
	cost := fmt.Sprintf("%s, %d tokens", plural(found.Requests, "request"), found.Usage.Prompt+found.Usage.Completion)
	if m.USD > 0 {
		cost += fmt.Sprintf(", $%.4f", m.USD)
	}
	if failed, ok := errors.AsType[*model.Error](err); ok {
		d.say("model", healthFail, fmt.Sprintf("%s: %s (%s)", who, failed.Detail, cost), "the message names the setting; docs/models.md has the servers")
		return
	}
	m.JSON, m.Tools = found.Rung.String(), found.Tools
	says := fmt.Sprintf("%s; JSON by %s, %s (%s)", who, m.JSON, toolSentence(m.Tools), cost)
	if found.Rung == openai.PlainText {
		d.say("model", healthNote, says, "nothing; answers that do not fit will be more frequent than with an endpoint that has json_schema")
		return
	}
	d.say("model", healthOK, says, "")
}

func toolSentence(t openai.ToolUse) string {
	switch t {
	case openai.ToolsCalled:
		return "tools work"
	case openai.ToolsRefused:
		return "no tools: reviewers see the change and its surroundings only"
	}
	return "tools are taken but the model called none"
}

// token asks GitHub what the job's token may write. Nothing is created.
func (d *doctor) token(ctx context.Context) {
	act := github.NewActions(d.w.env, d.w.out)
	token := cmp.Or(d.w.env("GITHUB_TOKEN"), act.Input("github_token"))
	switch {
	case !d.inActions():
		d.say("github", healthNote, "this is no workflow; a review on this machine posts nothing", "")
		return
	case token == "":
		d.say("github", healthWarn, "no token: nothing can be posted, and the ledger goes to an artifact", "give the step env: GITHUB_TOKEN: ${{ github.token }}")
		return
	case d.offline:
		d.say("github", healthNote, "a token is set; not asked what it may write", "")
		return
	}
	rt := act.Runtime()
	client, err := github.New(github.Config{
		APIURL: rt.APIURL, GraphQLURL: rt.GraphQLURL, ServerURL: rt.ServerURL,
		Token: token, Owner: rt.Owner, Repo: rt.Repo, Now: d.w.now,
	})
	if err != nil {
		d.say("github", healthWarn, err.Error(), "")
		return
	}
	a, err := client.Access(ctx, pullRequestOf(rt))
	if err != nil {
		d.say("github", healthWarn, err.Error(), "")
		return
	}
	says := fmt.Sprintf("the token may write: pull requests %s, checks %s, contents %s", a.PullRequests, a.Checks, a.Contents)
	refused := ""
	for _, g := range []struct {
		grant github.Grant
		name  string
	}{{a.PullRequests, "pull-requests"}, {a.Checks, "checks"}, {a.Contents, "contents"}} {
		if g.grant == github.Refused {
			refused += " " + g.name + ": write"
		}
	}
	if refused != "" {
		d.say("github", healthWarn, says, "for a review give the job permissions:"+refused+"; a gate needs none of them")
		return
	}
	d.say("github", healthOK, says, "")
}

// pullRequestOf is the pull request of the event, 0 when it is about none.
func pullRequestOf(rt github.Runtime) int {
	payload, err := os.ReadFile(rt.EventPath)
	if err != nil {
		return 0
	}
	event, err := github.ParseEvent(rt.EventName, payload)
	if err != nil || event.PullRequest == nil {
		return 0
	}
	return event.PullRequest.Number
}
