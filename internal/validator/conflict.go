package validator

import "bytes"

// The marks that git writes around the two sides of a conflict, at the start of
// a line. "=======" alone is also an underline in reStructuredText, so it counts
// only between the other two.
var (
	markOurs   = []byte("<<<<<<<")
	markSplit  = []byte("=======")
	markTheirs = []byte(">>>>>>>")
)

// conflictMarkers finds conflicts of which at least one line changed.
func conflictMarkers(f *file, in Input) []Failure {
	if !bytes.Contains(f.data, markOurs) || !bytes.Contains(f.data, markTheirs) {
		return nil
	}
	var fails []Failure
	open, split := 0, false
	f.eachLine(func(n int, line []byte) {
		switch {
		case isMark(line, markOurs):
			open, split = n, false
		case isMark(line, markSplit):
			split = open > 0
		case isMark(line, markTheirs) && split:
			if in.changed(f.path, open, n) {
				fails = append(fails, Failure{Path: f.path, Line: open, Message: "merge conflict that is not resolved"})
			}
			open, split = 0, false
		}
	})
	return fails
}

// isMark reports whether a line is a mark: exactly seven characters, then the
// end or a blank.
func isMark(line, mark []byte) bool {
	rest, ok := bytes.CutPrefix(line, mark)
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t')
}

// eachLine calls fn with every line, numbered from 1, without its end.
func (f *file) eachLine(fn func(n int, line []byte)) {
	n := 0
	for line := range bytes.SplitSeq(f.data, []byte{'\n'}) {
		n++
		fn(n, line)
	}
}
