package checker

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed inspect.md
var inspectSystem string

// inspectSchema asks for one entry a criterion, in the strict subset.
const inspectSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["criteria"],
  "properties": {
    "criteria": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["criterion", "outcome", "reason", "cites", "test"],
        "properties": {
          "criterion": {"type": "integer"},
          "outcome": {"type": "string", "enum": ["passed", "failed", "inconclusive"]},
          "reason": {"type": "string"},
          "cites": {
            "type": "array",
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": ["path", "quote"],
              "properties": {"path": {"type": "string"}, "quote": {"type": "string"}}
            }
          },
          "test": {"type": ["string", "null"]}
        }
      }
    }
  }
}`

// Case is one known defect to inspect.
type Case struct {
	Claim, Detail string
	Criteria      []string
	// Before is the code at the place the defect had, Now the code at the
	// place it has, Change what happened since; each may be empty.
	Before, Now, Change string
	// Path is where the defect is now.
	Path string
}

// Cite is code that a model points at.
type Cite struct {
	Path, Quote string
}

// Inspection is what a model says of one criterion, in the order of Case.Criteria.
type Inspection struct {
	// Outcome is passed, failed or inconclusive.
	Outcome string
	Reason  string
	// Cites are those the runtime found in the code.
	Cites []Cite
	// Test is a path the model names as a test of the criterion, unchecked.
	Test string
}

// Inspect builds the request about one defect.
func Inspect(name, fence string, c Case) model.Request {
	var b strings.Builder
	b.WriteString(model.Fenced(fence, "claim", c.Claim+"\n"+c.Detail))
	for i, text := range c.Criteria {
		b.WriteString(model.Fenced(fence, fmt.Sprintf("criterion %d", i+1), text))
	}
	for _, part := range []struct{ label, text string }{
		{"code before", c.Before}, {"what changed since", c.Change}, {"code now in " + c.Path, c.Now},
	} {
		if part.text != "" {
			b.WriteString(model.Fenced(fence, part.label, part.text))
		}
	}
	return model.Request{
		Purpose:  "verify",
		Model:    name,
		System:   inspectSystem,
		Messages: []model.Message{{Role: model.User, Content: b.String()}},
		Schema:   model.Schema{Name: "inspection", JSON: json.RawMessage(inspectSchema)},
		Fence:    fence,
	}
}

// ReadInspection returns one entry a criterion. Exists says whether a citation
// stands in the code now; an outcome without a standing citation becomes
// inconclusive, and so does a criterion that is not mentioned.
func ReadInspection(r model.Reply, c Case, exists func(Cite) bool) ([]Inspection, error) {
	var body struct {
		Criteria []struct {
			Criterion int     `json:"criterion"`
			Outcome   string  `json:"outcome"`
			Reason    string  `json:"reason"`
			Cites     []Cite  `json:"cites"`
			Test      *string `json:"test"`
		} `json:"criteria"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, fmt.Errorf("read an inspection: %w", err)
	}
	out := make([]Inspection, len(c.Criteria))
	for i := range out {
		out[i] = Inspection{Outcome: "inconclusive", Reason: "not mentioned"}
	}
	for _, e := range body.Criteria {
		i := e.Criterion - 1
		if i < 0 || i >= len(out) {
			continue
		}
		in := Inspection{Outcome: e.Outcome, Reason: e.Reason}
		for _, cite := range e.Cites {
			if exists(cite) {
				in.Cites = append(in.Cites, cite)
			}
		}
		if len(in.Cites) == 0 && in.Outcome != "inconclusive" {
			in.Outcome, in.Reason = "inconclusive", "it cites no code that stands in the tree"
		}
		if e.Test != nil {
			in.Test = *e.Test
		}
		out[i] = in
	}
	return out, nil
}
