package learn

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Place is a piece of code that exists.
type Place struct {
	Path string
	// Line is its first line, 1-based.
	Line int
	// Commit is where it stands.
	Commit string
	// Base is true when it stands in the base as well: only that can support a
	// claim, since a pull request can write whatever it wants to be quoted.
	Base bool
	// Text is the line.
	Text string
}

// Excerpt is code that a claim is checked against.
type Excerpt struct {
	Path string
	// Side is "base" or "head".
	Side string
	// Start is the number of the first line.
	Start int
	Lines []string
}

// String renders the excerpt with line numbers.
func (e Excerpt) String() string {
	var b strings.Builder
	for i, l := range e.Lines {
		fmt.Fprintf(&b, "%5d  %s\n", e.Start+i, l)
	}
	return b.String()
}

// Corpus is where code is looked for.
type Corpus struct {
	Base, Head fs.FS
	// Files are the text files of the base, Changed those that the pull
	// request adds or changes.
	Files, Changed []string
	// Near is the file that the conversation is about; what is close to it is
	// looked at first.
	Near string
}

// The bounds of a search: a reply costs no more than a small review request,
// whatever it asks for.
const (
	maxSearched = 2000
	maxRead     = 24 << 20
	maxFile     = 1 << 20
	maxHits     = 6
	around      = 6
	below       = 24
	maxLine     = 240
)

// Search returns the code that bears on a claim: first where its names are
// declared, then where they are used, near the conversation first. The same
// claim and code give the same answer.
func Search(c Claim, in Corpus) []Excerpt {
	terms := c.Terms()
	if len(terms) == 0 {
		return nil
	}
	var patterns []*regexp.Regexp
	for _, t := range terms {
		patterns = append(patterns, wordOf(lastPart(t)))
	}
	s := searcher{patterns: patterns, left: maxRead}
	for _, p := range nearest(in.Changed, in.Near) {
		s.file(in.Head, "head", p)
	}
	for _, p := range nearest(in.Files, in.Near) {
		if !slices.Contains(in.Changed, p) {
			s.file(in.Base, "base", p)
		}
	}
	slices.SortStableFunc(s.hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
	return excerpts(s.hits)
}

// wordOf matches a term as a word. A word of a sentence is matched in any case
// and by its beginning.
func wordOf(term string) *regexp.Regexp {
	p := regexp.QuoteMeta(term)
	if strings.ToLower(term) == term {
		return regexp.MustCompile(`(?i)(?:^|[^A-Za-z0-9])` + p)
	}
	return regexp.MustCompile(`(?:^|[^A-Za-z0-9_])` + p + `(?:[^A-Za-z0-9_]|$)`)
}

// nearest orders files by how close they are to one: itself, its folder, its
// type, the rest.
func nearest(files []string, near string) []string {
	rank := func(p string) int {
		switch {
		case p == near:
			return 0
		case path.Dir(p) == path.Dir(near):
			return 1
		case path.Ext(p) == path.Ext(near):
			return 2
		}
		return 3
	}
	out := slices.Clone(files)
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b)) })
	return out[:min(len(out), maxSearched)]
}

type hit struct {
	rank       int
	path, side string
	line       int
	lines      []string
}

type searcher struct {
	patterns []*regexp.Regexp
	hits     []hit
	left     int
}

var declares = regexp.MustCompile(`(?i)\b(?:func|function|def|class|type|interface|struct|const|var|let|fn|impl|trait|enum|module|package|import|require|use|route|group|handle)\b`)

// file looks through one file. Binary files and huge ones are passed over.
func (s *searcher) file(tree fs.FS, side, p string) {
	info, err := fs.Stat(tree, p)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile || int(info.Size()) > s.left {
		return
	}
	text, err := fs.ReadFile(tree, p)
	if err != nil || !utf8.Valid(text) || slices.Contains(text, 0) {
		return
	}
	s.left -= len(text)
	var lines []string
	found := 0
	for n, pattern := range s.patterns {
		if !pattern.Match(text) {
			continue
		}
		if lines == nil {
			lines = strings.Split(string(text), "\n")
		}
		for i, l := range lines {
			if found == maxHits || !pattern.MatchString(l) {
				continue
			}
			found++
			rank := 2*n + 1
			if declares.MatchString(l) {
				rank = 2 * n
			}
			s.hits = append(s.hits, hit{rank: rank, path: p, side: side, line: i + 1, lines: lines})
		}
	}
}

// excerpts cuts the code around the best hits; one excerpt shows a line once.
func excerpts(hits []hit) []Excerpt {
	var out []Excerpt
	for _, h := range hits {
		if len(out) == maxHits {
			break
		}
		shown := slices.ContainsFunc(out, func(e Excerpt) bool {
			return e.Path == h.path && e.Start <= h.line && h.line < e.Start+len(e.Lines)
		})
		if shown {
			continue
		}
		from, to := max(0, h.line-1-around), min(len(h.lines), h.line+below)
		e := Excerpt{Path: h.path, Side: h.side, Start: from + 1}
		for _, l := range h.lines[from:to] {
			e.Lines = append(e.Lines, strings.ToValidUTF8(l[:min(len(l), maxLine)], ""))
		}
		out = append(out, e)
	}
	return out
}
