package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/model"
)

// findingsSchema is what a finder answers, in the strict subset.
const findingsSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["findings"],
  "properties": {
    "findings": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["path", "quote", "side", "start_line", "end_line", "symbol", "category", "severity",
          "claim", "subject", "predicate", "detail", "evidence", "criteria", "suggestion", "artifact"],
        "properties": {
          "path": {"type": "string"},
          "quote": {"type": "string"},
          "side": {"type": "string", "enum": ["new", "old"]},
          "start_line": {"type": ["integer", "null"]},
          "end_line": {"type": ["integer", "null"]},
          "symbol": {"type": ["string", "null"]},
          "category": {"type": "string"},
          "severity": {"type": "string", "enum": ["low", "medium", "high", "critical"]},
          "claim": {"type": "string"},
          "subject": {"type": "string"},
          "predicate": {"type": "string"},
          "detail": {"type": "string"},
          "evidence": {"type": "array", "items": {"type": "string"}},
          "criteria": {"type": "array", "items": {"type": "string"}},
          "suggestion": {"type": ["string", "null"]},
          "artifact": {
            "type": ["object", "null"],
            "additionalProperties": false,
            "required": ["kind", "scope", "pattern", "must", "script", "fixed"],
            "properties": {
              "kind": {"type": "string", "enum": ["pattern", "script"]},
              "scope": {"type": "array", "items": {"type": "string"}},
              "pattern": {"type": ["string", "null"]},
              "must": {"type": ["string", "null"]},
              "script": {"type": ["string", "null"]},
              "fixed": {"type": ["string", "null"]}
            }
          }
        }
      }
    }
  }
}`

// maxReply caps what a finder may write, in tokens.
const maxReply = 8_000

// material is everything a finder sees. It has no field for the ledger, the
// rules or an old comment: finders run cold.
type material struct {
	title, description string
	// guides say how the project's code is written, for the batch's files.
	guides []guide
	batch  batch.Batch
	// around is the code around the hunks, by path, numbered.
	around map[string]string
	// uses is code of other files that names what the batch touches.
	uses string
}

// findRequest builds one finder's request for one batch. The system text is the
// same for every pull request; what people wrote is fenced and comes last.
func findRequest(r reviewer, name, fence string, m material) model.Request {
	var b strings.Builder
	fmt.Fprintf(&b, "Batch %s: %s.\n", m.batch.ID, countFiles(len(m.batch.Paths())))
	if m.title != "" || m.description != "" {
		b.WriteString(model.Fenced(fence, "title and description of the change, as its author gives them", m.title+"\n\n"+m.description))
	}
	for _, g := range m.guides {
		b.WriteString(model.Fenced(fence, "how this project writes code, from "+g.path, g.text))
	}
	for _, p := range m.batch.Parts {
		b.WriteString(model.Fenced(fence, "diff of "+partName(p.File), numbered(p.Hunks)))
		if code := m.around[p.File.Path()]; code != "" {
			b.WriteString(model.Fenced(fence, "code around it in "+p.File.Path(), code))
		}
	}
	if m.uses != "" {
		b.WriteString(model.Fenced(fence, "where other code names what is changed here", m.uses))
	}
	return model.Request{
		Purpose:   "review/" + r.name,
		Model:     name,
		System:    r.system(),
		Messages:  []model.Message{{Role: model.User, Content: b.String()}},
		Schema:    model.Schema{Name: "findings", JSON: json.RawMessage(findingsSchema)},
		MaxTokens: maxReply,
		Fence:     fence,
		Tools:     lookups(),
	}
}

func countFiles(n int) string {
	if n == 1 {
		return "one file"
	}
	return fmt.Sprintf("%d files", n)
}

// partName is the path, with what happened to the file.
func partName(f *diff.File) string {
	switch f.Status {
	case diff.Renamed, diff.Copied:
		return fmt.Sprintf("%s (%s from %s)", f.NewPath, f.Status, f.OldPath)
	case diff.Modified:
		return f.Path()
	}
	return fmt.Sprintf("%s (%s)", f.Path(), f.Status)
}

func numbered(hunks []diff.Hunk) string {
	var b strings.Builder
	// A strings.Builder takes every write.
	_ = diff.WriteNumbered(&b, hunks)
	return b.String()
}

// splitLines returns the lines of a text without their newlines.
func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// maxShownLine clips long lines in context, in bytes; the diff itself is not
// clipped by it.
const maxShownLine = 400

func clipLine(s string) string {
	s = strings.ToValidUTF8(strings.TrimSuffix(s, "\r"), "\uFFFD")
	if len(s) <= maxShownLine {
		return s
	}
	return strings.ToValidUTF8(s[:maxShownLine], "") + " …"
}

// promptHash identifies everything that shapes what is found, besides the
// code: prompts, schema, tools, model and batch limits. A file whose content and hash
// are unchanged need not be read again.
func promptHash(rs []reviewer, cs []checker.Checker, name string, l batch.Limits) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%v\x00", name, findingsSchema, l)
	for _, t := range lookups() {
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00", t.Name, t.Description, t.Parameters)
	}
	for _, r := range slices.SortedFunc(slices.Values(rs), func(a, b reviewer) int { return strings.Compare(a.name, b.name) }) {
		fmt.Fprintf(h, "%s\x00%q\x00%s\x00", r.name, r.scope, r.system())
	}
	for _, c := range cs {
		fmt.Fprintf(h, "%s\x00%s\x00", c.Name, checker.PromptHash(c.Name))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
