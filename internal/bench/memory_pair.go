package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/rule"
)

const (
	pairScript  = "pair.yaml"
	pairVersion = 1
)

// Pair is a pull request in which people teach something, and one that follows
// it: what they taught is in the repository by then. docs/bench.md describes the
// archive it is written in.
type Pair struct {
	// Name is the archive's name without its ending.
	Name string
	// Tells says in plain words what it is about.
	Tells string
	// Author opened the follow-up.
	Author string
	// Teaching is the first pull request, nil where the rules are files.
	Teaching *Teaching
	// Review is what a model says of the follow-up.
	Review PairReview

	// Base is the tree that both pull requests start from, Memory what the
	// follow-up's base has besides, Teach and Head what they change.
	Base, Memory, Teach, Head Tree
}

// Teaching is the pull request in which people answer crev.
type Teaching struct {
	Author string `yaml:"author"`
	// Comment is what crev finds there, nil for nothing.
	Comment *PairFinding `yaml:"comment"`
	Replies []PairReply  `yaml:"replies"`
	// Outcomes are what must become of the replies.
	Outcomes []string `yaml:"outcomes"`
	// Wrong is false_claim or injection for replies of which nothing may be
	// saved, "" for others.
	Wrong string `yaml:"wrong"`
}

// PairReply is what one person says.
type PairReply struct {
	By string `yaml:"by"`
	// May is the person's permission, write where it is empty.
	May string `yaml:"may"`
	// At is path:line for a comment of their own, "" for an answer.
	At   string `yaml:"at"`
	Says string `yaml:"says"`
	// Slots is what the model makes of it, Verdicts its word on the claims.
	Slots    PairSlots     `yaml:"slots"`
	Verdicts []PairVerdict `yaml:"verdicts"`
}

// PairSlots is the scripted classification of a reply, in the form in which a
// model gives it.
type PairSlots struct {
	Class           string         `yaml:"class" json:"class"`
	Rules           []PairProposal `yaml:"rules" json:"rules"`
	Claims          []PairClaim    `yaml:"claims" json:"claims"`
	About           string         `yaml:"about" json:"about"`
	Problem         string         `yaml:"problem" json:"problem"`
	ProblemCategory string         `yaml:"problem_category" json:"problem_category"`
}

// PairProposal is one rule of a classification.
type PairProposal struct {
	Kind      string   `yaml:"kind" json:"kind"`
	Says      string   `yaml:"says" json:"says"`
	Category  string   `yaml:"category" json:"category"`
	Condition string   `yaml:"condition" json:"condition"`
	Scope     string   `yaml:"scope" json:"scope"`
	Reason    string   `yaml:"reason" json:"reason"`
	Quotes    []string `yaml:"quotes" json:"quotes"`
}

// PairClaim is one statement about the code of a classification.
type PairClaim struct {
	Text   string   `yaml:"text" json:"text"`
	Quote  string   `yaml:"quote" json:"quote"`
	Search []string `yaml:"search" json:"search"`
}

// PairVerdict is the scripted word on the statement of the same number.
type PairVerdict struct {
	Verdict string     `yaml:"verdict" json:"verdict"`
	Cites   []PairCite `yaml:"cites" json:"cites"`
}

// PairCite is code that a verdict quotes.
type PairCite struct {
	Path  string `yaml:"path" json:"path"`
	Quote string `yaml:"quote" json:"quote"`
}

// PairReview is what a model says of the follow-up.
type PairReview struct {
	// Findings are the reviewers', Asked those that the rules ask for.
	Findings []PairFinding `yaml:"findings"`
	Asked    []PairFinding `yaml:"asked"`
}

// PairFinding is one finding with what it is in truth.
type PairFinding struct {
	Is Worth `yaml:"is"`
	// By is the reviewer, code where it is empty.
	By       string `yaml:"by"`
	Path     string `yaml:"path"`
	Quote    string `yaml:"quote"`
	Category string `yaml:"category"`
	Severity string `yaml:"severity"`
	Claim    string `yaml:"claim"`
	Detail   string `yaml:"detail"`
	// Rule is the rule that the model names: rightly for what is unwanted
	// or asked for, wrongly for everything else. "" for none.
	Rule string `yaml:"rule"`
	// Shows is the code that it quotes for the rule's condition.
	Shows string `yaml:"shows"`
	// Judge is what the judge calls it, nil where it agrees.
	Judge *PairLabel `yaml:"judge"`
}

// PairLabel is a second opinion on a finding.
type PairLabel struct {
	Category string `yaml:"category"`
	Severity string `yaml:"severity"`
	Reason   string `yaml:"reason"`
}

// Worth is what a finding is in truth. The zero value is that of a comment on a
// teaching pull request, which nothing is scored of.
type Worth string

// What findings are.
const (
	Unwanted Worth = "unwanted" // the team has said that it does not want it
	Bug      Worth = "bug"      // a real defect
	Security Worth = "security" // a security issue
	Outside  Worth = "outside"  // like what is unwanted, where the rule does not hold
	Other    Worth = "other"    // a comment that nobody has decided about
	Asked    Worth = "asked"    // the team always wants to hear it
	Stray    Worth = "stray"    // asked for by a model where the rule does not hold
)

