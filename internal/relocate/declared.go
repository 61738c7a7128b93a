package relocate

import (
	"cmp"
	"slices"
	"strings"
)

// declared are the declarations of one version of a file, indexed by line.
type declared struct {
	list []Symbol
	// within holds for each line the index of the innermost declaration
	// around it, -1 for none.
	within []int32
	// nameLines holds for each declaration the line, from 0, that names it.
	nameLines []int
	// named and headed find a declaration by the line that names it and by
	// the first line of the comments and annotations above it.
	named, headed map[int]int
	byName        map[string][]int
}

// declare indexes the declarations that a source found, leaving out what does
// not fit the file.
func declare(t *text, syms []Symbol) *declared {
	d := &declared{
		within: make([]int32, t.len()),
		named:  make(map[int]int), headed: make(map[int]int),
		byName: make(map[string][]int),
	}
	for _, s := range syms {
		s.End = min(s.End, t.len())
		if s.Start >= 1 && s.Start <= s.End && s.Name != "" {
			d.list = append(d.list, s)
		}
	}
	slices.SortStableFunc(d.list, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	for i := range d.within {
		d.within[i] = -1
	}
	d.nameLines = make([]int, len(d.list))
	for k := range d.list {
		s := &d.list[k]
		for i := s.Start - 1; i < s.End; i++ {
			d.within[i] = int32(k)
		}
		d.nameLines[k] = t.nameLine(s)
		d.named[d.nameLines[k]] = k
		if head := t.headOf(s); head != d.nameLines[k] {
			d.headed[head] = k
		}
		d.byName[s.Name] = append(d.byName[s.Name], k)
	}
	return d
}

// around returns the index of the innermost declaration around line i, or -1.
func (d *declared) around(i int) int {
	if i < 0 || i >= len(d.within) {
		return -1
	}
	return int(d.within[i])
}

// before is the name of the last declaration that ends above line i, "" for
// none.
func (d *declared) before(i int) string {
	for i--; i >= 0 && i < len(d.within); i-- {
		if k := d.within[i]; k >= 0 {
			return d.list[k].Name
		}
	}
	return ""
}

// function returns the lines [start,end) of the innermost function around i.
func (d *declared) function(i int) (start, end int, ok bool) {
	if k := d.around(i); k >= 0 && d.list[k].Kind == "func" {
		return d.list[k].Start - 1, d.list[k].End, true
	}
	return 0, 0, false
}

// once returns the index of the only declaration of that name, or -1.
func (d *declared) once(name string) int {
	if ks := d.byName[name]; len(ks) == 1 {
		return ks[0]
	}
	return -1
}

// nameAt is the name of the innermost declaration around line i, "" for none.
func (d *declared) nameAt(i int) string {
	if k := d.around(i); k >= 0 {
		return d.list[k].Name
	}
	return ""
}

// nameLine finds the line that names a declaration: the first one below its
// annotations that holds the name.
func (t *text) nameLine(s *Symbol) int {
	name := baseName(s.Name)
	for i := s.Start - 1; i < min(s.End, s.Start+7); i++ {
		if holdsWord(t.raw[i], name) {
			return i
		}
	}
	return s.Start - 1
}

// headOf finds the first line of the comments and annotations right above a
// declaration.
func (t *text) headOf(s *Symbol) int {
	i := s.Start - 1
	for i > 0 && t.norm[i-1] != "" {
		if lead := t.shapeAt(i - 1).lead; lead != "//" && lead != "@" {
			break
		}
		i--
	}
	return i
}

func holdsWord(line, word string) bool {
	for from := 0; word != ""; {
		k := strings.Index(line[from:], word)
		if k < 0 {
			return false
		}
		k += from
		end := k + len(word)
		if (k == 0 || !wordByte(line[k-1])) && (end == len(line) || !wordByte(line[end])) {
			return true
		}
		from = k + 1
	}
	return false
}
