package validator

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Output says what a script or command prints.
type Output string

// The outputs.
const (
	// Auto is SARIF when standard output begins with "{" and lines
	// otherwise.
	Auto Output = "auto"
	// Lines is "path:line: message" or "path:line:column: message".
	Lines Output = "lines"
	// SARIF is one SARIF 2.1.0 log on standard output.
	SARIF Output = "sarif"
	// ExitOnly takes the exit status alone; for commands.
	ExitOnly Output = "exit"
)

// places turns the paths that a tool prints into paths of the tree.
type places struct {
	// roots are the directories, absolute, that a path may be in.
	roots []string
	// dir is where the tool ran, relative to the root, "" for the root.
	dir   string
	known map[string]bool
}

func newPlaces(files []string, dir string, roots ...string) places {
	p := places{dir: dir, known: make(map[string]bool, len(files))}
	for _, f := range files {
		p.known[f] = true
	}
	for _, r := range roots {
		if r = filepath.ToSlash(r); r != "" && !slices.Contains(p.roots, r) {
			p.roots = append(p.roots, r)
		}
	}
	return p
}

// find returns the tree's path for a printed one, or false when it names no
// file of the tree. A relative path is first taken from where the tool ran, then
// from the root: tools differ.
func (p places) find(printed string) (string, bool) {
	printed = strings.ReplaceAll(printed, `\`, "/")
	if p.known[printed] && p.dir == "" {
		return printed, true
	}
	if path.IsAbs(printed) {
		for _, r := range p.roots {
			if rel, ok := strings.CutPrefix(path.Clean(printed), strings.TrimSuffix(r, "/")+"/"); ok && p.known[rel] {
				return rel, true
			}
		}
		return "", false
	}
	for _, candidate := range []string{path.Join(p.dir, printed), path.Clean(printed)} {
		if p.known[candidate] {
			return candidate, true
		}
	}
	return "", false
}

// place makes a failure at a printed place. One that names no file of the tree
// is kept without a path, and its message says so.
func (p places) place(printed string, line, column int, message string) Failure {
	if file, ok := p.find(printed); ok {
		return Failure{Path: file, Line: line, Column: column, Message: message}
	}
	at := printed
	if line > 0 {
		at = fmt.Sprintf("%s:%d", printed, line)
	}
	return Failure{Message: fmt.Sprintf("%s (at %s, which is no file of the tree)", message, at)}
}

var (
	lineNumber = regexp.MustCompile(`:(\d{1,9})(?::(\d{1,9}))?:(?: |\t|$)`)
	ansi       = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
)

// parseLines reads "path:line: message" lines; all others are the tool's own
// talk and are left out. says stands in for an empty message.
func (p places) parseLines(output, says string) []Failure {
	var fails []Failure
	for line := range strings.SplitSeq(output, "\n") {
		line = strings.TrimRight(ansi.ReplaceAllString(line, ""), " \t\r")
		if f, ok := p.parseLine(line, says); ok {
			fails = append(fails, f)
		}
	}
	return fails
}

// parseLine splits one line. Paths may hold colons, so of several ways to split
// the one whose path is a file of the tree wins, and then the first.
func (p places) parseLine(line, says string) (Failure, bool) {
	var first *Failure
	for at := 0; at < len(line); {
		m := lineNumber.FindStringSubmatchIndex(line[at:])
		if m == nil {
			break
		}
		printed := line[:at+m[0]]
		number, err := strconv.Atoi(line[at+m[2] : at+m[3]])
		column := 0
		if m[4] >= 0 {
			column, _ = strconv.Atoi(line[at+m[4] : at+m[5]]) // nine digits at most
		}
		message := strings.TrimSpace(line[at+m[1]:])
		at += m[0] + 1
		if err != nil || printed == "" || strings.TrimSpace(printed) != printed {
			continue
		}
		if message == "" {
			message = says
		}
		f := p.place(printed, number, column, message)
		if f.Path != "" {
			return f, true
		}
		if first == nil {
			first = &f
		}
	}
	if first == nil {
		return Failure{}, false
	}
	return *first, true
}
