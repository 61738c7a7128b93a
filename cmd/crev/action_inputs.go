package main

import (
	"os"

	"github.com/crev-ratchet/crev/internal/github"
)

// inputs are what a workflow passes to the action. They are read once, so that
// the secrets among them can leave the environment.
type inputs struct {
	mode, ledgerMode, baseURL, model string
	githubToken, ledgerToken, apiKey string
	// session is the folder of a session, batch what a job of a matrix reviews.
	session, batch string
}

func readInputs(act *github.Actions) inputs {
	return inputs{
		mode: act.Input("mode"), ledgerMode: act.Input("ledger_mode"),
		baseURL: act.Input("base_url"), model: act.Input("model"),
		githubToken: act.Input("github_token"), ledgerToken: act.Input("ledger_token"), apiKey: act.Input("api_key"),
		session: act.Input("session"), batch: act.Input("batch"),
	}
}

// secrets are the inputs that must not be seen.
func (in inputs) secrets() []string { return []string{in.apiKey, in.githubToken, in.ledgerToken} }

// check refuses a token of GitHub as the key of the model: it would be sent to the
// model's endpoint.
func (in inputs) check() error {
	if in.apiKey != "" && (in.apiKey == in.githubToken || in.apiKey == in.ledgerToken) {
		return usagef("action: api_key is a token of GitHub, which would go to the model's endpoint; pass the endpoint's own key")
	}
	return nil
}

// forgetSecrets takes the secrets out of the environment, so that no process
// started from here on inherits them, and keeps other processes of this user
// from reading the memory and the first environment of this one.
func forgetSecrets() {
	for _, name := range []string{"INPUT_API_KEY", "INPUT_GITHUB_TOKEN", "INPUT_LEDGER_TOKEN", "GITHUB_TOKEN", "OPENAI_API_KEY"} {
		// A name that is set can be unset.
		_ = os.Unsetenv(name)
	}
	undumpable()
}
