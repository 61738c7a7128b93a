package ledger

import (
	"slices"
	"strings"
	"time"
)

// Review is what one run covered at one commit: the union of its batches.
type Review struct {
	Run    string    `json:"run"`
	PR     int       `json:"pr,omitempty"`
	Commit string    `json:"commit"`
	Base   string    `json:"base"`
	At     time.Time `json:"at"`
	// Batches are in the order of their names.
	Batches []Reviewed `json:"batches"`
}

// Complete reports whether every batch was looked at and passed its gate. A
// forced batch did not pass: the model never gave a result that was enough.
func (r *Review) Complete() bool {
	return len(r.Batches) > 0 && !slices.ContainsFunc(r.Batches, func(b Reviewed) bool {
		return b.Gate == gateForced || b.Gate == gateUnreviewed
	})
}

// reviewKey tells reviews apart.
type reviewKey struct {
	run, commit string
	pr          int
}

func (s *State) addReviewed(e *Event) {
	r := e.Reviewed
	key := reviewKey{e.Run, r.Commit, e.PR}
	at, known := s.reviewAt[key]
	if !known {
		at = len(s.reviews)
		s.reviewAt[key] = at
		s.reviews = append(s.reviews, Review{Run: e.Run, PR: e.PR, Commit: r.Commit, Base: r.Base, At: e.At})
	}
	v := &s.reviews[at]
	i, _ := slices.BinarySearchFunc(v.Batches, r.Batch, func(b Reviewed, name string) int {
		return strings.Compare(b.Batch, name)
	})
	v.Batches = slices.Insert(v.Batches, i, *r)
}

// LastComplete returns the latest complete review of a pull request, false when
// there was none.
func (s *State) LastComplete(pr int) (Review, bool) {
	for i := len(s.reviews) - 1; i >= 0; i-- {
		if r := &s.reviews[i]; r.PR == pr && r.Complete() {
			return *r, true
		}
	}
	return Review{}, false
}

// Covered returns the latest batch in which a file of the pull request was
// reviewed with exactly this content, base content and prompts, so that it need
// not be reviewed again; false when there is none.
func (s *State) Covered(pr int, f CoveredFile, prompts string) (Reviewed, bool) {
	for i := len(s.reviews) - 1; i >= 0; i-- {
		if s.reviews[i].PR != pr {
			continue
		}
		for _, b := range s.reviews[i].Batches {
			reviewed := b.Gate == gatePassed || b.Gate == gateRetried || b.Gate == gateReused
			if reviewed && b.Prompts == prompts && slices.Contains(b.Files, f) {
				return b, true
			}
		}
	}
	return Reviewed{}, false
}
