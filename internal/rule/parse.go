package rule

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/glob"
)

const (
	// formatVersion is the newest record this program reads.
	formatVersion = 1

	// MaxSays is how many characters the sentence of a rule may have.
	MaxSays = 160

	maxRecord    = 64 << 10 // bytes of a file
	maxLine      = 300      // characters of a one-line field
	maxText      = 4000     // characters of a field of many lines
	maxEntries   = 100      // entries of a list
	maxFileTypes = 20
)

// ErrNewerFormat is returned for a record that a newer crev wrote.
var ErrNewerFormat = errors.New("newer format")

// SyntaxError says why a record cannot be read.
type SyntaxError struct {
	// Line is 1-based, 0 when it is about the file as a whole.
	Line int
	// Err is what is wrong and what to write instead.
	Err error
}

// Error returns "line 3: what is wrong".
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap returns what is wrong without the line.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads one record. Unknown and repeated keys, newer versions, anchors,
// tags and values out of their bounds are refused with a *SyntaxError; a byte
// order mark and CRLF are taken off.
func Parse(data []byte) (Rule, error) {
	if len(data) > maxRecord {
		return Rule{}, &SyntaxError{0, fmt.Errorf("it is larger than %d KiB", maxRecord>>10)}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if !utf8.Valid(data) {
		return Rule{}, &SyntaxError{0, errors.New("it is not UTF-8")}
	}
	root, err := document(data)
	if err != nil {
		return Rule{}, err
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k := root.Content[i]
		lines[k.Value] = k.Line
		if k.Value == "version" {
			if err := checkVersion(root.Content[i+1].Value); err != nil {
				return Rule{}, &SyntaxError{k.Line, err}
			}
		}
	}
	var r Rule
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&r); err != nil {
		return Rule{}, yamlError(err)
	}
	r.normalize()
	if key, err := r.check(); err != nil {
		return Rule{}, &SyntaxError{lines[key], err}
	}
	return r, nil
}

func checkVersion(s string) error {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("version %q: write %d", s, formatVersion)
	case n > formatVersion:
		return fmt.Errorf("version %d: this crev reads version %d; update crev: %w", n, formatVersion, ErrNewerFormat)
	}
	return nil
}

// document returns the one mapping of a file.
func document(data []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF):
		return nil, &SyntaxError{0, errors.New("it is empty")}
	case err != nil:
		return nil, yamlError(err)
	case len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode:
		return nil, &SyntaxError{doc.Line, errors.New("a rule is keys and values")}
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &SyntaxError{0, errors.New("there is a second document; a rule is one")}
	}
	if bad := indirection(&doc); bad != nil {
		return nil, &SyntaxError{bad.Line, errors.New("anchors, aliases, merge keys and tags are not read here; write the value out")}
	}
	return doc.Content[0], nil
}

// indirection returns a node that stands for something that is not written
// there, or that names a type.
func indirection(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge" || n.Style&yaml.TaggedStyle != 0 {
		return n
	}
	for _, c := range n.Content {
		if bad := indirection(c); bad != nil {
			return bad
		}
	}
	return nil
}

var (
	yamlLine     = regexp.MustCompile(`line (\d+): ?`)
	unknownField = regexp.MustCompile(`field (\S+) not found in type \S+`)
)

// yamlError puts the first complaint of the YAML reader in this program's
// words.
func yamlError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if many := (*yaml.TypeError)(nil); errors.As(err, &many) && len(many.Errors) > 0 {
		text = many.Errors[0]
	}
	line := 0
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = strings.Replace(text, m[0], "", 1)
	}
	return &SyntaxError{line, errors.New(unknownField.ReplaceAllString(text, "unknown key ${1}"))}
}

// normalize writes the same record in one way.
func (r *Rule) normalize() {
	if r.Version == formatVersion {
		r.Version = 0
	}
	if len(r.Scope) == 0 {
		r.Scope = Scope{"**"}
	}
	for _, s := range []*string{&r.Says, &r.Category, &r.Condition, &r.Exclusion, &r.ForAuthor, &r.Why} {
		*s = strings.TrimSpace(*s)
	}
	for _, s := range []*string{&r.Breaks, &r.Follows} {
		*s = strings.Trim(*s, "\n")
	}
	for i := range r.FileTypes {
		r.FileTypes[i] = strings.ToLower(strings.TrimPrefix(r.FileTypes[i], "."))
	}
}

