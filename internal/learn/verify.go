package learn

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed verify.md
var verifySystem string

// verifySchema asks for one verdict a claim, in the strict subset.
const verifySchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["verdicts"],
  "properties": {
    "verdicts": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["claim", "verdict", "reason", "cites"],
        "properties": {
          "claim": {"type": "integer"},
          "verdict": {"type": "string", "enum": ["supported", "contradicted", "not_checkable"]},
          "reason": {"type": "string"},
          "cites": {
            "type": "array",
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": ["path", "quote"],
              "properties": {
                "path": {"type": "string"},
                "quote": {"type": "string"}
              }
            }
          }
        }
      }
    }
  }
}`

// Doubt is a claim with the code that it is checked against.
type Doubt struct {
	Claim
	Code []Excerpt
}

// VerifyRequest asks a model whether the code bears the claims out. The fence is
// the random word that delimits untrusted text.
func VerifyRequest(name, fence string, ds []Doubt) model.Request {
	var b strings.Builder
	for i, d := range ds {
		b.WriteString(model.Fenced(fence, fmt.Sprintf("statement %d", i+1), d.Text))
		for _, e := range d.Code {
			b.WriteString(model.Fenced(fence, fmt.Sprintf("code for statement %d: %s at the %s", i+1, e.Path, e.Side), e.String()))
		}
	}
	return model.Request{
		Purpose:   "learn/verify",
		Model:     name,
		System:    verifySystem,
		Messages:  []model.Message{{Role: model.User, Content: b.String()}},
		Schema:    model.Schema{Name: "claims", JSON: json.RawMessage(verifySchema)},
		MaxTokens: maxAnswer,
		Fence:     fence,
	}
}

// DoubtTexts are all untrusted texts of a verification, for drawing a fence that
// occurs in none.
func DoubtTexts(ds []Doubt) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Text)
		for _, e := range d.Code {
			out = append(out, e.Path, e.String())
		}
	}
	return out
}

// Verdict says whether the code bears a claim out. The zero value is not
// checkable.
type Verdict string

// The verdicts.
const (
	NotCheckable Verdict = ""
	Supported    Verdict = "supported"
	Contradicted Verdict = "contradicted"
	// Unproven: the model says that the code supports it and shows nothing
	// that does.
	Unproven Verdict = "unproven"
)

// Checked is a claim with its verdict, after the runtime looked up what was
// cited.
type Checked struct {
	Claim
	Verdict Verdict
	// Places are the cited lines, which exist.
	Places []Place
}

// ReadVerdicts returns one verdict a doubt, in their order. Lookup finds quoted
// code in a file, at the base first and then at the head. A verdict without a
// citation that exists counts for nothing; one in favour needs code of the base
// that shows what the claim says.
func ReadVerdicts(r model.Reply, ds []Doubt, lookup func(path, quote string) (Place, bool)) ([]Checked, error) {
	var body struct {
		Verdicts []struct {
			Claim   int    `json:"claim"`
			Verdict string `json:"verdict"`
			Cites   []struct {
				Path  string `json:"path"`
				Quote string `json:"quote"`
			} `json:"cites"`
		} `json:"verdicts"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, fmt.Errorf("read the verdicts on a reply: %w", err)
	}
	out := make([]Checked, len(ds))
	for i, d := range ds {
		out[i].Claim = d.Claim
	}
	answered := make([]bool, len(ds))
	for _, v := range body.Verdicts {
		i := v.Claim - 1
		if i < 0 || i >= len(ds) || answered[i] {
			continue
		}
		answered[i] = true
		var quotes []string
		for _, c := range v.Cites {
			if p, ok := lookup(c.Path, c.Quote); ok {
				out[i].Places = append(out[i].Places, p)
				if p.Base {
					quotes = append(quotes, c.Quote)
				}
			}
		}
		switch {
		case v.Verdict == string(Contradicted) && len(out[i].Places) > 0:
			out[i].Verdict = Contradicted
		case v.Verdict == string(Supported) && ds[i].shownBy(quotes):
			out[i].Verdict = Supported
		case v.Verdict == string(Supported):
			out[i].Verdict = Unproven
		}
	}
	return out, nil
}
