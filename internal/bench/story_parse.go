package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

// scriptName is the file of the archive that holds everything but code.
const scriptName = "story.yaml"

// maxRounds and maxBaseCommits bound what one story may ask of a repository.
const (
	maxRounds      = 20
	maxBaseCommits = 200
)

// storyScript is story.yaml.
type storyScript struct {
	Adjudicator string                  `yaml:"adjudicator"`
	Defects     map[string]*StoryDefect `yaml:"defects"`
	Rounds      []*Round                `yaml:"rounds"`
}

// ReadStories parses every archive in a folder, in the order of their names.
func ReadStories(fsys fs.FS) ([]*Story, error) {
	names, err := fs.Glob(fsys, "*.txtar")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("there is no story: a story is a file that ends in .txtar")
	}
	var out []*Story
	for _, name := range names {
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read story %s: %w", name, err)
		}
		s, err := ParseStory(strings.TrimSuffix(path.Base(name), ".txtar"), b)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// ParseStory decodes one archive and works out what tree each round has. What a
// story says of the code has to be in the code: a quote, a place or a path that
// is not there is an error.
func ParseStory(name string, text []byte) (*Story, error) {
	s := &Story{Name: name, Base: Tree{}}
	if err := s.parse(text); err != nil {
		return nil, fmt.Errorf("story %s: %w", name, err)
	}
	return s, nil
}

func (s *Story) parse(text []byte) error {
	ar := txtar.Parse(text)
	if s.Tells = strings.TrimSpace(string(ar.Comment)); s.Tells == "" {
		return errors.New("it begins with a comment that tells what happens; there is none")
	}
	i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == scriptName })
	if i < 0 {
		return fmt.Errorf("there is no %s", scriptName)
	}
	if err := s.readScript(ar.Files[i].Data); err != nil {
		return fmt.Errorf("%s: %w", scriptName, err)
	}
	for _, f := range slices.Delete(ar.Files, i, i+1) {
		if err := s.take(f); err != nil {
			return err
		}
	}
	if len(s.Base) == 0 {
		return errors.New("there is no file under base/")
	}
	if err := s.grow(); err != nil {
		return err
	}
	for _, r := range s.Rounds {
		if err := s.settle(r); err != nil {
			return fmt.Errorf("round %d: %w", r.Number, err)
		}
	}
	return s.distinct()
}

func (s *Story) readScript(text []byte) error {
	var sc storyScript
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&sc); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("more than one YAML document; keep the first")
	}
	s.Adjudicator, s.Defects, s.Rounds = sc.Adjudicator, sc.Defects, sc.Rounds
	switch s.Adjudicator {
	case "":
		s.Adjudicator = "oracle"
	case "oracle", "unsure":
	default:
		return fmt.Errorf("adjudicator %q: want oracle or unsure", s.Adjudicator)
	}
	if len(s.Defects) == 0 {
		return errors.New("there are no defects")
	}
	for name, d := range s.Defects {
		if d == nil || d.Category == "" || d.Severity == "" {
			return fmt.Errorf("defect %s: it needs a category and a severity", name)
		}
	}
	if len(s.Rounds) == 0 || len(s.Rounds) > maxRounds {
		return fmt.Errorf("%d rounds; want 1 to %d", len(s.Rounds), maxRounds)
	}
	for i, r := range s.Rounds {
		if r == nil || strings.TrimSpace(r.Says) == "" {
			return fmt.Errorf("round %d: says, the commit's message, is empty", i+1)
		}
		r.Number, r.Files, r.BaseFiles = i+1, Tree{}, Tree{}
	}
	return nil
}

// take puts one file of the archive where its path says: base/…, 2/… or
// 2.base/….
func (s *Story) take(f txtar.File) error {
	folder, rest, ok := strings.Cut(f.Name, "/")
	if !ok || !fs.ValidPath(f.Name) {
		return fmt.Errorf("file %q: want base/PATH, N/PATH or N.base/PATH", f.Name)
	}
	into := s.Base
	if folder != "base" {
		number, ofBase := strings.CutSuffix(folder, ".base")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(s.Rounds) {
			return fmt.Errorf("file %q: there is no round %q", f.Name, number)
		}
		into = s.Rounds[n-1].Files
		if ofBase {
			into = s.Rounds[n-1].BaseFiles
		}
	}
	if _, twice := into[rest]; twice {
		return fmt.Errorf("file %q is there twice", f.Name)
	}
	into[rest] = string(f.Data)
	return nil
}

// settle checks what a round says against its tree and fills in what it leaves
// out.
func (s *Story) settle(r *Round) error {
	for _, name := range sortedNames(r.Truth) {
		if err := s.settleTruth(r, name, r.Truth[name]); err != nil {
			return fmt.Errorf("truth of %s: %w", name, err)
		}
	}
	for _, name := range sortedNames(s.Defects) {
		if r.Number > 1 && s.Rounds[r.Number-2].Truth[name] != nil && r.Truth[name] == nil {
			return fmt.Errorf("truth of %s: the round before has it; say what is true now", name)
		}
	}
	for i := range r.Findings {
		if err := s.settleClaim(r, &r.Findings[i]); err != nil {
			return fmt.Errorf("finding %d: %w", i+1, err)
		}
	}
	for _, name := range sortedNames(r.Checks) {
		if err := s.settleChecks(r, name); err != nil {
			return fmt.Errorf("checks of %s: %w", name, err)
		}
	}
	for _, p := range r.Fails {
		if _, ok := r.Tree[p]; !ok {
			return fmt.Errorf("fails: there is no file %s", p)
		}
	}
	return nil
}

