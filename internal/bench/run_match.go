package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/reconcile"
)

// nearLines is how far from the quoted code a finding may stand to be about it:
// a model anchors at the head of a statement or at its end.
const nearLines = 3

// pairing is a finding that may be an expected one.
type pairing struct {
	found, expected int
	// grade is what speaks for it, the higher the better; score is how likely
	// the two are one defect, 0 to 1.
	grade int
	score float64
}

// match says which expectation each finding is, -1 for none. Each is taken once,
// the surest first. A finding is an expected one in the same file when it has its
// category and its place, or when crev would take the two for one defect, or is
// in doubt about the words and the place is the same.
func match(c *Case, found []finding.Finding) []int {
	bands := reconcile.DefaultBands()
	var all []pairing
	for k, list := range reconcile.Shortlist(observed(found), expected(c)) {
		candidates := map[ledger.DefectID]reconcile.Candidate{}
		for _, cand := range list {
			candidates[cand.Defect] = cand
		}
		for i, e := range c.Findings {
			f := found[k]
			if f.Path != e.Path {
				continue
			}
			cand := candidates[expectedID(i)]
			p := pairing{found: k, expected: i, score: cand.Score}
			near := e.near(c, f)
			switch {
			case near && finding.Label(f.Category) == finding.Label(e.Category):
				p.grade = 3
			case p.score >= bands.Likely:
				p.grade = 2
			case near && cand.Said >= bands.Ask:
				p.grade = 1
			default:
				continue
			}
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b pairing) int {
		return cmp.Or(cmp.Compare(b.grade, a.grade), cmp.Compare(b.score, a.score), cmp.Compare(a.expected, b.expected), cmp.Compare(a.found, b.found))
	})
	taken := make([]int, len(found))
	for k := range taken {
		taken[k] = -1
	}
	for _, p := range all {
		if taken[p.found] < 0 && !slices.Contains(taken, p.expected) {
			taken[p.found] = p.expected
		}
	}
	return taken
}

func expectedID(i int) ledger.DefectID { return ledger.DefectID(fmt.Sprintf("D-%08x", i+1)) }

func observed(found []finding.Finding) []reconcile.Observation {
	var out []reconcile.Observation
	for _, f := range found {
		out = append(out, reconcile.Observation{Finding: f,
			Location: finding.Location{Path: f.Path, Start: f.StartLine, End: f.EndLine}})
	}
	return out
}

func expected(c *Case) []reconcile.Known {
	var out []reconcile.Known
	for i, e := range c.Findings {
		at := finding.Location{Path: e.Path}
		if lines := e.lines(c); len(lines) > 0 {
			at.Start, at.End = lines[0], lines[0]
		}
		out = append(out, reconcile.Known{ID: expectedID(i), Status: ledger.Open, Wordings: []string{e.Claim},
			Category: e.Category, Severity: e.Severity, Quote: e.Quote, Places: []reconcile.Place{{Location: at}}})
	}
	return out
}

// lines are where the quoted code stands at the head, or at the base where the
// head does not have it.
func (e Expectation) lines(c *Case) []int {
	if e.Quote == "" {
		return nil
	}
	var out []int
	for _, t := range []Tree{c.Head, c.Base} {
		for i, line := range strings.Split(t[e.Path], "\n") {
			if line == e.Quote {
				out = append(out, i+1)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// near reports whether a finding stands at the expected code. One of the two
// without a place is near whatever the other is.
func (e Expectation) near(c *Case, f finding.Finding) bool {
	lines := e.lines(c)
	if len(lines) == 0 || f.StartLine == 0 {
		return true
	}
	return slices.ContainsFunc(lines, func(n int) bool {
		return f.StartLine-nearLines <= n && n <= max(f.StartLine, f.EndLine)+nearLines
	})
}
