package review

import (
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// What a finder sees of a changed file besides its diff, in lines: this much
// above and below a hunk, the whole declaration around it where that is not too
// long, and the whole file where it is short.
const (
	aroundLines       = 30
	aroundDeclaration = 200
	aroundWhole       = 300
)

// around renders the code near the hunks of one file, numbered, with gaps
// marked. Lines that the diff shows already are repeated: a model reads whole
// code better than pieces.
func around(path string, text []byte, hunks []diff.Hunk) string {
	lines := splitLines(text)
	show := make([]bool, len(lines)+1)
	mark := func(from, to int) {
		for n := max(1, from); n <= min(len(lines), to); n++ {
			show[n] = true
		}
	}
	if len(lines) <= aroundWhole {
		mark(1, len(lines))
	} else {
		symbols := relocate.Symbols(path, text)
		for _, h := range hunks {
			first, last := h.NewStart, h.NewStart+h.NewLines
			mark(first-aroundLines, last+aroundLines)
			for _, at := range []int{first, last - 1} {
				if s, ok := relocate.Enclosing(symbols, at); ok && s.End-s.Start < aroundDeclaration {
					mark(s.Start, s.End)
				}
			}
		}
	}
	return render(lines, show)
}

// render writes the marked lines, numbered, and a mark where some are left out.
func render(lines []string, show []bool) string {
	var b strings.Builder
	last := 0
	for n := 1; n <= len(lines); n++ {
		if !show[n] {
			continue
		}
		if n != last+1 {
			b.WriteString("      …\n")
		}
		last = n
		fmt.Fprintf(&b, "%5d  %s\n", n, clipLine(lines[n-1]))
	}
	return b.String()
}
