package batch

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/diff"
)

// split cuts groups above the limit: at the borders of files where it can, else
// at hunks, and within a hunk as a last resort.
func split(groups []*bundle, limit int, n notes) []*bundle {
	var out []*bundle
	for _, g := range groups {
		if g.lines <= limit {
			out = append(out, g)
			continue
		}
		cur := newBundle(g.dir, g.kind)
		flush := func() {
			if len(cur.parts) > 0 {
				out = append(out, cur)
			}
			cur = newBundle(g.dir, g.kind)
		}
		for _, p := range g.parts {
			lines := p.Lines()
			if lines > limit {
				flush()
				pieces := splitFile(p, limit)
				n.splitFile(p, lines, len(pieces), limit)
				for _, piece := range pieces {
					out = append(out, newBundle(g.dir, g.kind, piece))
				}
				continue
			}
			if cur.lines+lines > limit {
				flush()
			}
			n.splitGroup(p, g, limit)
			cur.parts = append(cur.parts, p)
			cur.lines += lines
		}
		flush()
	}
	slices.SortFunc(out, compareBundles)
	return out
}

// splitFile cuts one file into pieces of at most limit lines, at hunk borders
// where it can.
func splitFile(p Part, limit int) []Part {
	var out []Part
	cur, lines := Part{File: p.File}, 0
	for _, h := range p.Hunks {
		for _, piece := range cutHunk(h, limit) {
			if len(cur.Hunks) > 0 && lines+len(piece.Lines) > limit {
				out = append(out, cur)
				cur, lines = Part{File: p.File}, 0
			}
			cur.Hunks = append(cur.Hunks, piece)
			lines += len(piece.Lines)
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
	// A side without lines starts at the line before, as in diff.Hunk.
	oldNext, newNext := h.OldStart, h.NewStart
	if h.OldLines == 0 {
		oldNext++
	}
	if h.NewLines == 0 {
		newNext++
	}
	for lines := range slices.Chunk(h.Lines, step) {
		piece := diff.Hunk{OldStart: oldNext, NewStart: newNext, Section: h.Section, Lines: lines}
		for _, ln := range lines {
			if ln.Op != diff.Add {
				piece.OldLines++
			}
			if ln.Op != diff.Remove {
				piece.NewLines++
			}
		}
		oldNext += piece.OldLines
		newNext += piece.NewLines
		if piece.OldLines == 0 {
			piece.OldStart--
		}
		if piece.NewLines == 0 {
			piece.NewStart--
		}
		out = append(out, piece)
	}
	return out
}
