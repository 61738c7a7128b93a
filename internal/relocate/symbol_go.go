package relocate

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// goSymbols lists the functions, methods and types of a Go file. A file that
// does not parse gives what the parser understood before it stopped.
func goSymbols(src []byte) []Symbol {
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	line := func(p token.Pos) int { return set.PositionFor(p, false).Line }
	var syms []Symbol
	add := func(name, kind string, start, end token.Pos) {
		// A declaration that the parser gave up on has no end.
		if s := (Symbol{name, kind, line(start), line(end), "go"}); s.Start >= 1 && s.End >= s.Start && name != "" {
			syms = append(syms, s)
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if r := receiver(d); r != "" {
				name = r + "." + name
			}
			add(name, "func", d.Pos(), d.End())
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				ts, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				start := ts.Pos()
				if !d.Lparen.IsValid() {
					start = d.Pos()
				}
				add(ts.Name.Name, "type", start, ts.End())
			}
		}
	}
	return syms
}

// receiver is the name of a method's type, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
