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

// Enclosing returns the innermost of the declarations of a file around a line,
// which counts from 1.
func Enclosing(symbols []Symbol, line int) (Symbol, bool) {
	var found Symbol
	for _, s := range symbols {
		if s.Start <= line && line <= s.End {
			found = s
		}
	}
	return found, found.Name != ""
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
