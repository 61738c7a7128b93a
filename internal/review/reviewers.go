package review

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/glob"
)

//go:embed reviewers/*.md
var reviewerFiles embed.FS

// ReviewersPath is where a team keeps reviewers of its own. Like everything that
// judges, they are read from the base commit.
const ReviewersPath = ".crev/reviewers"

// Limits of a team's own reviewers: each is asked about every batch in its
// scope, and its text is part of every such request.
const (
	maxOwnReviewers = 8
	maxReviewerText = 16 << 10
)

// reviewer is one kind of finder: its name, its subject and the files it is
// asked about.
type reviewer struct {
	name, subject string
	// scope are globs; nil is every file.
	scope []string
}

// commonFile holds what every reviewer is told; it is no reviewer itself.
const commonFile = "common"

// reviewersOf returns the configured reviewers and then those of the team, in
// order of name.
func reviewersOf(names []string, base fs.FS) ([]reviewer, error) {
	own, err := ownReviewers(base)
	if err != nil {
		return nil, err
	}
	var out []reviewer
	for _, n := range names {
		if slices.ContainsFunc(own, func(r reviewer) bool { return r.name == n }) {
			continue // it comes with the team's own
		}
		b, err := reviewerFiles.ReadFile("reviewers/" + n + ".md")
		if err != nil || n == commonFile {
			return nil, fmt.Errorf("%s: reviewers: there is no reviewer %q; built in are %s, and %s/%s.md would add it",
				ConfigPath, n, strings.Join(reviewerNames(), ", "), ReviewersPath, n)
		}
		out = append(out, reviewer{name: n, subject: string(b)})
	}
	return append(out, own...), nil
}

func reviewerNames() []string {
	entries, err := reviewerFiles.ReadDir("reviewers")
	if err != nil {
		panic(err) // the files are compiled in
	}
	var names []string
	for _, e := range entries {
		if n := strings.TrimSuffix(e.Name(), ".md"); n != commonFile {
			names = append(names, n)
		}
	}
	return names
}

// reviewerName is what a file in the reviewers folder may be called: the name
// stands in the ledger as the source of findings.
var reviewerName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// ownReviewers reads the team's reviewers from the base commit.
func ownReviewers(base fs.FS) ([]reviewer, error) {
	entries, err := fs.ReadDir(base, ReviewersPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ReviewersPath, err)
	}
	var out []reviewer
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || e.IsDir() || name == "README" {
			continue
		}
		file := path.Join(ReviewersPath, e.Name())
		if !reviewerName.MatchString(name) || name == commonFile || slices.Contains(reviewerNames(), name) {
			return nil, fmt.Errorf("%s: a reviewer's name is lower-case letters, digits and dashes, and none of %s; rename the file",
				file, strings.Join(append(reviewerNames(), commonFile), ", "))
		}
		text, err := fs.ReadFile(base, file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		r, err := parseReviewer(name, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if out = append(out, r); len(out) > maxOwnReviewers {
			return nil, fmt.Errorf("%s: more than %d reviewers; each costs a request a batch, so join some", ReviewersPath, maxOwnReviewers)
		}
	}
	return out, nil
}

// parseReviewer reads a reviewer's file: Markdown, with a head between two lines
// of three dashes that may give its scope.
func parseReviewer(name string, text []byte) (reviewer, error) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")), []byte("\r\n"), []byte("\n"))
	r := reviewer{name: name}
	switch {
	case len(text) > maxReviewerText:
		return r, fmt.Errorf("%d bytes, more than %d; it is part of every request", len(text), maxReviewerText)
	case !utf8.Valid(text):
		return r, errors.New("it is not UTF-8")
	}
	body := string(text)
	if rest, ok := strings.CutPrefix(body, "---\n"); ok {
		head, after, found := strings.Cut(rest, "\n---\n")
		if !found {
			return r, errors.New("its head has no end; close it with a line of ---")
		}
		var h struct {
			Scope globs `yaml:"scope"`
		}
		dec := yaml.NewDecoder(strings.NewReader(head))
		dec.KnownFields(true)
		if err := dec.Decode(&h); err != nil {
			return r, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
		}
		if err := glob.Check(h.Scope); err != nil {
			return r, err
		}
		r.scope, body = h.Scope, after
	}
	if r.subject = strings.TrimSpace(body); r.subject == "" {
		return r, errors.New("it is empty; say what the reviewer looks for")
	}
	r.subject += "\n"
	return r, nil
}

// globs is one glob or a list of them.
type globs []string

// UnmarshalYAML takes a text as a list of one.
func (g *globs) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*g = globs{n.Value}
		return nil
	}
	return n.Decode((*[]string)(g))
}

// reads reports whether the reviewer is asked about a batch.
func (r reviewer) reads(b batch.Batch) bool {
	return r.scope == nil || slices.ContainsFunc(b.Paths(), func(p string) bool { return glob.Match(r.scope, p) })
}

func (r reviewer) system() string {
	common, err := reviewerFiles.ReadFile("reviewers/" + commonFile + ".md")
	if err != nil {
		panic(err) // the file is compiled in
	}
	return string(common) + "\n" + r.subject
}
