package validator

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/glob"
)

// description reads one validator.yaml and collects what is wrong with it.
type description struct {
	validator, file string
	problems        []Problem
	keys            map[string]*yaml.Node
	lines           map[string]int
}

func (d *description) problem(line int, format string, args ...any) {
	d.problems = append(d.problems, Problem{d.validator, d.file, line, fmt.Sprintf(format, args...)})
}

// The keys of a validator.yaml and the kinds that have them.
var descriptionKeys = map[string][]Kind{
	"version":           {Pattern, Script, Command},
	"says":              {Pattern, Script, Command},
	"kind":              {Pattern, Script, Command},
	"scope":             {Pattern, Script, Command},
	"promotes":          {Pattern, Script, Command},
	"timeout":           {Pattern, Script, Command},
	"in":                {Pattern, Script, Command},
	"run":               {Script, Command},
	"output":            {Script, Command},
	"working_directory": {Command},
	"sandbox":           {Command},
	"must_not":          {Pattern},
	"must":              {Pattern},
	"files":             {Pattern},
	"keys":              {Pattern},
}

func (d *description) parse(data []byte) Validator {
	v := Validator{Name: d.validator}
	root := d.document(data)
	if root == nil {
		return v
	}
	d.keys, d.lines = d.mapping(root, "a validator.yaml")
	if version := d.text("version"); version != "" && version != formatVersion {
		d.problem(d.lines["version"], "version %s: this crev reads version %s; update crev", version, formatVersion)
		return v
	}
	v.Kind = Kind(d.text("kind"))
	for _, key := range sortedKeys(d.keys) {
		kinds, known := descriptionKeys[key]
		switch {
		case !known:
			d.problem(d.lines[key], "unknown key %q; the keys are %s", key, strings.Join(sortedKeys(descriptionKeys), ", "))
		case !slices.Contains(kinds, v.Kind) && slices.Contains([]Kind{Pattern, Script, Command}, v.Kind):
			d.problem(d.lines[key], "kind %s has no key %q", v.Kind, key)
		}
	}
	d.common(&v)
	switch v.Kind {
	case Pattern:
		d.pattern(&v)
	case Script, Command:
		d.program(&v)
	default:
		d.problem(d.lines["kind"], "kind %q: write pattern, script or command", v.Kind)
	}
	return v
}

// document returns the one mapping of a file, or nil after a problem.
func (d *description) document(data []byte) *yaml.Node {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF):
		d.problem(0, "it is empty")
		return nil
	case err != nil:
		d.problem(yamlErrorLine(err), "%s", yamlMessage(err))
		return nil
	case len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode:
		d.problem(doc.Line, "it must be keys and values")
		return nil
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		line := more.Line
		if err != nil {
			line = yamlErrorLine(err)
		}
		d.problem(line, "there is a second document; a validator is one")
		return nil
	}
	if bad := firstIndirection(&doc); bad != nil {
		d.problem(bad.Line, "anchors, aliases, merge keys and tags are not read here; write the value out")
		return nil
	}
	return doc.Content[0]
}

// mapping returns the values and lines of a mapping node by key.
func (d *description) mapping(n *yaml.Node, what string) (map[string]*yaml.Node, map[string]int) {
	keys, lines := map[string]*yaml.Node{}, map[string]int{}
	if n.Kind != yaml.MappingNode {
		d.problem(n.Line, "%s is keys and values", what)
		return keys, lines
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if first, double := lines[k.Value]; double {
			d.problem(k.Line, "key %q is there already, on line %d", k.Value, first)
			continue
		}
		keys[k.Value], lines[k.Value] = n.Content[i+1], k.Line
	}
	return keys, lines
}

// text returns the scalar under a key, "" when there is none.
func (d *description) text(key string) string {
	n := d.keys[key]
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		d.problem(n.Line, "%s: write one value", key)
		return ""
	}
	return n.Value
}

// list returns the scalars under a key, which may also be a single one.
func (d *description) list(key string) []string {
	n := d.keys[key]
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode && n.Tag != "!!null":
		return []string{n.Value}
	case n.Kind != yaml.SequenceNode || len(n.Content) == 0:
		d.problem(n.Line, "%s: write a value or a list of values", key)
		return nil
	}
	var list []string
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
			d.problem(item.Line, "%s: write a list of values", key)
			return nil
		}
		list = append(list, item.Value)
	}
	return list
}

// one returns a word out of a few, the first when the key is not there.
func (d *description) one(key string, words ...string) string {
	w := d.text(key)
	if w == "" {
		return words[0]
	}
	if !slices.Contains(words, w) {
		d.problem(d.lines[key], "%s %q: write %s", key, w, strings.Join(words, " or "))
	}
	return w
}

