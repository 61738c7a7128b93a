package relocate

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/finding"
)

const (
	// reopenContext is the least likeness of the surroundings of a line that
	// came back, where its block is not the same word for word.
	reopenContext = 0.7
	// reopenMargin is by how much it must beat another added copy.
	reopenMargin = 0.05
)

// Reopens reports whether the change adds back the code of a closed defect: the
// line of loc.Anchor among the added lines of the file at loc.Path, blanks
// aside, with the same block around it or surroundings that are nearly the
// same. Line numbers play no part. Two places that fit equally well settle
// nothing, so the answer is then false with both as Candidates.
func (m *Mapper) Reopens(loc finding.Location) (Answer, bool, error) {
	none := lost(Unknown, "the line was not added back")
	if loc.Anchor == nil {
		return lost(Unknown, "no anchor was stored"), false, nil
	}
	f := m.leadingTo(loc.Path)
	if f == nil {
		return none, false, nil
	}
	if err := f.load(); err != nil {
		return Answer{}, false, fmt.Errorf("reopen %s: %w", loc.Path, err)
	}
	if f.new == nil {
		return none, false, nil
	}
	want := prepare(loc.Anchor)
	var best, second hit
	for _, s := range f.spans {
		for n := s.newStart; n < s.newEnd; n++ {
			h, ok := m.fits(want, f.new, n)
			switch {
			case !ok:
			case h.score > best.score:
				best, second = h, best
			case h.score > second.score:
				second = h
			}
		}
	}
	if best.score == 0 {
		return none, false, nil
	}
	a := Answer{
		How: Suspect, Confidence: confidenceReopen, Changed: true,
		Reason:   "the line was added back among the same lines",
		Location: m.at(f.new, loc, best.line),
	}
	if best.score-second.score < reopenMargin {
		a.Ambiguous = true
		a.Reason = "the line was added back at two places that fit equally well"
		a.Candidates = []finding.Location{a.Location, m.at(f.new, loc, second.line)}
	}
	return a, !a.Ambiguous, nil
}

// hit is a line and how well it fits.
type hit struct {
	line  int
	score float64
}

// fits compares one added line with an anchor.
func (m *Mapper) fits(want anchored, t *text, n int) (hit, bool) {
	if m.redact == nil && t.norm[n] != want.norm {
		return hit{}, false
	}
	got := t.anchor(n, m.redact)
	if got.LineV1 != want.LineV1 {
		return hit{}, false
	}
	score := cosine(want.words, prepare(got).words)
	if got.Block3V1 == want.Block3V1 {
		score = max(score, 1)
	}
	return hit{n, score}, score >= reopenContext
}

// leadingTo returns the changed file whose new version has the path.
func (m *Mapper) leadingTo(path string) *changed {
	for _, f := range m.files {
		if f.NewPath == path {
			return f
		}
	}
	if f := m.byOld[path]; f != nil && f.NewPath != "" {
		return f
	}
	return nil
}