var (
	slug      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	category  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	login     = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})(?:\[bot\])?$`)
	fileType  = regexp.MustCompile(`^[a-z0-9][a-z0-9.+_-]{0,19}$`)
	validator = regexp.MustCompile(`^validator:[a-z0-9][a-z0-9-]{0,63}$`)
)

// CheckID refuses what cannot name a rule and its file.
func CheckID(id string) error {
	if !slug.MatchString(id) {
		return fmt.Errorf("id %q: write a-z, 0-9 and -, at most 64 of them", id)
	}
	return nil
}

// Check refuses a record that Parse would not read.
func (r Rule) Check() error {
	_, err := r.check()
	return err
}

// check returns what is wrong with a record and under which key.
func (r *Rule) check() (key string, err error) {
	for _, step := range []func() (string, error){r.checkWords, r.checkReach, r.checkTexts, r.checkOrigin, r.checkHistory} {
		if key, err = step(); err != nil {
			return key, err
		}
	}
	return "", nil
}

// checkWords looks at the fields of which only a few values exist.
func (r *Rule) checkWords() (key string, err error) {
	if err := CheckID(r.ID); err != nil {
		return "id", err
	}
	if !slices.Contains([]Kind{Silence, Always, Context}, r.Kind) {
		return "kind", fmt.Errorf("kind %q: write silence, always or context", r.Kind)
	}
	if !slices.Contains([]Status{Pending, Active, Dormant, Disabled, Superseded, Expired}, r.Status) {
		return "status", fmt.Errorf("status %q: write pending, active, dormant, disabled, superseded or expired", r.Status)
	}
	if !slices.Contains([]Source{"", Reply, Distilled, Manual, Bug}, r.Source) {
		return "source", fmt.Errorf("source %q: write reply, distilled, manual or bug", r.Source)
	}
	if _, err := finding.ParseSeverity(string(r.Severity)); err != nil {
		return "severity", err
	}
	return "", nil
}

// checkReach looks at where the rule applies.
func (r *Rule) checkReach() (key string, err error) {
	if len(r.Scope) > maxEntries {
		return "scope", fmt.Errorf("scope: %d globs, and %d are the most", len(r.Scope), maxEntries)
	}
	if err := glob.Check(r.Scope); err != nil {
		return "scope", err
	}
	if r.ForAuthor != "" && !login.MatchString(r.ForAuthor) {
		return "for_author", fmt.Errorf("for_author %q: write one login, without @", r.ForAuthor)
	}
	if r.Category != "" && (!category.MatchString(r.Category) || len(r.Category) > 40) {
		return "category", fmt.Errorf("category %q: write a short word such as magic-number", r.Category)
	}
	if len(r.FileTypes) > maxFileTypes {
		return "file_types", fmt.Errorf("file_types: %d endings, and %d are the most", len(r.FileTypes), maxFileTypes)
	}
	for _, t := range r.FileTypes {
		if !fileType.MatchString(t) {
			return "file_types", fmt.Errorf("file_types %q: write endings such as go or tsx", t)
		}
	}
	return "", nil
}

// checkTexts looks at what is written in words or code.
func (r *Rule) checkTexts() (key string, err error) {
	switch n := utf8.RuneCountInString(r.Says); {
	case n == 0:
		return "says", errors.New("says: write the rule in one sentence")
	case n > MaxSays:
		return "says", fmt.Errorf("says: %d characters, and %d is the most", n, MaxSays)
	}
	for _, one := range []struct{ key, text string }{
		{"says", r.Says}, {"condition", r.Condition}, {"exclusion", r.Exclusion},
	} {
		if err := checkLine(one.text); err != nil {
			return one.key, fmt.Errorf("%s: %w", one.key, err)
		}
	}
	for _, many := range []struct{ key, text string }{
		{"why", r.Why}, {"breaks", r.Breaks}, {"follows", r.Follows},
	} {
		if err := checkLines(many.text); err != nil {
			return many.key, fmt.Errorf("%s: %w", many.key, err)
		}
	}
	return "", nil
}

func checkLine(s string) error {
	switch {
	case strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("write one line of text, without control characters")
	case utf8.RuneCountInString(s) > maxLine:
		return fmt.Errorf("%d characters, and %d is the most", utf8.RuneCountInString(s), maxLine)
	}
	return nil
}

func checkLines(s string) error {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	switch {
	case strings.ContainsFunc(s, control):
		return errors.New("it holds a control character")
	case utf8.RuneCountInString(s) > maxText:
		return fmt.Errorf("%d characters, and %d is the most", utf8.RuneCountInString(s), maxText)
	}
	return nil
}

// checkOrigin looks at where the rule comes from and how sure it is.
func (r *Rule) checkOrigin() (key string, err error) {
	if len(r.Cites) > maxEntries {
		return "cites", fmt.Errorf("cites: %d places, and %d are the most", len(r.Cites), maxEntries)
	}
	for _, c := range r.Cites {
		if _, err := ParseCitation(c.String()); err != nil {
			return "cites", err
		}
	}
	if len(r.Learned) > maxEntries {
		return "learned", fmt.Errorf("learned: %d entries, and %d are the most", len(r.Learned), maxEntries)
	}
	for _, l := range r.Learned {
		if err := l.check(); err != nil {
			return "learned", fmt.Errorf("learned: %w", err)
		}
	}
	if !(r.Confidence >= 0 && r.Confidence <= 1) {
		return "confidence", fmt.Errorf("confidence %v: write a number from 0 to 1", r.Confidence)
	}
	if r.Expires != "" {
		if err := r.Expires.check(); err != nil {
			return "expires", fmt.Errorf("expires: %w", err)
		}
	}
	return "", nil
}

func (l Learned) check() error {
	switch {
	case strings.TrimSpace(l.From) == "":
		return errors.New("from is empty; write the link of the comment, or manual")
	case !login.MatchString(l.By):
		return fmt.Errorf("by %q: write a login, without @", l.By)
	case l.CheckedAgainst != "" && !hexDigits(l.CheckedAgainst, 7, 64):
		return fmt.Errorf("checked_against %q: write a commit, 7 to 64 hex digits", l.CheckedAgainst)
	}
	if err := checkLine(l.From); err != nil {
		return fmt.Errorf("from: %w", err)
	}
	return l.At.check()
}

// checkHistory looks at the rules it replaced or was replaced by, and at its
// revisions.
func (r *Rule) checkHistory() (key string, err error) {
	if len(r.Supersedes) > maxEntries {
		return "supersedes", fmt.Errorf("supersedes: %d rules, and %d are the most", len(r.Supersedes), maxEntries)
	}
	for _, id := range r.Supersedes {
		if err := CheckID(id); err != nil {
			return "supersedes", fmt.Errorf("supersedes: %w", err)
		}
	}
	if by := r.SupersededBy; by != "" && !slug.MatchString(by) && !validator.MatchString(by) {
		return "superseded_by", fmt.Errorf("superseded_by %q: write the id of a rule, or validator:NAME", by)
	}
	if len(r.Revisions) > maxEntries {
		return "revisions", fmt.Errorf("revisions: %d entries, and %d are the most", len(r.Revisions), maxEntries)
	}
	for _, v := range r.Revisions {
		if err := v.check(); err != nil {
			return "revisions", fmt.Errorf("revisions: %w", err)
		}
	}
	return "", nil
}

func (v Revision) check() error {
	if err := v.At.check(); err != nil {
		return err
	}
	if !login.MatchString(v.By) {
		return fmt.Errorf("by %q: write a login, without @", v.By)
	}
	for _, s := range slices.Concat([]string{v.Why, v.Was.Says, string(v.Was.Kind), v.Was.ForAuthor, v.Was.Category,
		v.Was.Condition, v.Was.Exclusion, string(v.Was.Severity), string(v.Was.Status)}, v.Was.Scope, v.Was.FileTypes) {
		if err := checkLine(s); err != nil {
			return err
		}
	}
	return nil
}