func (d *description) common(v *Validator) {
	v.Says = strings.TrimSpace(d.text("says"))
	switch n := len([]rune(v.Says)); {
	case n == 0:
		d.problem(d.lines["says"], "says: write one sentence that tells what to do instead")
	case n > maxSays:
		d.problem(d.lines["says"], "says: %d characters, and %d is the most", n, maxSays)
	case strings.ContainsAny(v.Says, "\n\r"):
		d.problem(d.lines["says"], "says: write one line")
	}
	v.Scope = d.list("scope")
	if err := glob.Check(v.Scope); err != nil {
		d.problem(d.lines["scope"], "%v", err)
	}
	v.Promotes = d.list("promotes")
	for _, class := range v.Promotes {
		if b, err := hex.DecodeString(class); err != nil || len(b) != 8 || class != strings.ToLower(class) {
			d.problem(d.lines["promotes"], "promotes %q: a class is 16 hex digits, as crev ledger triage prints it", class)
		}
	}
	if t := d.text("timeout"); t != "" {
		var err error
		if v.Timeout, err = time.ParseDuration(t); err != nil || v.Timeout < time.Second || v.Timeout > maxTimeout {
			d.problem(d.lines["timeout"], "timeout %q: write a time from 1s to %s", t, maxTimeout)
		}
	}
	v.In = Where(d.one("in", string(WholeTree), string(ChangedLines)))
}

// program reads what a script or a command has.
func (d *description) program(v *Validator) {
	v.Run = d.list("run")
	if len(v.Run) == 0 {
		d.problem(d.lines["run"], "run: name the program, for example [./check.sh]")
	}
	for _, a := range v.Run {
		if strings.ContainsRune(a, 0) || a == "" {
			d.problem(d.lines["run"], "run: an argument is empty or holds a NUL")
		}
	}
	v.Output = Output(d.one("output", string(Auto), string(Lines), string(SARIF), string(ExitOnly)))
	if v.Output == ExitOnly && v.Kind == Script {
		d.problem(d.lines["output"], "output exit: a script has to say where; print path:line: message")
	}
	v.Unsandboxed = d.one("sandbox", "on", "off") == "off"
	if dir := d.text("working_directory"); dir != "" {
		clean, ok := cleanRel(dir)
		if !ok {
			d.problem(d.lines["working_directory"], "working_directory %q: write a directory below the repository's root", dir)
		}
		if v.Directory = clean; clean == "." {
			v.Directory = ""
		}
	}
}

// checkRun looks for the program that a script names in its own folder.
func (d *description) checkRun(v Validator) {
	if len(v.Run) == 0 {
		return
	}
	own := false
	for i, a := range v.Run {
		if i == 0 && (path.IsAbs(a) || strings.Contains(a, `\`) || strings.HasPrefix(a, "../") || strings.Contains(a, "/../")) {
			d.problem(d.lines["run"], "run %q: name a file of this folder, as ./check.sh, or a program on PATH", a)
			return
		}
		name, ok := strings.CutPrefix(a, "./")
		if !ok {
			if i == 0 && strings.Contains(a, "/") {
				d.problem(d.lines["run"], "run %q: a file of this folder is written ./%s; files of the judged tree are not run, because a pull request could change them", a, a)
				return
			}
			continue
		}
		info, err := fs.Lstat(v.folder, name)
		switch {
		case err != nil && i == 0:
			d.problem(d.lines["run"], "run %q: there is no such file in this folder", a)
			return
		case err != nil:
		case !info.Mode().IsRegular():
			d.problem(d.lines["run"], "run %q: it is not a regular file", a)
			return
		default:
			own = true
		}
	}
	if v.Kind == Script && !own {
		d.problem(d.lines["run"], "run: a script is a file of this folder, as ./check.sh; for a program that is installed write kind: command")
	}
}

// firstIndirection returns a node that stands for something that is not written
// there, or that names a type.
func firstIndirection(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge" || n.Style&yaml.TaggedStyle != 0 {
		return n
	}
	for _, c := range n.Content {
		if bad := firstIndirection(c); bad != nil {
			return bad
		}
	}
	return nil
}

var yamlLine = regexp.MustCompile(`line (\d+): ?`)

func yamlErrorLine(err error) int {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 0
	}
	n := 0
	fmt.Sscan(m[1], &n)
	return n
}

func yamlMessage(err error) string {
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	return yamlLine.ReplaceAllString(s, "")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
