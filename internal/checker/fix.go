package checker

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed fix.md
var fixSystem string

// fixSchema asks for one entry a finding, in the strict subset.
const fixSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["fixes"],
  "properties": {
    "fixes": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["finding", "replacement", "reason"],
        "properties": {
          "finding": {"type": "integer"},
          "replacement": {"type": ["string", "null"]},
          "reason": {"type": "string"}
        }
      }
    }
  }
}`

// maxFixes is how many findings one request asks a suggestion for.
const maxFixes = 10

// Proposal is a suggestion that the fix checker made for a finding which had
// none. Nobody wrote it and nothing ran it: it is shown as a proposal.
type Proposal struct {
	// Suggestion replaces the finding's lines; "" when there is none.
	Suggestion string
	// Reason says why there is none.
	Reason string
}

// Fixable reports whether the fix checker asks for a suggestion: the finding is
// of high or critical severity, has none, and stands on lines of the head that a
// suggestion may replace.
func Fixable(f finding.Finding) bool {
	wanted := f
	wanted.Suggestion = "?"
	return f.Suggestion == "" && f.Severity.Rank() >= finding.High.Rank() && replaces(wanted, f.EndLine) == ""
}

// Fix builds the request for suggestions. The candidates are Fixable; of more
// than ten the first ten are asked for.
func Fix(name, fence string, cs []Candidate) model.Request {
	var b strings.Builder
	for i, c := range cs[:min(len(cs), maxFixes)] {
		f := c.Finding
		fmt.Fprintf(&b, "Finding %d, lines %d to %d are replaced.\n", i+1, f.StartLine, f.EndLine)
		b.WriteString(model.Fenced(fence, "claim", f.Claim+"\n"+f.Detail+"\n"+strings.Join(f.Criteria, "\n")))
		b.WriteString(model.Fenced(fence, "code "+f.Path, c.Code))
	}
	return model.Request{
		Purpose:  FixName,
		Model:    name,
		System:   fixSystem,
		Messages: []model.Message{{Role: model.User, Content: b.String()}},
		Schema:   model.Schema{Name: "fixes", JSON: json.RawMessage(fixSchema)},
		Fence:    fence,
	}
}

// ReadFix returns one proposal a candidate, in their order, each checked as
// Suggested checks it. Text returns a file at the head.
func ReadFix(r model.Reply, cs []Candidate, c Change) ([]Proposal, error) {
	var body struct {
		Fixes []struct {
			Finding     int     `json:"finding"`
			Replacement *string `json:"replacement"`
			Reason      string  `json:"reason"`
		} `json:"fixes"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, fmt.Errorf("read the fixes: %w", err)
	}
	out := make([]Proposal, len(cs))
	for i := range out {
		out[i].Reason = "no fix was proposed"
	}
	for _, e := range body.Fixes {
		i := e.Finding - 1
		if i < 0 || i >= min(len(cs), maxFixes) {
			continue
		}
		if e.Replacement == nil || *e.Replacement == "" {
			out[i] = Proposal{Reason: e.Reason}
			continue
		}
		f := cs[i].Finding
		f.Suggestion = *e.Replacement
		out[i].Suggestion, out[i].Reason = Suggested(f, c.Text(f.Path), c.Redact)
	}
	return out, nil
}
