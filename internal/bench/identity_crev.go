package bench

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/reconcile"
)

// engine is crev's own matcher: internal/reconcile behind the bench's ledger.
type engine struct {
	cases *identityCases
	opts  reconcile.Options
	// belongs decides which decisions put a finding into a known record.
	belongs func(reconcile.Decision) bool
	// unites says whether likely duplicates among records are joined, and not
	// only those that crev merges silently.
	unites bool
}

// likely takes the best decision without a model: everything merged silently
// and everything that is rather one defect than two.
func likely(d reconcile.Decision) bool { return d.Kind == reconcile.Same || d.Likely }

// silent takes only what crev merges without asking anybody.
func silent(d reconcile.Decision) bool { return d.Kind == reconcile.Same }

func (e *engine) place(records [][]int, run span) []int {
	obs, known := e.input(records, run.claims())
	return e.records(reconcile.Reconcile(obs, known, e.opts).Decisions, len(records))
}

// records turns decisions into record numbers.
func (e *engine) records(decisions []reconcile.Decision, known int) []int {
	out := make([]int, len(decisions))
	for i, d := range decisions {
		out[i] = known + i
		if d.Kind != reconcile.Twin && e.belongs(d) {
			out[i] = number(d.Defect)
		}
	}
	for i, d := range decisions {
		if d.Kind == reconcile.Twin {
			out[i] = out[d.Twin]
		}
	}
	return out
}

func (e *engine) unite(records [][]int, touched []int) [][2]int {
	_, known := e.input(records, nil)
	ids := make([]ledger.DefectID, len(touched))
	for i, r := range touched {
		ids[i] = id(r)
	}
	var out [][2]int
	for _, d := range reconcile.Duplicates(known, ids, e.opts) {
		if d.Kind == reconcile.Same || d.Likely && e.unites {
			out = append(out, [2]int{number(d.A), number(d.B)})
		}
	}
	return out
}

func (e *engine) rank(records [][]int, asked []int) [][]int {
	obs, known := e.input(records, asked)
	out := make([][]int, len(asked))
	for i, candidates := range reconcile.Shortlist(obs, known) {
		for _, c := range candidates {
			out[i] = append(out[i], number(c.Defect))
		}
	}
	return out
}

// input shows the engine the claims without their labels.
func (e *engine) input(records [][]int, claims []int) ([]reconcile.Observation, []reconcile.Known) {
	var obs []reconcile.Observation
	commit := ""
	for _, i := range claims {
		c := &e.cases.claims[i]
		if commit == "" && c.Commit != nil {
			commit = *c.Commit
		}
		o := reconcile.Observation{}
		o.Claim = c.words()
		if l, ok := c.location(); ok {
			l.Symbol = e.cases.symbol(c.Group, l.Commit, l)
			o.Location, o.Path, o.StartLine, o.EndLine = l, l.Path, l.Start, l.End
		}
		obs = append(obs, o)
	}
	var known []reconcile.Known
	for r, members := range records {
		k := reconcile.Known{ID: id(r), Status: ledger.Open}
		for _, i := range members {
			k.Runs = append(k.Runs, e.cases.claims[i].Run)
			k.Wordings = append(k.Wordings, e.cases.claims[i].words())
			if p, ok := e.cases.locate(i, commit); ok {
				k.Places = append(k.Places, p)
			}
		}
		known = append(known, k)
	}
	return obs, known
}

// words is the text of a claim as a matcher sees it.
func (c *claim) words() string {
	if c.Title == "" {
		return c.Text
	}
	return c.Title + "\n" + c.Text
}

// location is the place of a claim as it was reported.
func (c *claim) location() (finding.Location, bool) {
	if c.Path == nil {
		return finding.Location{}, false
	}
	l := finding.Location{Path: *c.Path}
	if c.Start != nil {
		l.Start, l.End = *c.Start, *c.Start
	}
	if c.End != nil {
		l.End = max(*c.End, l.Start)
	}
	if c.Commit != nil {
		l.Commit = *c.Commit
	}
	return l, true
}

// id and number turn the bench's record numbers into ids and back.
func id(record int) ledger.DefectID { return ledger.DefectID(fmt.Sprintf("D-%08x", record)) }

func number(d ledger.DefectID) int {
	var n int
	fmt.Sscanf(string(d), "D-%x", &n)
	return n
}
