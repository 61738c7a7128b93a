package crev_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// document is one Markdown file.
type document struct {
	name   string
	prose  []textLine
	blocks []block
}

type textLine struct {
	number int
	text   string
}

// block is a fenced block: its language, what else its fence says, and where its
// first line stands.
type block struct {
	lang, info string
	line       int
	text       string
}

// lines returns the block's lines with their numbers in the file.
func (b block) lines() []textLine {
	var out []textLine
	for i, s := range strings.Split(b.text, "\n") {
		out = append(out, textLine{b.line + i, s})
	}
	return out
}

func parseDocument(name, text string) document {
	doc := document{name: name}
	var open *block
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case open == nil && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
			lang, info, _ := strings.Cut(strings.TrimSpace(trimmed[len(fence):]), " ")
			open = &block{lang: strings.ToLower(lang), info: info, line: i + 2}
		case open != nil && trimmed == fence:
			doc.blocks = append(doc.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		default:
			doc.prose = append(doc.prose, textLine{i + 1, line})
		}
	}
	return doc
}

// documents are the Markdown files that people read, test data left out.
func documents(t *testing.T) []document {
	t.Helper()
	var docs []document
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && name != "." && d.Name() != ".github" && d.Name() != ".crev"
			if hidden || d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "dist" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := os.ReadFile(name)
		docs = append(docs, parseDocument(filepath.ToSlash(name), string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

var (
	inlineCode = regexp.MustCompile("`[^`]*`")
	inlineLink = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)`)
	namedLink  = regexp.MustCompile(`^\s{0,3}\[[^\]]+\]:\s*(\S+)`)
	heading    = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_\- ]`)
)

// anchors are the fragments that GitHub gives the document's headings.
func (d document) anchors() []string {
	var out []string
	for _, l := range d.prose {
		m := heading.FindStringSubmatch(l.text)
		if m == nil {
			continue
		}
		title := inlineLink.ReplaceAllString(m[1], "]")
		slug := strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
		for base, n := slug, 1; slices.Contains(out, slug); n++ {
			slug = base + "-" + string(rune('0'+n))
		}
		out = append(out, slug)
	}
	return out
}

func TestLinksResolve(t *testing.T) {
	t.Parallel()
	docs := documents(t)
	byName := map[string]document{}
	for _, d := range docs {
		byName[d.name] = d
	}
	for _, d := range docs {
		for _, l := range d.prose {
			text := inlineCode.ReplaceAllString(l.text, "")
			links := inlineLink.FindAllStringSubmatch(text, -1)
			links = append(links, namedLink.FindAllStringSubmatch(text, -1)...)
			for _, m := range links {
				link := m[1]
				if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
					continue
				}
				target, fragment, _ := strings.Cut(link, "#")
				name := path.Join(path.Dir(d.name), target)
				if target == "" {
					name = d.name
				}
				if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
					t.Errorf("%s:%d: the link %s leads nowhere", d.name, l.number, link)
					continue
				}
				if to, ok := byName[name]; ok && fragment != "" && !slices.Contains(to.anchors(), fragment) {
					t.Errorf("%s:%d: %s has no heading #%s; it has %s", d.name, l.number, name, fragment, strings.Join(to.anchors(), ", "))
				}
			}
		}
	}
}

// ownPath is a file or folder of this repository, as the documents name it.
var ownPath = regexp.MustCompile("`((?:internal|cmd)/[^` ]*)`")

func TestPathsExist(t *testing.T) {
	t.Parallel()
	for _, d := range documents(t) {
		prose := d.prose
		if d.name == "CONVENTIONS.md" { // it ends with files of other projects
			end := slices.IndexFunc(prose, func(l textLine) bool { return l.text == "## Code worth reading" })
			prose = prose[:end]
		}
		for _, l := range prose {
			for _, m := range ownPath.FindAllStringSubmatch(l.text, -1) {
				if found, err := filepath.Glob(filepath.FromSlash(m[1])); err != nil || len(found) == 0 {
					t.Errorf("%s:%d: there is no %s", d.name, l.number, m[1])
				}
			}
		}
	}
}

func TestBlocksParse(t *testing.T) {
	t.Parallel()
	parsed := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			var err error
			switch b.lang {
			case "yaml", "yml":
				err = parseYAML([]byte(b.text))
			case "json":
				err = parseJSON(b.text)
			case "jsonl":
				for _, l := range b.lines() {
					if strings.TrimSpace(l.text) != "" {
						err = errors.Join(err, parseJSON(l.text))
					}
				}
			default:
				continue
			}
			parsed++
			if err != nil {
				t.Errorf("%s:%d: this %s block does not parse: %v", d.name, b.line, b.lang, err)
			}
		}
	}
	if parsed == 0 {
		t.Error("no YAML or JSON block found in any document")
	}
}

