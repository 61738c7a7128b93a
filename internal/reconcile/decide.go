package reconcile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// Reconcile decides for every observation of one run whether it is a known
// defect. The result does not depend on the order of obs or of known, except
// that identical observations are numbered in the order given.
func Reconcile(obs []Observation, known []Known, opts Options) Result {
	if opts.Bands == (Bands{}) {
		opts.Bands = DefaultBands()
	}
	order := byContent(obs)
	r := newRun(pick(obs, order), known, opts)
	r.findTwins()
	r.findMatches()
	r.choose()
	out := make([]Decision, len(obs))
	for i, d := range r.decide() {
		if d.Twin >= 0 {
			d.Twin = order[d.Twin]
		}
		out[order[i]] = d
	}
	return Result{Decisions: out}
}

// byContent orders observations by what they say, so that nothing depends on
// the order in which batches came back.
func byContent(obs []Observation) []int {
	order := make([]int, len(obs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &obs[a], &obs[b]
		p, q := x.place(), y.place()
		return cmp.Or(
			cmp.Compare(p.Path, q.Path), cmp.Compare(p.Start, q.Start), cmp.Compare(p.End, q.End),
			cmp.Compare(x.Claim, y.Claim), cmp.Compare(x.Source, y.Source),
			cmp.Compare(x.Category, y.Category), cmp.Compare(x.Severity, y.Severity),
			cmp.Compare(x.Key, y.Key), cmp.Compare(x.Marker, y.Marker),
		)
	})
	return order
}

func pick(obs []Observation, order []int) []Observation {
	out := make([]Observation, len(order))
	for n, i := range order {
		out[n] = obs[i]
	}
	return out
}

// run is one call of Reconcile. Its observations are sorted by content and its
// known defects by id.
type run struct {
	obs    []Observation
	known  []Known
	opts   Options
	scorer *scorer
	leads  *leads

	// claims are the normalised claims of the observations.
	claims []string
	// graveObs and graveKnown remember what concerns security or a crash.
	graveObs, graveKnown memo

	// twin is the observation that each observation repeats, -1 for none;
	// how says on what ground.
	twin []int
	how  []How
	// matches and proofs are the candidates of each leader by score and the
	// candidates by evidence.
	matches [][]match
	proofs  [][]proof
	// chosen is the known defect each observation got, -1 for none.
	chosen []int
}

func newRun(obs []Observation, known []Known, opts Options) *run {
	known = byID(known)
	r := &run{
		obs: obs, known: known, opts: opts,
		scorer: newScorer(obs, known), leads: newLeads(known),
		graveObs: memo{}, graveKnown: memo{},
	}
	for i := range obs {
		r.claims = append(r.claims, finding.Normalize(obs[i].Claim))
	}
	return r
}

// byID is a sorted copy.
func byID(known []Known) []Known {
	return slices.SortedStableFunc(slices.Values(known), func(a, b Known) int { return cmp.Compare(a.ID, b.ID) })
}

// findMatches collects evidence and candidates for every leader.
func (r *run) findMatches() {
	r.matches, r.proofs = make([][]match, len(r.obs)), make([][]proof, len(r.obs))
	var leaders []int
	var askers []*profile
	for i := range r.obs {
		if r.twin[i] < 0 {
			leaders, askers = append(leaders, i), append(askers, &r.scorer.obs[i])
		}
	}
	for n, matches := range r.scorer.matches(askers, nil) {
		r.matches[leaders[n]] = matches
	}
	for _, i := range leaders {
		r.proofs[i] = r.prove(i)
	}
}

