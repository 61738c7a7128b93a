package rule

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Date is a day in UTC, written 2026-11-30. Dates order as texts do; "" is none
// and comes first.
type Date string

// DateOf returns the day of a time.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Plus returns the day some days later.
func (d Date) Plus(days int) Date {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return d
	}
	return DateOf(t.AddDate(0, 0, days))
}

func (d Date) check() error {
	if _, err := time.Parse(time.DateOnly, string(d)); err != nil {
		return fmt.Errorf("%q is no day; write 2026-11-30", string(d))
	}
	return nil
}

// MarshalYAML writes the day without quotes.
func (d Date) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: string(d)}, nil
}

// Scope is a list of globs. In a file it may be one glob without a list.
type Scope []string

// UnmarshalYAML reads one glob or a list of them.
func (s *Scope) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*s = Scope{n.Value}
		if n.Tag == "!!null" {
			*s = nil
		}
		return nil
	}
	var list []string
	if err := n.Decode(&list); err != nil {
		return err
	}
	*s = list
	return nil
}

// MarshalYAML writes one glob as such.
func (s Scope) MarshalYAML() (any, error) {
	if len(s) == 1 {
		return s[0], nil
	}
	return []string(s), nil
}

// String returns the globs with blanks between them.
func (s Scope) String() string { return strings.Join(s, " ") }

// Citation is a place in the code that a rule rests on, written
// path:line@commit, or path:line@commit#hash with the fingerprint of the line.
type Citation struct {
	// Path is from the repository's root.
	Path string
	// Line is 1-based.
	Line int
	// Commit is where it was read, 7 to 64 hex digits.
	Commit string
	// Hash is finding.LineV1 of the line, so that it can be found again
	// without its commit; "" when the record does not have it.
	Hash string
}

// ParseCitation reads a citation.
func ParseCitation(s string) (Citation, error) {
	wrong := func(what string) (Citation, error) {
		return Citation{}, fmt.Errorf("citation %q: %s; write path:line@commit", s, what)
	}
	place, at, ok := cutLast(s, "@")
	if !ok {
		return wrong("it names no commit")
	}
	file, line, ok := cutLast(place, ":")
	if !ok {
		return wrong("it names no line")
	}
	commit, hash, hashed := strings.Cut(at, "#")
	n, err := strconv.Atoi(line)
	switch {
	case err != nil || n < 1 || strconv.Itoa(n) != line:
		return wrong("the line is a number from 1 on")
	case !hexDigits(commit, 7, 64):
		return wrong("the commit is 7 to 64 hex digits")
	case hashed && !hexDigits(hash, 16, 16):
		return wrong("the fingerprint is 16 hex digits")
	}
	if err := checkPath(file); err != nil {
		return wrong(err.Error())
	}
	return Citation{Path: file, Line: n, Commit: commit, Hash: hash}, nil
}

// checkPath refuses a path that cannot be in a repository.
func checkPath(p string) error {
	switch {
	case p == "" || strings.HasPrefix(p, "/") || strings.HasSuffix(p, "/"):
		return errors.New("the path is that of a file, from the repository's root")
	case strings.ContainsAny(p, "\x00\n\r"):
		return errors.New("a path is one line of text")
	}
	for _, part := range strings.Split(p, "/") {
		if part == "" || part == "." || part == ".." {
			return errors.New("the path holds an empty part, or dots alone as a part")
		}
	}
	return nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func hexDigits(s string, least, most int) bool {
	return len(s) >= least && len(s) <= most && strings.Trim(s, "0123456789abcdef") == ""
}

// String returns the citation as it is written.
func (c Citation) String() string {
	s := fmt.Sprintf("%s:%d@%s", c.Path, c.Line, c.Commit)
	if c.Hash != "" {
		s += "#" + c.Hash
	}
	return s
}

// UnmarshalYAML reads a citation.
func (c *Citation) UnmarshalYAML(n *yaml.Node) error {
	got, err := ParseCitation(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	*c = got
	return nil
}

// MarshalYAML writes a citation.
func (c Citation) MarshalYAML() (any, error) { return c.String(), nil }

// MarshalJSON writes a citation as in YAML.
func (c Citation) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }
