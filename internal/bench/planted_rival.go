package bench

import (
	"fmt"
	"slices"
	"strings"
)

// rivalPlace is a place as one of the simpler methods keeps it.
type rivalPlace struct {
	path string
	line int // from 1
	lost bool
	// print is the fingerprint of the place where the method has one; block
	// is the one of the lines around it.
	print, block string
}

// rival is a simpler way to follow a place, written from published descriptions.
type rival struct {
	name string
	// keep notes what the method remembers of a place.
	keep func(p *rivalPlace, lines []string)
	// follow finds the place in the head of a round.
	follow func(p *rivalPlace, c *plantedCase, n int) error
}

var rivals = []rival{
	{"same line", func(*rivalPlace, []string) {}, sameLine},
	{"hunk offset", func(*rivalPlace, []string) {}, hunkOffset},
	{"line hash with ordinal", keepOrdinal, byOrdinal},
	{"line and block hashes", keepBlock, byBlock},
}

// linesAt reads a file as lines without their ends; nil when it is not there.
func linesAt(v *plantedTree, path string) ([]string, error) {
	text, err := v.read(path)
	if err != nil || text == nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines, nil
}

// sameLine believes the path and the line that were reported first.
func sameLine(p *rivalPlace, c *plantedCase, n int) error {
	lines, err := linesAt(c.rounds[n].head, p.path)
	p.lost = len(lines) < p.line
	return err
}

// stepsTo are the changes a method sees: each commit, or one for a rewritten
// history.
func (c *plantedCase) stepsTo(n int) []plantedStep {
	if c.rounds[n].jump {
		return []plantedStep{c.jump(n-1, n)}
	}
	return c.rounds[n].steps
}

// hunkOffset shifts the line by what each commit adds and removes above it. A
// line inside a change is lost for good.
func hunkOffset(p *rivalPlace, c *plantedCase, n int) error {
	for _, s := range c.stepsTo(n) {
		if p.lost {
			return nil
		}
		hunks, to, ok, err := hunksOf(s, p.path)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		p.path = to
		at, inside := shift(hunks, p.line-1, 0)
		p.lost = to == "" || inside
		p.line = at + 1
	}
	return nil
}

// hunksOf compares a file before and after a step; false when the step leaves it
// alone, to is "" when it is gone.
func hunksOf(s plantedStep, path string) (hunks []lineHunk, to string, ok bool, err error) {
	i := slices.IndexFunc(s.files, func(f pathPair) bool { return f.old == path })
	if i < 0 {
		return nil, path, false, nil
	}
	if s.files[i].new == "" {
		return nil, "", true, nil
	}
	was, err := linesAt(s.from, path)
	if err != nil {
		return nil, "", false, err
	}
	is, err := linesAt(s.to, s.files[i].new)
	return lineHunks(was, is), s.files[i].new, true, err
}

// shift maps a line, counted from 0, over hunks; inside says that one comes
// within the given distance.
func shift(hunks []lineHunk, line, distance int) (at int, inside bool) {
	at = line
	for _, h := range hunks {
		if h.a0 <= line+distance && line-distance < h.a1 || h.a0 == h.a1 && distance > 0 && h.a0 > line-distance && h.a0 <= line+distance {
			inside = true
		}
		if h.a1 <= line {
			at = line + h.b1 - h.a1
		}
	}
	return at, inside
}

// renamed is where a file is at the end of a round, "" when it was deleted.
func (c *plantedCase) renamed(path string, n int) string {
	for _, s := range c.stepsTo(n) {
		for _, f := range s.files {
			if f.old == path {
				path = f.new
				break
			}
		}
	}
	return path
}

// ordinalPrint is the text of the next hundred characters without blanks, and
// how many places of the file above have the same.
func ordinalPrint(lines []string, line int) string {
	want := window100(lines, line)
	n := 0
	for i := range line {
		if window100(lines, i) == want {
			n++
		}
	}
	return fmt.Sprintf("%s:%d", want, n)
}

func window100(lines []string, from int) string {
	const size = 100
	var b strings.Builder
	for i := from; i < len(lines) && b.Len() < size; i++ {
		b.WriteString(strings.Join(strings.Fields(lines[i]), "") + "\n")
	}
	return b.String()[:min(size, b.Len())]
}

func keepOrdinal(p *rivalPlace, lines []string) { p.print = ordinalPrint(lines, p.line-1) }

// byOrdinal looks for the place with the same fingerprint in the same file.
func byOrdinal(p *rivalPlace, c *plantedCase, n int) error {
	to := c.renamed(p.path, n)
	lines, err := linesAt(c.rounds[n].head, to)
	if err != nil {
		return err
	}
	p.lost = true
	if lines == nil {
		return nil
	}
	p.path = to
	cut := strings.LastIndex(p.print, ":")
	want, number := p.print[:cut], p.print[cut+1:]
	count := 0
	for i := range lines {
		if window100(lines, i) != want {
			continue
		}
		if fmt.Sprint(count) == number {
			p.line, p.lost = i+1, false
			return nil
		}
		count++
	}
	return nil
}

// blockAt is the text of a line and five on each side, without blanks.
func blockAt(lines []string, line int) string {
	var b strings.Builder
	for i := max(line-5, 0); i <= min(line+5, len(lines)-1); i++ {
		b.WriteString(strings.Join(strings.Fields(lines[i]), "") + "\n")
	}
	return b.String()
}

func bare(line string) string { return strings.Join(strings.Fields(line), "") }

func keepBlock(p *rivalPlace, lines []string) {
	p.print, p.block = bare(lines[p.line-1]), blockAt(lines, p.line-1)
}

// byBlock takes the same line number with the same text, then a block that is
// there once, then the nearest line with the same text.
func byBlock(p *rivalPlace, c *plantedCase, n int) error {
	to := c.renamed(p.path, n)
	lines, err := linesAt(c.rounds[n].head, to)
	if err != nil {
		return err
	}
	p.lost = true
	if lines == nil {
		return nil
	}
	p.path = to
	at := -1
	if p.line <= len(lines) && bare(lines[p.line-1]) == p.print {
		at = p.line - 1
	} else if at = onlyBlock(lines, p.block); at < 0 {
		at = nearest(lines, p.print, p.line-1)
	}
	if at >= 0 {
		p.line, p.lost = at+1, false
		keepBlock(p, lines)
	}
	return nil
}

// onlyBlock is the line in the middle of a block that is there once, else -1.
func onlyBlock(lines []string, block string) int {
	at := -1
	for i := range lines {
		if blockAt(lines, i) != block {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// nearest is the line of a text that is closest to another line, -1 for none.
func nearest(lines []string, text string, line int) int {
	at := -1
	for i, l := range lines {
		if bare(l) == text && (at < 0 || abs(i-line) < abs(at-line)) {
			at = i
		}
	}
	return at
}
