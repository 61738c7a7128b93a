package relocate

import (
	"path"
	"regexp"
	"strings"
)

// braceSymbols lists the declarations of a language with braces. It follows the
// nesting of braces outside strings and comments, and looks at the words before
// each opening brace.
func braceSymbols(name string, src []byte) []Symbol {
	s := braceScanner{src: src, ext: strings.ToLower(path.Ext(name)), line: 1, fresh: true}
	s.scan()
	return s.symbols
}

type braceScanner struct {
	src  []byte
	ext  string
	pos  int
	line int

	header     []byte // the code since the last statement ended
	headerLine int    // where it begins
	fresh      bool   // nothing but blanks since then
	parens     int
	open       []brace
	symbols    []Symbol
	last       byte // the last code byte that is no blank
}

// brace is an open brace, what it belongs to, and the state to return to.
type brace struct {
	symbol     int // index into symbols, -1 for a plain block
	parens     int
	header     []byte
	headerLine int
}

func (s *braceScanner) scan() {
	for s.pos < len(s.src) {
		if s.skip() {
			continue
		}
		c := s.src[s.pos]
		s.pos++
		if c == '\n' {
			s.line++
		}
		switch c {
		case '(', '[':
			s.parens++
			s.keep(c)
		case ')', ']':
			s.parens = max(0, s.parens-1)
			s.keep(c)
		case '{':
			s.openBrace()
		case '}':
			s.closeBrace()
		case ';':
			if s.parens == 0 {
				s.reset()
			} else {
				s.keep(c)
			}
		case ':':
			s.keep(c)
			if s.parens == 0 && label.Match(s.header) {
				s.reset()
			}
		default:
			s.keep(c)
		}
	}
	for len(s.open) > 0 {
		s.closeBrace()
	}
}

func (s *braceScanner) keep(c byte) {
	if blank(c) {
		if !s.fresh {
			s.header = append(s.header, ' ')
		}
		return
	}
	if s.fresh {
		s.fresh, s.headerLine = false, s.line
	}
	s.header = append(s.header, c)
	s.last = c
}

func (s *braceScanner) reset() {
	s.header, s.fresh = nil, true
}

func (s *braceScanner) openBrace() {
	b := brace{symbol: -1, parens: s.parens, header: s.header, headerLine: s.headerLine}
	name, kind := "", ""
	if s.parens == 0 {
		name, kind = declares(string(s.header), s.ext)
	}
	if name != "" {
		for i := len(s.open) - 1; i >= 0; i-- {
			if o := s.open[i].symbol; o >= 0 {
				name = s.symbols[o].Name + "." + name
				break
			}
		}
		b.symbol = len(s.symbols)
		s.symbols = append(s.symbols, Symbol{name, kind, s.headerLine, s.line, "braces"})
	}
	s.open = append(s.open, b)
	s.parens, s.last = 0, '{'
	s.reset()
}

func (s *braceScanner) closeBrace() {
	s.last = '}'
	s.parens = 0
	s.reset()
	if len(s.open) == 0 {
		return
	}
	b := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if b.symbol >= 0 {
		s.symbols[b.symbol].End = s.line
	}
	if b.parens > 0 {
		// The block was an argument; the statement goes on after it.
		s.parens, s.header, s.headerLine, s.fresh = b.parens, b.header, b.headerLine, false
	}
}

// skip passes over a comment or a string that begins here.
func (s *braceScanner) skip() bool {
	rest := s.src[s.pos:]
	switch c := rest[0]; {
	case c == '/' && len(rest) > 1 && rest[1] == '/':
		s.through("\n", false)
	case c == '/' && len(rest) > 1 && rest[1] == '*':
		s.pos += 2
		s.through("*/", true)
	case c == '#' && (s.ext == ".sh" || s.ext == ".bash" || s.ext == ".php" && (len(rest) < 2 || rest[1] != '[')):
		s.through("\n", false)
	case c == '#' && s.fresh && cFamily(s.ext):
		s.through("\n", false) // a preprocessor line
	case s.ext == ".php" && strings.HasPrefix(string(rest[:min(2, len(rest))]), "<?"):
		s.pos += len("<?")
		s.pos += len(word(s.src[s.pos:]))
	case c == '/' && scripting(s.ext) && s.regexpHere():
		s.quoted('/', true)
	case c == '"' && strings.HasPrefix(string(rest[:min(3, len(rest))]), `"""`):
		s.pos += 3
		s.through(`"""`, true)
		s.keep('"')
	case c == '"':
		s.quoted('"', true)
	case c == '`' && scripting(s.ext):
		s.template()
		s.keep('"')
	case c == '`' && s.ext == ".go":
		s.pos++
		s.through("`", true)
		s.keep('"')
	case c == '\'' && s.ext == ".rs" && !(len(rest) > 2 && (rest[1] == '\\' || rest[2] == '\'')):
		return false // a lifetime
	case c == '\'':
		s.quoted('\'', true)
	default:
		return false
	}
	return true
}

// through moves past the next end, or before a newline that ends a comment.
func (s *braceScanner) through(end string, inclusive bool) {
	k := strings.Index(string(s.src[s.pos:]), end)
	to := len(s.src)
	if k >= 0 {
		to = s.pos + k
		if inclusive {
			to += len(end)
		}
	}
	for ; s.pos < to; s.pos++ {
		if s.src[s.pos] == '\n' {
			s.line++
		}
	}
}

