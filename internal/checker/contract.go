package checker

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
)

//go:embed contract.md
var contractSystem string

// contractSchema asks for one entry a mismatch, in the strict subset.
const contractSchema = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["mismatches"],
  "properties": {
    "mismatches": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["contract_path", "contract_quote", "code_path", "code_quote", "severity",
          "claim", "subject", "predicate", "detail", "criteria"],
        "properties": {
          "contract_path": {"type": "string"},
          "contract_quote": {"type": "string"},
          "code_path": {"type": "string"},
          "code_quote": {"type": "string"},
          "severity": {"type": "string", "enum": ["low", "medium", "high"]},
          "claim": {"type": "string"},
          "subject": {"type": "string"},
          "predicate": {"type": "string"},
          "detail": {"type": "string"},
          "criteria": {"type": "array", "items": {"type": "string"}}
        }
      }
    }
  }
}`

// Limits of one contract request, in bytes: contracts and code have one each, so
// that a large contract leaves room for the code.
const (
	maxContractShown = 60_000
	maxCodeShown     = 60_000
)

// ContractCase is what a contract request is about: the contracts that matter to
// a change and the code that names what they describe.
type ContractCase struct {
	// Contracts hold only the elements that matter, outer ones without the
	// inner ones they contain.
	Contracts []Contract
	// Code are the changed files to compare, those that name an element
	// first.
	Code []*diff.File
}

// ContractsOf chooses what to compare. A contract matters when the change touches
// it or when changed code names one of its elements; of a touched contract the
// touched elements matter, too. ok is false when there is nothing to compare:
// then no request is made.
func ContractsOf(found []Contract, c Change) (ContractCase, bool) {
	var all []Element
	isContract := map[string]bool{}
	for _, k := range found {
		all = append(all, k.Elements...)
		isContract[k.Path] = true
	}
	named := map[int]bool{}
	words := newVocabulary(all)
	var speaking, silent []*diff.File
	for _, f := range c.Files {
		if f.NewPath == "" || len(f.Hunks) == 0 || isContract[f.NewPath] || prose(f.NewPath) {
			continue
		}
		if ns := words.namedBy(f); len(ns) > 0 {
			maps.Copy(named, ns)
			speaking = append(speaking, f)
		} else {
			silent = append(silent, f)
		}
	}
	cs := ContractCase{Code: speaking}
	touched := false
	n := 0
	for _, k := range found {
		var matter []Element
		for _, e := range k.Elements {
			changed := c.touches(k.Path, e.Range)
			touched = touched || changed
			if changed || named[n] {
				matter = append(matter, e)
			}
			n++
		}
		if len(matter) > 0 {
			k.Elements = innermost(matter)
			cs.Contracts = append(cs.Contracts, k)
		}
	}
	if touched {
		cs.Code = append(cs.Code, silent...)
	}
	return cs, len(cs.Contracts) > 0 && len(cs.Code) > 0
}

// prose reports whether a file is text for people, which implements nothing.
func prose(p string) bool {
	for _, ext := range []string{".md", ".markdown", ".txt", ".rst", ".adoc"} {
		if strings.HasSuffix(strings.ToLower(p), ext) {
			return true
		}
	}
	return false
}

// innermost leaves out elements that contain another one of the list, so that a
// changed line shows its message and not the whole file around it. A path is
// kept with its operations: its parameters stand beside them.
func innermost(es []Element) []Element {
	var out []Element
	for i, e := range es {
		outer := slices.ContainsFunc(es[i+1:], func(in Element) bool {
			return e.Kind != "path" && in.Kind != "path" && in.Range != e.Range && e.Start <= in.Start && in.End <= e.End
		})
		within := slices.ContainsFunc(out, func(o Element) bool { return o.Kind == "path" && o.Start <= e.Start && e.End <= o.End })
		if !outer && !within {
			out = append(out, e)
		}
	}
	return out
}

// ContractCheck builds the request about the contracts of a change.
func ContractCheck(name, fence string, cs ContractCase, c Change) model.Request {
	contracts := shown{fence: fence, limit: maxContractShown}
	for _, k := range cs.Contracts {
		lines := linesOf(c.Text(k.Path))
		for _, e := range k.Elements {
			label := fmt.Sprintf("%s contract %s, %s %s", k.Format, k.Path, e.Kind, e.Name)
			contracts.add(label, c.Redact(numberedLines(lines, e.Range)))
		}
	}
	code := shown{fence: fence, limit: maxCodeShown}
	for _, f := range cs.Code {
		code.add("changed code in "+f.Path(), c.patch(f))
	}
	text := contracts.b.String() + code.b.String()
	if n := contracts.left + code.left; n > 0 {
		text += fmt.Sprintf("Left out for length: %d pieces.\n", n)
	}
	return model.Request{
		Purpose:  ContractName,
		Model:    name,
		System:   contractSystem,
		Messages: []model.Message{{Role: model.User, Content: text}},
		Schema:   model.Schema{Name: "mismatches", JSON: json.RawMessage(contractSchema)},
		Fence:    fence,
	}
}

// ReadContractCheck returns the mismatches as findings, and what it does not
// take. A finding quotes a contract that was shown and code at the head, both of
// which the runtime finds in the files, and one of the two is part of the
// change. It is anchored at the code where the change touches that, else at the
// contract; the other quote is evidence.
func ReadContractCheck(r model.Reply, cs ContractCase, c Change) ([]finding.Finding, []Refused, error) {
	var body struct {
		Mismatches []mismatch `json:"mismatches"`
	}
	if err := json.Unmarshal(r.JSON, &body); err != nil {
		return nil, nil, fmt.Errorf("read the contract check: %w", err)
	}
	var out []finding.Finding
	var refused []Refused
	for _, m := range body.Mismatches {
		f, reason := m.check(cs, c)
		if reason != "" {
			refused = append(refused, Refused{Claim: m.Claim, Path: m.CodePath, Reason: reason})
			continue
		}
		out = append(out, f)
	}
	return out, refused, nil
}

// mismatch is one entry of a reply.
type mismatch struct {
	ContractPath  string   `json:"contract_path"`
	ContractQuote string   `json:"contract_quote"`
	CodePath      string   `json:"code_path"`
	CodeQuote     string   `json:"code_quote"`
	Severity      string   `json:"severity"`
	Claim         string   `json:"claim"`
	Subject       string   `json:"subject"`
	Predicate     string   `json:"predicate"`
	Detail        string   `json:"detail"`
	Criteria      []string `json:"criteria"`
}

// check looks both quotes up; reason says why the mismatch is not taken.
func (m mismatch) check(cs ContractCase, c Change) (f finding.Finding, reason string) {
	i := slices.IndexFunc(cs.Contracts, func(k Contract) bool { return k.Path == m.ContractPath })
	if i < 0 {
		return f, "it names no contract that was shown"
	}
	promise, ok := c.quoted(m.ContractPath, m.ContractQuote, cs.Contracts[i].Elements[0].Start)
	if !ok {
		return f, "its quote is not in the contract"
	}
	if m.CodePath == m.ContractPath {
		return f, "it quotes the contract as the code"
	}
	code, ok := c.quoted(m.CodePath, m.CodeQuote, c.firstChanged(m.CodePath))
	if !ok {
		return f, "its quote is not in the code"
	}
	sev, err := finding.ParseSeverity(m.Severity)
	if err != nil || sev == "" {
		return f, "it has no severity"
	}
	f = finding.Finding{
		Source: ContractName, Category: "api", Severity: sev, Side: finding.Right,
		Path: m.CodePath, Quote: m.CodeQuote, StartLine: code.Start, EndLine: code.End,
		Claim: m.Claim, Subject: m.Subject, Predicate: m.Predicate, Detail: m.Detail, Criteria: m.Criteria,
		Evidence: []string{quoteOf("The contract", m.ContractPath, promise, m.ContractQuote)}, Tier: finding.Advisory,
	}
	switch {
	case c.touches(m.CodePath, code):
	case c.touches(m.ContractPath, promise):
		f.Path, f.Quote, f.StartLine, f.EndLine = m.ContractPath, m.ContractQuote, promise.Start, promise.End
		f.Evidence = []string{quoteOf("The code", m.CodePath, code, m.CodeQuote)}
	default:
		return finding.Finding{}, "neither the contract's lines nor the code's are part of the change"
	}
	return f, ""
}

// firstChanged is where the change of a file begins at the head: code that
// stands at several places is meant where it was changed.
func (c Change) firstChanged(path string) int {
	if f := c.file(path); f != nil && len(f.Hunks) > 0 {
		return f.Hunks[0].NewStart
	}
	return 1
}

// quoteOf renders a quote with its place as a statement of evidence.
func quoteOf(who, path string, r diff.Range, quote string) string {
	return fmt.Sprintf("%s at %s:%d says: %s", who, path, r.Start, strings.Join(strings.Fields(quote), " "))
}
