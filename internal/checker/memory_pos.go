package checker

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/rule"
)

//go:embed memory_pos.md
var memoryPosSystem string

// memoryPosSchema asks for one finding a place, in the strict subset.
const memoryPosSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["findings"],
  "properties": {
    "findings": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["rule", "path", "quote", "start_line", "end_line", "category", "severity",
          "claim", "subject", "predicate", "detail", "criteria", "suggestion"],
        "properties": {
          "rule": {"type": "string"},
          "path": {"type": "string"},
          "quote": {"type": "string"},
          "start_line": {"type": ["integer", "null"]},
          "end_line": {"type": ["integer", "null"]},
          "category": {"type": "string"},
          "severity": {"type": "string", "enum": ["low", "medium", "high", "critical"]},
          "claim": {"type": "string"},
          "subject": {"type": "string"},
          "predicate": {"type": "string"},
          "detail": {"type": "string"},
          "criteria": {"type": "array", "items": {"type": "string"}},
          "suggestion": {"type": ["string", "null"]}
        }
      }
    }
  }
}`

// maxReread is how many lines a file may have to be shown whole beside its diff.
const maxReread = 800

// Recalled is a finding that a rule asked for. It goes on like any other: it is
// anchored, judged and reconciled, and counted by its rule.
type Recalled struct {
	finding.Finding
	// Rule is the id of an active rule of kind always in whose scope the
	// finding is.
	Rule string
}

// MemoryPos builds the request that reads the files of a batch once more with
// the team's rules; the index is made for their paths. ok is false when there is
// nothing to ask: no rule of kind always whose scope holds one of them.
func MemoryPos(name, fence string, ix rule.Index, c Change) (req model.Request, ok bool) {
	if len(inReach(ix, rule.Always)) == 0 {
		return model.Request{}, false
	}
	s := shown{fence: fence, limit: maxChangeShown}
	for _, f := range c.Files {
		if len(f.Hunks) > 0 {
			s.add("diff of "+f.Path(), c.patch(f))
		}
	}
	for _, f := range c.Files {
		// The diff of an added file is the file.
		lines := linesOf(c.Text(f.NewPath))
		if f.Status != diff.Added && len(lines) > 0 && len(lines) <= maxReread {
			s.add("whole file "+f.Path(), c.Redact(numberedLines(lines, diff.Range{Start: 1, End: len(lines)})))
		}
	}
	text := recall(fence, ix, rule.Always) + s.b.String()
	if s.left > 0 {
		text += fmt.Sprintf("Left out for length: %d pieces.\n", s.left)
	}
	return model.Request{
		Purpose:  MemoryPosName,
		Model:    name,
		System:   memoryPosSystem,
		Messages: []model.Message{{Role: model.User, Content: text}},
		Schema:   model.Schema{Name: "recalled", JSON: json.RawMessage(memoryPosSchema)},
		Fence:    fence,
	}, true
}

// ReadMemoryPos returns the findings whose rule is one, of kind always, active,
// and with the file in its scope, and what it does not take. The rule decides
// category and severity where it has them, and is named in the evidence.
func ReadMemoryPos(r model.Reply, ix rule.Index, author string, c Change) ([]Recalled, []Refused, error) {
	var body struct {
		Findings []recalled `json:"findings"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, nil, fmt.Errorf("read what memory recalls: %w", err)
	}
	var out []Recalled
	var refused []Refused
	for _, e := range body.Findings {
		if reason := e.check(ix, author, c); reason != "" {
			refused = append(refused, Refused{Claim: e.Claim, Path: e.Path, Reason: reason})
			continue
		}
		known, _ := ix.Find(e.Rule)
		out = append(out, Recalled{Finding: e.finding(known), Rule: e.Rule})
	}
	return out, refused, nil
}

// recalled is one entry of a reply.
type recalled struct {
	Rule       string   `json:"rule"`
	Path       string   `json:"path"`
	Quote      string   `json:"quote"`
	StartLine  *int     `json:"start_line"`
	EndLine    *int     `json:"end_line"`
	Category   string   `json:"category"`
	Severity   string   `json:"severity"`
	Claim      string   `json:"claim"`
	Subject    string   `json:"subject"`
	Predicate  string   `json:"predicate"`
	Detail     string   `json:"detail"`
	Criteria   []string `json:"criteria"`
	Suggestion *string  `json:"suggestion"`
}

// check says why an entry is not taken.
func (e recalled) check(ix rule.Index, author string, c Change) string {
	known, ok := ix.Find(e.Rule)
	_, err := finding.ParseSeverity(e.Severity)
	switch {
	case !ok:
		return fmt.Sprintf("there is no rule %q in view", e.Rule)
	case known.Kind != rule.Always:
		return fmt.Sprintf("rule %s is of kind %s and asks for no comment", known.ID, known.Kind)
	case known.Status != rule.Active:
		return fmt.Sprintf("rule %s is %s", known.ID, known.Status)
	case c.file(e.Path) == nil:
		return "its path is not in the batch"
	case !known.Applies(e.Path, author):
		return fmt.Sprintf("%s is not in the scope of rule %s", e.Path, known.ID)
	case err != nil:
		return err.Error()
	}
	return ""
}

func (e recalled) finding(known rule.Rule) finding.Finding {
	f := finding.Finding{
		Source: MemoryPosName, Path: e.Path, Quote: e.Quote, Side: finding.Right,
		Category: cmp.Or(known.Category, strings.ToLower(strings.TrimSpace(e.Category))),
		Severity: cmp.Or(known.Severity, finding.Severity(e.Severity)),
		Claim:    e.Claim, Subject: e.Subject, Predicate: e.Predicate, Detail: e.Detail, Criteria: e.Criteria,
		Evidence: []string{fmt.Sprintf("The team's rule %s says: %s", known.ID, known.Says)},
		Tier:     finding.Advisory,
	}
	for _, set := range []struct {
		to   *int
		from *int
	}{{&f.StartLine, e.StartLine}, {&f.EndLine, e.EndLine}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	if e.Suggestion != nil {
		f.Suggestion = *e.Suggestion
	}
	return f
}
