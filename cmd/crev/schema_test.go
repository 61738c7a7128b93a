package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
	"github.com/crev-ratchet/crev/internal/validator"
)

// compiled is a schema as crev prints it, ready to check documents.
func compiled(t *testing.T, name string) *model.Validator {
	t.Helper()
	raw, err := json.Marshal(schemaOf(name))
	if err != nil {
		t.Fatal(err)
	}
	v, err := model.Schema{Name: name, JSON: raw}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// asJSON is a YAML document as an editor's schema check sees it: days are texts.
func asJSON(t *testing.T, text string) []byte {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var days func(*yaml.Node)
	days = func(n *yaml.Node) {
		if n.Tag == "!!timestamp" {
			n.Tag = "!!str"
		}
		for _, c := range n.Content {
			days(c)
		}
	}
	days(&doc)
	var v any
	if err := doc.Decode(&v); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// agree checks that a schema and the reader say the same about documents: the good
// ones are taken by both, the bad ones by neither.
func agree(t *testing.T, schema string, read func(string) error, good, bad map[string]string) {
	t.Helper()
	v := compiled(t, schema)
	for name, text := range good {
		if err := read(text); err != nil {
			t.Errorf("%s: the reader refuses it: %v", name, err)
		}
		if err := v.Validate(asJSON(t, text)); err != nil {
			t.Errorf("%s: the schema refuses it: %v", name, err)
		}
	}
	for name, text := range bad {
		if err := read(text); err == nil {
			t.Errorf("%s: the reader takes it:\n%s", name, text)
		}
		if err := v.Validate(asJSON(t, text)); err == nil {
			t.Errorf("%s: the schema takes it:\n%s", name, text)
		}
	}
}

// yamlBlocks are the blocks of a document that hold all of the words.
func yamlBlocks(t *testing.T, file string, words ...string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash("../../" + file))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, part := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(block, w) }) {
			out[file+": "+block] = block
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no block with %q", file, words)
	}
	return out
}

