package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of what a Mismatch says: enough for a model to repair its reply, short
// enough for a prompt and for a log line.
const (
	mostProblems    = 8
	longestProblem  = 200
	schemaLocation  = "crev:///schema.json"
	rootDescription = "the reply"
)

// Mismatch says where a reply does not fit its schema.
type Mismatch struct {
	// Problems is one line a place, in the order of the schema check, at most
	// eight.
	Problems []string
	// More is how many further problems there are.
	More int
}

// Error returns the problems on one line.
func (m *Mismatch) Error() string {
	s := strings.Join(m.Problems, "; ")
	if m.More > 0 {
		s += fmt.Sprintf("; and %d more", m.More)
	}
	return s
}

// Validator checks replies against one schema. It may be used by several
// goroutines.
type Validator struct{ schema *jsonschema.Schema }

// Compile prepares the schema. It refuses one that is no JSON Schema or that
// refers to another document: nothing is ever loaded from a file or a network.
func (s Schema) Compile() (*Validator, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.JSON))
	if err != nil {
		return nil, fmt.Errorf("read schema %s: %w", s.Name, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource(schemaLocation, doc); err != nil {
		return nil, fmt.Errorf("read schema %s: %w", s.Name, err)
	}
	compiled, err := c.Compile(schemaLocation)
	if err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", s.Name, err)
	}
	return &Validator{compiled}, nil
}

// Validate compiles the schema and checks raw against it. A caller with many
// replies compiles once and uses the Validator.
func (s Schema) Validate(raw []byte) error {
	v, err := s.Compile()
	if err != nil {
		return err
	}
	return v.Validate(raw)
}

// Validate reports whether raw is one JSON value that fits the schema. The error
// is a *Mismatch that a model can act on, or says that raw is no JSON.
func (v *Validator) Validate(raw []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return &Mismatch{Problems: []string{short("the reply is no JSON: " + err.Error())}}
	}
	err = v.schema.Validate(doc)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return fmt.Errorf("check a reply: %w", err)
	}
	return mismatch(invalid)
}

// mismatch flattens the tree of causes to its leaves, which name the places.
func mismatch(invalid *jsonschema.ValidationError) *Mismatch {
	m := &Mismatch{}
	for _, unit := range invalid.BasicOutput().Errors {
		if unit.Error == nil {
			continue
		}
		if len(m.Problems) == mostProblems {
			m.More++
			continue
		}
		place := unit.InstanceLocation
		if place == "" {
			place = rootDescription
		}
		m.Problems = append(m.Problems, short(place+": "+unit.Error.String()))
	}
	return m
}

// short puts a problem on one line of bounded length. Property names in it were
// written by a model.
func short(s string) string {
	s = strings.ToValidUTF8(oneLine(s), "?")
	if len(s) <= longestProblem {
		return s
	}
	cut := longestProblem
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}

// Prompt renders the schema for a model whose endpoint cannot enforce it.
func (s Schema) Prompt() string {
	var b bytes.Buffer
	if err := json.Compact(&b, s.JSON); err != nil {
		b.Reset()
		b.Write(s.JSON)
	}
	return "Reply with one JSON object and nothing else: no prose, no code fence. " +
		"It must fit this JSON Schema (" + s.Name + "):\n" + b.String()
}
