package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/model"
)

// pairModel answers every request of a pair as the pair says. It is a script,
// not a model: it measures what crev makes of answers.
type pairModel struct {
	pair *bench.Pair
	// findings are what reviewers find in this run.
	findings []bench.PairFinding
	// asked are what the rules ask for, in the judge's and memory's view.
	asked []bench.PairFinding
	// hostile names every rule for every finding, and asks for every rule in
	// every file.
	hostile bool
}

// Complete answers by the request's purpose.
func (m *pairModel) Complete(_ context.Context, r model.Request) (model.Reply, error) {
	parts := readFenced(r)
	var answer any
	switch name, reviewer := strings.CutPrefix(r.Purpose, "review/"); {
	case reviewer:
		answer = map[string]any{"findings": m.found(name, parts)}
	case r.Purpose == checker.RecheckName:
		answer = map[string]any{"verdicts": m.judge(parts)}
	case r.Purpose == checker.MemoryNegName:
		answer = map[string]any{"hits": m.hits(parts)}
	case r.Purpose == checker.MemoryPosName:
		answer = map[string]any{"findings": m.recalled(parts)}
	case r.Purpose == "learn/classify":
		answer = m.classified(parts)
	case r.Purpose == "learn/verify":
		answer = map[string]any{"verdicts": m.checked(parts)}
	default:
		return model.Reply{}, &model.Error{Failure: model.NotRecorded, Detail: "a pair has no answer for " + r.Purpose}
	}
	b, err := json.Marshal(answer)
	return model.Reply{JSON: b, Model: "scripted", Requests: 1, Usage: model.Usage{Prompt: 1, Completion: 1}}, err
}

// found is what a reviewer says of the files that it is shown.
func (m *pairModel) found(reviewer string, parts []fencedPart) []map[string]any {
	out := []map[string]any{}
	for _, f := range m.findings {
		if f.By == reviewer && showsDiff(parts, f.Path) {
			e := scriptedFinding(f)
			e["side"], e["symbol"], e["evidence"], e["artifact"] = "new", nil, []string{}, nil
			out = append(out, e)
		}
	}
	return out
}

func showsDiff(parts []fencedPart, path string) bool {
	return slices.ContainsFunc(parts, func(p fencedPart) bool {
		return p.label == "diff of "+path || strings.HasPrefix(p.label, "diff of "+path+" (")
	})
}

func scriptedFinding(f bench.PairFinding) map[string]any {
	return map[string]any{
		"path": f.Path, "quote": f.Quote, "start_line": nil, "end_line": nil, "category": f.Category, "severity": f.Severity,
		"claim": f.Claim, "detail": f.Detail, "subject": "", "predicate": "", "criteria": []string{}, "suggestion": nil,
	}
}

// judge keeps everything, under the label that the pair has for it.
func (m *pairModel) judge(parts []fencedPart) []map[string]any {
	out := []map[string]any{}
	n := 0
	for _, p := range parts {
		if p.label != "claim" {
			continue
		}
		n++
		if f := m.about(p.text, ""); f != nil && f.Judge != nil {
			out = append(out, map[string]any{"finding": n, "verdict": "keep", "reason": f.Judge.Reason, "quote": nil,
				"category": f.Judge.Category, "severity": f.Judge.Severity, "suggestion": "none"})
		}
	}
	return out
}

// about finds the finding that a request words as "category: claim"; a path
// narrows it down.
func (m *pairModel) about(text, path string) *bench.PairFinding {
	_, claim, _ := strings.Cut(text, ": ")
	claim, _, _ = strings.Cut(claim, "\n")
	for _, list := range [][]bench.PairFinding{m.findings, m.asked} {
		for i, f := range list {
			if f.Claim == claim && (path == "" || f.Path == path) {
				return &list[i]
			}
		}
	}
	return nil
}

// rulesShown are the ids of the rules in a request's index.
func rulesShown(parts []fencedPart) []string {
	var out []string
	for _, p := range parts {
		if p.label != "index of the team's rules" {
			continue
		}
		for line := range strings.Lines(p.text) {
			if id, _, ok := strings.Cut(line, " ["); ok {
				out = append(out, id)
			}
		}
	}
	return out
}

// hits names for each finding the rule that the pair has for it, where that rule
// is shown; a hostile model names all that are.
func (m *pairModel) hits(parts []fencedPart) []map[string]any {
	shown := rulesShown(parts)
	out := []map[string]any{}
	n := 0
	for _, p := range parts {
		path, ok := strings.CutPrefix(p.label, "claim about ")
		if !ok {
			continue
		}
		n++
		f := m.about(p.text, path)
		if f == nil {
			continue
		}
		for _, id := range shown {
			quote := f.Shows
			if m.hostile {
				quote = f.Quote
			}
			if m.hostile || id == f.Rule {
				out = append(out, map[string]any{"finding": n, "rule": id, "reason": "The rule speaks of it.", "quote": quote})
			}
		}
	}
	return out
}

// recalled asks for what the pair has for the rules that are shown; a hostile
// model asks for every rule in every file that changed, shown or not.
func (m *pairModel) recalled(parts []fencedPart) []map[string]any {
	shown := rulesShown(parts)
	out := []map[string]any{}
	for _, f := range m.asked {
		if slices.Contains(shown, f.Rule) && showsDiff(parts, f.Path) {
			e := scriptedFinding(f)
			e["rule"] = f.Rule
			out = append(out, e)
		}
	}
	if !m.hostile {
		return out
	}
	for _, id := range shown {
		for _, path := range m.pair.Paths() {
			e := scriptedFinding(bench.PairFinding{Path: path, Quote: m.pair.Changed(path), Category: "team", Severity: "medium",
				Claim: "Rule " + id + " is broken in " + path + "."})
			e["rule"] = id
			out = append(out, e)
		}
	}
	return out
}

// classified is the pair's classification of the reply that a request shows.
func (m *pairModel) classified(parts []fencedPart) bench.PairSlots {
	for _, p := range parts {
		if p.label != "the reply" || m.pair.Teaching == nil {
			continue
		}
		for _, r := range m.pair.Teaching.Replies {
			if sameWords(p.text, r.Says) {
				return r.Slots
			}
		}
	}
	return bench.PairSlots{Class: "off_topic"}
}

// sameWords compares a reply with what is left of it after cleaning.
func sameWords(cleaned, said string) bool {
	a, b := strings.Join(strings.Fields(cleaned), " "), strings.Join(strings.Fields(said), " ")
	return a != "" && strings.HasPrefix(b, a)
}

// checked are the pair's verdicts on the statements that a request shows: those
// of the reply that makes them.
func (m *pairModel) checked(parts []fencedPart) []map[string]any {
	out := []map[string]any{}
	n := 0
	for _, p := range parts {
		if !strings.HasPrefix(p.label, "statement ") {
			continue
		}
		n++
		if vs := m.verdictsOn(strings.TrimSpace(p.text)); n <= len(vs) {
			out = append(out, map[string]any{"claim": n, "verdict": vs[n-1].Verdict, "reason": "", "cites": vs[n-1].Cites})
		}
	}
	return out
}

func (m *pairModel) verdictsOn(statement string) []bench.PairVerdict {
	if m.pair.Teaching == nil {
		return nil
	}
	for _, r := range m.pair.Teaching.Replies {
		said := strings.Contains(strings.Join(strings.Fields(r.Says), " "), statement)
		if said || slices.ContainsFunc(r.Slots.Claims, func(c bench.PairClaim) bool { return c.Text == statement }) {
			return r.Verdicts
		}
	}
	return nil
}