func TestConfigSchema(t *testing.T) {
	t.Parallel()
	read := func(text string) error { _, err := review.ParseConfig([]byte(text)); return err }
	good := yamlBlocks(t, "docs/configuration.md", "version: 1", "batch:")
	own, err := os.ReadFile("../../.crev/config.yml")
	if err != nil {
		t.Fatal(err)
	}
	defaults, err := yaml.Marshal(review.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	good["crev's own"], good["the defaults"], good["nothing"] = string(own), string(defaults), "{}"
	for key, words := range map[string][]string{
		"gate: {mode: WORD}": {"off", "record", "enforce"}, "gate: {effort_unit: WORD}": {"tokens", "seconds"},
		"ledger: {mode: WORD}":  {"branch", "pr-branch", "report"},
		"ratchet: {unit: WORD}": {"pull_request", "run"}, "rules: {activate: WORD}": {"on_merge", "at_once"},
	} {
		for _, w := range words {
			good[key+" "+w] = strings.Replace(key, "WORD", w, 1)
		}
	}
	agree(t, "config", read, good, map[string]string{
		"unknown key":        "reviewer: [code]",
		"unknown inner key":  "model: {nam: x}",
		"unknown price":      "model: {prices: {m: {input: 1}}}",
		"other version":      "version: 2",
		"text for a number":  "batch: {max_lines: many}",
		"number too small":   "batch: {max_lines: 0}",
		"too many comments":  "comments: {max_per_review: 1000}",
		"unknown gate mode":  "gate: {mode: strict}",
		"local ledger":       "ledger: {mode: local}",
		"recur of one":       "ratchet: {recur: 1}",
		"a time of no unit":  "sandbox: {timeout: soon}",
		"a list for a word":  "model: {name: [a]}",
		"a word for a flag":  "drafts: perhaps",
		"no parallel at all": "model: {parallel: 0}",
	})
}

// Every key of the configuration is in the schema, with the default that holds.
func TestConfigSchemaHasEveryKey(t *testing.T) {
	t.Parallel()
	text, err := yaml.Marshal(review.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	var defaults map[string]any
	if err := json.Unmarshal(asJSON(t, string(text)), &defaults); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(schemaOf("config"))
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	defs := schema["$defs"].(map[string]any)
	keys := 0
	var check func(at string, s map[string]any, values map[string]any)
	check = func(at string, s, values map[string]any) {
		if ref, ok := s["$ref"].(string); ok {
			s = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		properties, _ := s["properties"].(map[string]any)
		for key, value := range values {
			keys++
			p, ok := properties[key].(map[string]any)
			if !ok {
				t.Errorf("%s%s is not in the schema", at, key)
				continue
			}
			if inner, ok := value.(map[string]any); ok && p["$ref"] != nil {
				check(at+key+".", p, inner)
				continue
			}
			if d, ok := p["default"]; ok {
				if diff := cmp.Diff(value, d); diff != "" {
					t.Errorf("%s%s: default (-config +schema):\n%s", at, key, diff)
				}
			}
		}
	}
	check("", schema, defaults)
	if keys < 40 {
		t.Errorf("%d keys were looked at, want all of them", keys)
	}
}

const minimalRule = "id: a-rule\nkind: always\nsays: Say it.\nstatus: active\n"

func TestRuleSchema(t *testing.T) {
	t.Parallel()
	read := func(text string) error { _, err := rule.Parse([]byte(text)); return err }
	good := map[string]string{
		"the least":     minimalRule,
		"a scope":       minimalRule + "scope: services/**/*.go\n",
		"many scopes":   minimalRule + "scope: ['a/**', '!a/b/**']\n",
		"with a commit": minimalRule + "cites: ['internal/run/group.go:14@6f882ee']\n",
		"taught": minimalRule + "why: It loses its error.\nbreaks: |\n  go send(order)\nfollows: |\n  g.Go(send)\n" +
			"learned: [{from: 'https://github.com/acme/shop/pull/42#discussion_r1001', by: maria, at: 2026-11-02, checked_against: 6f882ee}]\n",
		"derived": minimalRule + "source: distilled\nconfidence: 0.7\nexpires: 2027-02-01\nseverity: high\nfor_author: maria\nfile_types: [go]\n",
	}
	agree(t, "rule", read, good, map[string]string{
		"unknown key":     minimalRule + "scopes: a/**\n",
		"no id":           strings.Replace(minimalRule, "id: a-rule\n", "", 1),
		"no kind":         strings.Replace(minimalRule, "kind: always\n", "", 1),
		"no status":       strings.Replace(minimalRule, "status: active\n", "", 1),
		"nothing said":    strings.Replace(minimalRule, "Say it.", "''", 1),
		"said at length":  strings.Replace(minimalRule, "Say it.", strings.Repeat("word ", 40), 1),
		"another kind":    strings.Replace(minimalRule, "always", "never", 1),
		"another status":  strings.Replace(minimalRule, "active", "on", 1),
		"an id in upper":  strings.Replace(minimalRule, "a-rule", "A-Rule", 1),
		"a severity":      minimalRule + "severity: huge\n",
		"a source":        minimalRule + "source: rumour\n",
		"no day":          minimalRule + "expires: soon\n",
		"a scope of maps": minimalRule + "scope: {a: b}\n",
	})
}

func TestValidatorSchema(t *testing.T) {
	t.Parallel()
	read := func(text string) error {
		folder := fstest.MapFS{
			"v/validator.yaml": {Data: []byte(text)},
			"v/check.sh":       {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
			"v/bad/a":          {Data: []byte("a")},
			"v/good/a":         {Data: []byte("a")},
		}
		if _, problems := validator.Load(folder); len(problems) > 0 {
			return errors.New(problems[0].String())
		}
		return nil
	}
	good := yamlBlocks(t, "docs/validators.md", "says:", "kind:", "scope:")
	pattern := "says: Say it.\nkind: pattern\nscope: '**'\n"
	script := "says: Say it.\nkind: script\nscope: ['**', '!a']\nrun: ./check.sh\n"
	command := "says: Say it.\nkind: command\nscope: '**'\nrun: [lint]\n"
	for name, text := range map[string]string{
		"all of a pattern": pattern + "version: 1\npromotes: [334cece5d8ab7d10]\ntimeout: 5s\nin: changed_lines\nmust_not: [x, y]\nmust: z\n",
		"files":            pattern + "files: forbidden\n",
		"keys":             pattern + "keys: [{path: a.b, must: x}, {path: a.c, present: true}]\n",
		"a script":         script + "output: sarif\nin: tree\n",
		"a command":        command + "output: exit\nworking_directory: web\nsandbox: off\n",
	} {
		good[name] = text
	}
	agree(t, "validator", read, good, map[string]string{
		"unknown key":                    pattern + "must_not: x\nwhy: y\n",
		"nothing said":                   "kind: pattern\nscope: '**'\nmust_not: x\n",
		"no kind":                        "says: s\nscope: '**'\nmust_not: x\n",
		"no scope":                       "says: s\nkind: pattern\nmust_not: x\n",
		"another kind":                   strings.Replace(pattern, "pattern", "regexp", 1) + "must_not: x\n",
		"another version":                pattern + "must_not: x\nversion: 2\n",
		"a pattern that asks nothing":    pattern,
		"a pattern that runs":            pattern + "must_not: x\nrun: [./check.sh]\n",
		"a script that matches":          script + "must_not: x\n",
		"a script without a program":     "says: s\nkind: script\nscope: '**'\n",
		"a script without a sandbox":     script + "sandbox: off\n",
		"a script of status alone":       script + "output: exit\n",
		"a script elsewhere":             script + "working_directory: web\n",
		"another output":                 command + "output: xml\n",
		"another place":                  pattern + "must_not: x\nin: diff\n",
		"a class of fewer digits":        pattern + "must_not: x\npromotes: [334c]\n",
		"a timeout that is none":         pattern + "must_not: x\ntimeout: soon\n",
		"keys without a path":            pattern + "keys: [{must: x}]\n",
		"keys with another key":          pattern + "keys: [{path: a, is: x}]\n",
		"an empty list":                  pattern + "must_not: []\n",
		"files that are something else ": pattern + "files: optional\n",
	})
}

// The schema has the very keys that the reader knows.
func TestValidatorSchemaHasEveryKey(t *testing.T) {
	t.Parallel()
	_, problems := validator.Load(fstest.MapFS{"v/validator.yaml": {Data: []byte("says: s\nkind: pattern\nscope: '**'\nno: 1\n")}})
	var keys []string
	for _, p := range problems {
		if _, list, ok := strings.Cut(p.String(), "the keys are "); ok {
			keys = strings.Split(list, ", ")
		}
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(validatorSchema, &schema); err != nil {
		t.Fatal(err)
	}
	var got []string
	for key := range schema.Properties {
		got = append(got, key)
	}
	slices.Sort(got)
	if diff := cmp.Diff(keys, got); diff != "" {
		t.Errorf("keys (-reader +schema):\n%s", diff)
	}
}

// Every event of a released format fits.
func TestEventSchema(t *testing.T) {
	t.Parallel()
	v := compiled(t, "event")
	kinds := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../../testdata/ledger"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".jsonl" {
			return err
		}
		text, err := os.ReadFile(filepath.Join("../../testdata/ledger", name))
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			if err := v.Validate(line); err != nil {
				t.Errorf("%s: %v\n%s", name, err, line)
			}
			var e ledger.Event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			kinds[string(e.Kind())] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(kinds) < 15 {
		t.Errorf("events of %d kinds were checked, want most of them", len(kinds))
	}
	header := `{"fp":"334cece5d8ab7d10","run":"1017.1","v":1,"id":"9b1c22d07e41","at":"2026-11-29T12:04:11Z"`
	for name, line := range map[string]string{
		"no payload":     header + `}`,
		"two payloads":   header + `,"closed_pr":{},"merged_pr":{"commit":"a"}}`,
		"unknown":        header + `,"closed":{}}`,
		"newer version":  strings.Replace(header, `"v":1`, `"v":2`, 1) + `,"closed_pr":{}}`,
		"no class":       strings.Replace(header, "334cece5d8ab7d10", "334c", 1) + `,"closed_pr":{}}`,
		"inner unknown":  header + `,"verified":{"commit":"a","reason":"b","by":"c"}}`,
		"missing reason": header + `,"verified":{"commit":"a"}}`,
	} {
		if err := v.Validate([]byte(line)); err == nil {
			t.Errorf("%s: the schema takes %s", name, line)
		}
	}
}

func TestFindingSchema(t *testing.T) {
	t.Parallel()
	w := world{now: func() time.Time { return time.Unix(1_700_000_000, 0).UTC() }}
	read := func(text string) error {
		in, err := readAddInputs(bytes.NewReader(asJSON(t, text)))
		if err != nil {
			return err
		}
		_, err = in[0].event(w, "", finding.NewRedactor())
		return err
	}
	least := "{path: a.go, claim: It is wrong., source: lint, run: '1'"
	agree(t, "finding", read, map[string]string{
		"the least": least + "}",
		"all": least + ", start_line: 3, end_line: 4, symbol: f, category: crash, severity: high, pr: 7, tier: 0," +
			" evidence: [a, b], quote: x, criteria: one}",
		"nulls": least + ", evidence: null, tier: 2, severity: ''}",
	}, map[string]string{
		"no path":      "{claim: c, source: s, run: '1'}",
		"no claim":     "{path: a, source: s, run: '1'}",
		"no source":    "{path: a, claim: c, run: '1'}",
		"no run":       "{path: a, claim: c, source: s}",
		"unknown":      least + ", file: a}",
		"a severity":   least + ", severity: huge}",
		"a tier":       least + ", tier: 3}",
		"line as text": least + ", start_line: three}",
		"line below 0": least + ", start_line: -1}",
	})
}

func TestSchemaOfNothing(t *testing.T) {
	t.Parallel()
	for _, name := range schemaNames() {
		if compiled(t, name).Validate([]byte("[]")) == nil {
			t.Errorf("the schema of %s takes a list", name)
		}
	}
}

// The words that the schema of an event allows are those that the ledger takes.
func TestEventSchemaHasTheWordsOfTheLedger(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"Dismissed.kind":       `"dismissed":{"kind":"?","reason":"r","permission":"write"}`,
		"Dismissed.permission": `"dismissed":{"kind":"wont_fix","reason":"r","permission":"?"}`,
		"Verification.method":  `"verification":{"commit":"c","method":"?","outcome":"passed","criterion":0}`,
		"Verification.outcome": `"verification":{"commit":"c","method":"test","outcome":"?","criterion":0}`,
		"Relocated.how":        `"relocated":{"from":{"path":"a"},"to":{"path":"a","commit":"c"},"how":"?","confidence":1}`,
		"Posted.kind":          `"posted":{"kind":"?","commit":"c"}`,
		"RuleHit.effect":       `"rule_hit":{"rule":"r","effect":"?"}`,
		"Reviewed.gate":        `"reviewed":{"commit":"c","batch":"1","gate":"?","files":[]}`,
	}
	for name, payload := range tests {
		var e ledger.Event
		header := `{"fp":"334cece5d8ab7d10","run":"1017.1","pr":1,"at":"2026-11-29T12:04:11Z","by":"maria","defect":"D-5f0c9a1e",`
		if err := json.Unmarshal([]byte(header+payload+"}"), &e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e.Reviewed != nil { // about no class
			e.FP, e.Defect = ledger.NoClass, ""
		}
		_, err := ledger.Seal(e)
		if err == nil {
			t.Errorf("%s: the ledger takes the word ?", name)
			continue
		}
		_, want, _ := strings.Cut(err.Error(), `"?": want `)
		allowed, ok := schemaNotes[name]["enum"].([]string)
		if got := strings.Join(allowed, ", "); !ok || got != want {
			t.Errorf("%s: the schema allows %q, the ledger %q (%v)", name, got, want, err)
		}
	}
}
