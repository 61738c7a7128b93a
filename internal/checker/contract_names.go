package checker

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
)

// Whether code speaks of an element of a contract is decided without a model:
// it names it on a changed line.

// minName is how many letters and digits a name needs to be told from any word.
const minName = 4

// anyName are names that schemas often have and code has everywhere.
var anyName = map[string]bool{
	"error": true, "errors": true, "string": true, "object": true, "request": true, "response": true,
	"result": true, "results": true, "status": true, "type": true, "types": true, "data": true, "list": true,
	"item": true, "items": true, "meta": true, "empty": true, "message": true, "code": true, "value": true, "name": true,
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*`)

// routeText matches what may be a route in code: a slash after a quote, a blank
// or an opening bracket, as far as a route goes.
var routeText = regexp.MustCompile("(?:^|[\"'`\\s(=])(/[A-Za-z0-9_./{}:<>$%*~-]*)")

// names is what some code names: words without case and separators, and routes.
type names struct {
	words  map[string]bool
	routes [][]string
}

// namesIn collects what the changed lines of a file name.
func namesIn(f *diff.File) names {
	n := names{words: map[string]bool{}}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Context {
				continue
			}
			for _, w := range identifier.FindAllString(l.Text, -1) {
				n.words[plainWord(w)] = true
				for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == '.' || r == '-' }) {
					n.words[plainWord(part)] = true
				}
			}
			for _, m := range routeText.FindAllStringSubmatch(l.Text, -1) {
				if r := route(m[1]); r != nil {
					n.routes = append(n.routes, r)
				}
			}
		}
	}
	return n
}

// plainWord writes createOrder, create_order and CreateOrder alike.
func plainWord(w string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(w))
}

// route splits a route into its segments, every parameter written "*"; nil when
// none of them says anything.
func route(s string) []string {
	var out []string
	telling := false
	for seg := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '/' }) {
		if strings.ContainsAny(seg, "{}:<>$%*") {
			seg = "*"
		}
		telling = telling || len(seg) >= 3
		out = append(out, strings.ToLower(seg))
	}
	if !telling {
		return nil
	}
	return out
}

// has reports whether the code names the element. A route matches one that ends
// in it: a server or a router puts a prefix in front.
func (n names) has(e Element) bool {
	if e.Kind == "path" {
		want := route(e.Name)
		return want != nil && slices.ContainsFunc(n.routes, func(r []string) bool { return endsIn(r, want) || endsIn(want, r) })
	}
	w := plainWord(e.Name)
	return len(w) >= minName && !anyName[w] && n.words[w]
}

func endsIn(long, short []string) bool {
	return len(long) >= len(short) && slices.Equal(long[len(long)-len(short):], short)
}