// ReadPairs parses every archive of a folder, in the order of their names.
func ReadPairs(fsys fs.FS) ([]*Pair, error) {
	names, err := fs.Glob(fsys, "*"+caseEnding)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("there is no pair: a pair is a file that ends in " + caseEnding)
	}
	var out []*Pair
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read pair %s: %w", name, err)
		}
		p, err := ParsePair(strings.TrimSuffix(path.Base(name), caseEnding), text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// ParsePair decodes one archive. Unknown keys, newer versions, and code that the
// trees do not hold are refused.
func ParsePair(name string, text []byte) (*Pair, error) {
	p := &Pair{Name: name}
	if err := p.parse(text); err != nil {
		return nil, fmt.Errorf("pair %s: %w", name, err)
	}
	return p, nil
}

func (p *Pair) parse(text []byte) error {
	a, err := parseArchive(text, pairScript, "base", "memory", "teach", "head")
	if err != nil {
		return err
	}
	p.Tells, p.Base, p.Memory, p.Teach, p.Head = a.tells, a.trees["base"], a.trees["memory"], a.trees["teach"], a.trees["head"]
	var script struct {
		Version  int        `yaml:"version"`
		Author   string     `yaml:"author"`
		Teaching *Teaching  `yaml:"teaching"`
		Review   PairReview `yaml:"review"`
	}
	if err := decodeScript(a.script, pairVersion, &script); err != nil {
		return fmt.Errorf("%s: %w", pairScript, err)
	}
	p.Author, p.Teaching, p.Review = script.Author, script.Teaching, script.Review
	return p.settle()
}

// settle holds what the script says against the trees and fills in what it
// leaves out.
func (p *Pair) settle() error {
	if p.Author == "" {
		p.Author = "omar"
	}
	if p.Teaching == nil && len(p.Memory) == 0 {
		return errors.New("nobody teaches and there is nothing under memory/, so there is no memory to turn on")
	}
	if len(p.Head) == 0 {
		return errors.New("there is no file under head/")
	}
	if p.Teaching != nil {
		if err := p.settleTeaching(p.Teaching); err != nil {
			return fmt.Errorf("teaching: %w", err)
		}
	}
	if len(p.Review.Findings)+len(p.Review.Asked) == 0 {
		return errors.New("review: nothing is found and nothing asked for")
	}
	said := map[string]bool{}
	for _, list := range []struct {
		name     string
		findings []PairFinding
		may      []Worth
	}{
		{"finding", p.Review.Findings, []Worth{Unwanted, Bug, Security, Outside, Other}},
		{"asked", p.Review.Asked, []Worth{Asked, Stray}},
	} {
		for i := range list.findings {
			f := &list.findings[i]
			if err := f.settle(list.may, p.Head, p.Base); err != nil {
				return fmt.Errorf("review: %s %d: %w", list.name, i+1, err)
			}
			if said[f.Path+"\x00"+f.Claim] {
				return fmt.Errorf("review: %s %d: the same is said twice of %s", list.name, i+1, f.Path)
			}
			said[f.Path+"\x00"+f.Claim] = true
		}
	}
	return nil
}

func (p *Pair) settleTeaching(t *Teaching) error {
	if t.Author == "" {
		t.Author = "omar"
	}
	if !slices.Contains([]string{"", "false_claim", "injection"}, t.Wrong) {
		return fmt.Errorf("wrong %q: want false_claim or injection", t.Wrong)
	}
	if len(p.Teach) == 0 || len(t.Replies) == 0 || len(t.Outcomes) == 0 {
		return errors.New("it needs files under teach/, replies, and their outcomes")
	}
	if t.Comment != nil {
		if err := t.Comment.settle([]Worth{""}, p.Teach, p.Base); err != nil {
			return fmt.Errorf("comment: %w", err)
		}
	}
	for i := range t.Replies {
		r := &t.Replies[i]
		switch {
		case r.By == "" || strings.TrimSpace(r.Says) == "":
			return fmt.Errorf("reply %d: say who says what", i+1)
		case r.At == "" && t.Comment == nil:
			return fmt.Errorf("reply %d: there is no comment to answer; give it a place with at", i+1)
		}
		if r.May == "" {
			r.May = "write"
		}
	}
	return nil
}

func (f *PairFinding) settle(may []Worth, trees ...Tree) error {
	sev, err := finding.ParseSeverity(f.Severity)
	switch {
	case !slices.Contains(may, f.Is):
		return fmt.Errorf("is %q: want one of %q", f.Is, may)
	case err != nil:
		return err
	case sev == "":
		return errors.New("severity: want low, medium, high or critical")
	case strings.TrimSpace(f.Claim) == "" || strings.TrimSpace(f.Category) == "":
		return errors.New("it needs a claim and a category")
	case f.Rule == "" && slices.Contains([]Worth{Unwanted, Asked, Stray}, f.Is):
		return fmt.Errorf("it is %s, so it names a rule", f.Is)
	}
	if f.Rule != "" {
		if err := rule.CheckID(f.Rule); err != nil {
			return err
		}
	}
	if f.By == "" {
		f.By = "code"
	}
	return checkQuote(f.Path, f.Quote, trees...)
}

// Changed returns the first line of a file of the follow-up that its base does
// not have, "" for none.
func (p *Pair) Changed(name string) string {
	old := map[string]bool{}
	for line := range strings.SplitSeq(p.Base[name], "\n") {
		old[line] = true
	}
	for line := range strings.SplitSeq(p.Head[name], "\n") {
		if strings.TrimSpace(line) != "" && !old[line] {
			return line
		}
	}
	return ""
}

// Paths are the files that the follow-up changes, in byte order.
func (p *Pair) Paths() []string { return slices.Sorted(maps.Keys(p.Head)) }
