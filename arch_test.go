// Package crev_test checks the whole tree at once: which package may import
// which (this file), and that the documentation and the workflows are true
// (docs_test.go).
package crev_test

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// row is one package and the arrows that leave it.
type row struct {
	// layer is how high the package stands. An arrow goes to a lower layer,
	// or it is in peers with its reason.
	layer int
	// pure packages see no network, clock, environment or process.
	pure bool
	// imports are the packages of this module it may import, without the
	// "internal/" in front.
	imports []string
}

// layout is the architecture. To add a package or an arrow, change it here, in
// the commit that needs it, with the reason in the commit message. Every arrow
// here has to go down.
var layout = map[string]row{
	// What everything else is written in.
	"internal/finding": {layer: 0, pure: true},
	"internal/diff":    {layer: 0, pure: true},
	"internal/glob":    {layer: 0, pure: true},
	"internal/model":   {layer: 0, pure: true},
	"internal/sandbox": {layer: 0},

	// One job each, on those.
	"internal/ledger":       {layer: 1, pure: true, imports: []string{"finding"}},
	"internal/rule":         {layer: 1, pure: true, imports: []string{"finding", "glob", "model"}},
	"internal/batch":        {layer: 1, pure: true, imports: []string{"diff", "finding"}},
	"internal/gate":         {layer: 1, pure: true, imports: []string{"diff", "finding"}},
	"internal/expertise":    {layer: 1, pure: true, imports: []string{"diff"}},
	"internal/git":          {layer: 1, imports: []string{"diff"}},
	"internal/validator":    {layer: 1, imports: []string{"diff", "finding", "glob", "sandbox"}},
	"internal/model/openai": {layer: 1, imports: []string{"model"}},
	"internal/model/replay": {layer: 1, imports: []string{"model"}},

	// The steps of a review, and what is made of its results.
	"internal/checker":    {layer: 2, pure: true, imports: []string{"batch", "diff", "finding", "ledger", "model", "rule"}},
	"internal/reconcile":  {layer: 2, pure: true, imports: []string{"finding", "ledger", "model"}},
	"internal/relocate":   {layer: 2, pure: true, imports: []string{"diff", "finding", "ledger"}},
	"internal/projection": {layer: 2, pure: true, imports: []string{"diff", "finding", "gate", "ledger", "rule"}},
	"internal/session":    {layer: 2, pure: true, imports: []string{"batch", "finding", "gate", "model"}},
	"internal/learn":      {layer: 2, pure: true, imports: []string{"expertise", "finding", "glob", "model", "rule"}},
	"internal/bench":      {layer: 2, pure: true, imports: []string{"batch", "diff", "finding", "gate", "ledger", "model", "reconcile", "relocate", "rule"}},
	"internal/ratchet":    {layer: 2, pure: true, imports: []string{"finding", "ledger", "model"}},

	// The only caller of the model, and the API.
	"internal/review": {layer: 3, imports: []string{
		"batch", "bench", "checker", "diff", "expertise", "finding", "gate", "git", "glob", "learn", "ledger", "model",
		"projection", "ratchet", "reconcile", "relocate", "rule", "sandbox", "session", "validator",
	}},
	"internal/github": {layer: 3, imports: []string{"diff", "finding", "ledger", "projection"}},

	// A GitHub and a model to test against: imported by tests only.
	"internal/crevtest": {layer: 4, imports: []string{"diff", "finding", "git", "github", "ledger", "model", "model/replay"}},

	// Wires everything.
	"cmd/crev": {layer: 4, imports: []string{
		"batch", "bench", "checker", "diff", "expertise", "finding", "gate", "git", "github", "glob", "learn",
		"ledger", "model", "model/openai", "model/replay", "projection", "ratchet", "reconcile", "relocate",
		"review", "rule", "sandbox", "session", "validator",
	}},
}

// peers are the arrows between two packages of one layer.
var peers = map[string]string{
	"internal/bench → internal/reconcile": "the bench measures it",
	"internal/bench → internal/relocate":  "the bench measures it",
}

