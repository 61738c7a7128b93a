package projection

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// Decide computes what has to change on GitHub so that it shows the report: one
// defect, one thread, updated in place.
func Decide(in Input) Plan {
	threads := map[ledger.DefectID]Thread{}
	for _, t := range in.Threads {
		if _, ok := threads[t.Defect]; !ok {
			threads[t.Defect] = t
		}
	}
	var p Plan
	for _, d := range byWeight(in.Report.Defects) {
		t, exists := threads[d.ID]
		switch {
		case exists:
			p.update(d, t, in)
		case in.Shown[d.ID] && d.Status.Active():
			p.add(d, in)
		}
	}
	return p
}

// update keeps an existing thread in step with its defect. A thread that a
// person resolved is opened again only when the defect came back.
func (p *Plan) update(d *ledger.Defect, t Thread, in Input) {
	if text := body(d, in.Report, in.suggest(d)); changed(t.Body, text) {
		p.Edits = append(p.Edits, Edit{Defect: d.ID, CommentID: t.CommentID, Body: text})
	}
	asks := d.Status.Active() && !silenced(d)
	switch {
	case !asks && !t.Resolved:
		p.Resolve = append(p.Resolve, t)
	case asks && t.Resolved && (!t.ByPerson || in.Reopened[d.ID]):
		p.Unresolve = append(p.Unresolve, t)
	}
}

// silenced reports whether a rule of the team hides a defect: it stays open in
// the ledger, and its thread asks nobody any more.
func silenced(d *ledger.Defect) bool { return d.Hidden != nil && d.Hidden.Reason == "rule" }

// changed compares bodies as GitHub stores them; the footer alone, which names
// the newest commit, is no reason to edit.
func changed(old, new string) bool {
	norm := func(s string) string {
		var keep []string
		for line := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
			if !strings.HasPrefix(line, "<sub>crev ") {
				keep = append(keep, line)
			}
		}
		return strings.TrimSpace(strings.Join(keep, "\n"))
	}
	return norm(old) != norm(new)
}

// add finds a place for a new comment: line, then file, then summary.
func (p *Plan) add(d *ledger.Defect, in Input) {
	if !in.Limits.Threads {
		p.InSummary = append(p.InSummary, d.ID)
		return
	}
	c, ok := anchor(d, in)
	switch {
	case !ok:
		p.InSummary = append(p.InSummary, d.ID)
	case len(p.Comments)+len(p.Files) >= in.MaxComments:
		p.Capped = append(p.Capped, d.ID)
		p.InSummary = append(p.InSummary, d.ID)
	case c.Line == 0:
		p.Files = append(p.Files, c)
	default:
		p.Comments = append(p.Comments, c)
	}
}

// anchor places a defect on the diff of the pull request. GitHub accepts lines
// inside hunks only, and start and end must share one.
func anchor(d *ledger.Defect, in Input) (Comment, bool) {
	if len(d.Locations) == 0 {
		return Comment{}, false
	}
	at := d.Locations[0]
	i := slices.IndexFunc(in.Files, func(f *diff.File) bool {
		return f.Path() == at.Path || at.Side == finding.Left && f.OldPath == at.Path
	})
	if i < 0 {
		return Comment{}, false
	}
	f := in.Files[i]
	c := Comment{Defect: d.ID, Path: f.Path(), Left: at.Side == finding.Left, Body: Body(d, in.Report)}
	if at.Start == 0 {
		return c, true
	}
	start, end, ok := f.ClipToHunk(at.Start, max(at.Start, at.End), !c.Left)
	if !ok {
		return c, true
	}
	c.Line = end
	if start != 0 && start < end {
		c.StartLine = start
	}
	if s := in.suggest(d); s != "" && end == at.End && (start == 0 || start == at.Start) {
		c.Body = body(d, in.Report, s)
	}
	return c, true
}

// suggest renders the suggestion of a defect, "" for none. GitHub replaces the
// lines a comment stands at, so a defect that has moved since gets none.
func (in Input) suggest(d *ledger.Defect) string {
	if !in.Suggestions || d.Suggestion == "" || !d.Status.Active() || d.LastMoved != "" || len(d.Locations) == 0 {
		return ""
	}
	at := d.Locations[0]
	if at.Start == 0 || at.Side == finding.Left {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(string(in.Text(at.Path)), "\n"), "\n")
	if at.End > len(lines) {
		return ""
	}
	block, _ := Suggestion(d.Suggestion, lines[at.Start-1:max(at.Start, at.End)])
	return block
}

// byWeight orders defects so that the cap cuts the mildest: severity, then
// tier, then place.
func byWeight(ds []*ledger.Defect) []*ledger.Defect {
	out := slices.Clone(ds)
	slices.SortStableFunc(out, func(a, b *ledger.Defect) int {
		return cmp.Or(
			cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
			cmp.Compare(a.Tier, b.Tier),
			comparePlace(a, b),
			strings.Compare(string(a.ID), string(b.ID)))
	})
	return out
}

func comparePlace(a, b *ledger.Defect) int {
	if len(a.Locations) == 0 || len(b.Locations) == 0 {
		return cmp.Compare(len(b.Locations), len(a.Locations))
	}
	la, lb := a.Locations[0], b.Locations[0]
	return cmp.Or(strings.Compare(la.Path, lb.Path), cmp.Compare(la.Start, lb.Start))
}
