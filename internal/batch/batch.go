// Package batch cuts a diff into pieces that a reviewer can hold in mind. One
// batch is what one model request sees. The cut is deterministic, is explained
// file by file, and is proven complete: every changed line is in exactly one
// batch.
package batch

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
)

// Limits bound a batch. A line is one line of the diff, context included,
// because that is what costs tokens.
type Limits struct {
	// MaxLines is the most a batch holds; a single hunk may have to be cut.
	MaxLines int
}

// Default is 1200 lines: above it, a model's attention and the room for context
// fall off.
var Default = Limits{MaxLines: 1200}

// lastResort is how many lines a piece has when one hunk alone is too long.
const lastResort = 100

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
	ID    string
	Parts []Part
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

// Placement says in which batch a file landed and why.
type Placement struct {
	Path    string   `json:"path"`
	Batches []string `json:"batches"`
	Why     string   `json:"why"`
}

// Plan is a complete cut.
type Plan struct {
	Batches []Batch
	// Trail has one entry a file, in order of path.
	Trail []Placement
}

// Cut groups the files by directory and type, joins neighbours up to the
// limits, and splits what is too long by file, then by hunk, then by lines.
// Files without hunks land in no batch. It is an error, and a bug in this
// package, if a changed line is lost or doubled.
func Cut(files []*diff.File, l Limits) (Plan, error) {
	if l.MaxLines <= 0 {
		l = Default
	}
	parts := make([]Part, 0, len(files))
	for _, f := range files {
		if len(f.Hunks) > 0 {
			parts = append(parts, Part{File: f, Hunks: f.Hunks})
		}
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return strings.Compare(groupKey(a.File.Path()), groupKey(b.File.Path()))
	})

	var plan Plan
	why := map[string]string{}
	cur := Batch{}
	flush := func() {
		if len(cur.Parts) > 0 {
			cur.ID = fmt.Sprint(len(plan.Batches) + 1)
			plan.Batches = append(plan.Batches, cur)
			cur = Batch{}
		}
	}
	for _, p := range parts {
		if p.Lines() > l.MaxLines {
			flush()
			why[p.File.Path()] = fmt.Sprintf("%d diff lines alone, split by hunk", p.Lines())
			for _, piece := range split(p, l.MaxLines) {
				cur.Parts = append(cur.Parts, piece)
				flush()
			}
			continue
		}
		if cur.Lines()+p.Lines() > l.MaxLines {
			flush()
		}
		why[p.File.Path()] = placed(cur, p)
		cur.Parts = append(cur.Parts, p)
	}
	flush()
	plan.Trail = trail(plan.Batches, why)
	return plan, prove(files, plan.Batches)
}

// groupKey sorts files of one directory and type beside each other, and
// directories beside their neighbours.
func groupKey(p string) string {
	return path.Dir(p) + "\x00" + path.Ext(p) + "\x00" + p
}

func placed(cur Batch, p Part) string {
	if len(cur.Parts) == 0 {
		return fmt.Sprintf("%d diff lines, first of its batch", p.Lines())
	}
	last := cur.Parts[len(cur.Parts)-1].File.Path()
	if path.Dir(last) == path.Dir(p.File.Path()) {
		return fmt.Sprintf("%d diff lines, same directory as %s", p.Lines(), path.Base(last))
	}
	return fmt.Sprintf("%d diff lines, room left in the batch", p.Lines())
}

// split cuts one file into pieces of at most limit lines, at hunk borders where
// it can.
func split(p Part, limit int) []Part {
	var out []Part
	cur := Part{File: p.File}
	for _, h := range p.Hunks {
		for _, piece := range cutHunk(h, limit) {
			if len(cur.Hunks) > 0 && cur.Lines()+len(piece.Lines) > limit {
				out = append(out, cur)
				cur = Part{File: p.File}
			}
			cur.Hunks = append(cur.Hunks, piece)
		}
	}
	return append(out, cur)
}

// cutHunk returns the hunk whole when it fits, else pieces of lastResort lines.
func cutHunk(h diff.Hunk, limit int) []diff.Hunk {
	if len(h.Lines) <= limit {
		return []diff.Hunk{h}
	}
	var out []diff.Hunk
	step := min(lastResort, limit)
	oldAt, newAt := h.OldStart, h.NewStart
	for lines := range slices.Chunk(h.Lines, step) {
		piece := diff.Hunk{OldStart: oldAt, NewStart: newAt, Section: h.Section, Lines: lines}
		for _, ln := range lines {
			if ln.Op != diff.Add {
				piece.OldLines++
			}
			if ln.Op != diff.Remove {
				piece.NewLines++
			}
		}
		oldAt += piece.OldLines
		newAt += piece.NewLines
		out = append(out, piece)
	}
	return out
}

func trail(batches []Batch, why map[string]string) []Placement {
	at := map[string][]string{}
	for _, b := range batches {
		for _, p := range b.Paths() {
			at[p] = append(at[p], b.ID)
		}
	}
	var out []Placement
	for p, ids := range at {
		out = append(out, Placement{Path: p, Batches: ids, Why: why[p]})
	}
	slices.SortFunc(out, func(a, b Placement) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// prove checks that the batches hold every diff line of the files exactly once.
func prove(files []*diff.File, batches []Batch) error {
	type key struct {
		path     string
		op       diff.Op
		old, new int
	}
	seen := map[key]int{}
	for _, b := range batches {
		for _, p := range b.Parts {
			for _, h := range p.Hunks {
				for _, ln := range h.Lines {
					seen[key{p.File.Path(), ln.Op, ln.Old, ln.New}]++
				}
			}
		}
	}
	for _, f := range files {
		for _, h := range f.Hunks {
			for _, ln := range h.Lines {
				k := key{f.Path(), ln.Op, ln.Old, ln.New}
				if seen[k] != 1 {
					return fmt.Errorf("cut %s: line -%d +%d is in %d batches", f.Path(), ln.Old, ln.New, seen[k])
				}
				delete(seen, k)
			}
		}
	}
	if len(seen) > 0 {
		return fmt.Errorf("cut: %d lines are in a batch and in no file", len(seen))
	}
	return nil
}
