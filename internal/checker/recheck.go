package checker

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/rule"
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
        "required": ["finding", "verdict", "reason", "quote", "category", "severity", "suggestion"],
        "properties": {
          "finding": {"type": "integer"},
          "verdict": {"type": "string", "enum": ["keep", "drop"]},
          "reason": {"type": "string"},
          "quote": {"type": ["string", "null"]},
          "category": {"type": "string"},
          "severity": {"type": "string", "enum": ["low", "medium", "high", "critical"]},
          "suggestion": {"type": "string", "enum": ["none", "good", "unneeded", "wrong"]}
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
	// Dropped is why the finding was dropped before, "" for one that stands:
	// a judge may have been wrong, and restores it.
	Dropped string
	// Judged is what others than the finder called it, for the shield.
	Judged rule.Judged
}

// Verdict is what the judge says of one candidate, after the runtime has checked
// it.
type Verdict struct {
	// Keep is the answer that counts. A drop whose quote is not in the code
	// is turned into a keep; a finding that was dropped before is kept only
	// with a quote that is there.
	Keep   bool
	Reason string
	// NoSuggestion is why the finding's suggestion is not offered, "" when it
	// may be. The finding stands without it.
	NoSuggestion string
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
		fmt.Fprintf(&b, "Finding %d, by %s, severity %s%s.\n", i+1, f.Source, f.Severity, takenBack(c))
		b.WriteString(model.Fenced(fence, "claim", f.Category+": "+f.Claim+"\n"+f.Detail+"\n"+strings.Join(f.Evidence, "\n")))
		if c.Dropped != "" {
			b.WriteString(model.Fenced(fence, "why it was taken back", c.Dropped))
		}
		b.WriteString(model.Fenced(fence, "code "+f.Path, c.Code))
		if f.Suggestion != "" {
			b.WriteString(model.Fenced(fence, fmt.Sprintf("suggestion for lines %d to %d", f.StartLine, f.EndLine), f.Suggestion))
		}
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

func takenBack(c Candidate) string {
	if c.Dropped == "" {
		return ""
	}
	return ", taken back"
}

// verdict is one entry of the judge's reply.
type verdict struct {
	Finding    int     `json:"finding"`
	Verdict    string  `json:"verdict"`
	Reason     string  `json:"reason"`
	Quote      *string `json:"quote"`
	Category   string  `json:"category"`
	Severity   string  `json:"severity"`
	Suggestion string  `json:"suggestion"`
}

// ReadRecheck returns one verdict a candidate, in their order. A candidate the
// judge does not mention stays as it was: it is kept, or dropped when it was
// dropped before. To drop one and to restore one both need a quote of the code.
func ReadRecheck(r model.Reply, cs []Candidate) ([]Verdict, error) {
	var body struct {
		Verdicts []verdict `json:"verdicts"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, fmt.Errorf("read the judge's verdicts: %w", err)
	}
	out := make([]Verdict, len(cs))
	for i, c := range cs {
		out[i] = Verdict{Keep: true, Reason: "not judged"}
		if c.Dropped != "" {
			out[i] = Verdict{Reason: c.Dropped}
		}
	}
	for _, v := range body.Verdicts {
		i := v.Finding - 1
		if i < 0 || i >= len(cs) {
			continue
		}
		checked, err := v.check(cs[i])
		if err != nil {
			return nil, fmt.Errorf("read the judge's verdict on finding %d: %w", v.Finding, err)
		}
		out[i] = checked
	}
	return out, nil
}

// check makes a verdict of what the judge says, as far as the code bears it out.
func (v verdict) check(c Candidate) (Verdict, error) {
	sev, err := finding.ParseSeverity(v.Severity)
	if err != nil {
		return Verdict{}, err
	}
	out := Verdict{Keep: true, Reason: v.Reason, Category: v.Category, Severity: sev}
	shows := v.Quote != nil && quoted(c.Source, *v.Quote)
	switch {
	case v.Verdict == "drop" && c.Dropped == "" && !shows:
		out.Reason = "the judge would drop it, but quotes no code that contradicts it"
	case v.Verdict == "drop":
		out.Keep = false
	case c.Dropped != "" && !shows:
		out.Keep, out.Reason = false, c.Dropped
	}
	if c.Finding.Suggestion != "" {
		switch v.Suggestion {
		case "unneeded":
			out.NoSuggestion = "the judge finds that it is not needed"
		case "wrong":
			out.NoSuggestion = "the judge finds it wrong"
		}
	}
	return out, nil
}

// quoted reports whether the quote, ignoring blanks, is part of the code. An
// empty quote is none.
func quoted(code, quote string) bool {
	q := squeeze(quote)
	return q != "" && strings.Contains(squeeze(code), q)
}
