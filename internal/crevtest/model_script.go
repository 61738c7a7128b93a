package crevtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"gopkg.in/yaml.v3"
)

// ParseScript reads a script in YAML, of which JSON is a part. Unknown keys are
// errors: a condition that is misspelt would match everything.
func ParseScript(data []byte) (Script, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	var s Script
	if err := dec.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return Script{}, fmt.Errorf("read model script: %w", err)
	}
	for i := range s.Rules {
		if s.Rules[i].Findings != nil {
			s.Rules[i].Reply = Findings(s.Rules[i].Findings...)
		}
	}
	return s, nil
}

// ModelCommand is the command "model" of a scenario. Register it under that name:
//
//	model start FILE [MODE]...  start a server that answers from the script FILE
//	                            and set OPENAI_BASE_URL, OPENAI_API_KEY, CREV_MODEL
//	model requests              print one line a request to standard output:
//	                            number, form ("+tools" where some are offered),
//	                            rule and status
//	model prompts               print the texts of all requests
//	model systems               print the hash of each different system text
//	model fenced WORD...        fail if a word stands in a request outside of a
//	                            fenced block, or inside of none
//	model stop                  stop it; fails if a request had no rule
//
// "! model stop" expects that one had none.
func ModelCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[0] != "start" {
		ts.Fatalf("usage: model start FILE [MODE]...; the other model commands come after it")
	}
	script, err := ParseScript([]byte(ts.ReadFile(args[1])))
	ts.Check(err)
	var modes []Mode
	for _, name := range args[2:] {
		if !slices.Contains(Modes(), Mode(name)) {
			ts.Fatalf("model: no mode %q; there are %v", name, Modes())
		}
		modes = append(modes, Mode(name))
	}
	m := StartModel(script, modes...)
	ts.Defer(m.Close)
	ts.Setenv("OPENAI_BASE_URL", m.URL)
	ts.Setenv("OPENAI_API_KEY", ModelKey)
	ts.Setenv("CREV_MODEL", "scripted")
	// From here on the command speaks to this server, in this scenario only.
	ts.SetCmd("model", m.command)
}

// command is "model" once a server runs.
func (m *Model) command(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) > 1 && args[0] == "fenced" {
		if bad := m.Unfenced(args[1:]); len(bad) > 0 != neg {
			ts.Fatalf("model fenced: %d faults\n%s", len(bad), strings.Join(bad, "\n"))
		}
		return
	}
	switch strings.Join(args, " ") {
	case "systems":
		for _, s := range m.systems() {
			fmt.Fprintln(ts.Stdout(), s)
		}
	case "requests":
		for i, r := range m.Requests() {
			form := r.Form
			if len(r.Tools) > 0 {
				form += "+tools"
			}
			fmt.Fprintf(ts.Stdout(), "%d %s %s %d\n", i+1, form, r.Rule, r.Status)
		}
	case "prompts":
		for i, r := range m.Requests() {
			fmt.Fprintf(ts.Stdout(), "-- %d %s --\n%s\n", i+1, r.Form, r.Text)
		}
	case "stop":
		m.Close()
		ts.SetCmd("model", ModelCommand)
		if missed := m.Unexpected(); len(missed) > 0 != neg {
			ts.Fatalf("model stop: %d requests without a rule\n%s", len(missed), strings.Join(missed, "\n"))
		}
		return
	default:
		if len(args) > 0 && args[0] == "start" {
			m.Close()
			ModelCommand(ts, neg, args)
			return
		}
		ts.Fatalf("usage: model requests, model prompts, model systems, model fenced WORD..., model stop")
	}
	if neg {
		ts.Fatalf("model %s cannot fail", args[0])
	}
}