// owners names, for a package that reaches out of the program, who alone may
// import it. A key that ends in "/" stands for everything below it.
var owners = map[string]struct {
	who []string
	why string
}{
	"github.com/google/go-github/":          {[]string{"internal/github", "internal/crevtest"}, "GitHub's API is spoken in one package"},
	"github.com/openai/openai-go":           {[]string{"internal/model/openai"}, "an endpoint is spoken to in one package"},
	"github.com/openai/openai-go/":          {[]string{"internal/model/openai"}, "an endpoint is spoken to in one package"},
	"github.com/sethvargo/go-githubactions": {[]string{"internal/github"}, "its outputs can be broken out of by a line of text, so it is wrapped in one place"},
	"os/exec":                               {[]string{"internal/git", "internal/sandbox", "internal/crevtest"}, "processes are started where their environment is cleaned"},
	"net/http":                              {[]string{"internal/github", "internal/model/openai", "internal/crevtest"}, "requests carry credentials and limits there"},
	"net":                                   {[]string{"internal/sandbox", "internal/crevtest"}, "the sandbox tries to get out; nothing else in crev listens or dials by itself"},
	"net/http/httptest":                     {[]string{"internal/crevtest"}, "servers are for tests"},
	"testing":                               {[]string{"internal/crevtest"}, "test code stays out of the program"},
	modulePath + "/internal/crevtest":       {nil, "test servers stay out of the program"},
	"github.com/stretchr/testify/":          {nil, "tests compare whole values with cmp.Diff"},
	"unsafe":                                {[]string{"internal/sandbox"}, "system calls of the sandbox need it, nothing else does"},
	"syscall":                               {[]string{"internal/git", "internal/sandbox", "internal/ledger", "internal/session", "cmd/crev"}, "signals, process groups and file locks"},
	"golang.org/x/sys/unix":                 {[]string{"internal/sandbox", "cmd/crev"}, "system calls of the sandbox"},
	"github.com/migueleliasweb/go-github-mock": {nil, "tests speak to a server, not to a mock"},
}

// engines are modules that run code, or match text in time that the text decides.
// What a repository brings is run by package sandbox, and patterns are RE2.
var engines = []string{
	"go.starlark.net", "github.com/dop251/goja", "github.com/robertkrimen/otto", "github.com/yuin/gopher-lua",
	"github.com/dlclark/regexp2", "go.elara.ws/pcre", "github.com/GRbit/go-pcre", "github.com/traefik/yaegi",
	"github.com/tetratelabs/wazero", "github.com/expr-lang/expr", "github.com/google/cel-go", "cel.dev/cel-go",
}

func TestNoEngineIsLinked(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		if strings.Contains(string(mod), "\t"+e+" ") {
			t.Errorf("go.mod requires %s: scripts run in the sandbox, and patterns are RE2", e)
		}
	}
}

// impure are names that pure packages may not use, by import path. A nil list
// stands for the whole package.
var impure = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Local", "LoadLocation"},
	"os": {
		"Args", "Clearenv", "Environ", "Exit", "Executable", "ExpandEnv", "FindProcess", "Getenv", "Getpid", "Getwd",
		"Hostname", "LookupEnv", "Setenv", "StartProcess", "Stderr", "Stdin", "Stdout", "TempDir", "Unsetenv",
		"UserCacheDir", "UserConfigDir", "UserHomeDir",
	},
	"crypto/rand":  nil,
	"math/rand":    nil,
	"net":          nil,
	"net/http":     nil,
	"os/exec":      nil,
	"os/signal":    nil,
	"os/user":      nil,
	"runtime":      {"GOOS", "GOARCH", "NumCPU"},
	"syscall":      nil,
	"log":          nil,
	"math/rand/v2": {"Float32", "Float64", "ExpFloat64", "Int", "Int32", "Int32N", "Int64", "Int64N", "IntN", "N", "NormFloat64", "Perm", "Shuffle", "Uint", "Uint32", "Uint32N", "Uint64", "Uint64N", "UintN"},
}

// filers are the pure packages that write files: through package os, in a
// folder they are given, and nothing else of it. Package syscall is for locking
// those files.
var filers = map[string]string{
	"internal/ledger":  "the store writes one file a run",
	"internal/session": "the journal outlives a killed run",
}

func TestArrows(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		if !strings.HasPrefix(p.dir, "internal/") && !strings.HasPrefix(p.dir, "cmd/") {
			continue
		}
		r, ok := layout[p.dir]
		if !ok {
			t.Errorf("%s: not in layout; add it to arch_test.go with its layer and imports", p.dir)
			continue
		}
		for _, f := range p.code() {
			for from, n := range f.imports() {
				to, ours := strings.CutPrefix(from, modulePath+"/")
				if ours && !slices.Contains(r.imports, strings.TrimPrefix(to, "internal/")) {
					t.Errorf("%s: %s → %s is no arrow of layout; if it has to be, add it to arch_test.go with the reason in the commit",
						f.at(n), p.dir, to)
				}
			}
		}
	}
}

func TestLayoutPointsDown(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for from, r := range layout {
		for _, imp := range r.imports {
			to := "internal/" + imp
			target, ok := layout[to]
			arrow := from + " → " + to
			switch {
			case !ok:
				t.Errorf("%s: layout has no row for %s", from, to)
			case target.layer == r.layer && peers[arrow] != "":
				used[arrow] = true
			case target.layer >= r.layer:
				t.Errorf("%s does not point down: layer %d to layer %d", arrow, r.layer, target.layer)
			case r.pure && !target.pure:
				t.Errorf("%s: a pure package may import pure packages only", arrow)
			}
		}
	}
	for arrow := range peers {
		if !used[arrow] {
			t.Errorf("peers has %q, which is no arrow of layout between two packages of one layer", arrow)
		}
	}
}

