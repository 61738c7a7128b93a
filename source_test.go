package crev_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const modulePath = "github.com/crev-ratchet/crev"

// pkg is one directory of Go files.
type pkg struct {
	// dir is slash-separated, from the root of the module.
	dir   string
	files []*file
	info  *types.Info
	scope *types.Scope
}

// file is one Go file, as parsed.
type file struct {
	name string
	test bool
	ast  *ast.File
	fset *token.FileSet
}

func (f *file) at(n ast.Node) string {
	pos := f.fset.Position(n.Pos())
	return f.name + ":" + strconv.Itoa(pos.Line)
}

// imports returns every import path with the node that holds it.
func (f *file) imports() map[string]ast.Node {
	out := map[string]ast.Node{}
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			out[p] = spec
		}
	}
	return out
}

// code are the files of p that are built into the program.
func (p *pkg) code() []*file {
	var out []*file
	for _, f := range p.files {
		if !f.test {
			out = append(out, f)
		}
	}
	return out
}

// global reports whether id names a variable of p's package scope.
func (p *pkg) global(id *ast.Ident) bool {
	obj := p.info.Uses[id]
	v, ok := obj.(*types.Var)
	return ok && v.Parent() == p.scope
}

// imported returns the import path that x names, "" when x is no package.
func (p *pkg) imported(x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if !ok {
		return ""
	}
	name, ok := p.info.Uses[id].(*types.PkgName)
	if !ok {
		return ""
	}
	return name.Imported().Path()
}

// calls reports every use of a name of another package: its file, its node, the
// package's import path and the name.
func (p *pkg) calls(visit func(f *file, n ast.Node, from, name string)) {
	for _, f := range p.code() {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if from := p.imported(sel.X); from != "" {
					visit(f, sel, from, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// source parses every package of the module once.
var source = sync.OnceValues(func() ([]*pkg, error) {
	byDir := map[string]*pkg{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") ||
				d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "bin" || d.Name() == "dist") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(name)
		dir := path.Dir(slash)
		if byDir[dir] == nil {
			byDir[dir] = &pkg{dir: dir}
		}
		byDir[dir].files = append(byDir[dir].files,
			&file{name: slash, test: strings.HasSuffix(slash, "_test.go"), ast: parsed, fset: fset})
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []*pkg
	for _, p := range byDir {
		p.resolve(fset)
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].dir < out[j].dir })
	return out, nil
})

// resolve finds what each name in p refers to. Other packages are not loaded:
// that a name comes from package "time" is all these tests want to know, so the
// type errors that follow from it are dropped.
func (p *pkg) resolve(fset *token.FileSet) {
	var files []*ast.File
	for _, f := range p.code() {
		files = append(files, f.ast)
	}
	p.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: emptyImporter{}, Error: func(error) {}}
	checked, _ := conf.Check(p.dir, fset, files, p.info)
	p.scope = checked.Scope()
}

type emptyImporter struct{}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

func (emptyImporter) Import(from string) (*types.Package, error) {
	name := path.Base(from)
	if majorVersion.MatchString(name) {
		name = path.Base(path.Dir(from))
	}
	p := types.NewPackage(from, name)
	p.MarkComplete()
	return p, nil
}

// load returns the packages of the module.
func load(t *testing.T) []*pkg {
	t.Helper()
	pkgs, err := source()
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}
