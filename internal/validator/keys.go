package validator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxVisits bounds how many values one check may look at, so that a document
// that refers to itself cannot multiply them.
const maxVisits = 200_000

// keyCheck asks something of the values at a path of a JSON or YAML file.
type keyCheck struct {
	path          keyPath
	must, mustNot []expression
	// present is "true", "false" or "" when it does not matter.
	present string
}

// keyPath is a path such as "dependencies.*" or "jobs[0]["runs-on"]".
type keyPath []keyStep

// keyStep is one step: a key, an index, or every child.
type keyStep struct {
	key   string
	index int // -1 for a step by key
	every bool
}

// parseKeyPath reads a path: keys with dots between them, [n] for an item, * or
// [*] for every child, ["a.b"] for a key that holds a dot. "$." at the start is
// allowed, as JSONPath writes it.
func parseKeyPath(s string) (keyPath, error) {
	rest := strings.TrimPrefix(strings.TrimPrefix(s, "$"), ".")
	if rest == "" {
		return nil, errors.New("it is empty; write for example dependencies.lodash")
	}
	var p keyPath
	for rest != "" {
		if rest[0] == '[' {
			step, after, err := bracketStep(rest)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", s, err)
			}
			p, rest = append(p, step), after
		} else {
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, fmt.Errorf("%q: a key is empty", s)
			}
			p = append(p, keyStep{key: rest[:end], index: -1, every: rest[:end] == "*"})
			rest = rest[end:]
		}
		if after, ok := strings.CutPrefix(rest, "."); ok {
			if after == "" || after[0] == '[' {
				return nil, fmt.Errorf("%q: a dot stands between two keys", s)
			}
			rest = after
		} else if rest != "" && rest[0] != '[' {
			return nil, fmt.Errorf("%q: write a dot or [ after ]", s)
		}
	}
	return p, nil
}

func bracketStep(s string) (keyStep, string, error) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err != nil || !strings.HasPrefix(s[1+len(quoted):], "]") {
			return keyStep{}, "", errors.New(`write ["key"]`)
		}
		key, err := strconv.Unquote(quoted)
		return keyStep{key: key, index: -1}, s[2+len(quoted):], err
	}
	inner, after, ok := strings.Cut(s[1:], "]")
	if !ok {
		return keyStep{}, "", errors.New("a bracket is open")
	}
	if inner == "*" {
		return keyStep{index: -1, every: true}, after, nil
	}
	n, err := strconv.Atoi(inner)
	if err != nil || n < 0 {
		return keyStep{}, "", fmt.Errorf("[%s]: write a number from 0, * or a key in quotes", inner)
	}
	return keyStep{index: n}, after, nil
}

// value is a JSON or YAML value with its line.
type value struct {
	line int
	// text is what a scalar says; "null" for null.
	text string
	// keys and items hold the children of an object; items alone those of a
	// list.
	keys   []string
	items  []*value
	object bool
	scalar bool
}

// docTree is the parsed content of a file, kept for all checks of it.
type docTree struct {
	docs []*value
	err  error
}

// judgeKeys checks the values of one file. A file that cannot be parsed is a
// failure of the file: the check is right to insist.
func (v Validator) judgeKeys(f *file, in Input) []Failure {
	if f.doc == nil {
		f.doc = parseDoc(f)
	}
	if f.doc.err != nil {
		if !in.touched(f.path) {
			return nil
		}
		return []Failure{{Path: f.path, Message: fmt.Sprintf("%s (%v)", v.Says, f.doc.err)}}
	}
	var fails []Failure
	for _, c := range v.keys {
		for _, line := range c.failing(f.doc.docs) {
			if line == 0 && in.touched(f.path) || line > 0 && in.changed(f.path, line, line) {
				fails = append(fails, Failure{Path: f.path, Line: line, Message: v.Says})
			}
		}
	}
	return fails
}

// failing returns the lines at which a check fails, 0 for the file.
func (c keyCheck) failing(docs []*value) []int {
	var found []*value
	visits := maxVisits
	for _, d := range docs {
		found = append(found, d.at(c.path, &visits)...)
	}
	if visits < 0 {
		return []int{0}
	}
	var lines []int
	if len(found) == 0 && c.present == "true" {
		return []int{0}
	}
	for _, v := range found {
		switch {
		case c.present == "false", !v.satisfies(c.must, c.mustNot):
			lines = append(lines, v.line)
		}
	}
	return lines
}

