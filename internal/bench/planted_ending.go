package bench

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/relocate"
)

// ending is what a script does to the defect after the true commits.
type ending struct {
	name string
	// sites is in how many places the defect is.
	sites int
	// unseen is true when nobody reviews the commits before the ending: the
	// history is rewritten and only its end is seen.
	unseen bool
	play   func(*stage) error
}

var plantedEndings = []ending{
	{"leave", 1, false, func(*stage) error { return nil }},
	{"touch", 1, false, script((*stage).touch)},
	{"move in file", 1, false, script((*stage).moveInFile)},
	{"move to file", 1, false, script((*stage).moveToFile)},
	{"fix one of two", 2, false, script(func(s *stage) error { return s.fix(1) })},
	{"fix all", 2, false, script(
		func(s *stage) error { return s.fixAll(1, 2) },
		(*stage).copyAbove)},
	{"fix and revert", 1, false, script(
		func(s *stage) error { return s.fix(1) },
		func(s *stage) error { return s.revert(1) })},
	{"copy above", 1, false, script((*stage).copyAbove)},
	{"split file", 1, false, script((*stage).splitFile)},
	{"rebase", 1, true, script((*stage).touch)},
}

// script makes one round of each step.
func script(steps ...func(*stage) error) func(*stage) error {
	return func(s *stage) error {
		for _, step := range steps {
			if err := step(s); err != nil {
				return err
			}
			if err := s.edit(); err != nil {
				return err
			}
			s.close()
		}
		return nil
	}
}

// fix puts back the lines that a site had.
func (s *stage) fix(site int) error {
	t := s.sites[site-1]
	p, at := s.where(site)
	if at < 0 || !t.alive {
		return notFeasible
	}
	t.alive = false
	text := s.own[p]
	if t.beside {
		s.own[p] = text.splice(at+1, at+1, unmarked(t.was)...)
		return nil
	}
	lines := unmarked(t.was)
	lines[0].site = site
	s.own[p] = text.splice(at, at+len(t.is), lines...)
	return nil
}

func (s *stage) fixAll(sites ...int) error {
	for _, site := range sites {
		if err := s.fix(site); err != nil {
			return err
		}
	}
	return nil
}

// revert takes a fix back.
func (s *stage) revert(site int) error {
	t := s.sites[site-1]
	p, at := s.where(site)
	if at < 0 || t.alive {
		return notFeasible
	}
	t.alive = true
	text := s.own[p]
	if t.beside {
		s.own[p] = text.splice(at+1, at+1+len(t.was))
	} else {
		lines := unmarked(t.is)
		lines[0].site = site
		s.own[p] = text.splice(at, at+len(t.was), lines...)
	}
	s.open.returned = append(s.open.returned, site)
	return nil
}

func unmarked(lines []string) []markedLine {
	out := make([]markedLine, len(lines))
	for i, l := range lines {
		out[i] = markedLine{text: l}
	}
	return out
}

// functionBlock is a function with the comment above it, as lines [from,to).
type functionBlock struct {
	relocate.Symbol
	from, to int
}

// blockAround finds the function that a line stands in.
func blockAround(p string, text sheet, at int) (functionBlock, bool) {
	for _, b := range blocksOf(p, text) {
		if b.from <= at && at < b.to {
			return b, true
		}
	}
	return functionBlock{}, false
}

func blocksOf(p string, text sheet) []functionBlock {
	var out []functionBlock
	for _, f := range functionsOf(p, text) {
		b := functionBlock{f, f.Start - 1, f.End}
		for b.from > 0 && comment(text[b.from-1].text) {
			b.from--
		}
		out = append(out, b)
	}
	return out
}

// siblings are the functions that stand beside one, in the same declaration and
// at the same depth.
func siblings(p string, text sheet, b functionBlock) []functionBlock {
	depth := indentOf(text[b.Start-1].text)
	parent := strings.TrimSuffix(b.Name, shortName(b.Name))
	if path.Ext(p) == ".go" {
		parent = "" // methods are declared at the top like functions
	}
	return slices.DeleteFunc(blocksOf(p, text), func(o functionBlock) bool {
		return o.from == b.from || indentOf(text[o.Start-1].text) != depth || !strings.HasPrefix(o.Name, parent)
	})
}

// target is the function of the defect.
func (s *stage) target() (p string, b functionBlock, err error) {
	p, at := s.where(1)
	if at < 0 {
		return "", b, notFeasible
	}
	b, ok := blockAround(p, s.own[p], at)
	if !ok {
		return "", b, notFeasible
	}
	return p, b, nil
}

// touch edits the code around the defect and leaves the defect: it renames a
// variable of the function, or adds a remark to the line.
func (s *stage) touch() error {
	p, at := s.where(1)
	if at < 0 {
		return notFeasible
	}
	text := slices.Clone(s.own[p])
	b, ok := blockAround(p, text, at)
	if !ok {
		return notFeasible
	}
	name := variable(text, b, at)
	if name == "" {
		text[at].text = remark(p, text[at].text)
		s.own[p] = text
		return nil
	}
	expr := regexp.MustCompile(`(^|[^\w."'])` + name + `\b`)
	for i := b.Start - 1; i < b.to; i++ {
		text[i].text = expr.ReplaceAllString(text[i].text, "${1}"+name+"Value")
	}
	s.own[p] = text
	return nil
}

