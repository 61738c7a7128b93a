// Package ratchet asks a model for the check that would decide a class: it builds
// the request and reads the answer. What comes back is a proposal; it becomes a
// validator only when it is proven and a person commits it.
package ratchet

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed propose.md
var system string

const schema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["must_not", "must", "scope", "says", "fixed", "doubt"],
  "properties": {
    "must_not": {"type": ["string", "null"]},
    "must": {"type": ["string", "null"]},
    "scope": {"type": "array", "items": {"type": "string"}},
    "says": {"type": "string"},
    "fixed": {"type": ["string", "null"]},
    "doubt": {"type": ["string", "null"]}
  }
}`

// maxReply caps what the model may write, in tokens.
const maxReply = 1_000

// ErrNoPattern is returned for a defect that no pattern can tell from correct
// code, as the model sees it; the error that wraps it says why.
var ErrNoPattern = errors.New("the model proposes no pattern")

// Proposal is a check that a model proposes.
type Proposal struct {
	// Artifact is the pattern, with the corrected code as Fixed.
	Artifact finding.Artifact
	// Says tells what to do instead, Doubt what the pattern may get wrong.
	Says, Doubt string
}

// Texts are the untrusted parts of a request about a class: a fence must be in
// none of them.
func Texts(d ledger.Due) []string {
	texts := []string{d.Code, d.Detail, d.Suggestion}
	for _, p := range d.Phrases {
		texts = append(texts, p.Claim)
	}
	for _, l := range d.Places {
		texts = append(texts, l.Path)
	}
	return append(texts, d.Criteria...)
}

// Request asks for the check of one class. The texts of the class must have had
// their secrets taken out.
func Request(name, fence string, d ledger.Due) model.Request {
	var b strings.Builder
	for _, p := range d.Phrases {
		fmt.Fprintf(&b, "%d times: %s\n", p.Count, p.Claim)
	}
	fmt.Fprintf(&b, "%s\n%s\n", d.Detail, strings.Join(d.Criteria, "\n"))
	claim := b.String()
	b.Reset()
	for _, l := range d.Places {
		b.WriteString(l.Path + "\n")
	}
	return model.Request{
		Purpose: "propose",
		Model:   name,
		System:  system,
		Messages: []model.Message{{Role: model.User, Content: "One claim that keeps coming back.\n" +
			model.Fenced(fence, "the claim, what is behind it, what would close it", claim) +
			model.Fenced(fence, "the files in which it was seen", b.String()) +
			model.Fenced(fence, "the code it was about", d.Code) +
			model.Fenced(fence, "what a reviewer suggested instead", d.Suggestion)}},
		Schema:    model.Schema{Name: "proposal", JSON: json.RawMessage(schema)},
		MaxTokens: maxReply,
		Fence:     fence,
	}
}

// Read decodes an answer that passed the schema.
func Read(raw json.RawMessage) (Proposal, error) {
	var a struct {
		MustNot *string  `json:"must_not"`
		Must    *string  `json:"must"`
		Scope   []string `json:"scope"`
		Says    string   `json:"says"`
		Fixed   *string  `json:"fixed"`
		Doubt   *string  `json:"doubt"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return Proposal{}, fmt.Errorf("read a proposal: %w", err)
	}
	p := Proposal{
		Artifact: finding.Artifact{Kind: finding.ArtifactPattern, Scope: a.Scope, Pattern: text(a.MustNot), Must: text(a.Must), Fixed: text(a.Fixed)},
		Says:     strings.TrimSpace(a.Says), Doubt: text(a.Doubt),
	}
	if !p.Artifact.Checks() {
		return Proposal{}, fmt.Errorf("%w: %s", ErrNoPattern, p.Doubt)
	}
	return p, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
