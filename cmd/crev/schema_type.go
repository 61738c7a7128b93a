package main

import (
	"maps"
	"reflect"
	"strings"
)

// schemaBuilder turns a Go type into a JSON Schema, so that the two cannot say
// different things. What a type does not say is in schemaNotes.
type schemaBuilder struct {
	// tag is the key of the struct tags: yaml or json.
	tag string
	// strict makes fields required that are always written.
	strict bool
	// defs are the struct types met so far, by name.
	defs map[string]any
}

// root describes the type of v. Values that are not zero become defaults.
func (b *schemaBuilder) root(v reflect.Value, title string) map[string]any {
	s := b.object(v.Type(), v)
	s["$schema"], s["title"] = draft, title
	if len(b.defs) > 0 {
		s["$defs"] = b.defs
	}
	return s
}

// object describes a struct; unknown keys are refused, as they are by the readers.
func (b *schemaBuilder) object(t reflect.Type, v reflect.Value) map[string]any {
	properties, required := map[string]any{}, []string{}
	b.fields(t, v, properties, &required)
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if more := schemaRequired[t.Name()]; more != nil {
		required = more
	}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// fields adds the fields of a struct, and those of an embedded one beside them.
func (b *schemaBuilder) fields(t reflect.Type, v reflect.Value, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get(b.tag), ",")
		switch {
		case f.Anonymous:
			b.fields(f.Type, v.Field(i), properties, required)
			continue
		case key == "" || key == "-":
			continue
		}
		s := b.value(f.Type, v.Field(i))
		maps.Copy(s, schemaNotes[t.Name()+"."+key])
		properties[key] = s
		if b.strict && !strings.HasPrefix(options, "omit") {
			*required = append(*required, key)
		}
	}
}

// value describes a type, with v as the default where it is one that people read.
func (b *schemaBuilder) value(t reflect.Type, v reflect.Value) map[string]any {
	if s, ok := schemaTypes[t]; ok {
		s = maps.Clone(s)
		if b.hasDefault(v) {
			s["default"] = defaultOf(v)
		}
		return s
	}
	s := map[string]any{}
	switch t.Kind() {
	case reflect.Pointer:
		return b.value(t.Elem(), reflect.Zero(t.Elem()))
	case reflect.Struct:
		if b.defs[t.Name()] == nil {
			b.defs[t.Name()] = map[string]any{} // met, for a type that holds itself
			b.defs[t.Name()] = b.object(t, v)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case reflect.Slice:
		s["type"], s["items"] = "array", b.value(t.Elem(), reflect.Zero(t.Elem()))
	case reflect.Map:
		s["type"], s["additionalProperties"] = "object", b.value(t.Elem(), reflect.Zero(t.Elem()))
		return s
	case reflect.String:
		s["type"] = "string"
	case reflect.Bool:
		s["type"] = "boolean"
	case reflect.Float32, reflect.Float64:
		s["type"] = "number"
	default: // what is left in these types counts
		s["type"] = "integer"
	}
	if b.hasDefault(v) {
		s["default"] = defaultOf(v)
	}
	return s
}

func (b *schemaBuilder) hasDefault(v reflect.Value) bool {
	return b.tag == "yaml" && v.IsValid() && !v.IsZero()
}

// defaultOf is a default as a person writes it.
func defaultOf(v reflect.Value) any {
	if s, ok := v.Interface().(interface{ String() string }); ok {
		return s.String()
	}
	return v.Interface()
}
