package relocate

import (
	"path"
	"strings"
)

// Symbol is a named declaration with a body: a function, a method, a type.
type Symbol struct {
	// Name is qualified by the declarations around it with dots, for
	// example "Server.serve".
	Name string
	// Kind is "func" or "type".
	Kind string
	// Start and End are 1-based and inclusive. Start is the first line of
	// the declaration, annotations and decorators included, comments not.
	Start, End int
	// From says who found it: "go", "braces", "indent", or what the caller's
	// SymbolSource writes.
	From string
}

// SymbolSource lists the declarations of one file ordered by Start, outer ones
// before inner ones. It returns nil for a file it cannot read.
type SymbolSource func(path string, text []byte) []Symbol

// Symbols lists the declarations of a file by its language, told by the file's
// extension: Go by its parser, Python, Ruby and their like by indentation,
// languages with braces by a scan that knows strings, comments and the shape of
// declarations. Other files have none.
func Symbols(path string, text []byte) []Symbol {
	switch language(path) {
	case goLang:
		return goSymbols(text)
	case indented:
		return indentSymbols(newText(path, text))
	case braced:
		return braceSymbols(path, text)
	}
	return nil
}

type family int

const (
	plain family = iota
	goLang
	indented
	braced
)

func language(name string) family {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return goLang
	case ".py", ".pyi", ".rb", ".rake", ".ex", ".exs", ".cr", ".nim":
		return indented
	case ".java", ".kt", ".kts", ".scala", ".groovy", ".gradle", ".swift", ".dart",
		".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".m", ".mm", ".cs",
		".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte",
		".rs", ".php", ".sh", ".bash", ".proto", ".zig", ".sol":
		return braced
	}
	return plain
}

// baseName is the last part of a symbol's name, without a receiver's
// punctuation, a path of types or parameters.
func baseName(symbol string) string {
	if i := strings.IndexByte(symbol, '('); i > 0 {
		symbol = symbol[:i]
	}
	if i := strings.LastIndexAny(symbol, ".:#/"); i >= 0 {
		symbol = symbol[i+1:]
	}
	return strings.TrimSpace(symbol)
}

// relation says how the symbols around two lines compare.
type relation int

const (
	unknownSymbol relation = iota // at least one side has none
	sameSymbol
	otherSymbol
)

func relate(a, b string) relation {
	a, b = baseName(a), baseName(b)
	switch {
	case a == "" || b == "":
		return unknownSymbol
	case a == b:
		return sameSymbol
	}
	return otherSymbol
}

// symbolAt returns the innermost declaration around line i (from 0), nil for
// none.
func (t *text) symbolAt(i int, source SymbolSource) *Symbol {
	syms := t.symbolsBy(source)
	var found *Symbol
	for k := range syms {
		s := &syms[k]
		if s.Start > i+1 {
			break
		}
		if s.End >= i+1 {
			found = s
		}
	}
	return found
}

func (t *text) symbolsBy(source SymbolSource) []Symbol {
	if !t.known {
		t.symbols = source(t.path, t.contents())
		t.known = true
	}
	return t.symbols
}

func (t *text) symbolName(i int, source SymbolSource) string {
	if s := t.symbolAt(i, source); s != nil {
		return s.Name
	}
	return ""
}
