package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"reflect"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
)

// draft is the dialect of every schema that crev prints.
const draft = "https://json-schema.org/draft/2020-12/schema"

// validatorSchema is written by hand: a validator.yaml is read key by key and has
// no type of its own.
//
//go:embed schema/validator.json
var validatorSchema []byte

// schemaNames are what crev schema can print, in the order of its help.
func schemaNames() []string { return []string{"config", "rule", "validator", "event", "finding"} }

// schemaCommand prints a JSON Schema, for editors and for programs that write what
// crev reads.
func schemaCommand(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	rest, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 || !slices.Contains(schemaNames(), rest[0]) {
		return usagef("schema: name one of %s", strings.Join(schemaNames(), ", "))
	}
	return printJSON(w.out, schemaOf(rest[0]))
}

// schemaOf returns the schema of that name.
func schemaOf(name string) any {
	switch name {
	case "config":
		b := schemaBuilder{tag: "yaml", defs: map[string]any{}}
		return b.root(reflect.ValueOf(review.DefaultConfig()), ".crev/config.yml")
	case "rule":
		b := schemaBuilder{tag: "yaml", defs: map[string]any{}}
		return b.root(reflect.ValueOf(rule.Rule{}), ".crev/rules/ID.yaml, one rule")
	case "validator":
		return json.RawMessage(validatorSchema)
	case "event":
		b := schemaBuilder{tag: "json", strict: true, defs: map[string]any{}}
		s := b.root(reflect.ValueOf(ledger.Event{}), "one line of a file below .crev/ledger")
		s["oneOf"] = onePayload()
		return s
	}
	b := schemaBuilder{tag: "json", defs: map[string]any{}}
	one := b.root(reflect.ValueOf(addInput{}), "a finding for crev ledger add")
	return one
}

// onePayload says that an event has exactly one payload.
func onePayload() []any {
	var out []any
	for f := range reflect.TypeFor[ledger.Payload]().Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, map[string]any{"required": []string{key}})
	}
	return out
}
