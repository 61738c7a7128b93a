package checker

import (
	"regexp"
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

// vocabulary finds the elements that some code names: by their word, by their
// route, and by what their route ends in. An element is known by its number.
type vocabulary struct {
	words, routes, tails map[string][]int
}

func newVocabulary(es []Element) vocabulary {
	v := vocabulary{map[string][]int{}, map[string][]int{}, map[string][]int{}}
	for n, e := range es {
		if e.Kind == "path" {
			r := route(e.Name)
			for i := range r {
				tail := strings.Join(r[i:], "/")
				v.tails[tail] = append(v.tails[tail], n)
			}
			if len(r) > 0 {
				whole := strings.Join(r, "/")
				v.routes[whole] = append(v.routes[whole], n)
			}
			continue
		}
		if w := plainWord(e.Name); len(w) >= minName && !anyName[w] {
			v.words[w] = append(v.words[w], n)
		}
	}
	return v
}

// namedBy returns the numbers of the elements that changed lines of a file name.
func (v vocabulary) namedBy(f *diff.File) map[int]bool {
	named := map[int]bool{}
	mark := func(ns []int) {
		for _, n := range ns {
			named[n] = true
		}
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Context {
				continue
			}
			for _, w := range identifier.FindAllString(l.Text, -1) {
				mark(v.words[plainWord(w)])
				for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == '.' || r == '-' }) {
					mark(v.words[plainWord(part)])
				}
			}
			for _, m := range routeText.FindAllStringSubmatch(l.Text, -1) {
				r := route(m[1])
				// A route matches one that ends in it: a server or a router
				// puts a prefix in front.
				for i := range r {
					mark(v.routes[strings.Join(r[i:], "/")])
				}
				mark(v.tails[strings.Join(r, "/")])
			}
		}
	}
	return named
}

// plainWord writes createOrder, create_order and CreateOrder alike.
func plainWord(w string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, w))
}

// maxSegments is how many segments a route has at most; what has more is none.
const maxSegments = 20

// route splits a route into its segments, every parameter written "*"; nil when
// none of them says anything.
func route(s string) []string {
	if strings.Count(s, "/") > maxSegments {
		return nil
	}
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
