package reconcile

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed adjudicate.md
var adjudicateSystem string

// adjudicateSchema asks for one verdict a pair, in the strict subset.
const adjudicateSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["verdicts"],
  "properties": {
    "verdicts": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["question", "known", "verdict", "new_quote", "known_quote", "reason"],
        "properties": {
          "question": {"type": "integer"},
          "known": {"type": "integer"},
          "verdict": {"type": "string", "enum": ["same", "different", "unsure"]},
          "new_quote": {"type": ["string", "null"]},
          "known_quote": {"type": ["string", "null"]},
          "reason": {"type": "string"}
        }
      }
    }
  }
}`

// Question is one observation and the known defects it may be, in the order of
// Decision.Candidates.
type Question struct {
	Observation Observation
	Known       []Known
}

// Answer is what the adjudicator says of one pair. The zero value is Unsure.
type Answer string

// The answers.
const (
	Unsure        Answer = ""
	AnswerSame    Answer = "same"
	AnswerDiffers Answer = "different"
)

// Verdict is an answer after its quotes were looked up.
type Verdict struct {
	Answer Answer
	// NewQuote and KnownQuote stand in the texts of the observation and of
	// the known defect.
	NewQuote, KnownQuote string
	Reason               string
}

// AdjudicationRequest asks a model about the questions. The fence is the random
// word that delimits untrusted text; see model.Fence, and Texts for what has to
// be shown to it.
func AdjudicationRequest(name, fence string, questions []Question) model.Request {
	var b strings.Builder
	for n := range questions {
		q := &questions[n]
		at := q.Observation.place()
		fmt.Fprintf(&b, "Question %d.\n", n+1)
		b.WriteString(model.Fenced(fence, "new finding at "+where(at), q.Observation.text()))
		for c := range q.Known {
			k := &q.Known[c]
			label := fmt.Sprintf("known defect %d of question %d", c+1, n+1)
			if len(k.Places) > 0 {
				label += " at " + where(k.Places[0].Location)
			}
			b.WriteString(model.Fenced(fence, label, k.text()))
		}
	}
	return model.Request{
		Purpose:  "adjudicate",
		Model:    name,
		System:   adjudicateSystem,
		Messages: []model.Message{{Role: model.User, Content: b.String()}},
		Schema:   model.Schema{Name: "adjudication", JSON: json.RawMessage(adjudicateSchema)},
		Fence:    fence,
	}
}

// Texts are all untrusted texts of the questions, for drawing a fence that
// occurs in none.
func Texts(questions []Question) []string {
	var out []string
	for n := range questions {
		q := &questions[n]
		out = append(out, q.Observation.text(), where(q.Observation.place()))
		for c := range q.Known {
			out = append(out, q.Known[c].text())
			for _, p := range q.Known[c].Places {
				out = append(out, where(p.Location))
			}
		}
	}
	return out
}

// ReadAdjudication returns one verdict per question and known defect, in their
// order. A pair that the reply leaves out, says twice with different answers,
// or supports with words that are not in the texts, is Unsure.
func ReadAdjudication(r model.Reply, questions []Question) ([][]Verdict, error) {
	var body struct {
		Verdicts []struct {
			Question   int     `json:"question"`
			Known      int     `json:"known"`
			Verdict    string  `json:"verdict"`
			NewQuote   *string `json:"new_quote"`
			KnownQuote *string `json:"known_quote"`
			Reason     string  `json:"reason"`
		} `json:"verdicts"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, fmt.Errorf("read the adjudicator's verdicts: %w", err)
	}
	out := make([][]Verdict, len(questions))
	seen := make([][]bool, len(questions))
	for n := range questions {
		out[n] = make([]Verdict, len(questions[n].Known))
		seen[n] = make([]bool, len(questions[n].Known))
		for c := range out[n] {
			out[n][c].Reason = "not answered"
		}
	}
	for _, v := range body.Verdicts {
		n, c := v.Question-1, v.Known-1
		if n < 0 || n >= len(out) || c < 0 || c >= len(out[n]) {
			continue
		}
		got := Verdict{Answer: Answer(v.Verdict), Reason: v.Reason}
		if got.Answer != AnswerSame && got.Answer != AnswerDiffers {
			got.Answer = Unsure
		} else {
			got.NewQuote, got.KnownQuote = deref(v.NewQuote), deref(v.KnownQuote)
			q := &questions[n]
			if !quotes(q.Observation.text(), got.NewQuote) || !quotes(q.Known[c].text(), got.KnownQuote) {
				got = Verdict{Reason: "the adjudicator quotes words that are not in the texts"}
			}
		}
		if seen[n][c] && out[n][c].Answer != got.Answer {
			got = Verdict{Reason: "the adjudicator contradicts itself"}
		}
		seen[n][c], out[n][c] = true, got
	}
	return out, nil
}

// Settle says what the verdicts on d.Candidates make of an Ask. One "same" is
// worth a merge, or a proposal where the pair is guarded; two contradict each
// other, and both defects stay.
func Settle(d Decision, verdicts []Verdict) Decision {
	if d.Kind != Ask {
		return d
	}
	var same []int
	unsure := false
	for c := range d.Candidates[:min(len(d.Candidates), len(verdicts))] {
		switch verdicts[c].Answer {
		case AnswerSame:
			same = append(same, c)
		case Unsure:
			unsure = true
		}
	}
	if len(same) > 0 {
		d.Defect, d.Score = d.Candidates[same[0]].Defect, d.Candidates[same[0]].Score
	}
	switch {
	case len(same) == 1 && d.Candidates[same[0]].Guard != "":
		d.Kind, d.Likely = MergeProposed, true
		d.Reason = d.Candidates[same[0]].Guard
	case len(same) == 1:
		d.Kind, d.How, d.Likely = Same, ByAdjudicator, true
		d.Reason = verdicts[same[0]].Reason
	case len(same) > 1:
		d.Kind = PossibleDuplicate
		d.Reason = "the adjudicator takes it for more than one defect"
	case unsure || len(verdicts) < len(d.Candidates):
		d.Kind = PossibleDuplicate
		d.Reason = "the adjudicator is not sure"
	default:
		d.Kind, d.Defect, d.Score, d.Likely = New, "", 0, false
		d.Reason = "the adjudicator tells it from every candidate"
	}
	return d
}

// text is what the adjudicator reads of an observation.
func (o *Observation) text() string {
	return paragraphs(o.Claim, o.Detail, o.Quote)
}

// text is what the adjudicator reads of a known defect: its wordings, each
// once, and the code.
func (k *Known) text() string {
	seen := map[string]bool{}
	var parts []string
	for _, w := range k.Wordings {
		if n := finding.Normalize(w); !seen[n] {
			seen[n] = true
			parts = append(parts, w)
		}
	}
	return paragraphs(append(parts, k.Quote)...)
}

func paragraphs(parts ...string) string {
	var out []string
	for _, p := range parts {
		if strings.TrimSpace(p) != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n")
}

func where(l finding.Location) string {
	switch {
	case l.Path == "":
		return "no known place"
	case l.Start == 0:
		return l.Path
	}
	return fmt.Sprintf("%s:%d", l.Path, l.Start)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// quotes reports whether the quote, blanks aside, is part of the text. A quote
// without a letter or digit is none.
func quotes(text, quote string) bool {
	q := strings.ToLower(squeeze(quote))
	return finding.Normalize(quote) != "" && strings.Contains(strings.ToLower(squeeze(text)), q)
}
