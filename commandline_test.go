package crev_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// commandWord is a command of the program, as read from the source of cmd/crev.
type commandWord struct {
	name string
	subs []commandWord
}

// commandTree is everything that may be typed after "crev".
type commandTree struct {
	words []commandWord
	// flags are the flags of all commands together.
	flags []string
}

// commandLine reads the command table and the flags from the source.
func commandLine(t *testing.T) commandTree {
	t.Helper()
	for _, p := range load(t) {
		if p.dir != "cmd/crev" {
			continue
		}
		r := tableReader{funcs: map[string]*ast.FuncDecl{}}
		for _, f := range p.code() {
			for _, decl := range f.ast.Decls {
				if d, ok := decl.(*ast.FuncDecl); ok && d.Recv == nil {
					r.funcs[d.Name.Name] = d
				}
			}
		}
		tree := commandTree{words: r.list(&ast.CallExpr{Fun: ast.NewIdent("commands")}), flags: []string{"h", "help"}}
		for _, f := range p.code() {
			tree.flags = append(tree.flags, flagNames(f.ast)...)
		}
		if len(tree.words) == 0 {
			t.Fatal("the command table of cmd/crev could not be read; teach commandline_test.go its new form")
		}
		return tree
	}
	t.Fatal("there is no cmd/crev")
	return commandTree{}
}

// tableReader evaluates the few forms of expression a command table is made of.
type tableReader struct {
	funcs map[string]*ast.FuncDecl
}

// list reads a []command: a literal, a call of a function that returns one, or
// an append of those.
func (r tableReader) list(x ast.Expr) []commandWord {
	switch e := x.(type) {
	case *ast.CompositeLit:
		var out []commandWord
		for _, elt := range e.Elts {
			out = append(out, r.word(elt))
		}
		return out
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		if !ok {
			return nil
		}
		if id.Name == "append" {
			var out []commandWord
			for i, arg := range e.Args {
				if i == 0 || e.Ellipsis != token.NoPos {
					out = append(out, r.list(arg)...)
				} else {
					out = append(out, r.word(arg))
				}
			}
			return out
		}
		return r.list(r.result(id.Name))
	}
	return nil
}

// word reads one command.
func (r tableReader) word(x ast.Expr) commandWord {
	switch e := x.(type) {
	case *ast.UnaryExpr:
		return r.word(e.X)
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok {
			return r.word(r.result(id.Name))
		}
	case *ast.CompositeLit:
		var w commandWord
		for _, elt := range e.Elts {
			kv, ok := elt.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			switch key, _ := kv.Key.(*ast.Ident); key.Name {
			case "name":
				w.name = literal(kv.Value)
			case "subs":
				w.subs = r.list(kv.Value)
			}
		}
		return w
	}
	return commandWord{}
}

// result is what a function returns in its last statement.
func (r tableReader) result(name string) ast.Expr {
	d := r.funcs[name]
	if d == nil || len(d.Body.List) == 0 {
		return nil
	}
	ret, ok := d.Body.List[len(d.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	return ret.Results[0]
}

// flagNames are the names given to methods of a flag.FlagSet.
func flagNames(f *ast.File) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		name := -1
		switch sel.Sel.Name {
		case "Bool", "BoolFunc", "Duration", "Float64", "Func", "Int", "Int64", "String", "Uint", "Uint64":
			name = 0
		case "BoolVar", "DurationVar", "Float64Var", "IntVar", "Int64Var", "StringVar", "TextVar", "UintVar", "Uint64Var", "Var":
			name = 1
		}
		if name >= 0 && name < len(call.Args) {
			if s := literal(call.Args[name]); s != "" {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

func literal(x ast.Expr) string {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}

var (
	plainWord = regexp.MustCompile(`^[a-z][a-z-]*$`)
	flagWord  = regexp.MustCompile(`^--?([a-z][a-z0-9-]*)`)
)

// check reports the first word of args that is no command or no flag. Text in
// prose may be cut short or have a placeholder where a word should be; a block
// to copy may not, and is checked whole.
func (c commandTree) check(args []string, whole bool) error {
	words, said := c.words, "crev"
	for _, arg := range args {
		if m := flagWord.FindStringSubmatch(arg); m != nil {
			if !slices.Contains(c.flags, m[1]) {
				return fmt.Errorf("%q: no command has the flag %s", said, m[0])
			}
			continue
		}
		if words == nil {
			continue
		}
		if !whole && !plainWord.MatchString(arg) || arg == "help" {
			return nil
		}
		i := slices.IndexFunc(words, func(w commandWord) bool { return w.name == arg })
		if i < 0 {
			var names []string
			for _, w := range words {
				names = append(names, w.name)
			}
			return fmt.Errorf("%q has no command %q; it has %s", said, arg, strings.Join(names, ", "))
		}
		words, said = words[i].subs, said+" "+arg
	}
	return nil
}
