package finding

import "slices"

// The kinds of artifacts.
const (
	ArtifactPattern = "pattern"
	ArtifactScript  = "script"
)

// Artifact is a check that fails by itself: the pattern or script a finding
// brings so that its claim can be reproduced without a model. A reviewer fills
// it; crev runs it before it believes it.
type Artifact struct {
	// Kind is ArtifactPattern or ArtifactScript.
	Kind string `json:"kind"`
	// Scope lists the globs of the files it judges; none means the
	// finding's own file.
	Scope []string `json:"scope,omitempty"`
	// Pattern is an RE2 expression that matches the defect (kind pattern).
	Pattern string `json:"pattern,omitempty"`
	// Must is an RE2 expression that every file in scope has to match, for a
	// defect that is something missing (kind pattern).
	Must string `json:"must,omitempty"`
	// Script is the text of a shell script that exits 1 when the defect is
	// there and 0 when it is not (kind script).
	Script string `json:"script,omitempty"`
	// Fixed is what the finding's lines would be without the defect. It is
	// the counter-state where the base does not have the file.
	Fixed string `json:"fixed,omitempty"`
}

// Same reports whether two artifacts are one check.
func (a *Artifact) Same(b *Artifact) bool {
	return a.Kind == b.Kind && slices.Equal(a.Scope, b.Scope) && a.Pattern == b.Pattern && a.Must == b.Must &&
		a.Script == b.Script && a.Fixed == b.Fixed
}

// Checks reports whether there is anything to run.
func (a *Artifact) Checks() bool { return a.Pattern != "" || a.Must != "" || a.Script != "" }

// Reproduction is the run of an artifact that showed its finding: it failed at
// the head and passed at the other state, each time.
type Reproduction struct {
	// Command says what ran, in one line.
	Command string `json:"command"`
	// Exit is the status at the head, always 1.
	Exit int `json:"exit"`
	// Output is what it found at the head, redacted and cut.
	Output string `json:"output"`
	// Head is the commit it failed at. Against says where it passed: a
	// commit, or "the corrected lines".
	Head    string `json:"head"`
	Against string `json:"against"`
	// Runs is how often each state was run.
	Runs int `json:"runs"`
}