// The layers that docs/architecture.md shows are those of layout.
func TestPictureOfLayers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, picture, _ := strings.Cut(string(text), "## Which way things depend\n\n```\n")
	picture, _, _ = strings.Cut(picture, "```")
	layers := make([][]string, 5)
	for name, r := range layout {
		if name != "internal/crevtest" {
			layers[4-r.layer] = append(layers[4-r.layer], strings.TrimPrefix(name, "internal/"))
		}
	}
	var want strings.Builder
	for _, names := range layers {
		slices.Sort(names)
		want.WriteString(strings.Join(names, " ") + "\n")
	}
	if d := cmp.Diff(want.String(), picture); d != "" {
		t.Errorf("docs/architecture.md (-layout +picture):\n%s", d)
	}
}

// Every row of layout is a package.
func TestLayoutIsTheTree(t *testing.T) {
	t.Parallel()
	dirs := map[string]bool{}
	for _, p := range load(t) {
		dirs[p.dir] = true
	}
	for name := range layout {
		if !dirs[name] {
			t.Errorf("layout has a row for %s, which is no package", name)
		}
	}
}

func TestOwners(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		for _, f := range p.code() {
			for from, n := range f.imports() {
				for key, o := range owners {
					matches := from == key || strings.HasSuffix(key, "/") && strings.HasPrefix(from, key)
					if matches && !slices.Contains(o.who, p.dir) {
						t.Errorf("%s: %s imports %s, which is for %v: %s; move the code, or change owners in arch_test.go",
							f.at(n), p.dir, from, o.who, o.why)
					}
				}
			}
		}
	}
}

func TestPurePackages(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		if !layout[p.dir].pure {
			continue
		}
		for _, f := range p.code() {
			for from, n := range f.imports() {
				names, listed := impure[from]
				if listed && names == nil && (from != "syscall" || filers[p.dir] == "") {
					t.Errorf("%s: %s is pure and imports %s; take what it needs as a parameter", f.at(n), p.dir, from)
				}
				if from == "os" && filers[p.dir] == "" {
					t.Errorf("%s: %s is pure and imports os; take an io.Reader, an io.Writer or an fs.FS", f.at(n), p.dir)
				}
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if _, ok := n.(*ast.GoStmt); ok {
					t.Errorf("%s: %s is pure and starts a goroutine; start it in review", f.at(n), p.dir)
				}
				return true
			})
		}
		p.calls(func(f *file, n ast.Node, from, name string) {
			if slices.Contains(impure[from], name) {
				t.Errorf("%s: %s is pure and uses %s.%s; take it as a parameter", f.at(n), p.dir, from, name)
			}
		})
	}
}

func TestNoInitAndNoChangingVariables(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		for _, f := range p.code() {
			for _, decl := range f.ast.Decls {
				switch d := decl.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.Name == "init" {
						t.Errorf("%s: init runs unasked; call it, or pass what it sets", f.at(d))
					}
				case *ast.GenDecl:
					checkVariables(t, f, d)
				}
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				var targets []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					if n.Tok != token.DEFINE {
						targets = n.Lhs
					}
				case *ast.IncDecStmt:
					targets = []ast.Expr{n.X}
				}
				for _, x := range targets {
					if id := root(x); id != nil && (p.global(id) || p.imported(id) != "") {
						t.Errorf("%s: a package-level variable of %s changes; pass the value instead", f.at(n), id.Name)
					}
				}
				return true
			})
		}
	}
}

// checkVariables refuses a package-level variable without a value: a lock or a
// counter is there to be changed. One that is filled by a go:embed comment is
// not, and neither is a list that is empty on this system.
func checkVariables(t *testing.T, f *file, d *ast.GenDecl) {
	t.Helper()
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		_, list := v.Type.(*ast.ArrayType)
		if len(v.Values) == 0 && !list && !embeds(d.Doc) && !embeds(v.Doc) {
			t.Errorf("%s: the package-level variable %s has no value, so something sets it; pass it instead", f.at(v), v.Names[0].Name)
		}
	}
}

func embeds(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// root is the variable that an assignment to x changes: v in v.f[i] = 1.
func root(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return nil
		}
	}
}

