// Package ledger is crev's memory of what was found and what became of it: an
// append-only set of events, the state they fold to, and the files they live in.
//
// An event is written once and never edited. State is a fold over the set of
// events ordered by (At, ID) and never depends on the order of files or lines,
// so two branches that add events can always be united.
//
// The package reads from an fs.FS and writes through Store; it knows no git and
// no network.
package ledger

import (
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Version is the event format this program writes. It refuses newer ones.
const Version = 1

// ID identifies an event: 12 hex digits of the SHA-256 of its canonical bytes
// without the id.
type ID string

// DefectID identifies a defect: "D-" and 8 hex digits. It is assigned once and
// is never derived again from path, line or text.
type DefectID string

// Event is one thing that happened: a header and exactly one payload.
type Event struct {
	// FP is the class fingerprint, 16 hex digits; NoClass for events that
	// concern no class. It is first so that a scan can count without parsing.
	FP string `json:"fp"`
	// Run is the GitHub run id and attempt ("1017.1") or a local id.
	Run string `json:"run"`
	// PR is the pull request, 0 for none.
	PR int `json:"pr,omitempty"`
	// V is the format version.
	V int `json:"v"`
	// ID is the hash of everything else in the event.
	ID ID `json:"id"`
	// At is when the event happened, in UTC, to the second.
	At time.Time `json:"at"`
	// By is the person or tool that acted, from the API: a GitHub login or a
	// reviewer's name. It is never taken from a line somebody committed.
	By string `json:"by,omitempty"`
	// Defect is the defect concerned, "" for events about a class or run.
	Defect DefectID `json:"defect,omitempty"`

	Payload
}

// NoClass is the fingerprint of events that concern no class.
const NoClass = "0000000000000000"

// Payload holds exactly one non-nil field.
type Payload struct {
	Opened            *Opened            `json:"opened,omitempty"`
	Observed          *Observed          `json:"observed,omitempty"`
	Rated             *Rated             `json:"rated,omitempty"`
	Relocated         *Relocated         `json:"relocated,omitempty"`
	LocationUnknown   *LocationUnknown   `json:"location_unknown,omitempty"`
	PossiblyFixed     *PossiblyFixed     `json:"possibly_fixed,omitempty"`
	Verification      *Verification      `json:"verification,omitempty"`
	Verified          *Verified          `json:"verified,omitempty"`
	Dismissed         *Dismissed         `json:"dismissed,omitempty"`
	Reopened          *Reopened          `json:"reopened,omitempty"`
	Obsoleted         *Obsoleted         `json:"obsoleted,omitempty"`
	PossibleDuplicate *PossibleDuplicate `json:"possible_duplicate,omitempty"`
	MergeProposed     *MergeProposed     `json:"merge_proposed,omitempty"`
	Merged            *Merged            `json:"merged,omitempty"`
	Unmerged          *Unmerged          `json:"unmerged,omitempty"`
	Split             *Split             `json:"split,omitempty"`
	Suppressed        *Suppressed        `json:"suppressed,omitempty"`
	Posted            *Posted            `json:"posted,omitempty"`
	RuleHit           *RuleHit           `json:"rule_hit,omitempty"`
	Reaction          *Reaction          `json:"reaction,omitempty"`
	Learned           *Learned           `json:"learned,omitempty"`
	Promoted          *Promoted          `json:"promoted,omitempty"`
	Retired           *Retired           `json:"retired,omitempty"`
	Quarantined       *Quarantined       `json:"quarantined,omitempty"`
	Proven            *Proven            `json:"proven,omitempty"`
	Checked           *Checked           `json:"checked,omitempty"`
	Reviewed          *Reviewed          `json:"reviewed,omitempty"`
	MergedPR          *MergedPR          `json:"merged_pr,omitempty"`
	ClosedPR          *ClosedPR          `json:"closed_pr,omitempty"`
	Signal            *Signal            `json:"signal,omitempty"`
	Missed            *Missed            `json:"missed,omitempty"`
}

// Opened starts a defect.
type Opened struct {
	// FP0 is the hash of path and claim alone, kept for comparison.
	FP0      string           `json:"fp0"`
	Claim    string           `json:"claim"`
	Detail   string           `json:"detail,omitempty"`
	Category string           `json:"category,omitempty"`
	Severity finding.Severity `json:"severity,omitempty"`
	Tier     finding.Tier     `json:"tier"`
	Source   string           `json:"source"`
	// Subject and Predicate are the claim's slots where the reviewer gave
	// them.
	Subject   string `json:"subject,omitempty"`
	Predicate string `json:"predicate,omitempty"`
	// Locations are the places concerned; the first is the primary one.
	Locations []finding.Location `json:"locations"`
	// DependsOn lists paths outside Locations that bear on the defect: a
	// change there asks for verification.
	DependsOn []string          `json:"depends_on,omitempty"`
	Criteria  []string          `json:"criteria,omitempty"`
	Evidence  []string          `json:"evidence,omitempty"`
	Quote     string            `json:"quote,omitempty"`
	Artifact  *finding.Artifact `json:"artifact,omitempty"`
	// Reproduced is the run of the artifact, nil unless the tier is 1.
	Reproduced *finding.Reproduction `json:"reproduced,omitempty"`
	// Suggestion is replacement text for the primary location.
	Suggestion string `json:"suggestion,omitempty"`
	// Repeat tells apart sightings of one run in one second that say the very
	// same: 0 for the first, then 1, 2, …
	Repeat int `json:"repeat,omitempty"`
	// MissedEarlier is true when the code was covered by an earlier complete
	// review that did not report it.
	MissedEarlier bool `json:"missed_earlier,omitempty"`
}

// Observed is another sighting of a known defect, in its own words. It never
// changes the state.
type Observed struct {
	FP0      string             `json:"fp0,omitempty"`
	Claim    string             `json:"claim"`
	Category string             `json:"category,omitempty"`
	Severity finding.Severity   `json:"severity,omitempty"`
	Tier     finding.Tier       `json:"tier,omitzero"`
	Source   string             `json:"source"`
	Location finding.Location   `json:"location"`
	Criteria []string           `json:"criteria,omitempty"`
	Evidence []string           `json:"evidence,omitempty"`
	How      string             `json:"how,omitempty"`
	Score    float64            `json:"score,omitempty"`
	Also     []finding.Location `json:"also,omitempty"`
	// Artifact and Reproduced are what a sighting of tier 1 brings.
	Artifact   *finding.Artifact     `json:"artifact,omitempty"`
	Reproduced *finding.Reproduction `json:"reproduced,omitempty"`
}

// Rated changes the severity of a defect.
type Rated struct {
	Severity finding.Severity `json:"severity"`
	Reason   string           `json:"reason"`
}

// Relocated says where a defect's code is at a newer commit.
type Relocated struct {
	From finding.Location `json:"from"`
	To   finding.Location `json:"to"`
	// How is the layer that found it: same, shifted, rewritten, moved,
	// candidate, suspect.
	How string `json:"how"`
	// Confidence is the measured precision of that layer, 0 to 1.
	Confidence float64 `json:"confidence"`
}

// LocationUnknown says that the place could not be carried to Commit.
type LocationUnknown struct {
	Commit string `json:"commit"`
	Reason string `json:"reason"`
}

// PossiblyFixed says that code which bears on the defect changed at Commit.
type PossiblyFixed struct {
	Commit string `json:"commit"`
	// Reason names the change: "line rewritten", "code removed",
	// "dependency internal/auth/session.go changed".
	Reason string `json:"reason"`
}

// Verification is one attempt to check a criterion at a commit.
type Verification struct {
	Commit string `json:"commit"`
	// Method is test, static_analysis, inspection or human.
	Method string `json:"method"`
	// Outcome is passed, failed or inconclusive.
	Outcome string `json:"outcome"`
	// Criterion is the index into the defect's criteria; -1 for all.
	Criterion int      `json:"criterion"`
	Evidence  []string `json:"evidence,omitempty"`
	// Check names the validator or test that ran, "" for an inspection.
	Check string `json:"check,omitempty"`
	// Locations are cited lines that the runtime confirmed to exist.
	Locations []finding.Location `json:"locations,omitempty"`
}

// Verified closes a defect: every criterion passed at Commit.
type Verified struct {
	Commit string `json:"commit"`
	Reason string `json:"reason"`
}

// Dismissed closes a defect by decision of a person.
type Dismissed struct {
	// Kind is accepted_risk, false_positive, wont_fix or duplicate.
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	// Permission is what the API said of the person at that time.
	Permission string `json:"permission"`
	// From is the comment in which it was said.
	From string `json:"from,omitempty"`
}

// Reopened says that a closed defect is back.
type Reopened struct {
	Commit   string   `json:"commit"`
	Reason   string   `json:"reason"`
	Evidence []string `json:"evidence"`
}

// Obsoleted says that a defect's code or pull request is gone.
type Obsoleted struct {
	Commit string `json:"commit,omitempty"`
	// Reason is "file deleted", "symbol deleted" or "pull request closed".
	Reason   string   `json:"reason"`
	Evidence []string `json:"evidence,omitempty"`
}

// PossibleDuplicate marks two defects that may be one; both stay.
type PossibleDuplicate struct {
	Of     DefectID `json:"of"`
	Score  float64  `json:"score"`
	Reason string   `json:"reason,omitempty"`
}

// MergeProposed asks a person to merge the event's defect into Into.
type MergeProposed struct {
	Into     DefectID `json:"into"`
	Evidence []string `json:"evidence"`
}

// Merged makes the event's defect an alias of Into.
type Merged struct {
	Into     DefectID `json:"into"`
	Evidence []string `json:"evidence"`
}

// Unmerged takes a merge back.
type Unmerged struct {
	From   DefectID `json:"from"`
	Reason string   `json:"reason"`
}

// Split deals a defect out to new ones.
type Split struct {
	Into   []DefectID `json:"into"`
	Reason string     `json:"reason"`
}

// Suppressed says why a finding was not posted. It hides a comment and never
// closes a defect.
type Suppressed struct {
	// Reason is rule, judge, duplicate, cap, validator, convergence,
	// grounding or not_shown.
	Reason string `json:"reason"`
	// By names the rule, validator or checker.
	By     string `json:"by,omitempty"`
	Detail string `json:"detail,omitempty"`
	Commit string `json:"commit,omitempty"`
}

// Posted says that a comment exists on GitHub: it was read back after posting.
type Posted struct {
	// Kind is thread, file or summary.
	Kind    string `json:"kind"`
	Comment int64  `json:"comment,omitempty"`
	Thread  string `json:"thread,omitempty"`
	Commit  string `json:"commit"`
	// State is open or resolved, as last written.
	State string `json:"state,omitempty"`
}

// RuleHit says that a rule shaped a comment or made the judge drop one.
type RuleHit struct {
	Rule string `json:"rule"`
	// Effect is silenced, added or informed.
	Effect string `json:"effect"`
}

// Reaction counts reactions on a comment of crev's.
type Reaction struct {
	Comment int64  `json:"comment"`
	Content string `json:"content"`
	Count   int    `json:"count"`
	Rule    string `json:"rule,omitempty"`
}

// Learned records what became of a reply.
type Learned struct {
	// Outcome is one of the codes of docs/memory.md: save, update, revive,
	// reinforce, pending, signal, dismiss, none, pushback, ask, refuse.
	Outcome string `json:"outcome"`
	Rule    string `json:"rule,omitempty"`
	From    string `json:"from"`
	// Hash is of the reply's text, which itself is not stored.
	Hash   string `json:"hash"`
	Reason string `json:"reason,omitempty"`
	// Key names the reply as it stood: its kind and id and when it was last
	// changed, "r1001@2026-11-30T12:00:00Z". A reply with a known key is not
	// evaluated again, and an edited one has another.
	Key string `json:"key,omitempty"`
}

// Promoted says that a class is decided by a committed validator.
type Promoted struct {
	Validator string `json:"validator"`
	// Hash is of the validator's folder, so that weakening it is seen.
	Hash string `json:"hash"`
	// Scope is the validator's scope at that time.
	Scope []string `json:"scope,omitempty"`
}

// Retired ends a class's count, or a promoted validator.
type Retired struct {
	Reason    string `json:"reason"`
	Validator string `json:"validator,omitempty"`
}

// Quarantined says that a validator gave two answers about one input. It is
// reported and does not block until it is proven again.
type Quarantined struct {
	Validator string `json:"validator"`
	// Hash is of the validator's folder that flaked.
	Hash string `json:"hash"`
	// Commit is the judged tree.
	Commit string `json:"commit"`
	// Evidence are the answers that differ, one line each.
	Evidence []string `json:"evidence"`
}

// Proven says that a validator told bad from good, the same way each time. It
// ends a quarantine.
type Proven struct {
	Validator string `json:"validator"`
	// Hash is of the validator's folder that was proven.
	Hash string `json:"hash"`
	// Reason says against what: the samples, or two commits.
	Reason string `json:"reason"`
}

// Checked records what the validators of one run answered. Two runs about the
// same commit, base and validator that differ show a flaky one.
type Checked struct {
	Commit string `json:"commit"`
	Base   string `json:"base"`
	// Sandbox is the level that scripts ran at, "" when none ran.
	Sandbox string        `json:"sandbox,omitempty"`
	Results []CheckResult `json:"results"`
}

// CheckResult is the answer of one validator.
type CheckResult struct {
	Validator string `json:"validator"`
	// Hash is of the validator's folder, "" for a built-in one.
	Hash string `json:"hash,omitempty"`
	// Status is clean, found, broken or quarantined.
	Status string `json:"status"`
	// Found is the number of failures.
	Found int `json:"found,omitempty"`
}

// Reviewed records what one batch of a run covered.
type Reviewed struct {
	Commit string `json:"commit"`
	Base   string `json:"base"`
	Batch  string `json:"batch"`
	// Gate is passed, retried, forced, reused or unreviewed.
	Gate string `json:"gate"`
	// Reason says why a batch is unreviewed.
	Reason string        `json:"reason,omitempty"`
	Files  []CoveredFile `json:"files"`
	// Prompts is the hash of prompts, schema and config that shaped the
	// batch.
	Prompts string `json:"prompts"`
	Model   string `json:"model,omitempty"`
	// Lines is the number of changed lines, Findings what came back.
	Lines    int `json:"lines"`
	Findings int `json:"findings"`
	// Tokens and Seconds are what it took.
	PromptTokens     int     `json:"prompt_tokens,omitempty"`
	CompletionTokens int     `json:"completion_tokens,omitempty"`
	Seconds          float64 `json:"seconds,omitempty"`
	Tries            int     `json:"tries,omitempty"`
	// Reviewers is how many answered, ReviewTokens what they wrote together;
	// CompletionTokens counts the checkers as well. Absent is unknown.
	Reviewers    int `json:"reviewers,omitempty"`
	ReviewTokens int `json:"review_tokens,omitempty"`
}

// CoveredFile is a file of a batch by content.
type CoveredFile struct {
	Path string `json:"path"`
	Blob string `json:"blob"`
	Base string `json:"base,omitempty"`
}

// MergedPR says that the pull request of the event was merged: its events
// become part of every view.
type MergedPR struct {
	Commit string `json:"commit"`
	Head   string `json:"head"`
}

// ClosedPR says that the pull request was closed without a merge.
type ClosedPR struct {
	Head string `json:"head,omitempty"`
}

// Signal is an implicit sign from people: a bare no, a thumbs down, a thread
// resolved without a change.
type Signal struct {
	Kind     string `json:"kind"`
	From     string `json:"from,omitempty"`
	Category string `json:"category,omitempty"`
	Path     string `json:"path,omitempty"`
	Text     string `json:"text,omitempty"`
}

// Missed is a defect that people found and crev did not.
type Missed struct {
	From     string           `json:"from"`
	Claim    string           `json:"claim"`
	Category string           `json:"category,omitempty"`
	Location finding.Location `json:"location"`
}
