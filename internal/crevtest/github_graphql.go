package crevtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// githubSchema is GitHub's GraphQL schema, as far as a reviewer needs it.
var githubSchema = sync.OnceValues(func() (*ast.Schema, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(root, "testdata/graphql/github-subset.graphql")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: path, Input: string(text)})
	if err != nil {
		return nil, fmt.Errorf("read GitHub's GraphQL schema: %w", err)
	}
	return schema, nil
})

// node is an object of the graph: its concrete type and its fields. A field is
// a value, or a function of the arguments.
type node struct {
	typ    string
	fields map[string]any
}

// field computes a field from its arguments.
type field func(args object) (any, error)

// graphQLError is an error with the type that GitHub gives it. It becomes an
// entry of "errors" and nulls the root field.
type graphQLError struct{ typ, message string }

func (e *graphQLError) Error() string { return e.message }

func graphQLFailure(typ, message string) *reply {
	return ok(object{"data": nil, "errors": []any{object{"type": typ, "message": message}}})
}

// serveGraphQL parses, checks and executes one request.
func (g *GitHub) serveGraphQL(c *call, req *http.Request) *reply {
	var in struct {
		Query     string
		Variables object
	}
	c.operation = "graphql"
	if err := json.Unmarshal(c.raw, &in); err != nil {
		return g.broken(c, fmt.Errorf("GraphQL request: %w", err))
	}
	doc, errs := gqlparser.LoadQueryWithRules(g.schema, in.Query, rules.NewDefaultRules())
	if len(errs) > 0 {
		return g.broken(c, fmt.Errorf("GraphQL request: %w", errs))
	}
	if len(doc.Operations) != 1 {
		return g.broken(c, fmt.Errorf("GraphQL request: %d operations", len(doc.Operations)))
	}
	op := doc.Operations[0]
	vars, err := validator.VariableValues(g.schema, op, in.Variables)
	if err != nil {
		return g.broken(c, fmt.Errorf("GraphQL variables: %w", err))
	}
	var roots []string
	for _, s := range op.SelectionSet {
		if f, isField := s.(*ast.Field); isField {
			roots = append(roots, f.Name)
		}
	}
	c.operation = "graphql " + strings.Join(roots, " ")
	c.fault = g.strike(req.Method + " " + req.URL.Path + " " + c.operation)
	if r, err := g.before(c.fault, true); err != nil || r != nil {
		if err != nil {
			return g.broken(c, err)
		}
		return r
	}
	c.nulls = c.fault != nil && c.fault.Kind == FaultNulls
	root := c.root()
	if op.Operation == ast.Mutation {
		root = c.mutation()
	}
	x := &executor{schema: g.schema, vars: vars}
	data, err := x.selection(root, op.SelectionSet)
	switch err := err.(type) {
	case nil:
		return ok(object{"data": data})
	case *graphQLError:
		return ok(object{"data": object{roots[0]: nil}, "errors": []any{
			object{"type": err.typ, "message": err.message, "path": []string{roots[0]}},
		}})
	default:
		return g.broken(c, err)
	}
}

// executor walks a checked query over nodes.
type executor struct {
	schema *ast.Schema
	vars   object
}

// selection returns the selected fields of a node, nil for a nil node.
func (x *executor) selection(n *node, set ast.SelectionSet) (any, error) {
	if n == nil {
		return nil, nil
	}
	out := object{}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			v, err := x.value(n, s)
			if err != nil {
				return nil, err
			}
			out[s.Alias] = v
		case *ast.InlineFragment:
			if s.TypeCondition != "" && !x.is(n.typ, s.TypeCondition) {
				continue
			}
			if err := x.merge(out, n, s.SelectionSet); err != nil {
				return nil, err
			}
		case *ast.FragmentSpread:
			if !x.is(n.typ, s.Definition.TypeCondition) {
				continue
			}
			if err := x.merge(out, n, s.Definition.SelectionSet); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (x *executor) merge(out object, n *node, set ast.SelectionSet) error {
	more, err := x.selection(n, set)
	if err != nil {
		return err
	}
	for k, v := range more.(object) {
		out[k] = v
	}
	return nil
}

// is reports whether a type is, or implements, another.
func (x *executor) is(typ, condition string) bool {
	if typ == condition {
		return true
	}
	for _, t := range x.schema.PossibleTypes[condition] {
		if t.Name == typ {
			return true
		}
	}
	return false
}

// value computes one field and checks that a field that is never null is not.
func (x *executor) value(n *node, f *ast.Field) (any, error) {
	if f.Name == "__typename" {
		return n.typ, nil
	}
	v, known := n.fields[f.Name]
	if !known {
		return nil, fmt.Errorf("GraphQL: this server has no %s.%s", n.typ, f.Name)
	}
	if compute, isFunc := v.(field); isFunc {
		var err error
		if v, err = compute(f.ArgumentMap(x.vars)); err != nil {
			return nil, err
		}
	}
	v, err := x.complete(v, f)
	if err != nil {
		return nil, err
	}
	if v == nil && f.Definition.Type.NonNull {
		return nil, fmt.Errorf("GraphQL: %s.%s is null and must not be", n.typ, f.Name)
	}
	return v, nil
}

func (x *executor) complete(v any, f *ast.Field) (any, error) {
	switch v := v.(type) {
	case *node:
		return x.selection(v, f.SelectionSet)
	case []*node:
		out := make([]any, 0, len(v))
		for _, n := range v {
			one, err := x.selection(n, f.SelectionSet)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
		return out, nil
	}
	return v, nil
}

// connection is a page of nodes, addressed by "first" and "after".
func (c *call) connection(typ string, all []*node) field {
	return func(args object) (any, error) {
		first, isInt := integer(args["first"])
		if !isInt {
			return nil, &graphQLError{"MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value to properly paginate the " + typ + "."}
		}
		if first < 1 || first > 100 {
			return nil, &graphQLError{"EXCESSIVE_PAGINATION", fmt.Sprintf("Requesting %d records on the connection exceeds the `first` limit of 100 records.", first)}
		}
		from := 0
		if after, isString := args["after"].(string); isString {
			if _, err := fmt.Sscanf(after, "cursor:%d", &from); err != nil {
				return nil, &graphQLError{"INVALID_CURSOR_ARGUMENTS", "`" + after + "` does not appear to be a valid cursor."}
			}
		}
		from = min(from, len(all))
		to := min(from+first, len(all))
		info := map[string]any{"hasNextPage": to < len(all), "hasPreviousPage": from > 0, "endCursor": nil, "startCursor": nil}
		if to > from {
			info["endCursor"], info["startCursor"] = fmt.Sprintf("cursor:%d", to), fmt.Sprintf("cursor:%d", from)
		}
		nodes := append([]*node(nil), all[from:to]...)
		if c.nulls {
			// A node that went away while the answer was made is null.
			nodes = append([]*node{nil}, nodes...)
		}
		return &node{typ: typ, fields: map[string]any{
			"nodes": nodes, "totalCount": len(all),
			"pageInfo": &node{typ: "PageInfo", fields: info},
		}}, nil
	}
}

// integer reads an Int, which is a literal or came as a JSON number.
func integer(v any) (int, bool) {
	switch n := v.(type) {
	case int64:
		return int(n), true
	case int:
		return n, true
	case float64:
		return int(n), true
	}
	return 0, false
}
