package batch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
)

// Placement says in which batch a file landed and why.
type Placement struct {
	Path    string   `json:"path"`
	Batches []string `json:"batches"`
	Why     string   `json:"why"`
}

// Counts say how many groups there were after each phase, for logs and --json.
type Counts struct {
	// Files and Lines are what was cut: files with hunks, and diff lines.
	Files int `json:"files"`
	Lines int `json:"lines"`
	// Grouped is the number of groups by directory and type.
	Grouped int `json:"grouped"`
	// MergedInDirectory and MergedAcross are what was left of them after
	// like groups were merged, within directories and across.
	MergedInDirectory int `json:"merged_in_directory"`
	MergedAcross      int `json:"merged_across"`
	// Split is the number after those above the limit were cut.
	Split int `json:"split"`
	// Joined is the number of batches, after short ones were joined.
	Joined int `json:"joined"`
}

// String is one line for a log.
func (c Counts) String() string {
	return fmt.Sprintf("%d files, %d lines: %d groups, %d after merging in directories, %d across, %d after splitting, %d batches",
		c.Files, c.Lines, c.Grouped, c.MergedInDirectory, c.MergedAcross, c.Split, c.Joined)
}

// ReusedID is the name of the batch of files that are not read again.
const ReusedID = "reused"

// Reused is the batch of unchanged files. It is complete as soon as it is made.
type Reused struct {
	// Paths are in order.
	Paths []string
	// Reviews is how many findings the last review of these files had.
	Reviews int
}

// ReusedFile is a file that an earlier review saw with the same content.
type ReusedFile struct {
	Path string
	// Findings is how many findings that review had about it.
	Findings int
}

// Reuse notes files that were left out of the cut because an earlier review
// covers them. A file that is in a batch, or is given twice, is an error.
func (p *Plan) Reuse(files []ReusedFile) error {
	for _, f := range files {
		i, found := slices.BinarySearchFunc(p.Trail, f.Path, func(pl Placement, path string) int { return strings.Compare(pl.Path, path) })
		if found {
			return fmt.Errorf("reuse %s: it is in batch %s already", f.Path, strings.Join(p.Trail[i].Batches, ", "))
		}
		p.Trail = slices.Insert(p.Trail, i, Placement{
			Path: f.Path, Batches: []string{ReusedID}, Why: "same content and prompts as in an earlier review"})
		p.Reused.Paths = append(p.Reused.Paths, f.Path)
		p.Reused.Reviews += f.Findings
	}
	slices.Sort(p.Reused.Paths)
	return nil
}

// note is why a file is where it is, one reason a phase.
type note struct{ group, merge, split, join string }

// notes collect the reasons by path.
type notes map[string]*note

func (n notes) of(p Part) *note {
	path := p.File.Path()
	if n[path] == nil {
		n[path] = &note{}
	}
	return n[path]
}

func (n notes) group(p Part, g *bundle) {
	n.of(p).group = fmt.Sprintf("%d diff lines in %s", p.Lines(), g.name())
}

func (n notes) merge(gone, keep *bundle, similarity float64) {
	why := fmt.Sprintf("merged with %s, similarity %.2f", keep.name(), similarity)
	for _, p := range gone.parts {
		n.of(p).merge = why
	}
}

func (n notes) splitFile(p Part, lines, pieces, limit int) {
	n.of(p).split = fmt.Sprintf("split in %d, because %d lines are more than %d", pieces, lines, limit)
}

func (n notes) splitGroup(p Part, g *bundle, limit int) {
	n.of(p).split = fmt.Sprintf("split from its group, because %d lines are more than %d", g.lines, limit)
}

func (n notes) join(b, with *bundle, l Limits) {
	why := fmt.Sprintf("needs merge, because %d lines are less than %d: joined with %s", b.lines, l.MinLines, with.name())
	for _, p := range b.parts {
		n.of(p).join = why
	}
}

func (n notes) short(b *bundle, l Limits) {
	why := fmt.Sprintf("needs merge, because %d lines are less than %d, but no neighbour has room", b.lines, l.MinLines)
	for _, p := range b.parts {
		n.of(p).join = why
	}
}

func (n note) String() string {
	return strings.Join(slices.DeleteFunc([]string{n.group, n.merge, n.split, n.join}, func(s string) bool { return s == "" }), "; ")
}

// trail lists every file with its batches, in the order of paths.
func trail(batches []Batch, n notes) []Placement {
	at := map[string][]string{}
	for _, b := range batches {
		for _, p := range b.Paths() {
			at[p] = append(at[p], b.ID)
		}
	}
	out := make([]Placement, 0, len(at))
	for _, p := range slices.Sorted(maps.Keys(at)) {
		out = append(out, Placement{Path: p, Batches: at[p], Why: n[p].String()})
	}
	return out
}

// prove checks that the batches hold every diff line of the files exactly once.
func prove(files []*diff.File, batches []Batch) error {
	type key struct {
		file     *diff.File
		op       diff.Op
		old, new int
	}
	seen := map[key]int{}
	for _, b := range batches {
		for _, p := range b.Parts {
			for _, h := range p.Hunks {
				for _, ln := range h.Lines {
					seen[key{p.File, ln.Op, ln.Old, ln.New}]++
				}
			}
		}
	}
	for _, f := range files {
		for _, h := range f.Hunks {
			for _, ln := range h.Lines {
				k := key{f, ln.Op, ln.Old, ln.New}
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
