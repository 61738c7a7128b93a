package relocate

import (
	"slices"
	"strings"
)

// shape is what a line does, as far as its first and last bytes tell. Two
// versions of one statement keep their shape more often than their text.
type shape struct {
	// lead is the word that begins the statement when it is a keyword such
	// as "if", "//" for a comment, "@" for an annotation, "" otherwise.
	lead string
	// name is what the line defines or assigns, "" for neither.
	name string
	// through is true when the name is reached through another, as in this.x.
	through bool
	// goes is how many lines the statement spans from here on, 0 for a line
	// that continues the one before.
	goes int
}

// maxStatement bounds how many lines one statement is followed over.
const maxStatement = 8

var leads = map[string]bool{
	"if": true, "else": true, "elif": true, "for": true, "while": true, "do": true,
	"switch": true, "case": true, "default": true, "try": true, "catch": true,
	"except": true, "finally": true, "with": true, "match": true, "when": true,
	"return": true, "throw": true, "raise": true, "yield": true, "break": true,
	"continue": true, "import": true, "package": true, "from": true, "defer": true,
	"go": true, "select": true, "synchronized": true, "using": true, "foreach": true,
	"until": true, "unless": true, "assert": true, "del": true, "goto": true,
}

func (t *text) shapeAt(i int) shape {
	if t.shapes == nil {
		t.shapes = shapesOf(t)
	}
	return t.shapes[i]
}

// shapesOf reads the shapes of all lines in one pass.
func shapesOf(t *text) []shape {
	shapes := make([]shape, t.len())
	start, depth, open := 0, 0, false
	for i, norm := range t.norm {
		if norm == "" {
			start, depth, open = i+1, 0, false
			continue
		}
		s := &shapes[i]
		s.lead = leadOf(t.raw[i], norm)
		comment := s.lead == "//"
		switch {
		case comment:
			start, depth, open = i+1, 0, false
			s.goes = 1
			continue
		case i > start && (depth > 0 || open || continues(norm)) && i-start < maxStatement:
			shapes[start].goes++
		default:
			start, depth = i, 0
			s.goes = 1
		}
		if s.goes > 0 {
			s.name = nameOf(t.raw[i])
			if s.lead == "catch" || s.lead == "except" {
				s.name = caught(t.raw[i], s.lead)
			}
			if k := strings.Index(t.raw[i], s.name); k > 0 && s.name != "" {
				s.through = t.raw[i][k-1] == '.'
			}
		}
		depth = max(0, depth+nesting(norm))
		switch last := norm[len(norm)-1]; {
		case last == '{' || last == '}' || last == ';' || last == ':' && depth == 0:
			start, depth, open = i+1, 0, false
		default:
			open = unfinished(norm)
		}
	}
	return shapes
}

// continues reports whether a line begins as only the rest of a statement does.
func continues(norm string) bool {
	switch norm[0] {
	case '.', '?', '+', '&', '|', ',', ')', ']', '=':
		return true
	case ':':
		return len(norm) > 1 && norm[1] != ':'
	}
	return false
}

// unfinished reports whether a line ends as only the start of one does.
func unfinished(norm string) bool {
	switch norm[len(norm)-1] {
	case '=', '+', '-', ',', '(', '[', '.', '\\', '?', '|':
		return true
	case '&':
		return strings.HasSuffix(norm, "&&")
	}
	return false
}

// nesting counts opened less closed round and square brackets.
func nesting(norm string) int {
	n := 0
	for i := range len(norm) {
		switch norm[i] {
		case '(', '[':
			n++
		case ')', ']':
			n--
		}
	}
	return n
}

func leadOf(raw, norm string) string {
	switch c := norm[0]; {
	case strings.HasPrefix(norm, "//") || strings.HasPrefix(norm, "/*") || c == '*' || strings.HasPrefix(norm, "#!") || strings.HasPrefix(norm, "--"):
		return "//"
	case c == '#' && len(strings.TrimSpace(raw)) > 1 && strings.TrimSpace(raw)[1] == ' ':
		return "//"
	case c == '@':
		return "@"
	}
	s := strings.TrimLeft(raw, " \t}")
	n := 0
	for n < len(s) && wordByte(s[n]) {
		n++
	}
	if !leads[s[:n]] {
		return ""
	}
	if s[:n] == "else" || s[:n] == "elif" {
		if rest := strings.TrimSpace(s[n:]); s[:n] == "elif" || strings.HasPrefix(rest, "if") {
			return "elseif"
		}
	}
	return s[:n]
}

// caught returns the first error that a handler takes: its type is what tells
// it from the handlers beside it. "" when it takes any.
func caught(raw, lead string) string {
	_, rest, _ := strings.Cut(raw, lead)
	for {
		rest = strings.TrimLeft(rest, " \t(")
		n := 0
		for n < len(rest) && (wordByte(rest[n]) || rest[n] == '.') {
			n++
		}
		if rest[:n] == "final" || rest[:n] == "const" {
			rest = rest[n:]
			continue
		}
		return rest[:n]
	}
}