var assigned = regexp.MustCompile(`^\s*(?:(?:var|let|const|final|auto|int|String) )?([a-z]\w*)(?:, \w+)* :?= `)

// variable is a name that the function assigns and the line uses.
func variable(text sheet, b functionBlock, at int) string {
	uses := word.FindAllString(text[at].text, -1)
	for i := b.Start - 1; i < b.to; i++ {
		m := assigned.FindStringSubmatch(text[i].text)
		if m == nil || m[1] == "err" {
			continue
		}
		if slices.ContainsFunc(uses, func(u string) bool { return u == m[1] || strings.HasPrefix(u, m[1]+".") }) {
			return m[1]
		}
	}
	return ""
}

func remark(p, line string) string {
	sign := "//"
	if path.Ext(p) == ".py" {
		sign = "#"
	}
	body := strings.TrimRight(line, "\r\n")
	return body + " " + sign + " reviewed" + line[len(body):]
}

// moveInFile puts the function before another one beside it.
func (s *stage) moveInFile() error {
	p, b, err := s.target()
	if err != nil {
		return err
	}
	text := s.own[p]
	to := siblings(p, text, b)
	to = slices.DeleteFunc(to, func(o functionBlock) bool { return o.from >= b.to && o.from <= b.to+1 })
	if len(to) == 0 {
		return notFeasible
	}
	dest := to[s.rng.IntN(len(to))].from
	moved := append(slices.Clone(text[b.from:b.to]), markedLine{text: "\n"})
	if dest > b.from {
		s.own[p] = text.splice(dest, dest, moved...).splice(b.from, b.to)
	} else {
		s.own[p] = text.splice(b.from, b.to).splice(dest, dest, moved...)
	}
	return nil
}

// moveToFile takes the function to the end of another file of its directory, or
// to a new one.
func (s *stage) moveToFile() error {
	p, b, err := s.target()
	if err != nil {
		return err
	}
	dest, there, err := s.neighbour(p)
	if err != nil {
		return err
	}
	moved := append(sheet{{text: "\n"}}, s.own[p][b.from:b.to]...)
	s.own[p] = s.own[p].splice(b.from, b.to)
	s.own[dest] = append(there, moved...)
	return nil
}

// neighbour picks a file of the same directory and kind, or begins a new one
// with the line that every file of its language begins with.
func (s *stage) neighbour(p string) (string, sheet, error) {
	paths, err := s.history.Paths(s.at)
	if err != nil {
		return "", nil, err
	}
	var near []string
	for _, q := range paths {
		_, taken := s.own[q]
		if path.Dir(q) == path.Dir(p) && path.Ext(q) == path.Ext(p) && isPlantable(q) && !taken {
			near = append(near, q)
		}
	}
	if len(near) > 0 && s.rng.IntN(2) == 0 {
		q := near[s.rng.IntN(len(near))]
		content, err := s.history.Read(s.at, q)
		if err != nil {
			return "", nil, err
		}
		if t := sheetOf(content); len(t) > 0 && strings.HasSuffix(t[len(t)-1].text, "\n") {
			return q, t, nil
		}
	}
	return s.fresh(p, paths)
}

// fresh begins a new file beside another one.
func (s *stage) fresh(p string, paths []string) (string, sheet, error) {
	ext := path.Ext(p)
	q := strings.TrimSuffix(p, ext) + "_part" + ext
	if _, taken := slices.BinarySearch(paths, q); taken || s.own[q] != nil {
		return "", nil, notFeasible
	}
	for _, l := range s.own[p] {
		if strings.HasPrefix(l.text, "package ") {
			return q, sheet{{text: l.text}}, nil
		}
	}
	return q, sheet{{text: "\n"}}, nil
}

// copyAbove puts a copy of the function, under another name, above it.
func (s *stage) copyAbove() error {
	p, b, err := s.target()
	if err != nil {
		return err
	}
	name := shortName(b.Name)
	var dup []markedLine
	for _, l := range s.own[p][b.from:b.to] {
		dup = append(dup, markedLine{text: strings.Replace(l.text, name+"(", name+"Copy(", 1)})
	}
	s.own[p] = s.own[p].splice(b.from, b.from, append(dup, markedLine{text: "\n"})...)
	return nil
}

// splitFile takes the later half of the functions beside the defect's, it
// included or not, to a new file.
func (s *stage) splitFile() error {
	p, b, err := s.target()
	if err != nil {
		return err
	}
	paths, err := s.history.Paths(s.at)
	if err != nil {
		return err
	}
	dest, there, err := s.fresh(p, paths)
	if err != nil {
		return err
	}
	all := append(siblings(p, s.own[p], b), b)
	if len(all) < 4 {
		return notFeasible
	}
	slices.SortFunc(all, func(x, y functionBlock) int { return x.from - y.from })
	text := s.own[p]
	var moved sheet
	for i := len(all) - 1; i >= len(all)/2; i-- {
		f := all[i]
		moved = append(append(sheet{{text: "\n"}}, text[f.from:f.to]...), moved...)
		text = text.splice(f.from, f.to)
	}
	s.own[p], s.own[dest] = text, append(there, moved...)
	return nil
}
