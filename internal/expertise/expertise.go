// Package expertise says who knows a part of a repository, from its history,
// and which side of a disagreement knows it better.
//
// A History is what git log said, read once and kept. A Graph is a History seen
// at one moment: renames followed to the names of today, addresses joined to
// people, weights by age. Points are computed when somebody asks and live no
// longer than the answer: nobody's are stored or posted.
//
// The weights are those that named the right people best on three public
// histories, against who had reviewed and who made the next change.
package expertise

import (
	"math"
	"time"
)

// The formula. A commit is worth role · size · age to a person:
//
//	role  1 to its author, ByReview to who wrote or reviewed it with them
//	size  min(1, sizeFull/files), so that a sweep over the tree is worth little
//	age   recent·2^(−age/recentHalf) + lasting·2^(−age/lastingHalf)
//
// and counts once for a person and a part of the repository, however many
// files it changed there. The points are round(25·log2(1+sum)): 25 for one
// fresh commit, 50 for three, 100 for fifteen.
const (
	// ByReview is what a commit is worth to a co-author or reviewer.
	ByReview = 0.5

	sizeFull    = 30
	recent      = 0.9
	recentHalf  = 180 * day
	lasting     = 0.1
	lastingHalf = 1460 * day
	pointsScale = 25

	day = 24 * 60 * 60 // seconds
)

// Bounds of a decision and of a person's state.
const (
	// EnoughPoints is what it takes to be heard against a rule: about one
	// fresh commit of one's own there.
	EnoughPoints = 25
	// Margin is how many points more than the other side's best decide: a
	// factor of 1.3 in work.
	Margin = 10
	// PointsPerBonus is how many points add 1 to the score of a rule.
	PointsPerBonus = 50

	// awayAfter is how long without a commit or review makes a person away.
	// Silence says little: half of those who are quiet so long come back.
	awayAfter = 180 * day
	// leftAfter is how long makes a person gone when nobody can say what they
	// may do in the repository.
	leftAfter = 730 * day
)

// Window is the part of a history to look at first; the whole of it matters
// only where nobody has worked lately.
const Window = 5 * 365 * 24 * time.Hour

// age returns what is left of a commit's weight after so many seconds. A date
// in the future is now.
func age(seconds int64) float64 {
	s := float64(max(seconds, 0))
	return recent*math.Exp2(-s/recentHalf) + lasting*math.Exp2(-s/lastingHalf)
}

// size returns how much a commit that changed so many files is worth.
func size(files int) float64 {
	return min(1, sizeFull/float64(max(files, 1)))
}

// points turns a sum of weights into points.
func points(sum float64) int {
	return int(math.Round(pointsScale * math.Log2(1+sum)))
}

// Access is what a person may do in the repository, as far as it matters here.
type Access uint8

// The zero value says that nobody could tell.
const (
	AccessUnknown Access = iota
	// Writes: write, maintain or admin.
	Writes
	// BelowWrite: triage, read or none, or no longer a collaborator.
	BelowWrite
)

// State says whether a person is still there.
type State uint8

// The states. The zero value is none of them.
const (
	// Active people did something in the last 180 days.
	Active State = iota + 1
	// Away people did nothing in the last 180 days. They count, and are asked
	// when nobody else can be.
	Away
	// Left people lost their access and did nothing in the last 180 days; when
	// nobody knows their access, nothing in the last 730. They defend no rule
	// and are never mentioned.
	Left
)

// String returns "active", "away" or "left".
func (s State) String() string {
	switch s {
	case Active:
		return "active"
	case Away:
		return "away"
	case Left:
		return "left"
	}
	return "unknown"
}

// stateOf returns the state of a person who was last seen at a moment, 0 for
// never. To have never been seen proves nothing: their commits may bear an
// address that nobody could tie to them.
func stateOf(last, now int64, access Access) State {
	silent := now - last
	switch {
	case last != 0 && silent <= awayAfter:
		return Active
	case access == BelowWrite:
		return Left
	case access == AccessUnknown && last != 0 && silent > leftAfter:
		return Left
	}
	return Away
}