// satisfies matches the text of a scalar; an object or a list has none, so it
// satisfies no must.
func (v *value) satisfies(must, mustNot []expression) bool {
	text := []byte(v.text)
	for _, e := range must {
		if !v.scalar || !e.re.Match(text) {
			return false
		}
	}
	for _, e := range mustNot {
		if v.scalar && e.re.Match(text) {
			return false
		}
	}
	return true
}

func (v *value) at(p keyPath, visits *int) []*value {
	if *visits--; *visits < 0 {
		return nil
	}
	if len(p) == 0 {
		return []*value{v}
	}
	step, rest := p[0], p[1:]
	var found []*value
	for i, item := range v.items {
		switch {
		case step.every,
			v.object && step.index < 0 && v.keys[i] == step.key,
			!v.object && step.index == i && step.index >= 0:
			found = append(found, item.at(rest, visits)...)
		}
	}
	return found
}

func parseDoc(f *file) *docTree {
	switch path.Ext(f.path) {
	case ".yaml", ".yml":
		return yamlDoc(f.data)
	default:
		return jsonDoc(f)
	}
}

func yamlDoc(data []byte) *docTree {
	t := &docTree{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	visits := maxVisits
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return t
		}
		if err != nil {
			t.err = fmt.Errorf("it is no valid YAML: %s", yamlMessage(err))
			return t
		}
		if v := yamlValue(&n, &visits); v != nil {
			t.docs = append(t.docs, v)
		}
		if visits < 0 {
			t.err = errors.New("its aliases multiply to too many values")
			return t
		}
	}
}

func yamlValue(n *yaml.Node, visits *int) *value {
	if *visits--; *visits < 0 {
		return nil
	}
	v := &value{line: n.Line}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil
		}
		return yamlValue(n.Content[0], visits)
	case yaml.AliasNode:
		// yaml.v3 refuses an alias inside of its own anchor.
		target := yamlValue(n.Alias, visits)
		if target != nil {
			target.line = n.Line
		}
		return target
	case yaml.ScalarNode:
		v.scalar, v.text = true, n.Value
	case yaml.SequenceNode:
		for _, c := range n.Content {
			if item := yamlValue(c, visits); item != nil {
				v.items = append(v.items, item)
			}
		}
	case yaml.MappingNode:
		v.object = true
		for i := 0; i+1 < len(n.Content); i += 2 {
			if item := yamlValue(n.Content[i+1], visits); item != nil {
				item.line = n.Content[i].Line
				v.keys, v.items = append(v.keys, n.Content[i].Value), append(v.items, item)
			}
		}
	}
	return v
}

// jsonDoc reads one JSON value with the line of each part.
func jsonDoc(f *file) *docTree {
	dec := json.NewDecoder(bytes.NewReader(f.data))
	dec.UseNumber()
	r := jsonReader{f: f, dec: dec}
	v, err := r.value(0)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("text after the value")
		}
	}
	if err != nil {
		return &docTree{err: fmt.Errorf("it is no valid JSON: %w", err)}
	}
	return &docTree{docs: []*value{v}}
}

// maxDepth bounds how deep values may be nested.
const maxDepth = 1000

type jsonReader struct {
	f   *file
	dec *json.Decoder
}

func (r jsonReader) value(depth int) (*value, error) {
	if depth > maxDepth {
		return nil, errors.New("it is nested too deep")
	}
	tok, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	// The offset is behind the token, on the token's last line.
	v := &value{line: r.f.line(max(0, int(r.dec.InputOffset())-1))}
	delim, ok := tok.(json.Delim)
	if !ok {
		v.scalar, v.text = true, "null"
		if tok != nil {
			v.text = fmt.Sprint(tok)
		}
		return v, nil
	}
	v.object = delim == '{'
	for r.dec.More() {
		var keyLine int
		if v.object {
			key, err := r.dec.Token()
			if err != nil {
				return nil, err
			}
			keyLine = r.f.line(max(0, int(r.dec.InputOffset())-1))
			v.keys = append(v.keys, fmt.Sprint(key))
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if v.object {
			item.line = keyLine
		}
		v.items = append(v.items, item)
	}
	_, err = r.dec.Token()
	return v, err
}
