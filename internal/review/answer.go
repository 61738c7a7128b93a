package review

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// readFindings decodes a reply that passed the schema.
func readFindings(raw json.RawMessage, source string) ([]finding.Finding, error) {
	var body struct {
		Findings []struct {
			Path       string   `json:"path"`
			Quote      string   `json:"quote"`
			Side       string   `json:"side"`
			StartLine  *int     `json:"start_line"`
			EndLine    *int     `json:"end_line"`
			Symbol     *string  `json:"symbol"`
			Category   string   `json:"category"`
			Severity   string   `json:"severity"`
			Claim      string   `json:"claim"`
			Subject    string   `json:"subject"`
			Predicate  string   `json:"predicate"`
			Detail     string   `json:"detail"`
			Evidence   []string `json:"evidence"`
			Criteria   []string `json:"criteria"`
			Suggestion *string  `json:"suggestion"`
			Artifact   *brought `json:"artifact"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, fmt.Errorf("read findings of %s: %w", source, err)
	}
	var out []finding.Finding
	for _, f := range body.Findings {
		sev, err := finding.ParseSeverity(f.Severity)
		if err != nil {
			return nil, fmt.Errorf("read findings of %s: %w", source, err)
		}
		side := finding.Right
		if f.Side == "old" {
			side = finding.Left
		}
		out = append(out, finding.Finding{
			Source: source, Path: f.Path, Quote: f.Quote, Side: side,
			StartLine: deref(f.StartLine), EndLine: deref(f.EndLine), Symbol: deref(f.Symbol),
			Category: strings.ToLower(strings.TrimSpace(f.Category)), Severity: sev,
			Claim: f.Claim, Subject: f.Subject, Predicate: f.Predicate, Detail: f.Detail,
			Evidence: f.Evidence, Criteria: f.Criteria, Suggestion: deref(f.Suggestion), Artifact: f.Artifact.artifact(),
			Tier: finding.Advisory,
		})
	}
	return out, nil
}

// brought is an artifact as a reviewer writes it.
type brought struct {
	Kind    string   `json:"kind"`
	Scope   []string `json:"scope"`
	Pattern *string  `json:"pattern"`
	Must    *string  `json:"must"`
	Script  *string  `json:"script"`
	Fixed   *string  `json:"fixed"`
}

func (b *brought) artifact() *finding.Artifact {
	if b == nil {
		return nil
	}
	return &finding.Artifact{Kind: b.Kind, Scope: b.Scope, Pattern: deref(b.Pattern), Must: deref(b.Must),
		Script: deref(b.Script), Fixed: deref(b.Fixed)}
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