// nameOf returns what a line assigns, declares or, failing both, calls.
func nameOf(raw string) string {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '(', '[', '<':
			depth++
		case ')', ']', '>':
			depth = max(0, depth-1)
		case '"', '\'', '`':
			return ""
		case '=':
			if depth > 0 {
				continue
			}
			if i+1 < len(raw) && (raw[i+1] == '=' || raw[i+1] == '>') || i > 0 && strings.IndexByte("!<>=", raw[i-1]) >= 0 {
				return ""
			}
			return definedName(raw[:i])
		case ';':
			if depth == 0 && strings.IndexByte(raw, '(') < 0 {
				return definedName(raw[:i])
			}
		}
	}
	return ""
}

// definedName is the last word of a left-hand side, the first of a list, the
// one before a type annotation.
func definedName(lhs string) string {
	if k := strings.IndexByte(lhs, ':'); k >= 0 {
		lhs = lhs[:k]
	}
	if k := strings.IndexByte(lhs, ','); k >= 0 {
		lhs = lhs[:k]
	}
	lhs = strings.TrimRight(lhs, " \t+-*/|&^%?")
	end := len(lhs)
	start := end
	for start > 0 && wordByte(lhs[start-1]) {
		start--
	}
	if leads[lhs[start:end]] {
		return ""
	}
	return lhs[start:end]
}

// headAt returns the byte pairs of a control statement up to the bracket that
// closes its condition, nil when the line holds no such head.
func (t *text) headAt(i int) []uint16 {
	switch t.shapeAt(i).lead {
	case "if", "elseif", "while", "for", "switch", "catch", "synchronized", "foreach", "using":
	default:
		return nil
	}
	if p, ok := t.heads[i]; ok {
		return p
	}
	norm, depth := t.norm[i], 0
	var p []uint16
	for k := 0; k < len(norm) && p == nil; k++ {
		switch norm[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				p = pairsOf(strings.TrimPrefix(norm[:k+1], "}"))
			}
		}
	}
	if t.heads == nil {
		t.heads = make(map[int][]uint16)
	}
	t.heads[i] = p
	return p
}

// condition returns what an if or a while asks, without blanks and the brackets
// around it, "" for other lines and for a condition that goes on below.
func (t *text) condition(i int) string {
	lead := t.shapeAt(i).lead
	s := strings.TrimLeft(t.norm[i], "}")
	switch lead {
	case "if", "while", "elseif":
	default:
		return ""
	}
	if strings.HasPrefix(s, "elif") {
		lead = "elif"
	}
	s = strings.TrimPrefix(s, lead)
	if !strings.HasPrefix(s, "(") {
		return strings.TrimRight(s, "{:")
	}
	depth := 0
	for k := range len(s) {
		switch s[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[1:k]
			}
		}
	}
	return ""
}

// cutCondition reports whether line i asks for several things at once and line
// j for one of them.
func cutCondition(a *text, i int, b *text, j int) bool {
	was, is := a.condition(i), b.condition(j)
	parts := strings.Split(was, "&&")
	return is != "" && len(parts) > 1 && slices.Contains(parts, is)
}

// statementAt returns the byte pairs of the whole statement that begins at
// line i, nil when it is that line alone.
func (t *text) statementAt(i int) []uint16 {
	n := t.shapeAt(i).goes
	if n < 2 {
		return nil
	}
	if t.statements == nil {
		t.statements = make(map[int][]uint16)
	}
	p, ok := t.statements[i]
	if !ok {
		p = pairsOf(strings.Join(t.norm[i:i+n], ""))
		t.statements[i] = p
	}
	return p
}

// likeness compares two lines as versions of one statement, 0 to 1: their text,
// the text of the statements they begin, what they define and what they do.
func likeness(a *text, i int, b *text, j int) float64 {
	if a.norm[i] == b.norm[j] {
		return 1
	}
	s, u := a.shapeAt(i), b.shapeAt(j)
	sim := dice(a.pairsAt(i), b.pairsAt(j), 0.2)
	if s.goes > 0 && u.goes > 0 && s.goes+u.goes > 2 {
		p, q := a.statementAt(i), b.statementAt(j)
		if p == nil {
			p = a.pairsAt(i)
		}
		if q == nil {
			q = b.pairsAt(j)
		}
		sim = max(sim, min(0.95*dice(p, q, 0.3), sim+0.35))
	}
	if s.lead != "" && s.lead == u.lead {
		if p, q := a.headAt(i), b.headAt(j); p != nil && q != nil {
			sim = max(sim, 0.9*dice(p, q, 0.3))
		}
	}
	if sim == 0 {
		return 0
	}
	if s.name != "" && strings.EqualFold(s.name, u.name) && s.through == u.through {
		sim += (1 - sim) * 0.4
	}
	if s.lead != u.lead {
		switch {
		case s.lead == "//" || u.lead == "//" || s.lead == "@" || u.lead == "@":
			sim -= 0.4
		case s.lead != "" && u.lead != "":
			sim -= 0.15
		default:
			sim -= 0.1
		}
	}
	if (s.goes == 0) != (u.goes == 0) {
		sim -= 0.1
	}
	return max(0, min(sim, 0.99))
}
