package batch

import (
	"math"
	"testing"
)

func TestSimilarity(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b string
		want float64
	}{
		"one type":                         {"a/x.go", "a/y.go", 1},
		"a test and its code":              {"x.go", "x_test.go", .9},
		"a header and its source":          {"x.h", "x.cpp", .9},
		"a script and its types":           {"x.ts", "x.tsx", .9},
		"a test of the other script":       {"x.ts", "x.test.tsx", .81},
		"a style and its component":        {"Button.tsx", "Button.scss", .85},
		"a style and the component's test": {"Button.spec.tsx", "Button.css", .765},
		"markup and style":                 {"x.html", "x.css", .85},
		"two kinds of documents":           {"x.md", "x.rst", .9},
		"code and documents":               {"x.go", "x.md", .3},
		"two languages":                    {"x.go", "x.py", .3},
		"names without extension":          {"Makefile", "Dockerfile", .3},
		"the same name":                    {"a/Makefile", "b/makefile", 1},
		"case of the extension":            {"x.MD", "y.md", 1},
		"a Java test":                      {"Cart.java", "CartTest.java", .9},
		"a class that is called Test":      {"Cart.java", "Test.java", 1},
		"a Python test":                    {"cart.py", "test_cart.py", .9},
		"a Ruby spec":                      {"cart.rb", "cart_spec.rb", .9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := kindOf(c.a), kindOf(c.b)
			if got := a.similarity(b); math.Abs(got-c.want) > tolerance {
				t.Errorf("similarity of %s and %s = %v, want %v", c.a, c.b, got, c.want)
			}
			if a.similarity(b) != b.similarity(a) {
				t.Errorf("similarity of %s and %s is not symmetric", c.a, c.b)
			}
		})
	}
}

// Every pair of types in the table is in [0,1] and symmetric, and each type is
// in one family.
func TestFamilies(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for family, exts := range families {
		for _, ext := range exts {
			if seen[ext] != "" {
				t.Errorf("%s is in %s and in %s", ext, seen[ext], family)
			}
			seen[ext] = family
		}
	}
	for a := range seen {
		for b := range seen {
			s, back := kindOf("x"+a).similarity(kindOf("x"+b)), kindOf("x"+b).similarity(kindOf("x"+a))
			if s != back || s <= 0 || s > 1 || (s == 1) != (a == b) {
				t.Errorf("similarity of %s and %s is %v, and %v the other way", a, b, s, back)
			}
		}
	}
}

func TestDirectorySimilarity(t *testing.T) {
	t.Parallel()
	dirs := directories{}
	for name, c := range map[string]struct {
		a, b string
		want float64
	}{
		"itself":           {"a/b", "a/b", 1},
		"the root":         {".", ".", 1},
		"root and below":   {".", "a", 0},
		"siblings":         {"a/b", "a/c", .5},
		"deeper siblings":  {"a/b/c", "a/b/d", 2. / 3},
		"parent and child": {"a/b", "a/b/c", .8},
		"mirrored":         {"src/main/java/shop", "src/test/java/shop", .75},
		"other order":      {"a/b", "b/a", .5},
		"deep": {"a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t", "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/u",
			19. / 20},
		"nothing shared": {"a", "b", 0},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := dirs.of(c.a), dirs.of(c.b)
			if got, back := a.similarity(b), b.similarity(a); got != c.want || back != c.want {
				t.Errorf("similarity of %s and %s = %v and %v, want %v", c.a, c.b, got, back, c.want)
			}
			if a.similarity(b) > a.reach(b) {
				t.Errorf("reach of %s and %s is %v, less than %v", c.a, c.b, a.reach(b), c.want)
			}
		})
	}
}
