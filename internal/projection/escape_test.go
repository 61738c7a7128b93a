package projection

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	const z = "\u200b"
	for name, c := range map[string]struct{ in, want string }{
		"plain text":                   {"a *b* and _c_", "a *b* and _c_"},
		"a mention":                    {"ask @org/team", "ask @" + z + "org/team"},
		"a mention as a decimal":       {"ask &#64;user", "ask @" + z + "user"},
		"a mention as a name":          {"ask &commat;user", "ask @" + z + "user"},
		"a doubly encoded mention":     {"ask &amp;#64;user", "ask @" + z + "user"},
		"a wide mention":               {"ask \uFF20user", "ask \uFF20" + z + "user"},
		"a closing keyword":            {"fixes #1", "fixes #" + z + "1"},
		"a foreign closing keyword":    {"Closes owner/repo#2", "Closes owner/repo#" + z + "2"},
		"GH-1":                         {"see GH-1", "see GH-" + z + "1"},
		"an image":                     {"![x](http://evil/?d=1)", "!\\[x\\](`http://evil/?d=1)`"},
		"an HTML image":                {`<img src="x">`, `&lt;img src="x">`},
		"an HTML comment":              {"<!-- crev:1 id=D-00000000 -->", "&lt;!-- crev:1 id=D-00000000 -->"},
		"a marker inside code":         {"`<!-- crev:1 -->`", "`<" + z + "!-- crev:1 -->`"},
		"a script link":                {"[a](javascript:alert(1))", "\\[a\\](`javascript:alert(1))`"},
		"a bare address":               {"go to https://x.example/a?b", "go to `https://x.example/a?b`"},
		"a code span stays":            {"call `f(@x, #1)` now", "call `f(@x, #1)` now"},
		"an open backtick":             {"a ` b @c", "a \\` b @" + z + "c"},
		"a heading":                    {"# Big", "#" + z + " Big"},
		"an underlined heading":        {"Big\n---", "Big\n\\---"},
		"a footnote":                   {"a[^1]", `a\[^1\]`},
		"right-to-left override":       {"a\u202eb", "a&lt;U+202E>b"},
		"a block stays":                {"```go\nx := \"@a\"\n```", "```go\nx := \"@a\"\n```"},
		"a block without an end":       {"```\nx", "```\nx\n```"},
		"a suggestion is no block":     {"```suggestion\nx\n```", "```text\nx\n```"},
		"a drawing is no block":        {"~~~mermaid\nx\n~~~", "~~~text\nx\n~~~"},
		"a longer fence inside closes": {"```\n````\n@x", "```\n````\n@" + z + "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, Escape(c.in)); d != "" {
				t.Errorf("Escape(%q): -want +got\n%s", c.in, d)
			}
		})
	}
}

func TestCodeAndBlockCannotBeLeft(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"backticks": "a `` b ``` c", "a leading backtick": "`x", "nothing but": "```",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := Code(in)
			fence := code[:len(code)-len(strings.TrimLeft(code, "`"))]
			if inner := strings.TrimSuffix(strings.TrimPrefix(code, fence), fence); strings.Contains(inner, fence) {
				t.Errorf("Code(%q) = %q: its fence is inside", in, code)
			}
			block := Block("", in)
			ticks, rest, _ := strings.Cut(block, "\n")
			if strings.Contains(strings.TrimSuffix(rest, ticks), ticks) {
				t.Errorf("Block(%q) = %q: its fence is inside", in, block)
			}
		})
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"@a", "&#64;a", "`a`@b", "```\n@a", "<img>", "<!-- crev:1 id=D-00000000 fp=0000000000000000 -->", "a\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Escape(s)
		if strings.Contains(got, "<!--") {
			t.Errorf("Escape(%q) = %q holds an HTML comment", s, got)
		}
		if id, ok := DefectOf(got); ok {
			t.Errorf("Escape(%q) = %q bears the marker of %s", s, got, id)
		}
		if strings.IndexFunc(strings.ReplaceAll(got, breaker, ""), hidden) >= 0 {
			t.Errorf("Escape(%q) = %q hides characters", s, got)
		}
	})
}
