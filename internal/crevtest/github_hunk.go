package crevtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// hunk is what GitHub shows of a change: the changed lines and three lines of
// context around them, as ranges on both sides. A length of 0 means that the
// side has no line.
type hunk struct {
	oldStart, oldLen int
	newStart, newLen int
	text             string
}

// fileDiff is one changed file of a pull request.
type fileDiff struct {
	status           string
	oldPath, path    string
	hunks            []hunk
	added, removed   int
	patch            string
	oldBlob, newBlob string
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// diff returns what changed between two commits with some lines of context.
func (r *bareRepo) diff(from, to string, context int) ([]fileDiff, error) {
	raw, err := r.git("diff", "--raw", "-z", "-M", "--no-abbrev", from, to)
	if err != nil {
		return nil, err
	}
	files, err := parseRaw(raw)
	if err != nil {
		return nil, err
	}
	text, err := r.git("diff", "-U"+strconv.Itoa(context), "-M", "--no-color", "--no-ext-diff", from, to)
	if err != nil {
		return nil, err
	}
	// Both list the files in the same order, so that the patch's quoted
	// names need no parsing.
	sections := strings.Split("\n"+text, "\ndiff --git ")[1:]
	if len(sections) != len(files) {
		return nil, fmt.Errorf("diff %s %s: %d files and %d patches", from, to, len(files), len(sections))
	}
	for i, section := range sections {
		files[i].parsePatch(section)
	}
	return files, nil
}

func parseRaw(raw string) ([]fileDiff, error) {
	var files []fileDiff
	fields := strings.Split(raw, "\x00")
	names := map[byte]string{'A': "added", 'M': "modified", 'D': "removed", 'R': "renamed", 'C': "copied", 'T': "changed"}
	for i := 0; i+1 < len(fields); {
		meta := strings.Fields(fields[i])
		if len(meta) != 5 {
			return nil, fmt.Errorf("raw diff line %q", fields[i])
		}
		f := fileDiff{status: names[meta[4][0]], oldBlob: meta[2], newBlob: meta[3]}
		f.oldPath, f.path = fields[i+1], fields[i+1]
		i += 2
		if f.status == "renamed" || f.status == "copied" {
			f.path = fields[i]
			i++
		}
		files = append(files, f)
	}
	return files, nil
}

func (f *fileDiff) parsePatch(section string) {
	var current *hunk
	for _, line := range strings.Split(section, "\n") {
		if m := hunkHeader.FindStringSubmatch(line); m != nil {
			number := func(s string) int {
				if s == "" {
					return 1
				}
				n, err := strconv.Atoi(s)
				if err != nil {
					return 0
				}
				return n
			}
			f.hunks = append(f.hunks, hunk{
				oldStart: number(m[1]), oldLen: number(m[2]),
				newStart: number(m[3]), newLen: number(m[4]), text: line,
			})
			current = &f.hunks[len(f.hunks)-1]
			continue
		}
		if current == nil {
			continue
		}
		switch {
		case strings.HasPrefix(line, "+"):
			f.added++
		case strings.HasPrefix(line, "-"):
			f.removed++
		}
		current.text += "\n" + line
	}
	var parts []string
	for _, h := range f.hunks {
		parts = append(parts, strings.TrimSuffix(h.text, "\n"))
	}
	f.patch = strings.Join(parts, "\n")
}

// hunkAt returns the index of the hunk that shows a line of a side, or -1.
func (f *fileDiff) hunkAt(side string, line int) int {
	for i, h := range f.hunks {
		start, n := h.newStart, h.newLen
		if side == "LEFT" {
			start, n = h.oldStart, h.oldLen
		}
		if line >= start && line < start+n {
			return i
		}
	}
	return -1
}

// follow says where a line of the old version of a file is in the new one,
// given their difference without context; ok is false when it was changed.
func follow(files []fileDiff, path string, line int) (newLine int, ok bool) {
	for _, f := range files {
		if f.oldPath != path || f.status == "copied" {
			continue
		}
		if f.status == "removed" || f.status == "renamed" {
			// GitHub keeps a comment at its path.
			return 0, false
		}
		shift := 0
		for _, h := range f.hunks {
			if h.oldLen > 0 && line >= h.oldStart && line < h.oldStart+h.oldLen {
				return 0, false
			}
			// A hunk that only adds stands after its old line.
			if h.oldLen > 0 && line >= h.oldStart || h.oldLen == 0 && line > h.oldStart {
				shift += h.newLen - h.oldLen
			}
		}
		return line + shift, true
	}
	return line, true
}
