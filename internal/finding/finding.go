// Package finding holds what a reviewer claims: one finding is one claim by
// one reviewer in one run about one revision. It also holds where the claim
// points (Location), how bad it is (Severity), how reproducible it is (Tier)
// and the fingerprints that group claims into classes.
//
// The package is pure: it reads no file, clock or environment.
package finding

// Finding is one claim about the code of one revision. A reviewer fills it; the
// runtime checks every field before it is stored or shown.
type Finding struct {
	// Source names the reviewer or validator that made the claim, for
	// example "security".
	Source string `json:"source"`

	// Path is the slash-separated path from the repository root, at the
	// head unless Side is Left.
	Path string `json:"path"`

	// Quote is the code the claim is about, copied from the file. It decides
	// where the finding is anchored; StartLine and EndLine are only a hint.
	Quote string `json:"quote,omitempty"`

	// StartLine and EndLine are 1-based and inclusive; 0 means unknown.
	StartLine int `json:"start_line,omitempty"`
	EndLine   int `json:"end_line,omitempty"`

	// Side says which file the lines count in: the new one (Right) or, for
	// removed code, the old one (Left).
	Side Side `json:"side,omitempty"`

	// Symbol is the enclosing function, method or type, "" when unknown.
	Symbol string `json:"symbol,omitempty"`

	// Category is a short lower-case word such as "security" or "naming".
	Category string `json:"category,omitempty"`

	// Severity is how bad it would be if the claim is true.
	Severity Severity `json:"severity,omitempty"`

	// Claim is one plain sentence that says what is wrong.
	Claim string `json:"claim"`

	// Subject and Predicate are the claim's slots: what it is about (a
	// symbol, a parameter) and what is said of it, in a few words each.
	Subject   string `json:"subject,omitempty"`
	Predicate string `json:"predicate,omitempty"`

	// Detail says why it matters and how to see it.
	Detail string `json:"detail,omitempty"`

	// Evidence lists what supports the claim, one statement each.
	Evidence []string `json:"evidence,omitempty"`

	// Criteria lists what must become true before the defect is closed.
	Criteria []string `json:"criteria,omitempty"`

	// Suggestion is replacement text for the lines StartLine..EndLine, ""
	// when the reviewer has none. It is shown only where it applies.
	Suggestion string `json:"suggestion,omitempty"`

	// Artifact is what the finding brings to reach tier 1, nil for none.
	Artifact *Artifact `json:"artifact,omitempty"`

	// Tier is assigned by the runtime, never by a reviewer.
	Tier Tier `json:"tier,omitzero"`
}

// Side is the file that line numbers count in.
type Side string

const (
	// Right is the new file: added and unchanged lines.
	Right Side = "RIGHT"
	// Left is the old file: removed lines.
	Left Side = "LEFT"
)

// Location is a place in the code at one commit.
type Location struct {
	// Role is "primary" (the default when empty), "source", "sink" or
	// "evidence".
	Role string `json:"role,omitempty"`
	// Path is slash-separated, from the repository root.
	Path string `json:"path"`
	// Start and End are 1-based and inclusive; 0 means the whole file.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
	// Side is Left for removed lines, empty or Right otherwise.
	Side Side `json:"side,omitempty"`
	// Symbol is the enclosing declaration, "" when unknown.
	Symbol string `json:"symbol,omitempty"`
	// Commit is the full SHA at which the place was valid.
	Commit string `json:"commit,omitempty"`
	// Anchor is the text around the place, used only as evidence when the
	// commit is gone.
	Anchor *Anchor `json:"anchor,omitempty"`
}

// Anchor is the redacted text of a location and its surroundings. Significant
// lines are those that hold a letter or a digit.
type Anchor struct {
	// Line is the text of the first line of the location.
	Line string `json:"line"`
	// Before and After are up to four significant lines on each side,
	// nearest last and nearest first.
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
	// LineV1 and Block3V1 are fingerprints of the line and of the three
	// lines around it, without blanks. The version is part of the name.
	LineV1   string `json:"line_v1,omitempty"`
	Block3V1 string `json:"block3_v1,omitempty"`
}
