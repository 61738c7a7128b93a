package rule

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

const (
	// Folder is where a repository keeps the records, IndexPath the index
	// that is generated from them.
	Folder    = ".crev/rules"
	IndexPath = ".crev/rules.yaml"

	fileEnding = ".yaml"
	// maxRules bounds how many records are read. 100 of them are in view of
	// a review, see Caps.
	maxRules = 5000
)

// Problem says why a record has no effect, or that the index is out of date.
type Problem struct {
	// Path is from the repository's root.
	Path string `json:"path"`
	// Line is 1-based, 0 when it is about the file as a whole.
	Line int    `json:"line,omitempty"`
	Msg  string `json:"message"`
}

// String returns "path:line: message".
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Path + ": " + p.Msg
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Msg)
}

// Pool is every rule of a repository, sorted by id. It does not change: With
// makes another one.
type Pool struct{ rules []Rule }

// NewPool returns a pool of the rules. Of two with one id the later counts.
func NewPool(rules ...Rule) *Pool {
	rules = slices.Clone(rules)
	slices.SortStableFunc(rules, byID)
	p := &Pool{}
	for i, r := range rules {
		if i+1 == len(rules) || rules[i+1].ID != r.ID {
			p.rules = append(p.rules, r)
		}
	}
	return p
}

// Load reads the records of a tree that is rooted at the repository. A record
// that cannot be read, or that no rule may say (see Forbidden), is a problem and
// is left out; so is an index that says something else than the records, except
// that nothing is left out then. The error is about the tree.
func Load(tree fs.FS) (*Pool, []Problem, error) {
	entries, err := fs.ReadDir(tree, Folder)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err = nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read rules: %w", err)
	}
	if len(entries) > maxRules {
		return nil, nil, fmt.Errorf("read rules: %s holds %d files, and %d are the most", Folder, len(entries), maxRules)
	}
	var problems []Problem
	p := &Pool{}
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != fileEnding {
			continue
		}
		r, problem := load(tree, e)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		p.rules = append(p.rules, r)
	}
	slices.SortFunc(p.rules, byID)
	if len(problems) == 0 {
		problems, err = p.checkIndex(tree)
	}
	return p, problems, err
}

func load(tree fs.FS, e fs.DirEntry) (Rule, *Problem) {
	name := path.Join(Folder, e.Name())
	refuse := func(line int, format string, args ...any) (Rule, *Problem) {
		return Rule{}, &Problem{name, line, fmt.Sprintf(format, args...)}
	}
	if !e.Type().IsRegular() {
		return refuse(0, "it is not a regular file")
	}
	info, err := e.Info()
	if err != nil {
		return refuse(0, "%v", err)
	}
	if info.Size() > maxRecord {
		return refuse(0, "it is larger than %d KiB", maxRecord>>10)
	}
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return refuse(0, "%v", err)
	}
	r, err := Parse(data)
	if err != nil {
		if bad := (*SyntaxError)(nil); errors.As(err, &bad) {
			return refuse(bad.Line, "%v", bad.Err)
		}
		return refuse(0, "%v", err)
	}
	if want := r.ID + fileEnding; e.Name() != want {
		return refuse(0, "id %q: the file is named after the id; rename it to %s", r.ID, want)
	}
	for _, c := range r.Forbidden() {
		return refuse(0, "%s", c.Msg)
	}
	return r, nil
}

// checkIndex compares the committed index with the records.
func (p *Pool) checkIndex(tree fs.FS) ([]Problem, error) {
	have, err := fs.ReadFile(tree, IndexPath)
	if errors.Is(err, fs.ErrNotExist) && len(p.rules) == 0 {
		return nil, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	have = bytes.ReplaceAll(bytes.TrimPrefix(have, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if !bytes.Equal(have, p.Generate()) {
		return []Problem{{Path: IndexPath, Msg: "it does not say what the records say; run `crev rule check --write`"}}, nil
	}
	return nil, nil
}

// Rules returns every rule, sorted by id.
func (p *Pool) Rules() []Rule { return slices.Clone(p.rules) }

// Find returns the rule with an id.
func (p *Pool) Find(id string) (Rule, bool) {
	i, ok := slices.BinarySearchFunc(p.rules, id, func(r Rule, id string) int { return strings.Compare(r.ID, id) })
	if !ok {
		return Rule{}, false
	}
	return p.rules[i], true
}

// Active returns the rules that have an effect at a time, sorted by id.
func (p *Pool) Active(now time.Time) []Rule {
	var active []Rule
	for _, r := range p.rules {
		if r.Active(now) {
			active = append(active, r)
		}
	}
	return active
}

// With returns a pool that holds r, in place of the rule with its id.
func (p *Pool) With(r Rule) *Pool {
	return NewPool(append(p.Rules(), r)...)
}

// Newest returns the rules of both pools. Of a rule that is in both, the record
// that was taught or changed last counts; on one day that with the longer
// history; and p's when they are alike.
func (p *Pool) Newest(other *Pool) *Pool {
	both := p.Rules()
	for _, r := range other.rules {
		mine, ok := p.Find(r.ID)
		newer := cmp.Or(cmp.Compare(r.touched(), mine.touched()),
			cmp.Compare(len(r.Revisions)+len(r.Learned), len(mine.Revisions)+len(mine.Learned)))
		if !ok || newer > 0 {
			both = append(both, r)
		}
	}
	return NewPool(both...)
}

// touched is the day of the latest lesson or revision.
func (r Rule) touched() Date {
	last := r.Taught()
	for _, v := range r.Revisions {
		last = max(last, v.At)
	}
	return last
}
