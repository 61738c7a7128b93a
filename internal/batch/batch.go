// Package batch cuts a diff into pieces that a reviewer can hold in mind. One
// batch is what one model request sees. The cut is deterministic, is explained
// file by file, and is proven complete: every changed line is in exactly one
// batch.
//
// It runs in the phases of docs/batching.md: files are grouped by directory and
// type, like groups are merged, what is too long is split, and what is too short
// is joined with a neighbour.
package batch

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
)

// Limits bound a batch. A line is one line of the diff, context included,
// because that is what costs tokens.
type Limits struct {
	// MinLines is below what a batch is joined with a neighbour, where the
	// two fit MaxLines; 0 joins nothing.
	MinLines int
	// MaxLines is the most a batch holds; a single hunk may have to be cut.
	MaxLines int
	// SameDir is the similarity of types above which two groups of one
	// directory are merged.
	SameDir float64
	// CrossDir is the similarity of types and directories above which a
	// fragment is merged with a group of another directory.
	CrossDir float64
}

// Default are the limits of an empty configuration: above 1200 lines a model's
// attention and the room for context fall off, below 800 the fixed part of a
// request weighs too much.
var Default = Limits{MinLines: 800, MaxLines: 1200, SameDir: .8, CrossDir: .6}

// lastResort is how many lines a piece has when one hunk alone is too long.
const lastResort = 100

// idealFiles decides between two neighbours that are otherwise equally good: the
// joined batch with a number of files nearer to it wins. Lines lead.
const idealFiles = 3

// Part is a file, or some of its hunks, in a batch.
type Part struct {
	File  *diff.File
	Hunks []diff.Hunk
}

// Lines counts the diff lines of the part.
func (p Part) Lines() int {
	n := 0
	for _, h := range p.Hunks {
		n += len(h.Lines)
	}
	return n
}

// Batch is what one request sees.
type Batch struct {
	// ID is "1", "2", … in order of the plan.
	ID string
	// Parts are in order of their paths, those of one file in order of
	// their lines.
	Parts []Part
	// Short marks a batch below MinLines that no neighbour had room for.
	Short bool
}

// Lines counts the diff lines of the batch.
func (b Batch) Lines() int {
	n := 0
	for _, p := range b.Parts {
		n += p.Lines()
	}
	return n
}

// Paths returns the paths of the batch in order, each once.
func (b Batch) Paths() []string {
	var ps []string
	for _, p := range b.Parts {
		if n := len(ps); n == 0 || ps[n-1] != p.File.Path() {
			ps = append(ps, p.File.Path())
		}
	}
	return ps
}

// Plan is a complete cut. It is the same for the same files, in whatever order
// they were given.
type Plan struct {
	Batches []Batch
	// Reused are the files that no request sees, because an earlier review
	// saw them with the same content.
	Reused Reused
	// Trail has one entry a file, in order of path.
	Trail []Placement
	// Counts say what each phase came to.
	Counts Counts
}

// Cut groups the files by directory and type, merges what is alike, splits what
// is too long by file, then by hunk, then by lines, and joins what is too short
// with a neighbour. Files without hunks land in no batch. Limits without
// MaxLines are Default. It is an error, and a bug in this package, if a changed
// line is lost or doubled.
func Cut(files []*diff.File, l Limits) (Plan, error) {
	if l.MaxLines <= 0 {
		l = Default
	}
	var plan Plan
	notes := notes{}
	groups := group(files, notes)
	plan.Counts.Files = countFiles(groups)
	plan.Counts.Lines = countLines(groups)
	plan.Counts.Grouped = len(groups)

	groups = mergeWithin(groups, l, notes)
	plan.Counts.MergedInDirectory = len(groups)
	groups = mergeAcross(groups, l, notes)
	plan.Counts.MergedAcross = len(groups)

	groups = split(groups, l.MaxLines, notes)
	plan.Counts.Split = len(groups)
	groups = join(groups, l, notes)
	plan.Counts.Joined = len(groups)

	for i, g := range groups {
		plan.Batches = append(plan.Batches, Batch{ID: fmt.Sprint(i + 1), Parts: g.parts, Short: g.lines < l.MinLines})
	}
	plan.Trail = trail(plan.Batches, notes)
	return plan, prove(files, plan.Batches)
}

// bundle is a batch in the making.
type bundle struct {
	// dir and kind are those of the group it began with.
	dir   directory
	kind  kind
	parts []Part
	lines int
}

func newBundle(dir directory, k kind, parts ...Part) *bundle {
	b := &bundle{dir: dir, kind: k, parts: parts}
	for _, p := range parts {
		b.lines += p.Lines()
	}
	return b
}

// name says what a bundle is, for the trail.
func (b *bundle) name() string {
	return b.dir.path + " (" + b.kind.String() + ")"
}

// files counts the files of a bundle.
func (b *bundle) files() int { return len(Batch{Parts: b.parts}.Paths()) }

// absorb moves the parts of another bundle into this one.
func (b *bundle) absorb(o *bundle) {
	b.parts = mergeSorted(b.parts, o.parts)
	b.lines += o.lines
}

// mergeSorted puts two lists in order together.
func mergeSorted(a, b []Part) []Part {
	out := make([]Part, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compareParts(b[0], a[0]) < 0 {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}

// larger returns the bundle with more lines first; it keeps its name when the
// two are put together. The order of the plan decides between equals.
func larger(a, b *bundle) (keep, gone *bundle) {
	if a.lines > b.lines || a.lines == b.lines && compareBundles(a, b) <= 0 {
		return a, b
	}
	return b, a
}

// compareBundles orders bundles as the plan does: by their first part.
func compareBundles(a, b *bundle) int { return compareParts(a.parts[0], b.parts[0]) }

// compareParts orders by directory, path and line.
func compareParts(a, b Part) int {
	pa, pb := a.File.Path(), b.File.Path()
	return cmp.Or(
		strings.Compare(directoryOf(pa), directoryOf(pb)),
		strings.Compare(pa, pb),
		cmp.Compare(start(a), start(b)),
	)
}

// start orders the parts of one file.
func start(p Part) int { return p.Hunks[0].OldStart + p.Hunks[0].NewStart }

func countFiles(groups []*bundle) int {
	n := 0
	for _, g := range groups {
		n += len(g.parts)
	}
	return n
}

func countLines(groups []*bundle) int {
	n := 0
	for _, g := range groups {
		n += g.lines
	}
	return n
}
