package rule

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed distill.md
var distillSystem string

// distillSchema asks for one rule a pattern, in the strict subset.
const distillSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["rules"],
  "properties": {
    "rules": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["pattern", "says", "condition", "exclusion", "why", "confidence"],
        "properties": {
          "pattern": {"type": "integer"},
          "says": {"type": "string"},
          "condition": {"type": ["string", "null"]},
          "exclusion": {"type": ["string", "null"]},
          "why": {"type": "string"},
          "confidence": {"type": "number"}
        }
      }
    }
  }
}`

// maxShown is how many signals of a pattern a model is shown.
const maxShown = 12

// WordingRequest asks a model to put patterns into words. The fence is the
// random word that delimits untrusted text; see model.Fence, and SignalTexts for
// what has to be shown to it.
func WordingRequest(name, fence string, patterns []Pattern) model.Request {
	var b strings.Builder
	for i, p := range patterns {
		what := "comments of this kind are not wanted"
		if p.Kind == Always {
			what = "this has to be looked for"
		}
		fmt.Fprintf(&b, "Pattern %d, in %d pull requests: %s.\n", i+1, p.Occasions, what)
		b.WriteString(model.Fenced(fence, "category and files", p.Category+"\n"+p.scope().String()))
		for n, s := range p.Signals[:min(len(p.Signals), maxShown)] {
			b.WriteString(model.Fenced(fence, fmt.Sprintf("occasion %d of pattern %d", n+1, i+1), s.text()))
		}
	}
	return model.Request{
		Purpose:  "distil",
		Model:    name,
		System:   distillSystem,
		Messages: []model.Message{{Role: model.User, Content: b.String()}},
		Schema:   model.Schema{Name: "rules", JSON: json.RawMessage(distillSchema)},
		Fence:    fence,
	}
}

// text is a signal as a model is shown it.
func (s Signal) text() string {
	said := s.Reason
	if said == "" {
		said = "(nothing)"
	}
	return fmt.Sprintf("file: %s\nabout: %s\nclaim: %s\nsaid: %s\n", s.Path, s.Subject, s.Claim, said)
}

// SignalTexts are all untrusted texts of the patterns, for drawing a fence that
// occurs in none.
func SignalTexts(patterns []Pattern) []string {
	var out []string
	for _, p := range patterns {
		out = append(out, p.Category, p.Folder)
		for _, s := range p.Signals {
			out = append(out, s.text())
		}
	}
	return out
}

// ReadWording returns one wording a pattern, in their order. A pattern that the
// reply leaves out has a confidence of 0, which Distil refuses, and so does one
// that it puts into words twice.
func ReadWording(r model.Reply, patterns []Pattern) ([]Wording, error) {
	var body struct {
		Rules []struct {
			Pattern    int     `json:"pattern"`
			Says       string  `json:"says"`
			Condition  string  `json:"condition"`
			Exclusion  string  `json:"exclusion"`
			Why        string  `json:"why"`
			Confidence float64 `json:"confidence"`
		} `json:"rules"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, fmt.Errorf("read the wording of rules: %w", err)
	}
	out := make([]Wording, len(patterns))
	seen := make([]bool, len(patterns))
	for _, w := range body.Rules {
		i := w.Pattern - 1
		if i < 0 || i >= len(patterns) {
			continue
		}
		if seen[i] {
			out[i] = Wording{}
			continue
		}
		seen[i] = true
		out[i] = Wording{Says: oneLine(w.Says), Condition: oneLine(w.Condition), Exclusion: oneLine(w.Exclusion), Why: oneLine(w.Why), Confidence: w.Confidence}
	}
	return out, nil
}
