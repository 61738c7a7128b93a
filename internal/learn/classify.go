package learn

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed classify.md
var classifySystem string

// classifySchema asks for the slots, in the strict subset.
const classifySchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["class", "rules", "claims", "about", "problem", "problem_category", "answer"],
  "properties": {
    "class": {"type": "string", "enum": ["teach", "one_off", "thanks_fixed", "accepted_risk", "promise", "question",
      "bare_no", "agree", "forget", "injection", "off_topic"]},
    "rules": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["kind", "says", "subject", "category", "condition", "scope", "reason", "rule", "relation",
          "this_change_only", "quotes"],
        "properties": {
          "kind": {"type": "string", "enum": ["silence", "always"]},
          "says": {"type": "string"},
          "subject": {"type": "string"},
          "category": {"type": "string"},
          "condition": {"type": "string"},
          "scope": {"type": "string"},
          "reason": {"type": "string"},
          "rule": {"type": "string"},
          "relation": {"type": "string", "enum": ["none", "same", "narrower", "wider", "replaces", "contradicts"]},
          "this_change_only": {"type": "boolean"},
          "quotes": {"type": "array", "items": {"type": "string"}}
        }
      }
    },
    "claims": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["text", "quote", "search"],
        "properties": {
          "text": {"type": "string"},
          "quote": {"type": "string"},
          "search": {"type": "array", "items": {"type": "string"}}
        }
      }
    },
    "about": {"type": "string", "enum": ["none", "false_positive", "accepted_risk", "wont_fix"]},
    "problem": {"type": "string"},
    "problem_category": {"type": "string"},
    "answer": {"type": "string"}
  }
}`

// maxAnswer caps what a classification may write, in tokens.
const maxAnswer = 2_000

// Setting is what a model sees beside the reply.
type Setting struct {
	// Comment is what is answered: category, claim and detail, "" for a
	// person's own comment.
	Comment string
	// Path is the file that the thread is about, "" in a conversation.
	Path string
	// Code is the commented code, numbered.
	Code string
	// Index are the rules, one line each.
	Index []string
	// Folders are the folders of the repository that a scope may name.
	Folders []string
}

// texts are all texts of the setting that people wrote.
func (s Setting) texts() []string {
	return []string{s.Comment, s.Path, s.Code, strings.Join(s.Index, "\n"), strings.Join(s.Folders, "\n")}
}

// Texts are all untrusted texts of a classification, for drawing a fence that
// occurs in none.
func Texts(t Text, s Setting) []string { return append(s.texts(), t.Said) }

// ClassifyRequest asks a model to fill in the slots of one reply. The fence is
// the random word that delimits untrusted text.
func ClassifyRequest(name, fence string, t Text, s Setting) model.Request {
	var b strings.Builder
	if s.Path != "" {
		b.WriteString(model.Fenced(fence, "the file it is about", s.Path))
	}
	if s.Comment != "" {
		b.WriteString(model.Fenced(fence, "the review comment that is answered", s.Comment))
	} else {
		b.WriteString("Nothing is answered: this is a person's own comment on the change.\n")
	}
	if s.Code != "" {
		b.WriteString(model.Fenced(fence, "the commented code", s.Code))
	}
	b.WriteString(model.Fenced(fence, "rules there are", strings.Join(s.Index, "\n")))
	b.WriteString(model.Fenced(fence, "folders of the repository", strings.Join(s.Folders, "\n")))
	b.WriteString(model.Fenced(fence, "the reply", t.Said))
	return model.Request{
		Purpose:   "learn/classify",
		Model:     name,
		System:    classifySystem,
		Messages:  []model.Message{{Role: model.User, Content: b.String()}},
		Schema:    model.Schema{Name: "reply", JSON: json.RawMessage(classifySchema)},
		MaxTokens: maxAnswer,
		Fence:     fence,
	}
}

// Slots are what a model filled in, as far as it stands in the reply.
type Slots struct {
	Class Class
	Rules []Proposal
	// Claims are the model's; Claims of this package adds those that the
	// reply makes whether the model says so or not.
	Claims []Claim
	// About is false_positive, accepted_risk, wont_fix or "".
	About string
	// Problem is what a person found in the change, "" for none, and
	// ProblemCategory its kind.
	Problem, ProblemCategory string
	// Answer answers a question, "" for none.
	Answer string
}

// Proposal is a rule that a reply may lead to.
type Proposal struct {
	// Kind is silence or always.
	Kind string
	// Says is the rule in the model's words.
	Says      string
	Subject   string
	Category  string
	Condition string
	Scope     string
	Reason    string
	// Rule is the id of the rule that the model takes it to be about, ""
	// for none, and Relation how.
	Rule     string
	Relation Relation
	// ThisChangeOnly says that the reply asks for one exception.
	ThisChangeOnly bool
}

// Bounds of what one reply may lead to.
const (
	maxRules  = 3
	maxClaims = 5
	maxReply  = 600 // characters of an answer
)

// ReadClassification returns the slots that hold. A rule or a claim whose quoted
// words are not in the reply is dropped, and so is every rule of a class that
// teaches nothing.
func ReadClassification(r model.Reply, t Text) (Slots, error) {
	var body struct {
		Class string `json:"class"`
		Rules []struct {
			Kind           string   `json:"kind"`
			Says           string   `json:"says"`
			Subject        string   `json:"subject"`
			Category       string   `json:"category"`
			Condition      string   `json:"condition"`
			Scope          string   `json:"scope"`
			Reason         string   `json:"reason"`
			Rule           string   `json:"rule"`
			Relation       string   `json:"relation"`
			ThisChangeOnly bool     `json:"this_change_only"`
			Quotes         []string `json:"quotes"`
		} `json:"rules"`
		Claims []struct {
			Text   string   `json:"text"`
			Quote  string   `json:"quote"`
			Search []string `json:"search"`
		} `json:"claims"`
		About   string `json:"about"`
		Problem string `json:"problem"`
		Kind    string `json:"problem_category"`
		Answer  string `json:"answer"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return Slots{}, fmt.Errorf("read a classification: %w", err)
	}
	s := Slots{Class: parseClass(body.Class), Problem: oneLine(body.Problem), ProblemCategory: finding.Label(body.Kind)}
	if answer := oneLine(body.Answer); s.Class == Question && !Injection(answer) {
		s.Answer, _ = clip(answer, maxReply)
	}
	if body.About != "none" {
		s.About = body.About
	}
	for _, p := range body.Rules {
		if len(s.Rules) == maxRules || s.Class != Teach && s.Class != Forget || !supported(t, p.Quotes) {
			continue
		}
		s.Rules = append(s.Rules, Proposal{
			Kind: p.Kind, Says: oneLine(p.Says), Subject: oneLine(p.Subject),
			Category: strings.ToLower(oneLine(p.Category)), Condition: oneLine(p.Condition),
			Scope: strings.TrimSpace(p.Scope), Reason: oneLine(p.Reason),
			Rule: p.Rule, Relation: parseRelation(p.Relation), ThisChangeOnly: p.ThisChangeOnly,
		})
	}
	for _, c := range body.Claims {
		if len(s.Claims) < maxClaims && supported(t, []string{c.Quote}) {
			s.Claims = append(s.Claims, Claim{Text: oneLine(c.Text), Quote: oneLine(c.Quote), Search: c.Search})
		}
	}
	return s, nil
}

func parseClass(s string) Class {
	for _, c := range classes {
		if string(c) == s {
			return c
		}
	}
	return OffTopic
}

// supported reports whether there is a quote and every quote stands in what was
// said, blanks and case aside.
func supported(t Text, quotes []string) bool {
	said := finding.Normalize(t.Said)
	some := false
	for _, q := range quotes {
		n := finding.Normalize(q)
		if n == "" || !strings.Contains(said, n) {
			return false
		}
		some = true
	}
	return some
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