func (s *Story) settleTruth(r *Round, name string, c *Condition) error {
	if s.Defects[name] == nil {
		return errors.New("there is no such defect")
	}
	if c == nil {
		return errors.New("it is empty")
	}
	switch {
	case !c.Is.inCode() && c.Is != Fixed && c.Is != Vanished:
		return fmt.Errorf("is %q: want alive, partly, fixed, gone or back", c.Is)
	case (c.Is == Partly) != (c.Of != 0) || c.Is == Partly && (c.Met < 1 || c.Met >= c.Of):
		return fmt.Errorf("met %d of %d: partly, and nothing else, counts criteria, and some but not all are met", c.Met, c.Of)
	case c.Is == Partly && c.Of != max(1, len(s.Defects[name].Criteria)):
		return fmt.Errorf("of %d: the defect has %d criteria", c.Of, len(s.Defects[name].Criteria))
	case c.Is != Fixed && (c.By != 0 || c.Unproven):
		return errors.New("by and unproven belong to a fix")
	case c.By != 0 && (c.By < r.Number || c.By > len(s.Rounds)):
		return fmt.Errorf("by %d: want this round or a later one of the story", c.By)
	case c.Is == Returned && !s.wasAway(r, name):
		return errors.New("it is back, and was neither fixed nor gone before")
	case !c.Is.inCode():
		if c.Code != "" || c.Path != "" {
			return errors.New("a defect that is not in the code has no place")
		}
		return nil
	}
	line, err := find(r.Tree, c.Path, c.Code, c.Nth)
	c.Line = line
	return err
}

// wasAway reports whether a defect was fixed or gone in the round before.
func (s *Story) wasAway(r *Round, name string) bool {
	if r.Number == 1 {
		return false
	}
	c := s.Rounds[r.Number-2].Truth[name]
	return c != nil && !c.Is.inCode()
}

func (s *Story) settleClaim(r *Round, c *Claim) error {
	d := s.Defects[c.Defect]
	if d == nil {
		return fmt.Errorf("defect %q: there is no such defect", c.Defect)
	}
	if strings.TrimSpace(c.Says) == "" {
		return errors.New("says, the claim, is empty")
	}
	if c.By == "" {
		c.By = "code"
	}
	if c.Category == "" {
		c.Category = d.Category
	}
	if c.Severity == "" {
		c.Severity = d.Severity
	}
	if t := r.Truth[c.Defect]; t != nil && t.Is.inCode() {
		if c.Path == "" {
			c.Path = t.Path
		}
		if c.Quote == "" && c.Path == t.Path {
			c.Quote, c.line = strings.Split(r.Tree[t.Path], "\n")[t.Line-1], t.Line
			if c.Hint == 0 && t.Nth != 0 {
				c.Hint = t.Line
			}
			return nil
		}
	}
	first, _, _ := strings.Cut(c.Quote, "\n")
	nth := 0
	if c.Hint != 0 {
		nth = 1
	}
	line, err := find(r.Tree, c.Path, first, nth)
	c.line = max(line, c.Hint)
	return err
}

func (s *Story) settleChecks(r *Round, name string) error {
	d := s.Defects[name]
	if d == nil {
		return errors.New("there is no such defect")
	}
	if want := max(1, len(d.Criteria)); len(r.Checks[name]) != want {
		return fmt.Errorf("%d entries; the defect has %d criteria", len(r.Checks[name]), want)
	}
	for i, c := range r.Checks[name] {
		if !slices.Contains([]string{"passed", "failed", "inconclusive"}, c.Outcome) {
			return fmt.Errorf("outcome %q: want passed, failed or inconclusive", c.Outcome)
		}
		if c.Quote == "" {
			continue
		}
		if _, err := find(r.Tree, c.Path, c.Quote, 1); err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return nil
}

// distinct refuses two defects that a reader could not tell apart: the same
// words and the same criteria.
func (s *Story) distinct() error {
	said := map[string]string{}
	for _, r := range s.Rounds {
		for _, c := range r.Findings {
			key := c.Says + "\x00" + strings.Join(s.Defects[c.Defect].Criteria, "\x00")
			if other, ok := said[key]; ok && other != c.Defect {
				return fmt.Errorf("round %d: %s and %s are told with the same words and the same criteria; give one of them other criteria", r.Number, other, c.Defect)
			}
			said[key] = c.Defect
		}
	}
	return nil
}

// find returns the number of the line that holds a piece of code. With nth 0
// there has to be exactly one.
func find(t Tree, p, code string, nth int) (int, error) {
	text, ok := t[p]
	if !ok {
		return 0, fmt.Errorf("there is no file %q in this round", p)
	}
	if strings.TrimSpace(code) == "" {
		return 0, fmt.Errorf("it quotes no code of %s", p)
	}
	var at []int
	for i, l := range strings.Split(text, "\n") {
		if strings.Contains(l, code) {
			at = append(at, i+1)
		}
	}
	switch {
	case len(at) == 0:
		return 0, fmt.Errorf("%s has no line with %q", p, code)
	case nth == 0 && len(at) > 1:
		return 0, fmt.Errorf("%s has %d lines with %q; say which one with nth", p, len(at), code)
	case nth > len(at):
		return 0, fmt.Errorf("%s has %d lines with %q, not %d", p, len(at), code, nth)
	}
	return at[max(nth, 1)-1], nil
}

func sortedNames[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
