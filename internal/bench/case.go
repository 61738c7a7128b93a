package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/finding"
)

const (
	// CasesFolder holds a repository's own cases: those in frozen/ rarely
	// change and compare versions, those in live/ grow with what was missed
	// or unwanted.
	CasesFolder = ".crev/bench"
	// Frozen and Live are the two sets.
	Frozen = CasesFolder + "/frozen"
	Live   = CasesFolder + "/live"

	caseEnding  = ".txtar"
	caseScript  = "case.yaml"
	caseVersion = 1
	maxCase     = 4 << 20 // bytes of an archive
)

// Case is one change with what a review should say of it and what it should not.
// docs/bench.md describes the archive it is written in.
type Case struct {
	// Name is the archive's name without its ending.
	Name string
	// Tells says in plain words what the change is about.
	Tells string
	// Author is the login of the change's author, "" when it does not matter.
	Author string
	// From is where the case comes from: a link, or a word.
	From string
	// Findings are the expected ones and those that are not wanted.
	Findings []Expectation
	// Base and Head are the trees before and after the change.
	Base, Head Tree
}

// Expectation is one finding with what the team says of it.
type Expectation struct {
	Path     string           `yaml:"path"`
	Category string           `yaml:"category"`
	Severity finding.Severity `yaml:"severity"`
	Claim    string           `yaml:"claim"`
	// Quote is the code it is about, a line of the file at the head or, for
	// removed code, at the base; "" when it is about the file.
	Quote string `yaml:"quote,omitempty"`
	// Real says that it is a defect: a review should find it. Otherwise a
	// review should not mention it.
	Real *bool `yaml:"real"`
}

// IsReal reports whether the finding should be made.
func (e Expectation) IsReal() bool { return e.Real != nil && *e.Real }

// Finding returns the expectation as a reviewer would put it.
func (e Expectation) Finding() finding.Finding {
	return finding.Finding{Path: e.Path, Quote: e.Quote, Category: e.Category, Severity: e.Severity, Claim: e.Claim, Tier: finding.Advisory}
}

// caseFile is case.yaml.
type caseFile struct {
	Version  int           `yaml:"version,omitempty"`
	Author   string        `yaml:"author,omitempty"`
	From     string        `yaml:"from,omitempty"`
	Findings []Expectation `yaml:"findings"`
}

// ReadCases parses every case of a folder, in the order of their names. A folder
// that does not exist has none.
func ReadCases(fsys fs.FS, folder string) ([]*Case, error) {
	names, err := fs.Glob(fsys, folder+"/*"+caseEnding)
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read case %s: %w", name, err)
		}
		c, err := ParseCase(strings.TrimSuffix(path.Base(name), caseEnding), text)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}

var caseName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// ParseCase decodes one archive. Unknown keys, newer versions, and code that the
// trees do not hold are refused; a byte order mark and CRLF are taken off.
func ParseCase(name string, text []byte) (*Case, error) {
	c := &Case{Name: name, Base: Tree{}, Head: Tree{}}
	if err := c.parse(text); err != nil {
		return nil, fmt.Errorf("case %s: %w", name, err)
	}
	return c, nil
}

func (c *Case) parse(text []byte) error {
	if !caseName.MatchString(c.Name) {
		return errors.New("name it with a-z, 0-9 and -, at most 64 of them")
	}
	a, err := parseArchive(text, caseScript, "base", "head")
	if err != nil {
		return err
	}
	c.Tells, c.Base, c.Head = a.tells, a.trees["base"], a.trees["head"]
	var f caseFile
	if err := decodeScript(a.script, caseVersion, &f); err != nil {
		return fmt.Errorf("%s: %w", caseScript, err)
	}
	c.Author, c.From, c.Findings = f.Author, f.From, f.Findings
	return c.check()
}

// check holds what is said against the trees.
func (c *Case) check() error {
	if len(c.Base)+len(c.Head) == 0 {
		return errors.New("there is no file under base/ or head/")
	}
	if len(c.Findings) == 0 {
		return errors.New("it expects nothing: name a finding that should be made, or one that should not")
	}
	for i, e := range c.Findings {
		if err := c.checkFinding(e); err != nil {
			return fmt.Errorf("finding %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *Case) checkFinding(e Expectation) error {
	sev, err := finding.ParseSeverity(string(e.Severity))
	switch {
	case err != nil:
		return err
	case sev == "":
		return errors.New("severity: want low, medium, high or critical")
	case strings.TrimSpace(e.Category) == "":
		return errors.New("category: it is empty")
	case strings.TrimSpace(e.Claim) == "":
		return errors.New("claim: it is empty")
	case e.Real == nil:
		return errors.New("real: say true for a defect, false for what should not be mentioned")
	}
	return checkQuote(e.Path, e.Quote, c.Head, c.Base)
}

// Format writes a case as ParseCase reads it.
func (c *Case) Format() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("write case %s: %w", c.Name, err)
	}
	var script bytes.Buffer
	enc := yaml.NewEncoder(&script)
	enc.SetIndent(2)
	if err := enc.Encode(caseFile{Author: c.Author, From: c.From, Findings: c.Findings}); err != nil {
		return nil, fmt.Errorf("write case %s: %w", c.Name, err)
	}
	ar := &txtar.Archive{Comment: []byte(c.Tells + "\n\n"), Files: []txtar.File{{Name: caseScript, Data: script.Bytes()}}}
	for _, tree := range []struct {
		folder string
		files  Tree
	}{{"base", c.Base}, {"head", c.Head}} {
		for _, name := range sortedNames(tree.files) {
			ar.Files = append(ar.Files, txtar.File{Name: tree.folder + "/" + name, Data: []byte(tree.files[name])})
		}
	}
	text := txtar.Format(ar)
	if _, err := ParseCase(c.Name, text); err != nil {
		return nil, fmt.Errorf("write case %s: a file looks like the border of an archive: %w", c.Name, err)
	}
	return text, nil
}
