package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// adjacent is how many lines may lie between two findings of one run that are
// one defect: batches that overlap disagree about where a statement begins.
const adjacent = 3

// findTwins marks observations that repeat another one of the same run, as two
// batches or two reviewers do. Both look at the same commit, so places are
// exact, and without equal places nothing is merged here. The severest finding
// leads, for it is the one that has to be seen: the defect stands at its line.
func (r *run) findTwins() {
	r.twin, r.how = make([]int, len(r.obs)), make([]How, len(r.obs))
	var leaders []int
	for _, i := range r.bySeverity() {
		r.twin[i] = -1
		for _, j := range leaders {
			if how, ok := r.repeats(i, j); ok {
				r.twin[i], r.how[i] = j, how
				break
			}
		}
		if r.twin[i] < 0 {
			leaders = append(leaders, i)
		}
	}
}

// bySeverity lists the observations, severest first and else by content.
func (r *run) bySeverity() []int {
	order := make([]int, len(r.obs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.obs[b].Severity.Rank(), r.obs[a].Severity.Rank())
	})
	return order
}

// overlap reports whether one quote is part of the other. A finding without a
// quote overlaps with every one.
func overlap(a, b string) bool { return strings.Contains(a, b) || strings.Contains(b, a) }

func (r *run) repeats(i, j int) (How, bool) {
	a, b := &r.obs[i], &r.obs[j]
	if a.Key != "" && a.Key == b.Key {
		return ByKey, true
	}
	p, q := a.place(), b.place()
	if p.Path == "" || p.Path != q.Path {
		return "", false
	}
	if sameArtifact(a.Artifact, b.Artifact) {
		return ByArtifact, true
	}
	if g := gap(&p, &q); g < 0 || g > adjacent {
		return "", false
	}
	if r.claims[i] == r.claims[j] {
		return ByWording, true
	}
	if a.Artifact != nil && b.Artifact != nil || grave(a.Category, a.Claim) || grave(b.Category, b.Claim) {
		return "", false
	}
	if a.Severity.Rank() >= finding.High.Rank() && b.Severity.Rank() >= finding.High.Rank() {
		return "", false
	}
	if a.Source == b.Source && !overlap(a.Quote, b.Quote) {
		// One reviewer that lists two findings about two pieces of code
		// means two, however alike the words are.
		return "", false
	}
	f := r.scorer.compare(&r.scorer.obs[i], &r.scorer.obs[j])
	_, said := f.probability()
	return ByScore, said >= r.opts.Bands.Silent
}
