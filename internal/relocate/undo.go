package relocate

import (
	"fmt"

	"github.com/crev-ratchet/crev/internal/finding"
)

// nearFix is how many lines a fix that nobody cited may lie from the place it
// mends: a guard stands right above what it guards.
const nearFix = 3

// Fix is what a change added to mend a defect. A defect that consists in missing
// lines is back when they go, and nothing of its own text tells.
type Fix struct{ parts []fixPart }

// fixPart is one stretch of a fix.
type fixPart struct {
	path string
	// lines are the significant lines it added, from 0.
	lines []int
	// before are the significant lines that it took out, without blanks.
	before map[string]bool
}

// Fix says what the change added to mend a defect that stood at loc before it:
// the added lines that the proof of the fix cites, as places after the change.
// Where it cites none of them, those within three lines of loc count. The result
// is false when nothing was added.
func (m *Mapper) Fix(loc finding.Location, cited []finding.Location) (Fix, bool, error) {
	var fix Fix
	for _, f := range m.files {
		if !cites(cited, f.NewPath) {
			continue
		}
		err := fix.add(f, func(s span) bool { return overlaps(cited, f.NewPath, s) })
		if err != nil {
			return Fix{}, false, fmt.Errorf("find the fix in %s: %w", f.NewPath, err)
		}
	}
	if f := m.byOld[loc.Path]; len(fix.parts) == 0 && f != nil && f.NewPath != "" && loc.Start > 0 {
		from, to := loc.Start-1-nearFix, max(loc.Start, loc.End)+nearFix
		err := fix.add(f, func(s span) bool { return s.oldStart <= to && s.oldEnd >= from })
		if err != nil {
			return Fix{}, false, fmt.Errorf("find the fix in %s: %w", f.NewPath, err)
		}
	}
	return fix, len(fix.parts) > 0, nil
}

// add takes in the stretches of a file that belong to the fix and added lines. A
// file that is new as a whole is no fix that could be told from other code.
func (x *Fix) add(f *changed, belongs func(span) bool) error {
	if err := f.load(); err != nil {
		return err
	}
	if f.old == nil || f.new == nil {
		return nil
	}
	for _, s := range f.spans {
		if !belongs(s) {
			continue
		}
		part := fixPart{path: f.NewPath, before: map[string]bool{}}
		for n := s.newStart; n < s.newEnd; n++ {
			if f.new.alnum[n] > 0 {
				part.lines = append(part.lines, n)
			}
		}
		for o := s.oldStart; o < s.oldEnd; o++ {
			if f.old.alnum[o] > 0 {
				part.before[f.old.norm[o]] = true
			}
		}
		if len(part.lines) > 0 {
			x.parts = append(x.parts, part)
		}
	}
	return nil
}

func cites(places []finding.Location, path string) bool {
	for _, l := range places {
		if l.Path == path && path != "" {
			return true
		}
	}
	return false
}

// overlaps reports whether one of the places stands in the new lines of s.
func overlaps(places []finding.Location, path string, s span) bool {
	for _, l := range places {
		if l.Path == path && l.Start > 0 && l.Start-1 < s.newEnd && max(l.Start, l.End) > s.newStart {
			return true
		}
	}
	return false
}

// Undoes reports whether the change takes out every line of a fix, puts nothing
// in their place but what the fix had taken out, and adds none of them anywhere
// else. It says no more than that; whether the defect's own code is still there
// is for Locate to tell.
func (m *Mapper) Undoes(fix Fix) (bool, error) {
	for _, part := range fix.parts {
		f := m.byOld[part.path]
		if f == nil {
			return false, nil
		}
		if err := f.load(); err != nil {
			return false, fmt.Errorf("look for the fix in %s: %w", part.path, err)
		}
		if f.old == nil || f.new == nil {
			return false, nil
		}
		for _, o := range part.lines {
			if o >= f.old.len() || !f.tookOut(o, part.before) {
				return false, nil
			}
		}
	}
	if len(fix.parts) == 0 {
		return false, nil
	}
	if err := m.index(); err != nil {
		return false, fmt.Errorf("look for the fix elsewhere: %w", err)
	}
	for _, part := range fix.parts {
		for _, o := range part.lines {
			if len(m.added[m.byOld[part.path].old.norm[o]]) > 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

// tookOut reports whether old line o is gone and every significant line in the
// place of its stretch is one of before.
func (c *changed) tookOut(o int, before map[string]bool) bool {
	k, _ := c.spanAt(o)
	if k < 0 {
		return false
	}
	for n := c.spans[k].newStart; n < c.spans[k].newEnd; n++ {
		if c.new.alnum[n] > 0 && !before[c.new.norm[n]] {
			return false
		}
	}
	return true
}
