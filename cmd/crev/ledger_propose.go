package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/ratchet"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/validator"
)

// maxProposals is for how many classes of one triage a model is asked.
const maxProposals = 10

// proposing are the flags with which triage asks a model.
type proposing struct {
	on     bool
	replay string
}

func (p *proposing) register(flags *flag.FlagSet) {
	flags.BoolVar(&p.on, "propose", false, "ask the model for a pattern for each class; nothing is written")
	flags.StringVar(&p.replay, "replay", "", "answer model requests from `DIR` instead of an endpoint")
}

// proposal is a check that a model proposes, as it came out on the recorded code.
type proposal struct {
	MustNot string            `json:"must_not,omitempty"`
	Must    string            `json:"must,omitempty"`
	Scope   []string          `json:"scope"`
	Says    string            `json:"says"`
	Doubt   string            `json:"doubt,omitempty"`
	Verdict validator.Verdict `json:"verdict"`
	Reason  string            `json:"reason"`
	// None says why there is none; the other fields are empty then.
	None string `json:"none,omitempty"`
}

// about asks a model about the classes that have no check yet and proves what it
// proposes on the recorded code.
func (p proposing) about(ctx context.Context, w world, due []triaged) error {
	if !p.on || len(due) == 0 {
		return nil
	}
	log := slog.New(newProgress(w.err))
	root, err := repositoryRoot(w.dir)
	if err != nil {
		return err
	}
	cfg, err := review.ReadConfig(os.DirFS(root))
	if err != nil {
		return err
	}
	if name := w.env("CREV_MODEL"); name != "" {
		cfg.Model.Name = name
	}
	m, missing, err := modelSettings{
		baseURL: w.env("OPENAI_BASE_URL"), key: w.env("OPENAI_API_KEY"), replay: p.replay, log: log,
		howTo: "set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, and CREV_MODEL",
	}.connect(cfg.Model)
	if err != nil {
		return err
	}
	if m == nil {
		return usagef("triage --propose: %s", missing)
	}
	asker := review.Proposer{Model: m, Name: cfg.Model.Name, Rand: rand.Reader,
		Redactor: finding.NewRedactor(w.env("OPENAI_API_KEY"), w.env("GITHUB_TOKEN"))}
	for i := range min(len(due), maxProposals) {
		if due[i].Artifact != nil || due[i].Code == "" {
			continue
		}
		said, err := asker.Propose(ctx, due[i].Due)
		switch {
		case errors.Is(err, ratchet.ErrNoPattern):
			due[i].Proposal = &proposal{None: err.Error()}
		case err != nil:
			due[i].Proposal = &proposal{None: oneLine(err.Error())}
		default:
			if due[i].Proposal, err = tried(ctx, w, due[i].Due, said); err != nil {
				return err
			}
		}
	}
	return nil
}

// tried proves a proposal on the recorded code, in a folder that goes away.
func tried(ctx context.Context, w world, due ledger.Due, said ratchet.Proposal) (*proposal, error) {
	out := &proposal{MustNot: said.Artifact.Pattern, Must: said.Artifact.Must, Scope: said.Artifact.Scope, Says: said.Says, Doubt: said.Doubt}
	dir, err := os.MkdirTemp("", "crev-proposal-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	draft := validator.DraftOf(&said.Artifact, "proposal", said.Says, due.At.Path)
	if due.Suggestion == "" {
		due.Suggestion = said.Artifact.Fixed
	}
	draft.Samples = samplesOf(ctx, w, due)
	v, err := validator.LoadDraft(draft, dir)
	if err != nil {
		out.Verdict, out.Reason = validator.Unproven, err.Error()
		return out, nil
	}
	bad, good, err := v.Samples()
	if err != nil {
		return nil, err
	}
	proof := validator.Prove(ctx, v, bad, good)
	out.Verdict, out.Reason = proof.Verdict, proof.Reason
	return out, nil
}

func (p *proposal) print(out io.Writer) {
	if p.None != "" {
		fmt.Fprintf(out, "  %s\n", oneLine(p.None))
		return
	}
	fmt.Fprintf(out, "  A model proposes, and on the recorded code it is %s (%s):\n", p.Verdict, oneLine(p.Reason))
	for _, field := range []struct{ key, value string }{
		{"says", p.Says}, {"scope", strings.Join(p.Scope, " ")}, {"must_not", p.MustNot}, {"must", p.Must}, {"doubt", p.Doubt},
	} {
		if field.value != "" {
			fmt.Fprintf(out, "    %s: %s\n", field.key, oneLine(field.value))
		}
	}
}
