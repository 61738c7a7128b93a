package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
)

func ruleDistil(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	write := flags.Bool("write", false, "write what is proposed; else it is only shown")
	ask := flags.Bool("model", false, "let the endpoint of OPENAI_BASE_URL, OPENAI_API_KEY and CREV_MODEL word the rules; it costs money")
	asJSON := flags.Bool("json", false, "print one JSON object on standard output")
	if err := noArgs(flags, args); err != nil {
		return err
	}
	b, err := openRules(w)
	if err != nil {
		return err
	}
	defer b.close()
	t, err := b.tending(ctx, w)
	if err != nil {
		return err
	}
	if *ask {
		if t.Word, err = modelWording(ctx, w); err != nil {
			return err
		}
	}
	tended, err := review.TendRules(b.pool, t)
	if err != nil {
		return err
	}
	var paths []string
	if *write && len(tended.Rules) > 0 {
		if paths, err = b.save(tended.Rules...); err != nil {
			return err
		}
	}
	if *asJSON {
		return printTended(w, tended, paths)
	}
	for _, m := range tended.Memory {
		fmt.Fprintln(w.out, m)
	}
	for _, r := range tended.Refused {
		fmt.Fprintf(w.out, "no rule: %s, in %s: %s\n", r.Pattern.ID(), plural(r.Pattern.Occasions, "pull request"), r.Reason)
	}
	switch {
	case len(tended.Rules)+len(tended.Refused) == 0:
		fmt.Fprintln(w.out, "Nothing to propose: no pattern was seen often enough.")
	case len(paths) > 0:
		fmt.Fprintf(w.out, "Written: %s\n", strings.Join(paths, ", "))
	case len(tended.Rules) > 0:
		fmt.Fprintln(w.out, "Nothing was written; pass --write.")
	}
	return nil
}

// tending is what the work tree's ledger and configuration say.
func (b *ruleBook) tending(ctx context.Context, w world) (review.Tending, error) {
	cfg, err := review.ReadConfig(os.DirFS(b.dir))
	if err != nil {
		return review.Tending{}, err
	}
	events, err := b.events()
	if err != nil {
		return review.Tending{}, err
	}
	files, err := workFiles(ctx, w, b.root)
	return review.Tending{Config: cfg.Rules, Events: events, Files: files, Now: w.now()}, err
}

// modelWording lets a real endpoint put patterns into words.
func modelWording(ctx context.Context, w world) (func([]rule.Pattern) ([]rule.Wording, error), error) {
	name := w.env("CREV_MODEL")
	m, err := namedModel(w, name)
	if err != nil {
		return nil, err
	}
	return func(patterns []rule.Pattern) ([]rule.Wording, error) {
		reply, err := m.Complete(ctx, rule.WordingRequest(name, model.Fence(rand.Reader, rule.SignalTexts(patterns)...), patterns))
		if err != nil {
			return nil, err
		}
		return rule.ReadWording(reply, patterns)
	}, nil
}

// printTended prints one JSON object.
func printTended(w world, tended review.Tended, paths []string) error {
	type refusal struct {
		Pattern      string `json:"pattern"`
		PullRequests int    `json:"pull_requests"`
		Reason       string `json:"reason"`
	}
	out := struct {
		Rules   []ruleJSON `json:"rules"`
		Refused []refusal  `json:"refused"`
		Written []string   `json:"written,omitempty"`
	}{Rules: []ruleJSON{}, Refused: []refusal{}, Written: paths}
	for _, r := range tended.Rules {
		out.Rules = append(out.Rules, asRuleJSON(w, r))
	}
	for _, r := range tended.Refused {
		out.Refused = append(out.Refused, refusal{r.Pattern.ID(), r.Pattern.Occasions, r.Reason})
	}
	return printJSON(w.out, out)
}
