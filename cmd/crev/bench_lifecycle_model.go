package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/model"
)

// storyModel answers every request of one round as the story says. It is a
// script, not a model: it measures what crev makes of answers.
type storyModel struct {
	story *bench.Story
	round *bench.Round

	mu                         sync.Mutex
	inspections, adjudications int
}

// Complete answers by the request's purpose.
func (m *storyModel) Complete(_ context.Context, r model.Request) (model.Reply, error) {
	parts := readFenced(r)
	var answer any
	switch {
	case strings.HasPrefix(r.Purpose, "review/"):
		findings, ok := m.findings(strings.TrimPrefix(r.Purpose, "review/"), parts)
		if !ok {
			return model.Reply{}, &model.Error{Failure: model.Unavailable, Detail: "the story lets this batch fail", Requests: 1}
		}
		answer = map[string]any{"findings": findings}
	case r.Purpose == "recheck":
		// A finding that the judge does not mention stands.
		answer = map[string]any{"verdicts": []any{}}
	case r.Purpose == "verify":
		answer = map[string]any{"criteria": m.inspect(parts)}
	case r.Purpose == "adjudicate":
		answer = map[string]any{"verdicts": m.adjudicate(parts)}
	default:
		return model.Reply{}, &model.Error{Failure: model.NotRecorded, Detail: "a story has no answer for " + r.Purpose}
	}
	b, err := json.Marshal(answer)
	return model.Reply{JSON: b, Model: "scripted", Requests: 1, Usage: model.Usage{Prompt: 1, Completion: 1}}, err
}

// fencedPart is one piece of a request between its fences.
type fencedPart struct{ label, text string }

func readFenced(r model.Request) []fencedPart {
	var out []fencedPart
	begin, end := "[begin "+r.Fence+" ", "[end "+r.Fence+"]"
	for _, msg := range r.Messages {
		rest := msg.Content
		for {
			_, after, ok := strings.Cut(rest, begin)
			if !ok {
				break
			}
			label, body, _ := strings.Cut(after, "]\n")
			text, tail, _ := strings.Cut(body, end)
			out = append(out, fencedPart{label, text})
			rest = tail
		}
	}
	return out
}

// findings are what a reviewer says of the files it is shown; false when the
// story lets the batch fail.
func (m *storyModel) findings(reviewer string, parts []fencedPart) ([]map[string]any, bool) {
	shown := func(path string) bool {
		return slices.ContainsFunc(parts, func(p fencedPart) bool {
			return p.label == "diff of "+path || strings.HasPrefix(p.label, "diff of "+path+" (")
		})
	}
	if slices.ContainsFunc(m.round.Fails, shown) {
		return nil, false
	}
	out := []map[string]any{}
	for _, c := range m.round.Findings {
		if c.By != reviewer || !shown(c.Path) {
			continue
		}
		d := m.story.Defects[c.Defect]
		f := map[string]any{
			"path": c.Path, "quote": c.Quote, "side": "new", "start_line": nil, "end_line": nil, "symbol": nil,
			"category": c.Category, "severity": c.Severity, "claim": c.Says, "detail": d.Detail,
			"subject": d.Subject, "predicate": d.Predicate,
			"evidence": []string{}, "criteria": d.Criteria, "suggestion": nil, "artifact": nil,
		}
		if c.Hint != 0 {
			f["start_line"], f["end_line"] = c.Hint, c.Hint
		}
		out = append(out, f)
	}
	return out, true
}

// inspect answers about the defect whose words and criteria the request holds.
// What the story has no answer for, nobody could tell.
func (m *storyModel) inspect(parts []fencedPart) []map[string]any {
	m.mu.Lock()
	m.inspections++
	m.mu.Unlock()
	checks := m.round.Checks[m.asked(parts)]
	out := []map[string]any{}
	for i, c := range checks {
		e := map[string]any{"criterion": i + 1, "outcome": c.Outcome, "reason": c.Reason, "cites": []any{}, "test": nil}
		if c.Quote != "" {
			e["cites"] = []any{map[string]any{"path": c.Path, "quote": c.Quote}}
		}
		if c.Test != "" {
			e["test"] = c.Test
		}
		out = append(out, e)
	}
	return out
}

// asked is the defect that an inspection is about.
func (m *storyModel) asked(parts []fencedPart) string {
	text := func(label string) string {
		i := slices.IndexFunc(parts, func(p fencedPart) bool { return p.label == label })
		if i < 0 {
			return ""
		}
		return parts[i].text
	}
	claim, _, _ := strings.Cut(text("claim"), "\n")
	for _, r := range m.story.Rounds {
		for _, c := range r.Findings {
			criteria := m.story.Defects[c.Defect].Criteria
			meant := c.Says == claim
			for i, want := range criteria {
				meant = meant && strings.TrimSpace(text(fmt.Sprintf("criterion %d", i+1))) == want
			}
			if meant {
				return c.Defect
			}
		}
	}
	return ""
}

var (
	newFinding  = regexp.MustCompile(`^new finding at (.+?)(?::(\d+))?$`)
	knownDefect = regexp.MustCompile(`^known defect (\d+) of question (\d+) at (.+?)(?::(\d+))?$`)
)

// adjudicate compares as the story's adjudicator does: with the truth, or not at
// all.
func (m *storyModel) adjudicate(parts []fencedPart) []map[string]any {
	m.mu.Lock()
	m.adjudications++
	m.mu.Unlock()
	out := []map[string]any{}
	question, asked, claim := 0, "", ""
	for _, p := range parts {
		if at := newFinding.FindStringSubmatch(p.label); at != nil {
			question++
			claim, _, _ = strings.Cut(p.text, "\n")
			line, _ := strconv.Atoi(at[2])
			asked = m.story.DefectAt(m.round.Number, claim, at[1], line)
			continue
		}
		at := knownDefect.FindStringSubmatch(p.label)
		if at == nil || m.story.Adjudicator == "unsure" {
			continue
		}
		line, _ := strconv.Atoi(at[4])
		known, wording := m.known(p.text, at[3], line)
		number, _ := strconv.Atoi(at[1])
		e := map[string]any{"question": question, "known": number, "verdict": "unsure", "new_quote": claim, "known_quote": wording, "reason": "scripted"}
		if known != "" && asked != "" {
			e["verdict"] = "different"
			if known == asked {
				e["verdict"] = "same"
			}
		}
		out = append(out, e)
	}
	return out
}

// known is the defect that a text of wordings is about, and one of the wordings.
// Where two defects are told with the same words, the one at the place counts.
func (m *storyModel) known(text, path string, line int) (defect, wording string) {
	lines := strings.Split(text, "\n")
	nearest := -1
	for _, r := range m.story.Rounds[:m.round.Number] {
		for _, c := range r.Findings {
			if !slices.Contains(lines, c.Says) {
				continue
			}
			gap := max(c.Line()-line, line-c.Line())
			if c.Path != path {
				gap += 1 << 20
			}
			if nearest < 0 || gap < nearest {
				defect, wording, nearest = c.Defect, c.Says, gap
			}
		}
	}
	return defect, wording
}
