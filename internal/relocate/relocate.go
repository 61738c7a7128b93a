// Package relocate says where the code of a known defect is now.
//
// It takes a place that was valid in one version of the tree and the change
// that leads to another version, and answers with a place in the new version,
// how that place was found, and how often this way of finding it is right. It
// never decides whether a defect is still there: only an untouched line may be
// carried without a look, everything else says "the code changed, verify". No
// answer is an identity; ids are assigned elsewhere and are never derived from
// a path, a line or a text.
//
// The package is pure. It reads contents through functions that the caller
// gives, runs no process, and answers the same for the same input. The layers,
// and what was measured for each, are described in docs/relocation.md.
package relocate

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
)

// How says by which layer an answer was found. The zero value is invalid.
type How string

// The layers, from the surest to none.
const (
	// Same is a place in a file that the change does not touch.
	Same How = "same"
	// Shifted is an untouched line of a touched file; its number or its path
	// may differ.
	Shifted How = "shifted"
	// Rewritten is a line that the change edited where it stood.
	Rewritten How = "rewritten"
	// Moved is a line that left its place and is found at another one,
	// possibly edited on the way.
	Moved How = "moved"
	// Candidate is a guess to show, never to carry.
	Candidate How = "candidate"
	// Suspect is a place found from the stored anchor alone, because the old
	// text is not available. A text hit is no proof that a defect is there.
	Suspect How = "suspect"
	// Gone means that no place was found; Answer.Loss says what happened.
	Gone How = "gone"
)

// Carries reports whether the place may be stored as the defect's new place.
// Candidates and suspects are shown, never carried.
func (h How) Carries() bool {
	return h == Same || h == Shifted || h == Rewritten || h == Moved
}

// Loss says what happened to a place that is Gone. The zero value means that
// it is not gone.
type Loss string

// The ways to lose a place.
const (
	DeletedLine   Loss = "line deleted"
	DeletedSymbol Loss = "symbol deleted"
	DeletedFile   Loss = "file deleted"
	// Unknown: the texts that would tell are not available, or the stored
	// text is not in the file. It says nothing about the defect.
	Unknown Loss = "unknown"
)

// Source supplies the contents of one version of a file. A Mapper calls it only
// when it needs the contents, and once unless it fails.
type Source func() ([]byte, error)

// Bytes is a Source for contents that are at hand.
func Bytes(b []byte) Source { return func() ([]byte, error) { return b, nil } }

// File is one file that differs between the two versions.
type File struct {
	// OldPath is "" for an added file and for a copy, NewPath is "" for a
	// deleted one; they differ for a rename.
	OldPath, NewPath string
	// Old and New supply the contents; nil where there is no file, or where
	// its text is not to be looked at (binary, generated, too large).
	Old, New Source
	// Hunks are git's, taken with -w so that blanks do not count; context
	// lines do no harm. When nil, or when they do not fit the contents, they
	// are computed.
	Hunks []diff.Hunk
}

// FileOf makes a File of a parsed diff. A copy becomes an added file, because
// its source is still where it was. Only text is compared: for other kinds the
// sources are dropped.
func FileOf(f diff.File, old, new Source) File {
	out := File{OldPath: f.OldPath, NewPath: f.NewPath, Old: old, New: new, Hunks: f.Hunks}
	if f.Status == diff.Copied || f.Status == diff.Added {
		out.OldPath, out.Old, out.Hunks = "", nil, nil
	}
	if f.Status == diff.Deleted {
		out.NewPath, out.New = "", nil
	}
	if f.Kind != "" && f.Kind != diff.Text {
		out.Old, out.New, out.Hunks = nil, nil, nil
	}
	return out
}

// Change is everything that differs between two versions of a tree.
type Change struct {
	// To is the commit of the new version, "" when unknown. It is put into
	// the locations of the answers.
	To string
	// Files are the files that differ. A path that is not listed is
	// untouched. Added and deleted files may be listed unpaired: renames
	// that git did not report are looked for.
	Files []File
}

// Options tune a Mapper. The zero value is ready to use.
type Options struct {
	// Symbols lists the declarations of a file; nil means the built-in
	// Symbols function.
	Symbols SymbolSource
	// Redact hides secrets in the lines of the anchors that answers carry.
	// When nil, answers carry no anchor.
	Redact Redactor
}

// Answer is where a place is in the new version.
type Answer struct {
	// Location is the new place; its zero value when How is Gone.
	Location finding.Location
	How      How
	// Loss says what happened to the code when How is Gone.
	Loss Loss
	// Confidence is the measured share of right answers found this way,
	// 0 to 1; 0 when How is Gone.
	Confidence float64
	// Reason says in a few words what was seen.
	Reason string
	// Changed says that the defect has to be looked at again. It is false
	// only when nothing in the enclosing symbol changed (outside all symbols:
	// in the file): for Same, for an unambiguous Shifted, and for a function
	// that was Moved as it was.
	Changed bool
	// Ambiguous is true when the same code now stands at a second place that
	// fits nearly as well. Such an answer settles nothing by itself.
	Ambiguous bool
	// Candidates are other places worth showing, best first.
	Candidates []finding.Location
}

// Mapper answers for one change. It caches what it reads and computes; it must
// not be used by several goroutines at once.
type Mapper struct {
	change  Change
	symbols SymbolSource
	redact  Redactor
	files   []*changed
	byOld   map[string]*changed
	// added lists the new lines of every file by text, blocks where each old
	// block went; both are filled on first use.
	added  map[string][]spot
	blocks map[block]move
	paired bool
}

// New prepares a Mapper. Nothing is read before the first Locate.
func New(change Change, opts Options) *Mapper {
	m := &Mapper{
		change:  change,
		symbols: opts.Symbols,
		redact:  opts.Redact,
		files:   make([]*changed, len(change.Files)),
		byOld:   make(map[string]*changed, len(change.Files)),
	}
	if m.symbols == nil {
		m.symbols = Symbols
	}
	for i, f := range change.Files {
		c := &changed{File: f, index: i}
		m.files[i] = c
		if f.OldPath != "" && (m.byOld[f.OldPath] == nil || f.NewPath == f.OldPath) {
			m.byOld[f.OldPath] = c
		}
	}
	return m
}

// Locate says where loc is after the change. An error comes only from a Source
// and names the file; a place that cannot be found is no error but Gone.
func (m *Mapper) Locate(loc finding.Location) (Answer, error) {
	if loc.Side == finding.Left {
		return lost(Unknown, "the place counts in removed lines, which no later version has"), nil
	}
	f := m.byOld[loc.Path]
	if f == nil {
		return m.untouchedFile(loc), nil
	}
	a, err := m.locateIn(f, loc)
	if err != nil {
		return Answer{}, fmt.Errorf("relocate %s:%d: %w", loc.Path, loc.Start, err)
	}
	return a, nil
}
