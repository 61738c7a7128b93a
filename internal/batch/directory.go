package batch

import "strings"

// directory is where a file is. Its segments are numbers, which makes comparing
// two cheap.
type directory struct {
	path     string
	segments []int
}

// directories number the names of folders, so that equal names have equal
// numbers.
type directories map[string]int

// of returns the directory with this path.
func (ds directories) of(p string) directory {
	d := directory{path: p}
	if p == "." {
		return d
	}
	for name := range strings.SplitSeq(p, "/") {
		n, ok := ds[name]
		if !ok {
			n = len(ds)
			ds[name] = n
		}
		d.segments = append(d.segments, n)
	}
	return d
}

// directoryOf returns the directory of a file, "." for the root.
func directoryOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i > 0 {
		return p[:i]
	}
	return "."
}

// similarity says how near two directories are, in [0,1]: twice the length of
// the longest common subsequence of their segments over the sum of their
// lengths. It is symmetric, and 1 for a directory and itself alone. A tree of
// tests that mirrors the code is near it, although they part early:
// src/main/java/shop and src/test/java/shop are .75 alike.
func (d directory) similarity(o directory) float64 {
	if d.path == o.path {
		return 1
	}
	return 2 * float64(commonSubsequence(d.segments, o.segments)) / float64(len(d.segments)+len(o.segments))
}

// reach is the most that similarity can be for two directories of these depths.
func (d directory) reach(o directory) float64 {
	if len(d.segments) == len(o.segments) {
		return 1
	}
	return 2 * float64(min(len(d.segments), len(o.segments))) / float64(len(d.segments)+len(o.segments))
}

// commonSubsequence is the length of the longest one.
func commonSubsequence(a, b []int) int {
	if len(a) < len(b) {
		a, b = b, a
	}
	var small [16]int
	row := small[:]
	if len(b) >= len(row) {
		row = make([]int, len(b)+1)
	}
	for _, x := range a {
		diagonal := 0
		for i, y := range b {
			above := row[i+1]
			if x == y {
				row[i+1] = diagonal + 1
			} else {
				row[i+1] = max(above, row[i])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
