package bench

import (
	"bytes"
	"slices"

	"github.com/crev-ratchet/crev/internal/relocate"
)

// mapper prepares the change of one commit; it is made once a case.
func (p *plantedCrev) mapper(s plantedStep) *relocate.Mapper {
	key := [2]string{s.from.id, s.to.id}
	m, ok := p.mappers[key]
	if !ok {
		change := relocate.Change{To: s.to.id}
		for _, f := range s.files {
			change.Files = append(change.Files, relocate.File{
				OldPath: f.old, NewPath: f.new, Old: p.source(s.from, f.old), New: p.source(s.to, f.new)})
		}
		m = relocate.New(change, relocate.Options{Redact: func(line string) string { return line }})
		p.mappers[key] = m
		p.cost.Diffs++
	}
	return m
}

// source reads a file when it is asked for and counts it; nil where there is
// none, or no text.
func (p *plantedCrev) source(v *plantedTree, path string) relocate.Source {
	if path == "" {
		return nil
	}
	return func() ([]byte, error) {
		text, err := v.read(path)
		if key := v.id + ":" + path; !p.read[key] {
			p.read[key] = true
			p.cost.Blobs++
		}
		if bytes.IndexByte(text, 0) >= 0 {
			text = nil
		}
		return text, err
	}
}

// jump prepares the change between the heads of two rounds as one step.
func (p *plantedCrev) jump(from, to int) *relocate.Mapper {
	return p.mapper(p.c.jump(from, to))
}

// jump is the change between the heads of two rounds: every file that a step on
// the way names and that differs between the two ends.
func (c *plantedCase) jump(from, to int) plantedStep {
	s := plantedStep{from: c.rounds[from].head, to: c.rounds[to].head}
	var names []string
	renamed := map[string]string{} // new path to the oldest one
	for n := from + 1; n <= to; n++ {
		for _, step := range c.rounds[n].steps {
			for _, f := range step.files {
				names = append(names, f.old, f.new)
				if f.old != "" && f.new != "" && f.old != f.new {
					origin, ok := renamed[f.old]
					if !ok {
						origin = f.old
					}
					delete(renamed, f.old)
					renamed[f.new] = origin
				}
			}
		}
	}
	slices.Sort(names)
	there := func(v *plantedTree, name string) []byte {
		text, err := v.read(name)
		if err != nil {
			return nil
		}
		return text
	}
	paired := map[string]bool{}
	for _, name := range slices.Compact(names) {
		if old, ok := renamed[name]; ok && there(s.from, old) != nil && there(s.to, name) != nil {
			s.files = append(s.files, pathPair{old, name})
			paired[old], paired[name] = true, true
		}
	}
	for _, name := range slices.Compact(names) {
		if name == "" || paired[name] {
			continue
		}
		was, is := there(s.from, name), there(s.to, name)
		switch {
		case was == nil && is == nil || was != nil && is != nil && bytes.Equal(was, is):
		case was == nil:
			s.files = append(s.files, pathPair{new: name})
		case is == nil:
			s.files = append(s.files, pathPair{old: name})
		default:
			s.files = append(s.files, pathPair{name, name})
		}
	}
	return s
}
