package checker

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed recheck.md
var recheckSystem string

// recheckSchema asks for one verdict a finding, in the strict subset.
const recheckSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["verdicts"],
  "properties": {
    "verdicts": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["finding", "verdict", "reason", "quote", "category", "severity"],
        "properties": {
          "finding": {"type": "integer"},
          "verdict": {"type": "string", "enum": ["keep", "drop"]},
          "reason": {"type": "string"},
          "quote": {"type": ["string", "null"]},
          "category": {"type": "string"},
          "severity": {"type": "string", "enum": ["low", "medium", "high", "critical"]}
        }
      }
    }
  }
}`

// Candidate is a finding to check, with the code it is about.
type Candidate struct {
	Finding finding.Finding
	// Code is the text around the place, with line numbers as the finder saw
	// it; Source is the same text as it stands in the file.
	Code, Source string
}

// Verdict is what the judge says of one candidate, after the runtime has checked
// it.
type Verdict struct {
	// Keep is the answer that counts. A drop whose quote is not in the code
	// is turned into a keep.
	Keep   bool
	Reason string
	// Category and Severity are the judge's own labels, for the shield's
	// union; they do not replace the finder's.
	Category string
	Severity finding.Severity
}

// Recheck builds the judge's request for the findings of one batch. Fence is the
// random word that delimits untrusted text.
func Recheck(name, fence string, cs []Candidate) model.Request {
	var b strings.Builder
	for i, c := range cs {
		f := c.Finding
		fmt.Fprintf(&b, "Finding %d, by %s, severity %s.\n", i+1, f.Source, f.Severity)
		b.WriteString(model.Fenced(fence, "claim", f.Category+": "+f.Claim+"\n"+f.Detail+"\n"+strings.Join(f.Evidence, "\n")))
		b.WriteString(model.Fenced(fence, "code "+f.Path, c.Code))
	}
	return model.Request{
		Purpose:  "recheck",
		Model:    name,
		System:   recheckSystem,
		Messages: []model.Message{{Role: model.User, Content: b.String()}},
		Schema:   model.Schema{Name: "verdicts", JSON: json.RawMessage(recheckSchema)},
		Fence:    fence,
	}
}

// ReadRecheck returns one verdict a candidate, in their order. A candidate the
// judge does not mention is kept, and so is one whose drop quotes code that is
// not there.
func ReadRecheck(r model.Reply, cs []Candidate) ([]Verdict, error) {
	var body struct {
		Verdicts []struct {
			Finding  int     `json:"finding"`
			Verdict  string  `json:"verdict"`
			Reason   string  `json:"reason"`
			Quote    *string `json:"quote"`
			Category string  `json:"category"`
			Severity string  `json:"severity"`
		} `json:"verdicts"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, fmt.Errorf("read the judge's verdicts: %w", err)
	}
	out := make([]Verdict, len(cs))
	for i := range out {
		out[i] = Verdict{Keep: true, Reason: "not judged"}
	}
	for _, v := range body.Verdicts {
		i := v.Finding - 1
		if i < 0 || i >= len(cs) {
			continue
		}
		sev, err := finding.ParseSeverity(v.Severity)
		if err != nil {
			return nil, fmt.Errorf("read the judge's verdict on finding %d: %w", v.Finding, err)
		}
		out[i] = Verdict{Keep: true, Reason: v.Reason, Category: v.Category, Severity: sev}
		if v.Verdict == "drop" {
			if v.Quote != nil && quoted(cs[i].Source, *v.Quote) {
				out[i].Keep = false
			} else {
				out[i].Reason = "the judge would drop it, but quotes no code that contradicts it"
			}
		}
	}
	return out, nil
}

// quoted reports whether the quote, ignoring blanks, is part of the code. An
// empty quote is none.
func quoted(code, quote string) bool {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	q := squeeze(quote)
	return q != "" && strings.Contains(squeeze(code), q)
}
