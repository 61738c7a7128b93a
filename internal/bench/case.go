package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
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
	if len(text) > maxCase {
		return fmt.Errorf("it is larger than %d MiB", maxCase>>20)
	}
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	ar := txtar.Parse(text)
	if c.Tells = strings.TrimSpace(string(ar.Comment)); c.Tells == "" {
		return errors.New("it begins with a comment that tells what the change is about; there is none")
	}
	seen := map[string]bool{}
	var script []byte
	for _, f := range ar.Files {
		if seen[f.Name] {
			return fmt.Errorf("file %q is there twice", f.Name)
		}
		seen[f.Name] = true
		folder, rest, ok := strings.Cut(f.Name, "/")
		switch {
		case f.Name == caseScript:
			script = f.Data
		case !ok || !fs.ValidPath(f.Name) || strings.ContainsRune(f.Name, 0):
			return fmt.Errorf("file %q: want base/PATH or head/PATH", f.Name)
		case folder == "base":
			c.Base[rest] = string(f.Data)
		case folder == "head":
			c.Head[rest] = string(f.Data)
		default:
			return fmt.Errorf("file %q: want base/PATH or head/PATH", f.Name)
		}
	}
	if script == nil {
		return fmt.Errorf("there is no %s", caseScript)
	}
	if err := c.readScript(script); err != nil {
		return fmt.Errorf("%s: %w", caseScript, err)
	}
	return c.check()
}

func (c *Case) readScript(text []byte) error {
	var version struct {
		Version int `yaml:"version"`
	}
	if err := yaml.Unmarshal(text, &version); err == nil && version.Version > caseVersion {
		return fmt.Errorf("version %d: this crev reads version %d; update crev", version.Version, caseVersion)
	}
	var f caseFile
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("more than one YAML document; keep the first")
	}
	if f.Version < 0 {
		return fmt.Errorf("version %d; want %d", f.Version, caseVersion)
	}
	c.Author, c.From, c.Findings = f.Author, f.From, f.Findings
	return nil
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
	head, atHead := c.Head[e.Path]
	base, atBase := c.Base[e.Path]
	quoted := func(text string) bool { return slices.Contains(strings.Split(text, "\n"), e.Quote) }
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
	case !atHead && !atBase:
		return fmt.Errorf("path %s: it is neither under head/ nor under base/", strconv.Quote(e.Path))
	case e.Quote != "" && !quoted(head) && !quoted(base):
		return fmt.Errorf("quote %q: it is no line of %s", e.Quote, e.Path)
	}
	return nil
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
