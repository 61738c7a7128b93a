package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/crev-ratchet/crev/internal/finding"
)

// RunVersion is the version of a RunResult as JSON.
const RunVersion = 1

// Reviewer reviews cases. It owns the repository and the model; this package only
// reads what comes of them.
type Reviewer interface {
	ReviewCase(ctx context.Context, c *Case) (Reviewed, error)
}

// Reviewed is what a review of a case came to.
type Reviewed struct {
	// Found is what people would be shown.
	Found []finding.Finding
	// Incomplete says why the review is not whole, "" for one that is.
	Incomplete string
	Cost       Cost
}

// Cost is what was paid to the model.
type Cost struct {
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	CachedTokens     int     `json:"cached_tokens"`
	USD              float64 `json:"usd"`
}

func (c *Cost) add(o Cost) {
	c.PromptTokens += o.PromptTokens
	c.CompletionTokens += o.CompletionTokens
	c.CachedTokens += o.CachedTokens
	c.USD += o.USD
}

// RunResult is a run over cases. It is written as JSON, so that two can be
// compared.
type RunResult struct {
	Version int `json:"version"`
	// Model is the model that was asked, Rules the ids of the rules that had
	// an effect.
	Model string   `json:"model"`
	Rules []string `json:"rules"`

	Cases []CaseResult `json:"cases"`
	// Total is of all cases, Sets of the frozen and the live ones apart, by
	// name, and Categories by label, in byte order.
	Total      RunScore            `json:"total"`
	Sets       map[string]RunScore `json:"sets"`
	Categories []CategoryScore     `json:"categories"`
}

// CaseResult is one case of a run.
type CaseResult struct {
	Name string `json:"name"`
	// Set is frozen or live.
	Set string `json:"set"`
	// Hash is of the case's content: two runs are compared where it is the
	// same.
	Hash       string `json:"hash"`
	Incomplete string `json:"incomplete,omitempty"`
	// Expected are the case's expectations, in its order, and Other what was
	// found besides.
	Expected []Met   `json:"expected"`
	Other    []Found `json:"other"`
	Cost     Cost    `json:"cost"`
}

// Met is an expectation and whether a review made it true.
type Met struct {
	Found
	Real bool `json:"real"`
	// Made says that the review has it, As in what words.
	Made bool   `json:"made"`
	As   string `json:"as,omitempty"`
	// Shielded says that it concerns security, a crash, lost data or a
	// secret, or is rated high.
	Shielded bool `json:"shielded"`
}

// Found is a finding in a few words.
type Found struct {
	Path     string           `json:"path"`
	Category string           `json:"category"`
	Severity finding.Severity `json:"severity"`
	Claim    string           `json:"claim"`
}

// RunScore sums cases up. A share of nothing is perfect.
type RunScore struct {
	Cases int `json:"cases"`
	// Incomplete counts cases whose review is not whole.
	Incomplete int `json:"incomplete"`
	// Real is what should be found, Caught what of it is.
	Real   int `json:"real"`
	Caught int `json:"caught"`
	// Unwanted is what should not be mentioned, Mentioned what of it is.
	Unwanted  int `json:"unwanted"`
	Mentioned int `json:"mentioned"`
	// Other is what was found and no case speaks of.
	Other int `json:"other"`
	// Golden is caught / found, Wanted is found and not unwanted / found,
	// Recall is caught / real.
	Golden float64 `json:"golden_precision"`
	Wanted float64 `json:"wanted_precision"`
	Recall float64 `json:"recall"`
	Cost   Cost    `json:"cost"`
}

// CategoryScore is the score of one category: the expectations of that label,
// and other findings that carry it. It has no cost.
type CategoryScore struct {
	Category string `json:"category"`
	RunScore
}

// RunCases reviews every case and scores what is found.
func RunCases(ctx context.Context, frozen, live []*Case, r Reviewer) (RunResult, error) {
	out := RunResult{Version: RunVersion, Rules: []string{}, Cases: []CaseResult{}}
	for _, set := range []struct {
		name  string
		cases []*Case
	}{{"frozen", frozen}, {"live", live}} {
		for _, c := range set.cases {
			seen, err := r.ReviewCase(ctx, c)
			if err != nil {
				return out, fmt.Errorf("case %s: %w", c.Name, err)
			}
			one, err := scoreCase(c, seen)
			if err != nil {
				return out, err
			}
			one.Set = set.name
			out.Cases = append(out.Cases, one)
		}
	}
	out.sum()
	return out, nil
}

func scoreCase(c *Case, seen Reviewed) (CaseResult, error) {
	text, err := c.Format()
	if err != nil {
		return CaseResult{}, err
	}
	sum := sha256.Sum256(text)
	out := CaseResult{Name: c.Name, Hash: hex.EncodeToString(sum[:8]), Incomplete: seen.Incomplete,
		Expected: []Met{}, Other: []Found{}, Cost: seen.Cost}
	taken := match(c, seen.Found)
	for i, e := range c.Findings {
		m := Met{Found: brief(e.Finding()), Real: e.IsReal(), Shielded: finding.Shielded(e.Category, e.Severity, e.Claim)}
		for k, of := range taken {
			if of == i {
				m.Made, m.As = true, seen.Found[k].Claim
			}
		}
		out.Expected = append(out.Expected, m)
	}
	for k, of := range taken {
		if of < 0 {
			out.Other = append(out.Other, brief(seen.Found[k]))
		}
	}
	return out, nil
}

func brief(f finding.Finding) Found { return Found{f.Path, f.Category, f.Severity, f.Claim} }

// sum computes the scores from the cases.
func (r *RunResult) sum() {
	r.Total, r.Sets, r.Categories = sumCases(r.Cases), map[string]RunScore{}, []CategoryScore{}
	bySet := map[string][]CaseResult{}
	categories := map[string]*RunScore{}
	of := func(label string) *RunScore {
		label = finding.Label(label)
		if categories[label] == nil {
			categories[label] = &RunScore{}
		}
		return categories[label]
	}
	for _, c := range r.Cases {
		bySet[c.Set] = append(bySet[c.Set], c)
		for _, e := range c.Expected {
			of(e.Category).expect(e)
		}
		for _, o := range c.Other {
			of(o.Category).Other++
		}
	}
	for name, cases := range bySet {
		r.Sets[name] = sumCases(cases)
	}
	for _, label := range sortedNames(categories) {
		s := categories[label]
		s.share()
		r.Categories = append(r.Categories, CategoryScore{label, *s})
	}
}

func sumCases(cases []CaseResult) RunScore {
	var s RunScore
	for _, c := range cases {
		s.Cases++
		if c.Incomplete != "" {
			s.Incomplete++
		}
		for _, e := range c.Expected {
			s.expect(e)
		}
		s.Other += len(c.Other)
		s.Cost.add(c.Cost)
	}
	s.share()
	return s
}

func (s *RunScore) expect(e Met) {
	all, made := &s.Unwanted, &s.Mentioned
	if e.Real {
		all, made = &s.Real, &s.Caught
	}
	*all++
	if e.Made {
		*made++
	}
}

func (s *RunScore) share() {
	found := s.Caught + s.Mentioned + s.Other
	s.Golden = good(s.Caught, found)
	s.Wanted = good(found-s.Mentioned, found)
	s.Recall = good(s.Caught, s.Real)
}
