package main

import (
	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/review"
)

// runJSON is what review, gate and action print with -json.
type runJSON struct {
	Conclusion projection.Conclusion `json:"conclusion"`
	Reason     string                `json:"reason,omitempty"`
	Blocked    bool                  `json:"blocked"`
	Base       string                `json:"base"`
	Head       string                `json:"head"`
	Open       int                   `json:"open"`
	New        int                   `json:"new"`
	Checks     []checkJSON           `json:"checks"`
	Defects    []*ledger.Defect      `json:"defects"`
	Changes    []changeJSON          `json:"changes"`
	Hidden     []hiddenJSON          `json:"hidden"`
	Files      []fileJSON            `json:"files"`
	Batches    []batchJSON           `json:"batches"`
	Trail      []batch.Placement     `json:"trail"`
	Counts     batch.Counts          `json:"counts"`
	Gate       gateJSON              `json:"gate"`
	Notes      []string              `json:"notes"`
	Ledger     []string              `json:"ledger"`
	LedgerAt   string                `json:"ledger_at,omitempty"`
	Tokens     tokensJSON            `json:"tokens"`
}

type checkJSON struct {
	Name     string        `json:"name"`
	Status   string        `json:"status"`
	Reason   string        `json:"reason,omitempty"`
	Failures []failureJSON `json:"failures"`
}

type failureJSON struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

type changeJSON struct {
	Defect ledger.DefectID `json:"defect"`
	What   string          `json:"what"`
	Detail string          `json:"detail,omitempty"`
}

type hiddenJSON struct {
	Path   string `json:"path"`
	Line   int    `json:"line,omitempty"`
	Claim  string `json:"claim"`
	Reason string `json:"reason"`
	By     string `json:"by,omitempty"`
}

type fileJSON struct {
	Path   string           `json:"path"`
	State  projection.State `json:"state"`
	Reason string           `json:"reason,omitempty"`
}

// batchJSON is one batch and what became of it.
type batchJSON struct {
	ID    string   `json:"id"`
	Paths []string `json:"paths"`
	// Lines is the number of diff lines.
	Lines            int    `json:"lines"`
	Gate             string `json:"gate"`
	Reason           string `json:"reason,omitempty"`
	Tries            int    `json:"tries"`
	Findings         int    `json:"findings"`
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
}

// gateJSON is what the quality gate said of this run's batches, and by which
// limits.
type gateJSON struct {
	Shares gate.Shares   `json:"shares"`
	Limits []gate.Origin `json:"limits"`
}

type tokensJSON struct {
	Prompt     int     `json:"prompt"`
	Completion int     `json:"completion"`
	Cached     int     `json:"cached"`
	USD        float64 `json:"usd,omitempty"`
}

// summaryOf turns an outcome into its JSON. Lists are never null.
func summaryOf(o *review.Outcome) runJSON {
	r := &o.Report
	out := runJSON{
		Conclusion: r.Conclusion, Reason: r.Reason, Blocked: o.Blocked, Base: r.Base, Head: r.Head,
		Open: o.Open, New: o.New, Checks: []checkJSON{}, Defects: r.Defects, Changes: []changeJSON{},
		Hidden: []hiddenJSON{}, Files: []fileJSON{}, Notes: r.Notes, Ledger: r.LedgerLines, LedgerAt: r.LedgerWhere,
		Batches: []batchJSON{}, Trail: o.Trail, Counts: o.Counts, Gate: gateJSON{r.Shares(), o.Limits},
		Tokens: tokensJSON{r.PromptTokens, r.CompletionTokens, r.CachedTokens, r.USD},
	}
	if out.Defects == nil {
		out.Defects = []*ledger.Defect{}
	}
	if out.Notes == nil {
		out.Notes = []string{}
	}
	if out.Ledger == nil {
		out.Ledger = []string{}
	}
	if out.Trail == nil {
		out.Trail = []batch.Placement{}
	}
	for _, b := range r.Batches {
		out.Batches = append(out.Batches, batchJSON(b))
	}
	for _, c := range r.Checks {
		cj := checkJSON{Name: c.Name, Status: c.Status, Reason: c.Reason, Failures: []failureJSON{}}
		for _, f := range c.Failures {
			cj.Failures = append(cj.Failures, failureJSON(f))
		}
		out.Checks = append(out.Checks, cj)
	}
	for _, c := range r.Changes {
		out.Changes = append(out.Changes, changeJSON(c))
	}
	for _, h := range r.Hidden {
		out.Hidden = append(out.Hidden, hiddenJSON{h.Path, h.Line, h.Claim, h.Reason, h.By})
	}
	for _, c := range r.Coverage {
		out.Files = append(out.Files, fileJSON(c))
	}
	return out
}