// choose assigns leaders to known defects: what a key or marker settles first,
// then everything else one to one.
func (r *run) choose() {
	r.chosen = make([]int, len(r.obs))
	taken := make(map[int]bool)
	var open []int
	for i := range r.obs {
		r.chosen[i] = -1
		if r.twin[i] >= 0 {
			continue
		}
		if p := r.proofs[i]; len(p) > 0 && p[0].how.settles() {
			r.chosen[i] = p[0].known
			taken[p[0].known] = true
			continue
		}
		open = append(open, i)
	}
	gains := make([]map[int]float64, len(open))
	for n, i := range open {
		gains[n] = map[int]float64{}
		for _, m := range r.matches[i] {
			if m.score >= r.opts.Bands.Ask && !taken[m.known] {
				gains[n][m.known] = m.score
			}
		}
		for _, p := range r.proofs[i] {
			if !taken[p.known] {
				gains[n][p.known] = 2 + gains[n][p.known]
			}
		}
	}
	for n, k := range assignSparse(gains) {
		r.chosen[open[n]] = k
	}
}

func (r *run) decide() []Decision {
	out := make([]Decision, len(r.obs))
	for i := range r.obs {
		if r.twin[i] < 0 {
			out[i] = r.decision(i)
			out[i].Severity = r.obs[i].Severity
		}
	}
	for i := range r.obs {
		t := r.twin[i]
		if t < 0 {
			continue
		}
		d := &out[t]
		d.Severity = finding.Max(d.Severity, r.obs[i].Severity)
		out[i] = Decision{
			Kind: Twin, Twin: t, Defect: d.Defect, How: r.how[i], Score: 1, Likely: d.Likely,
			Severity: r.obs[i].Severity,
			Reason:   "another finding of this run says the same",
		}
	}
	return out
}

func (r *run) decision(i int) Decision {
	d := Decision{Kind: New, Twin: -1, Candidates: r.candidates(i), Reason: "nothing known is like it"}
	k := r.chosen[i]
	if k < 0 || r.shares(i, k) {
		if len(d.Candidates) == 0 {
			return d
		}
		best := d.Candidates[0]
		d.Defect, d.Score = best.Defect, best.Score
		d.Kind, d.Likely = r.unsure(), best.Score >= r.opts.Bands.Shared && !r.besideOwner(i, best.Defect)
		d.Reason = "the likeliest defect fits another finding of this run better"
		return d
	}
	d.Defect = r.known[k].ID
	if how, ok := r.proof(i, k); ok {
		d.Score, d.Likely = 1, true
		if g := r.guard(i, k, how); g != "" {
			d.Kind, d.Reason = MergeProposed, g
			return d
		}
		d.Kind, d.How, d.Reason = Same, how, how.reason()
		return d
	}
	m, next := r.standing(i, k)
	d.Score = m.score
	d.Likely = m.score >= r.opts.Bands.Likely
	guard := r.guard(i, k, ByScore)
	switch {
	case m.said < r.opts.Bands.Silent:
		d.Kind = r.unsure()
		d.Reason = fmt.Sprintf("likeness %.2f is not enough to merge without asking", m.said)
	case guard != "":
		d.Kind, d.Reason = MergeProposed, guard
	case m.score-next < r.opts.Bands.Margin:
		d.Kind = r.unsure()
		d.Reason = fmt.Sprintf("another defect is as likely (%.2f and %.2f)", m.score, next)
	case r.elsewhere(i, k):
		d.Kind, d.Reason = r.unsure(), fmt.Sprintf("likeness %.2f, and it quotes other code", m.score)
	case r.ambiguous(k):
		d.Kind, d.Reason = r.unsure(), "the defect's code now stands at two places"
	default:
		d.Kind, d.How = Same, ByScore
		d.Reason = fmt.Sprintf("likeness %.2f", m.score)
	}
	return d
}

// shares reports whether observation i got known defect k only because another
// observation has the defect it is likely about.
func (r *run) shares(i, k int) bool {
	if _, proven := r.proof(i, k); proven {
		return false
	}
	m, next := r.standing(i, k)
	return m.score < r.opts.Bands.Likely && next >= r.opts.Bands.Shared
}

