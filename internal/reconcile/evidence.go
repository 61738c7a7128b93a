package reconcile

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// A proof is evidence that an observation is a known defect.
type proof struct {
	known int
	how   How
}

// settles reports whether the ground needs no assignment: crev itself wrote it.
func (h How) settles() bool { return h == ByKey || h == ByMarker }

// rank orders grounds, surest first.
func (h How) rank() int {
	return slices.Index([]How{ByKey, ByMarker, ByArtifact, ByValidator, ByPlace, ByWording}, h)
}

// reason says the ground in words.
func (h How) reason() string {
	switch h {
	case ByKey:
		return "this very observation is in the ledger"
	case ByMarker:
		return "a marker that crev wrote names the defect"
	case ByArtifact:
		return "the same artifact reproduces it"
	case ByValidator:
		return "the same validator fails at the same place"
	case ByPlace:
		return "same symbol and line, same category, and words that fit"
	case ByWording:
		return "the same words at the same place"
	}
	return string(h)
}

// leads are the ways from an observation to the known defects that there may be
// evidence for, so that nobody has to look at all of them.
type leads struct {
	byID   map[ledger.DefectID][]int
	byKey  map[string][]int
	byPath map[string][]int
	// wordings are the normalised wordings of a known defect, filled when
	// they are asked for.
	wordings []map[string]bool
}

func newLeads(known []Known) *leads {
	l := &leads{
		byID: map[ledger.DefectID][]int{}, byKey: map[string][]int{}, byPath: map[string][]int{},
		wordings: make([]map[string]bool, len(known)),
	}
	for k := range known {
		d := &known[k]
		l.byID[d.ID] = append(l.byID[d.ID], k)
		for _, key := range d.Keys {
			l.byKey[key] = append(l.byKey[key], k)
		}
		for _, p := range d.Places {
			if at := l.byPath[p.Path]; len(at) == 0 || at[len(at)-1] != k {
				l.byPath[p.Path] = append(at, k)
			}
		}
	}
	return l
}

// prove collects the evidence for observation i, surest first.
func (r *run) prove(i int) []proof {
	o := &r.obs[i]
	var found []int
	if o.Marker != "" {
		found = append(found, r.leads.byID[o.Marker]...)
	}
	if o.Key != "" {
		found = append(found, r.leads.byKey[o.Key]...)
	}
	if path := o.place().Path; path != "" {
		found = append(found, r.leads.byPath[path]...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	var out []proof
	for _, k := range found {
		how, ok := r.evidence(i, k)
		if ok && (how != ByWording || !r.rivalled(i, k, found)) {
			out = append(out, proof{k, how})
		}
	}
	slices.SortStableFunc(out, func(a, b proof) int { return a.how.rank() - b.how.rank() })
	return out
}

// proof is the ground for i being k, if there is one.
func (r *run) proof(i, k int) (How, bool) {
	for _, p := range r.proofs[i] {
		if p.known == k {
			return p.how, true
		}
	}
	return "", false
}

// nearby is how far, in lines, an unchanged wording may be from the relocated
// place and still be about it.
const nearby = 20

func (r *run) evidence(i, k int) (How, bool) {
	o, d := &r.obs[i], &r.known[k]
	if o.Marker != "" && o.Marker == d.ID {
		return ByMarker, true
	}
	if o.Key != "" && slices.Contains(d.Keys, o.Key) {
		return ByKey, true
	}
	at := o.place()
	for n := range d.Places {
		p := &d.Places[n]
		if p.Path != at.Path || at.Path == "" {
			continue
		}
		if sameArtifact(o.Artifact, d.Artifact) {
			return ByArtifact, true
		}
		if o.Tier == finding.Validator && d.Tier == finding.Validator && o.Source == d.Source && sameLine(&at, p) {
			return ByValidator, true
		}
		if r.samePlace(i, k, &at, p) {
			return ByPlace, true
		}
		if r.sameWords(i, k) && !p.Ambiguous && near(&at, p) {
			return ByWording, true
		}
	}
	return "", false
}

func sameArtifact(a, b *finding.Artifact) bool {
	return a != nil && b != nil && a.Same(b) && a.Checks()
}

// sameLine holds for a place that is sure and starts on the observation's line,
// or whose first line reads the same.
func sameLine(at *finding.Location, p *Place) bool {
	return p.sure() && at.Start == p.Start
}

// samePlace holds for the same symbol and line and the same category, unless
// the words belong to something else altogether: two defects often share a
// line.
func (r *run) samePlace(i, k int, at *finding.Location, p *Place) bool {
	if at.Symbol == "" || at.Symbol != p.Symbol || !sameLine(at, p) {
		return false
	}
	o, d := &r.obs[i], &r.known[k]
	if label(o.Category) == "" || label(o.Category) != label(d.Category) {
		return false
	}
	for _, m := range r.matches[i] {
		if m.known == k {
			return m.score >= r.opts.Bands.Ask
		}
	}
	return false
}

func (r *run) sameWords(i, k int) bool {
	claim, seen := r.claims[i], r.leads.wordings[k]
	if seen == nil {
		seen = make(map[string]bool)
		for _, w := range r.known[k].Wordings {
			seen[finding.Normalize(w)] = true
		}
		r.leads.wordings[k] = seen
	}
	return claim != "" && seen[claim]
}

// rivalled reports whether another known defect of the file stands nearer to
// observation i than k does. Neighbours are often told in the same words, and
// then the words are no evidence for the farther one.
func (r *run) rivalled(i, k int, others []int) bool {
	own := r.distance(i, k)
	if own <= 0 {
		return false
	}
	return slices.ContainsFunc(others, func(o int) bool {
		d := r.distance(i, o)
		return o != k && d >= 0 && d < own
	})
}

// distance is how many lines lie between observation i and the nearest sure place
// of known defect k, -1 where that cannot be told.
func (r *run) distance(i, k int) int {
	at, best := r.obs[i].place(), -1
	for n := range r.known[k].Places {
		p := &r.known[k].Places[n]
		if p.Path != at.Path || !p.sure() {
			continue
		}
		if g := gap(&at, &p.Location); g >= 0 && (best < 0 || g < best) {
			best = g
		}
	}
	return best
}

// elsewhere reports whether observation i and known defect k are about two pieces
// of code: both quote some, neither quote is part of the other, and their lines
// are apart. Words that nearly agree do not make them one.
func (r *run) elsewhere(i, k int) bool {
	o, d := squeeze(r.obs[i].Quote), squeeze(r.known[k].Quote)
	return o != "" && d != "" && !overlap(o, d) && r.distance(i, k) > 0
}

// near holds when symbol or lines do not speak against one place.
func near(at *finding.Location, p *Place) bool {
	if at.Symbol != "" && at.Symbol == p.Symbol {
		return true
	}
	g := gap(at, &p.Location)
	return g < 0 || g <= nearby
}
