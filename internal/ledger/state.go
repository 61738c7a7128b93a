package ledger

import (
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Status is the state of a defect. The zero value is no state.
type Status string

// The states of a defect.
const (
	Open     Status = "open"
	Fixing   Status = "possibly_fixed"
	Closed   Status = "verified"
	Waived   Status = "dismissed"
	Back     Status = "reopened"
	Obsolete Status = "obsolete"
)

// Active reports whether a defect in this state still asks for work.
func (s Status) Active() bool { return s == Open || s == Fixing || s == Back }

// ClassStatus is the state of a class.
type ClassStatus string

// The states of a class.
const (
	ClassNew       ClassStatus = "new"
	ClassRecurring ClassStatus = "recurring"
	ClassPromoted  ClassStatus = "promoted"
	ClassRetired   ClassStatus = "retired"
)

// Defect is the folded state of one defect as one view sees it.
type Defect struct {
	ID DefectID `json:"id"`
	FP string   `json:"fp"`
	// PR is the pull request it was opened in, 0 for none.
	PR     int    `json:"pr,omitempty"`
	Status Status `json:"status"`

	Claim    string           `json:"claim"`
	Detail   string           `json:"detail,omitempty"`
	Category string           `json:"category,omitempty"`
	Severity finding.Severity `json:"severity,omitempty"`
	Tier     finding.Tier     `json:"tier"`
	Source   string           `json:"source"`
	Quote    string           `json:"quote,omitempty"`

	Subject   string `json:"subject,omitempty"`
	Predicate string `json:"predicate,omitempty"`

	// Locations are where the defect is now, primary first.
	Locations []finding.Location `json:"locations"`
	DependsOn []string           `json:"depends_on,omitempty"`
	Criteria  []Criterion        `json:"criteria,omitempty"`
	Evidence  []string           `json:"evidence,omitempty"`
	Artifact  *finding.Artifact  `json:"artifact,omitempty"`
	// Reproduced is the latest run of the artifact that showed it.
	Reproduced *finding.Reproduction `json:"reproduced,omitempty"`
	// Suggestion mirrors Opened.
	Suggestion string `json:"suggestion,omitempty"`

	// Wordings are all observations, the opening one first.
	Wordings []Wording `json:"wordings"`
	// Aliases are the defects merged into this one.
	Aliases []DefectID `json:"aliases,omitempty"`
	// MergedInto is the defect this one is an alias of, "" for none.
	MergedInto DefectID `json:"merged_into,omitempty"`

	Verifications []Verification `json:"verifications,omitempty"`
	// Introduced, LastSeen and LastMoved are commits: where it was opened,
	// last observed, and last located.
	Introduced string `json:"introduced,omitempty"`
	LastSeen   string `json:"last_seen,omitempty"`
	LastMoved  string `json:"last_moved,omitempty"`
	// FixedIn is the commit of the verified event, "" while not verified. It
	// is kept when the defect is reopened.
	FixedIn string `json:"fixed_in,omitempty"`

	// Comments are what exists on GitHub, newest last.
	Comments []Posted `json:"comments,omitempty"`
	// Hidden is why the latest run did not post it, nil when it is shown.
	Hidden *Suppressed `json:"hidden,omitempty"`
	// MissedEarlier mirrors Opened.
	MissedEarlier bool `json:"missed_earlier,omitempty"`

	// Unlocated is why its place could not be carried on, nil when it was.
	Unlocated *LocationUnknown `json:"unlocated,omitempty"`
	// Duplicates are the defects it may be one with, and has not been merged
	// with.
	Duplicates []DefectID `json:"possible_duplicates,omitempty"`
	// SplitInto are the defects it was dealt out to.
	SplitInto []DefectID `json:"split_into,omitempty"`
	// Dismissal is the latest decision to dismiss it, kept when it is
	// reopened.
	Dismissal *Dismissed `json:"dismissal,omitempty"`

	OpenedAt  time.Time `json:"opened_at"`
	ChangedAt time.Time `json:"changed_at"`
	// Runs are the distinct runs that saw it.
	Runs []string `json:"runs"`

	wasReopened bool
}

// Criterion is one thing that must become true before a defect is closed.
type Criterion struct {
	Text string `json:"text"`
	// Outcome is of the latest verification: passed, failed, inconclusive or
	// "" when it was never checked.
	Outcome string `json:"outcome,omitempty"`
	Commit  string `json:"commit,omitempty"`
	Method  string `json:"method,omitempty"`
}

// Wording is one way in which the defect was described.
type Wording struct {
	Claim    string           `json:"claim"`
	Source   string           `json:"source"`
	Run      string           `json:"run"`
	Location finding.Location `json:"location"`
}