// besideOwner holds when the observation that was given the defect stands where
// observation i does: a run that says two things of one place means two.
func (r *run) besideOwner(i int, id ledger.DefectID) bool {
	for j, k := range r.chosen {
		if j != i && k >= 0 && r.known[k].ID == id && r.scorer.obs[i].nearest(&r.scorer.obs[j]) > beside {
			return true
		}
	}
	return false
}

// beside is the nearness above which two findings are at one place.
const beside = 0.5

func (r *run) unsure() Kind {
	if r.opts.Adjudicator {
		return Ask
	}
	return PossibleDuplicate
}

// standing is how observation i fits known defect k, and the score of the best
// other one.
func (r *run) standing(i, k int) (m match, next float64) {
	for _, c := range r.matches[i] {
		if c.known == k {
			m = c
		} else {
			next = max(next, c.score)
		}
	}
	return m, next
}

func (r *run) ambiguous(k int) bool {
	return slices.ContainsFunc(r.known[k].Places, func(p Place) bool { return p.Ambiguous })
}

// candidates are what an adjudicator should look at: everything in reach of a
// question, best first.
func (r *run) candidates(i int) []Candidate {
	var out []Candidate
	for _, p := range r.proofs[i] {
		out = append(out, Candidate{r.known[p.known].ID, 1, 1, r.guard(i, p.known, p.how)})
	}
	for _, m := range r.matches[i] {
		if _, proven := r.proof(i, m.known); m.score >= r.opts.Bands.Ask && !proven {
			out = append(out, Candidate{r.known[m.known].ID, m.score, m.said, r.guard(i, m.known, ByScore)})
		}
	}
	return out[:min(len(out), maxCandidates)]
}

// Shortlist ranks, per observation, the known defects it may be about, best
// first and at most five, however unlikely they are.
func Shortlist(obs []Observation, known []Known) [][]Candidate {
	r := newRun(obs, known, Options{})
	r.twin = make([]int, len(obs))
	for i := range r.twin {
		r.twin[i] = -1
	}
	r.findMatches()
	out := make([][]Candidate, len(obs))
	for i := range obs {
		out[i] = r.candidates(i)
	}
	return out
}

// assignSparse is assign for a matrix of which only a few gains are given. It
// solves each connected part by itself.
func assignSparse(gains []map[int]float64) []int {
	out := make([]int, len(gains))
	for i := range out {
		out[i] = -1
	}
	for _, part := range parts(gains) {
		columns := map[int]int{}
		var names []int
		for _, i := range part {
			for k := range gains[i] {
				if _, ok := columns[k]; !ok {
					columns[k] = 0
					names = append(names, k)
				}
			}
		}
		slices.Sort(names)
		for n, k := range names {
			columns[k] = n
		}
		dense := make([][]float64, len(part))
		for n, i := range part {
			dense[n] = make([]float64, len(names))
			for k, g := range gains[i] {
				dense[n][columns[k]] = g
			}
		}
		for n, c := range assign(dense) {
			if c >= 0 {
				out[part[n]] = names[c]
			}
		}
	}
	return out
}

// parts groups rows that share a column, directly or through others. Rows
// without a gain are in no part.
func parts(gains []map[int]float64) [][]int {
	root := make([]int, len(gains))
	var find func(int) int
	find = func(i int) int {
		if root[i] != i {
			root[i] = find(root[i])
		}
		return root[i]
	}
	first := map[int]int{}
	for i := range gains {
		root[i] = i
	}
	for i, g := range gains {
		for k := range g {
			j, seen := first[k]
			if !seen {
				first[k] = i
				continue
			}
			// The smaller root wins, so that the result is the same whatever
			// the order of the map.
			a, b := find(i), find(j)
			root[max(a, b)] = min(a, b)
		}
	}
	at := map[int]int{}
	var out [][]int
	for i, g := range gains {
		if len(g) == 0 {
			continue
		}
		n, ok := at[find(i)]
		if !ok {
			n = len(out)
			at[find(i)] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], i)
	}
	return out
}
