package rule

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Standing is what became of cited code.
type Standing string

// The standings of a citation.
const (
	// Holds: the line is where it was.
	Holds Standing = "holds"
	// Moved: the same line is elsewhere now.
	Moved Standing = "moved"
	// Gone: no such line is left, so what the rule rests on is not known to
	// be true any more.
	Gone Standing = "gone"
	// Unchecked: neither the commit nor a fingerprint is there to compare
	// with, and the file is.
	Unchecked Standing = "unchecked"
)

// Cited is one citation with what became of its code.
type Cited struct {
	Citation Citation
	Standing Standing
	// Now is where the code is, when it holds or moved.
	Now Citation
}

// Code is what citations are held against.
type Code struct {
	// Tree is the repository's files at Commit.
	Tree   fs.FS
	Commit string
	// Files are the paths of the tree.
	Files []string
	// At reads a file of an older commit. It is asked only for citations
	// without a fingerprint; nil, and any error, mean that it is not there.
	At func(commit, path string) ([]byte, error)
}

// maxSearched bounds in how many other files a line is looked for.
const maxSearched = 200

// Cite returns a citation of a line of the tree, with its fingerprint. A line
// without a letter or a digit says nothing and is refused.
func (c Code) Cite(file string, line int) (Citation, error) {
	lines := c.lines(file)
	switch {
	case lines == nil:
		return Citation{}, fmt.Errorf("cite %s:%d: there is no such file", file, line)
	case line < 1 || line > len(lines):
		return Citation{}, fmt.Errorf("cite %s:%d: the file has %d lines", file, line, len(lines))
	}
	cite := Citation{Path: file, Line: line, Commit: c.Commit, Hash: fingerprint(lines[line-1])}
	if cite.Hash == "" {
		return Citation{}, fmt.Errorf("cite %s:%d: the line holds no letter and no digit; cite one that says something", file, line)
	}
	return ParseCitation(cite.String())
}

// Recheck holds every citation of a rule against the code: in its own line,
// elsewhere in the file, then in other files of the name or the folder, where
// only a single hit counts.
func (c Code) Recheck(r Rule) []Cited {
	cited := make([]Cited, len(r.Cites))
	for i, cite := range r.Cites {
		cited[i] = c.recheck(cite)
	}
	return cited
}

// Stale reports whether a rule rests on code that is gone. Such a rule is kept
// from the judge and listed for people to look at.
func Stale(cited []Cited) bool {
	for _, c := range cited {
		if c.Standing == Gone {
			return true
		}
	}
	return false
}

func (c Code) recheck(cite Citation) Cited {
	lines := c.lines(cite.Path)
	want := c.wanted(cite)
	if want == "" {
		if lines == nil {
			return Cited{cite, Gone, Citation{}}
		}
		return Cited{cite, Unchecked, Citation{}}
	}
	now := Citation{Path: cite.Path, Line: cite.Line, Commit: c.Commit, Hash: want}
	if cite.Line <= len(lines) && fingerprint(lines[cite.Line-1]) == want {
		return Cited{cite, Holds, now}
	}
	if hits := find(lines, want); len(hits) > 0 {
		now.Line = nearest(hits, cite.Line)
		return Cited{cite, Moved, now}
	}
	if at, ok := c.elsewhere(cite.Path, want); ok {
		now.Path, now.Line = at.Path, at.Line
		return Cited{cite, Moved, now}
	}
	return Cited{cite, Gone, Citation{}}
}

// wanted is the fingerprint of the cited line, "" when nothing tells it.
func (c Code) wanted(cite Citation) string {
	if cite.Hash != "" || c.At == nil {
		return cite.Hash
	}
	old, err := c.At(cite.Commit, cite.Path)
	if err != nil {
		return ""
	}
	lines := split(old)
	if cite.Line > len(lines) {
		return ""
	}
	return fingerprint(lines[cite.Line-1])
}

// fingerprint is finding.LineV1 of a line that says something, else "": a brace
// is everywhere.
func fingerprint(line string) string {
	if !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return finding.LineV1(line)
}

// elsewhere looks for the one line in other files.
func (c Code) elsewhere(file, want string) (Citation, bool) {
	var hits []Citation
	searched := 0
	for _, other := range c.Files {
		near := path.Base(other) == path.Base(file) || path.Dir(other) == path.Dir(file)
		if other == file || !near {
			continue
		}
		if searched++; searched > maxSearched {
			break
		}
		for _, n := range find(c.lines(other), want) {
			hits = append(hits, Citation{Path: other, Line: n})
		}
	}
	if len(hits) != 1 {
		return Citation{}, false
	}
	return hits[0], true
}

// lines returns the lines of a file of the tree, nil when it is not there.
func (c Code) lines(file string) []string {
	text, err := fs.ReadFile(c.Tree, file)
	if err != nil {
		return nil
	}
	return split(text)
}

// split returns the lines of a file without a byte order mark.
func split(text []byte) []string {
	return strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
}

// find returns the numbers of the lines with a fingerprint.
func find(lines []string, want string) []int {
	var hits []int
	for i, l := range lines {
		if fingerprint(l) == want {
			hits = append(hits, i+1)
		}
	}
	return hits
}

func nearest(hits []int, line int) int {
	best := hits[0]
	for _, h := range hits[1:] {
		if max(h-line, line-h) < max(best-line, line-best) {
			best = h
		}
	}
	return best
}
