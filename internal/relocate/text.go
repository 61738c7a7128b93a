package relocate

import (
	"slices"
	"strings"
)

// text is one version of a file, cut into lines, with what the layers compare
// precomputed or computed on first use.
type text struct {
	path string
	// stem is a word of this version that became another one by a rename of
	// the file; both are left out when lines are compared.
	stem string
	raw  []string // without line ends
	norm []string // without blanks
	// alnum counts the letters and digits of each line. A line with at least
	// one is significant.
	alnum []int
	pairs [][]uint16
	words [][]wordCount
	// shapes, statements, heads and decls are filled on first use.
	shapes     []shape
	statements map[int][]uint16
	heads      map[int][]uint16
	decls      *declared
}

// newText cuts contents at newlines. A "\r" before the newline and a byte order
// mark are dropped; a last line without a newline counts.
func newText(path string, contents []byte) *text {
	s := strings.TrimPrefix(string(contents), "\ufeff")
	t := &text{path: path}
	if s != "" {
		t.raw = strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	}
	n := len(t.raw)
	t.norm = make([]string, n)
	t.alnum = make([]int, n)
	t.pairs = make([][]uint16, n)
	t.words = make([][]wordCount, n)
	for i, l := range t.raw {
		t.raw[i] = strings.TrimSuffix(l, "\r")
		t.norm[i] = normalize(l)
		t.alnum[i] = alnums(l)
	}
	return t
}

func (t *text) len() int { return len(t.raw) }

func (t *text) contents() []byte { return []byte(strings.Join(t.raw, "\n")) }

// normalize drops spaces, tabs and other ASCII blanks, as git diff -w does.
func normalize(line string) string {
	if !strings.ContainsAny(line, " \t\r\v\f") {
		return line
	}
	b := make([]byte, 0, len(line))
	for i := range len(line) {
		if !blank(line[i]) {
			b = append(b, line[i])
		}
	}
	return string(b)
}

func blank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

func alnums(line string) int {
	n := 0
	for i := range len(line) {
		if alphanumeric(line[i]) {
			n++
		}
	}
	return n
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// maxLine bounds how much of one line is compared; minified lines are longer.
const maxLine = 400

// pairsOf returns the sorted byte pairs of a normalised line, lower case.
func pairsOf(norm string) []uint16 {
	if len(norm) > maxLine {
		norm = norm[:maxLine]
	}
	if len(norm) < 2 {
		return []uint16{}
	}
	p := make([]uint16, len(norm)-1)
	for i := range p {
		p[i] = uint16(lower(norm[i]))<<8 | uint16(lower(norm[i+1]))
	}
	slices.Sort(p)
	return p
}

func (t *text) pairsAt(i int) []uint16 {
	if t.pairs[i] == nil {
		t.pairs[i] = pairsOf(t.comparable(i))
	}
	return t.pairs[i]
}

// comparable is line i without blanks, with the name of its file replaced.
func (t *text) comparable(i int) string {
	if t.stem == "" || !strings.Contains(t.norm[i], t.stem) {
		return t.norm[i]
	}
	return strings.ReplaceAll(t.norm[i], t.stem, "~")
}

// dice is the share of common members of two sorted multisets, 0 to 1. It is 0
// at once when the sizes alone keep it below floor.
func dice(a, b []uint16, floor float64) float64 {
	n := len(a) + len(b)
	if n == 0 || float64(2*min(len(a), len(b))) < floor*float64(n) {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(2*common) / float64(n)
}

// similarity compares line i of a with line j of b without blanks, 0 to 1.
func similarity(a *text, i int, b *text, j int, floor float64) float64 {
	if a.norm[i] == b.norm[j] {
		return 1
	}
	return dice(a.pairsAt(i), b.pairsAt(j), floor)
}
