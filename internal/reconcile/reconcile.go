// Package reconcile answers one question for every observation of a run: is
// this a defect that the ledger already knows?
//
// It looks for evidence before it looks at likeness. A key or marker that crev
// wrote itself, the same artifact, the same validator, an earlier wording word
// for word, or the same symbol and line settle the matter; only what is left is
// scored, by the words of every wording the defect ever had, by place, and by
// how much better this defect fits than the next. Places are features, never
// filters: a defect may move and be reworded at once. Assignment is one to one
// over the whole run and does not depend on the order of the input.
//
// The package decides nothing for good. A Decision is a proposal: the runtime
// turns it into events, asks the adjudicator where Kind is Ask, and lets Settle
// say what an answer is worth. Some pairs are never merged without evidence,
// whatever the score or a model says; see guard.go and docs/identity.md.
//
// An id is assigned once. Nothing here derives one from a path, a line or a
// text.
package reconcile

import (
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// Observation is one finding of the run at hand.
type Observation struct {
	finding.Finding

	// Location is where the runtime anchored the finding; its zero value
	// falls back on the finding's own path and lines.
	Location finding.Location

	// Key is the idempotency key of the observation as Key computes it, ""
	// for none. A run that is replayed finds its own keys in the ledger.
	Key string

	// Marker is the defect that a marker crev itself wrote names, "" for
	// none. The caller has checked who wrote it.
	Marker ledger.DefectID
}

// Known is a defect of the ledger as the run at hand sees it.
type Known struct {
	ID     ledger.DefectID
	Status ledger.Status

	// Wordings are all texts in which the defect was described. The order
	// does not matter; at least one is needed for a score.
	Wordings []string

	// Subject and Predicate are the slots of the opening claim, "" where the
	// reviewer gave none.
	Subject, Predicate string

	// Runs are the runs that saw the defect, in any order. A run that
	// reported two defects side by side took them for two.
	Runs []string

	Category string
	Severity finding.Severity

	// Places are where the defect's code is at the commit of the run:
	// relocated, not as recorded.
	Places []Place

	// Source is the reviewer or validator that opened the defect, and Tier
	// its tier; a validator's name counts as evidence, a reviewer's does not.
	Source string
	Tier   finding.Tier

	// Artifact is the check the defect brought, nil for none.
	Artifact *finding.Artifact

	// Quote is the code the opening finding was about.
	Quote string

	// Keys are the idempotency keys of every observation recorded.
	Keys []string
}

// Place is a location with the way it was found.
type Place struct {
	finding.Location

	// How is the layer of the relocation that found the place: same,
	// shifted, rewritten, moved, candidate, suspect, or "" for a place that
	// was recorded at this very commit.
	How string

	// Ambiguous is true when the same code stands at a second place too.
	Ambiguous bool
}

// sure reports whether the place may serve as evidence.
func (p *Place) sure() bool {
	switch p.How {
	case "", "same", "shifted", "rewritten", "moved":
		return !p.Ambiguous && p.Start > 0
	}
	return false
}

// Options tune Reconcile. The zero value is ready to use.
type Options struct {
	// Adjudicator says that a model may be asked. Without one, what would be
	// Ask becomes PossibleDuplicate.
	Adjudicator bool

	// Bands replace DefaultBands when not zero.
	Bands Bands
}

// Bands cut the score, which estimates the probability that two texts are about
// one defect.
type Bands struct {
	// Silent is the score from which a pair is merged without asking.
	Silent float64
	// Likely is the score from which a pair is rather one defect than two;
	// it marks a decision and merges nothing.
	Likely float64
	// Shared is the score from which an observation is likely a defect that
	// another observation of its run was given: one to one is the rule, but a
	// reviewer may report one defect at two places. It merges nothing either.
	Shared float64
	// Ask is the score from which a pair is worth a question.
	Ask float64
	// Unite is the score from which two known defects are rather one.
	Unite float64
	// Margin is how far the best candidate has to be ahead of the next for a
	// silent merge.
	Margin float64
}

// Kind is what to do with an observation. The zero value is invalid.
type Kind string

// The kinds of decision.
const (
	// New opens a defect.
	New Kind = "new"
	// Same records another sighting of Decision.Defect.
	Same Kind = "same"
	// Twin repeats another observation of this run, Decision.Twin, and goes
	// where that one goes.
	Twin Kind = "twin"
	// Ask needs an adjudicator to compare the observation with
	// Decision.Candidates.
	Ask Kind = "ask"
	// PossibleDuplicate opens a defect and records that it may be
	// Decision.Defect.
	PossibleDuplicate Kind = "possible_duplicate"
	// MergeProposed opens a defect and asks a person to merge it into
	// Decision.Defect: the pair is one that is never merged silently.
	MergeProposed Kind = "merge_proposed"
)

// How says on what a decision rests.
type How string

// The grounds, from the surest.
const (
	ByKey         How = "key"
	ByMarker      How = "marker"
	ByArtifact    How = "artifact"
	ByValidator   How = "validator"
	ByPlace       How = "place"
	ByWording     How = "wording"
	ByScore       How = "score"
	ByAdjudicator How = "adjudicator"
)

// Decision is what Reconcile proposes for one observation.
type Decision struct {
	Kind Kind

	// Defect is the defect concerned: for Same the one seen again, for Ask,
	// PossibleDuplicate and MergeProposed the likeliest one, "" for New. For
	// Twin it is what the twin's decision says.
	Defect ledger.DefectID

	// Twin is the index of the observation this one repeats, -1 for none.
	Twin int

	// How is the ground of Same and Twin, "" otherwise.
	How How

	// Score is the estimated probability, 0 to 1, that observation and
	// Defect are one; 1 for evidence.
	Score float64

	// Likely is true when the observation is rather Defect than another: it
	// is what a program would do that had to choose.
	Likely bool

	// Candidates are the defects worth comparing, best first, at most five.
	Candidates []Candidate

	// Severity is the worst severity of the observation and its twins.
	Severity finding.Severity

	// Reason says in a few words why, for the event and for people.
	Reason string
}

// Candidate is a known defect that an observation may be about.
type Candidate struct {
	Defect ledger.DefectID
	// Score is the estimated probability that the two are one, Said the same
	// without what their places add to it; 1 for evidence.
	Score, Said float64
	// Guard says why the pair is never merged silently, "" when it may be.
	Guard string
}

// Result holds one decision per observation, in the order of the observations.
type Result struct {
	Decisions []Decision
}

// maxCandidates is how many defects an adjudicator is shown.
const maxCandidates = 5
