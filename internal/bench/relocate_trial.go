package bench

import (
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// trial is one question to internal/relocate and the right answer.
type trial struct {
	*relocateCase
	number int // of the case among those of its file, from 1
	want   *truth
	run    func() (relocate.Answer, error)
}

// located asks for the place after the change.
func located(cases []relocateCase) []trial {
	trials := make([]trial, len(cases))
	for i := range cases {
		c := &cases[i]
		trials[i] = trial{c, c.number, c.Truth, func() (relocate.Answer, error) {
			return relocate.New(c.change(), relocate.Options{}).Locate(c.location())
		}}
	}
	return trials
}

// anchored asks for the place in the new version of the same file, renamed or
// not, with nothing but the stored anchor and symbol of the old one.
func anchored(cases []relocateCase) []trial {
	var trials []trial
	for i := range cases {
		c := &cases[i]
		path := c.successor()
		blob, ok := c.NewFiles[path]
		if !ok || c.Truth != nil && c.Truth.Path != path {
			continue
		}
		trials = append(trials, trial{c, c.number, c.Truth, func() (relocate.Answer, error) {
			was := []byte(c.texts[c.OldBlob])
			symbol, _ := relocate.Enclosing(relocate.Symbols(c.OldPath, was), c.OldLine)
			loc := c.location()
			loc.Path, loc.Symbol = path, symbol.Name
			loc.Anchor = finding.NewAnchor(was, c.OldLine, nil)
			return relocate.FromAnchor(loc, []byte(c.texts[blob]), relocate.Options{}), nil
		}})
	}
	return trials
}

// reopened asks of each line that the change deleted whether undoing the change
// brings it back, and whether the change itself does. Code that counts as
// removed although its first line still stands there cannot come back.
func reopened(cases []relocateCase) []trial {
	var trials []trial
	for i := range cases {
		c := &cases[i]
		blob, ok := c.NewFiles[c.OldPath]
		if c.Truth != nil || !ok || !c.fewer(c.texts[blob]) {
			continue
		}
		was, is := []byte(c.texts[c.OldBlob]), []byte(c.texts[blob])
		ask := func(from, to []byte) func() (relocate.Answer, error) {
			return func() (relocate.Answer, error) {
				loc := c.location()
				loc.Anchor = finding.NewAnchor(was, c.OldLine, nil)
				m := relocate.New(relocate.Change{Files: []relocate.File{{
					OldPath: c.OldPath, NewPath: c.OldPath, Old: relocate.Bytes(from), New: relocate.Bytes(to),
				}}}, relocate.Options{})
				a, back, err := m.Reopens(loc)
				if !back {
					a = relocate.Answer{How: relocate.Gone, Reason: a.Reason}
				}
				return a, err
			}
		}
		trials = append(trials,
			trial{c, c.number, &truth{c.OldPath, c.OldLine}, ask(is, was)},
			trial{c, c.number, nil, ask(was, is)})
	}
	return trials
}

// fewer reports whether the line of the place occurs less often in the new text,
// blanks aside.
func (c *relocateCase) fewer(text string) bool {
	count := func(text string, line string) int {
		n := 0
		for l := range strings.Lines(text) {
			if strings.Join(strings.Fields(l), "") == line {
				n++
			}
		}
		return n
	}
	lines := strings.Split(c.texts[c.OldBlob], "\n")
	if c.OldLine < 1 || c.OldLine > len(lines) {
		return false
	}
	line := strings.Join(strings.Fields(lines[c.OldLine-1]), "")
	return count(text, line) < count(c.texts[c.OldBlob], line)
}

func (c *relocateCase) location() finding.Location {
	return finding.Location{Path: c.OldPath, Start: c.OldLine, End: c.OldEnd}
}

// successor is the path of the old file after the change: where git says it was
// renamed to, the only new file when the old one is not among them, or itself.
func (c *relocateCase) successor() string {
	for _, s := range c.GitStatus {
		if len(s) == 3 && s[1] == c.OldPath && s[0][:1] == "R" {
			return s[2]
		}
	}
	if _, ok := c.NewFiles[c.OldPath]; !ok && len(c.NewFiles) == 1 && len(c.GitStatus) == 0 {
		for path := range c.NewFiles {
			return path
		}
	}
	return c.OldPath
}