// nameless are names that say nothing about what is inside.
var nameless = regexp.MustCompile(`(?i)^(utils?|helpers?|common|shared|misc|types|pkg|base|lib|stuff)$`)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		for _, f := range p.files {
			parts := strings.Split(strings.TrimSuffix(f.name, ".go"), "/")
			for _, part := range append(parts, f.ast.Name.Name) {
				if nameless.MatchString(strings.TrimSuffix(part, "_test")) {
					t.Errorf("%s: %q names nothing; name it for what it holds", f.name, part)
				}
			}
			if lines := f.fset.File(f.ast.Pos()).LineCount(); lines > 700 {
				t.Errorf("%s: %d lines; find the second thing it does and give that a file", f.name, lines)
			}
		}
	}
}

func TestExitAndContext(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		p.calls(func(f *file, n ast.Node, from, name string) {
			if from == "os" && name == "Exit" && f.name != "cmd/crev/main.go" {
				t.Errorf("%s: os.Exit is in main, once; return an error", f.at(n))
			}
		})
		for _, f := range p.code() {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				s, ok := n.(*ast.StructType)
				if !ok {
					return true
				}
				for _, field := range s.Fields.List {
					sel, ok := field.Type.(*ast.SelectorExpr)
					if ok && p.imported(sel.X) == "context" && sel.Sel.Name == "Context" {
						t.Errorf("%s: a context is in no struct; pass it as the first argument", f.at(field))
					}
				}
				return true
			})
		}
	}
}

// forbidden are calls that crev must not be able to make at all.
var forbidden = map[string]string{
	"WithDebugLog":               "it prints the model key",
	"DumpRequest":                "it prints the Authorization header",
	"DumpRequestOut":             "it prints the Authorization header",
	"DumpResponse":               "it prints what the server sent, unredacted",
	"EnablePullRequestAutoMerge": "crev does not merge",
}

// merging matches a request that approves or merges a pull request.
var merging = regexp.MustCompile(`\bAPPROVE\b|\b(mergePullRequest|enablePullRequestAutoMerge|enqueuePullRequest|mergeBranch)\b|/pulls/[^ ]*/merge\b`)

func TestNobodyApprovesMergesOrPrintsKeys(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		for _, f := range p.code() {
			speaksGitHub := slices.ContainsFunc(f.ast.Imports, func(s *ast.ImportSpec) bool {
				return strings.Contains(s.Path.Value, "go-github/")
			})
			ast.Inspect(f.ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if n.Kind == token.STRING && merging.MatchString(n.Value) && p.dir != "internal/crevtest" {
						t.Errorf("%s: %s: crev neither approves nor merges", f.at(n), n.Value)
					}
				case *ast.SelectorExpr:
					if why := forbidden[n.Sel.Name]; why != "" {
						t.Errorf("%s: %s: %s", f.at(n), n.Sel.Name, why)
					}
					if speaksGitHub && n.Sel.Name == "Merge" {
						t.Errorf("%s: Merge: crev does not merge", f.at(n))
					}
				}
				return true
			})
		}
	}
}

func TestTestsDoNotSleep(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		for _, f := range p.files {
			if !f.test {
				continue
			}
			for from, n := range f.imports() {
				if strings.HasPrefix(from, "github.com/stretchr/testify") || strings.HasPrefix(from, "github.com/golang/mock") {
					t.Errorf("%s: %s: compare whole values with cmp.Diff, and use the servers in internal/crevtest", f.at(n), from)
				}
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if id, ok := sel.X.(*ast.Ident); ok && id.Name == "time" && sel.Sel.Name == "Sleep" {
					t.Errorf("%s: a test that sleeps is slow or wrong; wait for what it waits for", f.at(n))
				}
				return true
			})
		}
	}
}

// wellKnown are methods whose meaning the interface they satisfy gives.
var wellKnown = []string{
	"As", "Close", "Error", "GoString", "Is", "Len", "Less", "MarshalJSON", "MarshalText", "MarshalYAML", "Read",
	"RoundTrip", "ServeHTTP", "Set", "String", "Swap", "UnmarshalJSON", "UnmarshalText", "UnmarshalYAML", "Unwrap", "Write",
}

func TestExportedNamesAreExplained(t *testing.T) {
	t.Parallel()
	for _, p := range load(t) {
		documented := false
		for _, f := range p.code() {
			documented = documented || f.ast.Doc != nil
			for _, decl := range f.ast.Decls {
				switch d := decl.(type) {
				case *ast.FuncDecl:
					if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || exportedReceiver(d)) && !slices.Contains(wellKnown, d.Name.Name) {
						t.Errorf("%s: %s has no comment", f.at(d), d.Name.Name)
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						ts, ok := spec.(*ast.TypeSpec)
						if ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
							t.Errorf("%s: %s has no comment", f.at(ts), ts.Name.Name)
						}
					}
				}
			}
		}
		if len(p.code()) > 0 && !documented {
			t.Errorf("%s has no package comment", p.dir)
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	id := root(d.Recv.List[0].Type)
	return id != nil && id.IsExported()
}
