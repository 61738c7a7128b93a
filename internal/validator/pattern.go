package validator

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"gopkg.in/yaml.v3"
)

const (
	// maxExpression bounds the text of one expression; RE2 itself refuses
	// what would compile to too much.
	maxExpression = 4096
	// maxMatches bounds the failures of one file.
	maxMatches = 10_000
)

// What "files" may ask for.
const (
	filesForbidden = "forbidden"
	filesRequired  = "required"
)

// pattern reads what a pattern asks for.
func (d *description) pattern(v *Validator) {
	v.mustNot = d.expressions("must_not")
	v.must = d.expressions("must")
	v.files = d.one("files", "", filesForbidden, filesRequired)
	if n := d.keys["keys"]; n != nil {
		v.keys = d.keyChecks(n)
	}
	if v.mustNot == nil && v.must == nil && v.files == "" && v.keys == nil {
		d.problem(0, "a pattern needs must_not, must, files or keys")
	}
}

func (d *description) expressions(key string) []expression {
	var list []expression
	for _, text := range d.list(key) {
		e, err := compile(text)
		if err != nil {
			d.problem(d.lines[key], "%s: %v", key, err)
			continue
		}
		list = append(list, e)
	}
	return list
}

// compile makes an expression in which "^" and "$" are the ends of a line.
func compile(text string) (expression, error) {
	if len(text) > maxExpression {
		return expression{}, fmt.Errorf("an expression has more than %d bytes", maxExpression)
	}
	re, err := regexp.Compile("(?m)" + text)
	if err != nil {
		var se *syntax.Error
		if errors.As(err, &se) {
			return expression{}, fmt.Errorf("%q is no RE2 expression: %s", text, se.Code)
		}
		return expression{}, fmt.Errorf("%q is no RE2 expression: %w", text, err)
	}
	if re.MatchString("") {
		return expression{}, fmt.Errorf("%q matches the empty text, so it would match everywhere", text)
	}
	parsed, err := syntax.Parse("(?m)"+text, syntax.Perl)
	if err != nil {
		return expression{}, err
	}
	return expression{re: re, literals: requiredLiterals(parsed.Simplify())}, nil
}

// matches returns the places of all matches, as FindAllIndex does.
func (e expression) matches(data []byte) [][]int {
	if e.literals != nil {
		possible := false
		for _, l := range e.literals {
			if possible = bytes.Contains(data, []byte(l)); possible {
				break
			}
		}
		if !possible {
			return nil
		}
	}
	return e.re.FindAllIndex(data, maxMatches)
}

// judge returns what one file does wrong.
func (v Validator) judge(f *file, in Input) []Failure {
	if v.builtin != nil {
		return v.builtin(f, in)
	}
	var fails []Failure
	if v.files == filesForbidden && in.touched(f.path) {
		fails = append(fails, Failure{Path: f.path, Message: v.Says})
	}
	for _, e := range v.mustNot {
		for _, m := range e.matches(f.data) {
			start, end := f.line(m[0]), f.line(max(m[0], m[1]-1))
			if in.changed(f.path, start, end) {
				fails = append(fails, Failure{Path: f.path, Line: start, Column: f.column(m[0]), Message: v.Says})
			}
		}
	}
	for _, e := range v.must {
		if in.touched(f.path) && len(e.matches(f.data)) == 0 {
			fails = append(fails, Failure{Path: f.path, Message: v.Says})
		}
	}
	if len(v.keys) > 0 {
		fails = append(fails, v.judgeKeys(f, in)...)
	}
	return fails
}

// missing returns a failure for each glob of the scope that no file matches,
// when files are required.
func (v Validator) missing(in Input) []Failure {
	if v.files != filesRequired {
		return nil
	}
	var fails []Failure
	for _, g := range v.Scope {
		if g[0] == '!' || len(inScope([]string{g}, in.Files)) > 0 {
			continue
		}
		fails = append(fails, Failure{Message: fmt.Sprintf("%s (no file matches %s)", v.Says, g)})
	}
	return fails
}

// keyChecks reads the list under "keys".
func (d *description) keyChecks(n *yaml.Node) []keyCheck {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		d.problem(n.Line, "keys: write a list of checks, each with a path")
		return nil
	}
	var checks []keyCheck
	for _, item := range n.Content {
		one := description{validator: d.validator, file: d.file}
		one.keys, one.lines = one.mapping(item, "a check under keys")
		c := keyCheck{}
		var err error
		if c.path, err = parseKeyPath(one.text("path")); err != nil {
			one.problem(item.Line, "path: %v", err)
		}
		for _, key := range sortedKeys(one.keys) {
			if key != "path" && key != "must" && key != "must_not" && key != "present" {
				one.problem(one.lines[key], "unknown key %q under keys; write path, must, must_not or present", key)
			}
		}
		c.must, c.mustNot = one.expressions("must"), one.expressions("must_not")
		c.present = one.text("present")
		if c.present != "" && c.present != "true" && c.present != "false" {
			one.problem(one.lines["present"], "present %q: write true or false", c.present)
		}
		if c.must == nil && c.mustNot == nil && c.present == "" {
			one.problem(item.Line, "a check under keys needs must, must_not or present")
		}
		if c.present == "false" && (c.must != nil || c.mustNot != nil) {
			one.problem(item.Line, "present: false leaves nothing to match")
		}
		d.problems = append(d.problems, one.problems...)
		checks = append(checks, c)
	}
	return checks
}
