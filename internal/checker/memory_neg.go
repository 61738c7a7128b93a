package checker

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/rule"
)

//go:embed memory_neg.md
var memoryNegSystem string

// memoryNegSchema asks for one entry a hit, in the strict subset.
const memoryNegSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["hits"],
  "properties": {
    "hits": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["finding", "rule", "reason", "quote"],
        "properties": {
          "finding": {"type": "integer"},
          "rule": {"type": "string"},
          "reason": {"type": "string"},
          "quote": {"type": ["string", "null"]}
        }
      }
    }
  }
}`

// Hit is a rule that speaks against a finding being posted.
type Hit struct {
	// Finding is the index of the candidate.
	Finding int
	// Rule is the id of a rule of the index, or what the model took for one.
	Rule string
	// Reason is why, in the model's words or the program's.
	Reason string
	// Refused is why the hit has no effect, "" for one that hides the
	// finding.
	Refused string
}

// MemoryNeg builds the request that compares the findings of a batch with the
// team's rules; the index is made for their paths. ok is false when there is
// nothing to ask: no finding, or no silence rule whose scope holds one.
func MemoryNeg(name, fence string, cs []Candidate, ix rule.Index) (req model.Request, ok bool) {
	if len(cs) == 0 || len(inReach(ix, rule.Silence)) == 0 {
		return model.Request{}, false
	}
	var b strings.Builder
	b.WriteString(recall(fence, ix, rule.Silence))
	for i, c := range cs {
		f := c.Finding
		fmt.Fprintf(&b, "Finding %d.\n", i+1)
		b.WriteString(model.Fenced(fence, "claim about "+f.Path, f.Category+": "+f.Claim+"\n"+f.Detail))
		b.WriteString(model.Fenced(fence, "code "+f.Path, c.Code))
	}
	return model.Request{
		Purpose:  MemoryNegName,
		Model:    name,
		System:   memoryNegSystem,
		Messages: []model.Message{{Role: model.User, Content: b.String()}},
		Schema:   model.Schema{Name: "hits", JSON: json.RawMessage(memoryNegSchema)},
		Fence:    fence,
	}, true
}

// ReadMemoryNeg returns the hits in the order of the reply, at most one that
// hides a finding. Whether a rule may hide one is not the model's to say: the
// rule has to be in the index, and rule.MayHide to allow it, with what the judge
// said counted in (Candidate.Judged). A rule with a condition needs a quote of
// the code that meets it. A refused hit is returned with the reason, so that it
// is recorded.
func ReadMemoryNeg(r model.Reply, cs []Candidate, ix rule.Index, author string) ([]Hit, error) {
	var body struct {
		Hits []struct {
			Finding int     `json:"finding"`
			Rule    string  `json:"rule"`
			Reason  string  `json:"reason"`
			Quote   *string `json:"quote"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, fmt.Errorf("read the hits of rules: %w", err)
	}
	var out []Hit
	hidden := map[int]bool{}
	for _, e := range body.Hits {
		i := e.Finding - 1
		if i < 0 || i >= len(cs) || hidden[i] {
			continue
		}
		h := Hit{Finding: i, Rule: e.Rule, Reason: e.Reason}
		found, known := ix.Find(e.Rule)
		switch {
		case !known:
			h.Refused = "there is no such rule in view"
		case (found.Condition != "" || found.Exclusion != "") && (e.Quote == nil || !quoted(cs[i].Source, *e.Quote)):
			h.Refused = "rule " + e.Rule + " has a condition, and no code is quoted that meets it"
		default:
			_, h.Refused = found.MayHide(cs[i].Finding, cs[i].Judged, author)
		}
		hidden[i] = h.Refused == ""
		out = append(out, h)
	}
	return out, nil
}