// template moves past a template literal and the literals nested in its
// expressions.
func (s *braceScanner) template() {
	var open []int // how many braces are open in each expression around
	text := true   // in a literal, not in an expression
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == '\n':
			s.line++
		case c == '\\' && s.pos+1 < len(s.src) && s.src[s.pos+1] != '\n':
			s.pos++
		case c == '`' && text && len(open) == 0:
			s.pos++
			return
		case c == '`':
			text = !text
		case text && c == '$' && s.pos+1 < len(s.src) && s.src[s.pos+1] == '{':
			open, text = append(open, 0), false
			s.pos++
		case text:
		case c == '"' || c == '\'':
			s.quoted(c, true)
			s.pos--
		case c == '{':
			open[len(open)-1]++
		case c == '}' && open[len(open)-1] == 0:
			open, text = open[:len(open)-1], true
		case c == '}':
			open[len(open)-1]--
		}
	}
}

// quoted moves past a literal that ends on its line.
func (s *braceScanner) quoted(q byte, escapes bool) {
	s.keep('"')
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == '\n':
			return
		case c == '\\' && escapes && s.pos+1 < len(s.src) && s.src[s.pos+1] != '\n':
			s.pos++
		case c == q:
			s.pos++
			return
		}
	}
}

func scripting(ext string) bool {
	switch ext {
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte":
		return true
	}
	return false
}

func cFamily(ext string) bool {
	switch ext {
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".m", ".mm", ".cs":
		return true
	}
	return false
}

// regexpHere reports whether a slash that comes next begins a literal.
func (s *braceScanner) regexpHere() bool {
	if s.last == 0 || strings.IndexByte("(,=:[!&|?{};+-*%<>~^", s.last) >= 0 {
		return true
	}
	return strings.HasSuffix(strings.TrimSpace(string(s.header)), "return")
}

// word is the identifier that src begins with.
func word(src []byte) string {
	n := 0
	for n < len(src) && wordByte(src[n]) {
		n++
	}
	return string(src[:n])
}

var (
	label      = regexp.MustCompile(`^\s*(?:public|private|protected|default|case\s[^?]*)\s*:$`)
	annotation = regexp.MustCompile(`^(?:@[\w.]+(?:\s*\((?:[^()]|\([^()]*\))*\))?|#?\[[^\]]*\])\s*`)
	typeDecl   = regexp.MustCompile(`\b(?:class|interface|enum|record|struct|union|trait|namespace|module|object|protocol|extension|mod|service|message|contract)\s+([A-Za-z_$][\w$]*(?:::[\w$]+)*)`)
	implDecl   = regexp.MustCompile(`\bimpl\b(?:\s*<[^{]*?>)?\s+(?:.*\bfor\s+)?&?(?:[\w:]+::)?([A-Za-z_]\w*)`)
	namedFunc  = regexp.MustCompile(`\b(?:function|fun|fn|func|def)\b\s*\*?\s*(?:<[^(]*>\s*)?(?:[\w<>, ?]+\.)?([A-Za-z_$][\w$]*)\s*(?:<[^(]*>)?\s*\(`)
	arrowFunc  = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*(?::[^=]*)?[=:]\s*(?:async\s*)?(?:function\b.*|\(?.*\)?\s*(?::[^=]*)?=>\s*)$`)
	callShape  = regexp.MustCompile(`(~?[A-Za-z_$#][\w$]*|operator\s*\S+?)\s*(?:<[^()]*>)?\s*\(`)
	notAName   = map[string]bool{
		"if": true, "for": true, "while": true, "switch": true, "catch": true,
		"synchronized": true, "using": true, "lock": true, "fixed": true,
		"return": true, "else": true, "do": true, "try": true, "new": true,
		"sizeof": true, "foreach": true, "match": true, "when": true,
		"with": true, "guard": true, "elif": true, "until": true,
		"function": true, "throw": true, "await": true, "yield": true,
		"typeof": true, "super": true, "case": true, "defer": true, "loop": true,
		"unsafe": true, "assert": true, "select": true, "repeat": true,
	}
)

// declares returns the name and kind of what the words before a brace declare,
// "" when they declare nothing.
func declares(header, ext string) (name, kind string) {
	header = strings.TrimSpace(header)
	for {
		loc := annotation.FindStringIndex(header)
		if loc == nil || loc[1] == 0 {
			break
		}
		header = header[loc[1]:]
	}
	if header == "" {
		return "", ""
	}
	if ext == ".rs" {
		if m := implDecl.FindStringSubmatch(header); m != nil && strings.HasPrefix(strings.TrimPrefix(header, "unsafe "), "impl") {
			return m[1], "type"
		}
	}
	if m := namedFunc.FindStringSubmatch(header); m != nil {
		return m[1], "func"
	}
	head, _, called := strings.Cut(header, "(")
	if m := typeDecl.FindStringSubmatchIndex(head); m != nil && !strings.Contains(head, "=") {
		// In C, "struct point *origin(void) {" declares a function.
		if !called || !cFamily(ext) || strings.TrimSpace(head[m[3]:]) == "" {
			return strings.ReplaceAll(head[m[2]:m[3]], "::", "."), "type"
		}
	}
	if scripting(ext) {
		if m := arrowFunc.FindStringSubmatch(header); m != nil && !notAName[m[1]] {
			return m[1], "func"
		}
	}
	m := callShape.FindStringSubmatchIndex(header)
	if m == nil || strings.Contains(header[:m[2]], "=") || header[len(header)-1] == '=' || header[len(header)-1] == ',' {
		return "", ""
	}
	name = header[m[2]:m[3]]
	first, _, _ := strings.Cut(header, " ")
	first, _, _ = strings.Cut(first, "(")
	if notAName[name] || notAName[first] {
		return "", ""
	}
	if strings.Contains(header[m[3]:], "=>") {
		return "", "" // a call that takes a function
	}
	return name, "func"
}