// parseYAML decodes every document of text, so that a repeated key counts too.
func parseYAML(text []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var v any
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func parseJSON(text string) error {
	var v any
	return json.Unmarshal([]byte(text), &v)
}

func TestCommandsInDocumentsExist(t *testing.T) {
	t.Parallel()
	line := commandLine(t)
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			for _, l := range b.lines() {
				var typed string
				switch b.lang {
				case "console":
					after, ok := strings.CutPrefix(strings.TrimSpace(l.text), "$ ")
					if !ok {
						continue
					}
					typed = after
				case "sh", "bash", "shell":
					typed = l.text
				default:
					continue
				}
				for _, args := range calls(typed) {
					if err := line.check(args, true); err != nil {
						t.Errorf("%s:%d: %v", d.name, l.number, err)
					}
				}
			}
		}
		for _, l := range d.prose {
			for _, code := range inlineCode.FindAllString(l.text, -1) {
				words := strings.Fields(strings.Trim(code, "`"))
				if len(words) > 1 && words[0] == "crev" {
					if err := line.check(words[1:], false); err != nil {
						t.Errorf("%s:%d: %v", d.name, l.number, err)
					}
				}
			}
		}
	}
}

var (
	separators = regexp.MustCompile(`&&|\|\||[|;]`)
	assignment = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)
)

// calls returns the arguments of every call of crev in a line of shell.
func calls(line string) [][]string {
	var out [][]string
	line, _, _ = strings.Cut(line, " #")
	for _, part := range separators.Split(line, -1) {
		words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(part), `\`))
		for len(words) > 0 && assignment.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) > 2 && words[0] == "go" && words[1] == "run" && words[2] == "./cmd/crev" {
			words = words[2:]
		}
		if len(words) > 1 && path.Base(words[0]) == "crev" {
			out = append(out, words[1:])
		}
	}
	return out
}

// tableRow is the first cell of a table when that is a command of crev, and the
// rest of the row.
var tableRow = regexp.MustCompile("^\\| `crev ([a-z]+)` \\|(.*)\\|$")

// The README's table names every command and every subcommand, and no other.
func TestReadmeNamesEveryCommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if m := tableRow.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			rows[m[1]] = m[2]
		}
	}
	for _, c := range commandLine(t).words {
		row, ok := rows[c.name]
		if !ok {
			t.Errorf("README.md: the table of commands has no row for `crev %s`", c.name)
		}
		delete(rows, c.name)
		var want []string
		for _, sub := range c.subs {
			want = append(want, "`"+sub.name+"`")
		}
		got := inlineCode.FindAllString(row, -1)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("README.md: the row of `crev %s` (-the program +the row):\n%s", c.name, diff)
		}
	}
	for name := range rows {
		t.Errorf("README.md: there is no command `crev %s`", name)
	}
}

// What documents show of the demo, in blocks that begin with "text demo", is what
// it prints: the scenario keeps its whole output.
func TestDocumentsShowTheDemo(t *testing.T) {
	t.Parallel()
	scenario, err := os.ReadFile("testdata/script/demo.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, printed, ok := strings.Cut(string(scenario), "\n-- demo.golden --\n")
	if !ok {
		t.Fatal("testdata/script/demo.txtar has no demo.golden")
	}
	shown := map[string]int{}
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.info != "demo" {
				continue
			}
			shown[d.name]++
			if !strings.Contains(printed, b.text) {
				t.Errorf("%s:%d: the demo does not print this:\n%s", d.name, b.line, b.text)
			}
		}
	}
	for _, name := range []string{"README.md", "docs/memory.md"} {
		if shown[name] == 0 {
			t.Errorf("%s shows nothing of the demo", name)
		}
	}
}

// Every document is on the list of docs/README.md.
func TestEveryDocumentIsListed(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if base := filepath.Base(name); base != "README.md" && !strings.Contains(string(list), "]("+base+")") {
			t.Errorf("docs/README.md does not list %s; give it a line", base)
		}
	}
}

// folderCell is the first cell of a row, where that is names of folders or files.
var folderCell = regexp.MustCompile("^\\| (`[^|]+`) \\|")

// The table of CONTRIBUTING.md names folders that are there, and every package.
func TestContributingNamesThePackages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		m := folderCell.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		internal := false
		for _, code := range inlineCode.FindAllString(m[1], -1) {
			name := strings.TrimSuffix(strings.Trim(code, "`"), "/")
			if strings.HasPrefix(name, "internal/") {
				internal = true
			} else if internal {
				name = "internal/" + name
			}
			named[name] = true
			if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
				t.Errorf("CONTRIBUTING.md: there is no %s", name)
			}
		}
	}
	packages, err := os.ReadDir("internal")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		if name := "internal/" + p.Name(); !named[name] {
			t.Errorf("CONTRIBUTING.md does not name %s in its table", name)
		}
	}
}

func TestOneTestCommand(t *testing.T) {
	t.Parallel()
	const command = "go test -race -shuffle=on -timeout 18m ./..."
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "Makefile", ".ci/run"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), command) {
			t.Errorf("%s does not say how the tests are run: %s", name, command)
		}
	}
}

// entry is the first line of a note for the change log.
var entry = regexp.MustCompile(`^(Added|Changed|Fixed|Removed|Security): .{1,100}$`)

func TestChangelogNotes(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("changelog/unreleased/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(strings.TrimSpace(string(text)), "\n", 3)
		if !entry.MatchString(lines[0]) || len(lines) < 3 || lines[1] != "" {
			t.Errorf("%s: not in the form of changelog/TEMPLATE.md: %q", name, lines[0])
		}
	}
}
