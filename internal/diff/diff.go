// Package diff holds a parsed difference between two commits: files, hunks,
// lines, and the maps from a line to the side and hunk that show it. It parses
// what the git command prints and never runs it.
package diff

// Status says what happened to a file.
type Status string

// The statuses git reports.
const (
	Added       Status = "added"
	Modified    Status = "modified"
	Deleted     Status = "deleted"
	Renamed     Status = "renamed"
	Copied      Status = "copied"
	TypeChanged Status = "type changed"
)

// Kind says what a file is, decided by mode and content, never by name.
type Kind string

// The kinds of file. Only Text has hunks of lines that a reviewer can read.
const (
	Text      Kind = "text"
	Binary    Kind = "binary"
	Submodule Kind = "submodule"
	Symlink   Kind = "symlink"
)

// File is one changed file.
type File struct {
	// OldPath and NewPath are raw bytes, slash-separated, from the
	// repository root. OldPath is "" for an added file, NewPath is "" for a
	// deleted one; for a modified file they are equal.
	OldPath, NewPath string
	Status           Status
	Kind             Kind
	// OldMode and NewMode are git's octal modes, such as "100644"; "" where
	// there is no file.
	OldMode, NewMode string
	// OldBlob and NewBlob are full object ids; "" where there is no file.
	OldBlob, NewBlob string
	// Similarity is git's percentage for renames and copies, else 0.
	Similarity int
	// Hunks are in order; empty for a pure rename, a mode change or a
	// binary file.
	Hunks []Hunk
	// EOLOnly is true when the only difference is in line ends: CRLF against
	// LF, or a newline at the end of the file. It is false for a diff that
	// was made ignoring white space, because such a diff does not show them.
	EOLOnly bool
}

// Path returns the new path, or the old one for a deleted file. It is the
// file's identity in a review.
func (f *File) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Hunk is one block of changed lines with its context.
type Hunk struct {
	// OldStart and NewStart are 1-based; a count of 0 means that the side
	// has no lines here and the start is the line before.
	OldStart, OldLines int
	NewStart, NewLines int
	// Section is what git prints after the second @@, often a function.
	Section string
	Lines   []Line
}

// Op is what a line of a hunk says.
type Op byte

// The line operations.
const (
	Context Op = ' '
	Add     Op = '+'
	Remove  Op = '-'
)

// Line is one line of a hunk.
type Line struct {
	Op Op
	// Text is the raw line without its "\n"; a "\r" stays.
	Text string
	// Old and New are the 1-based numbers on each side, 0 where the line
	// does not exist.
	Old, New int
	// NoEOL is true when the file ends here without a newline.
	NoEOL bool
}
