package bench

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLineHunksTurnOneTextIntoTheOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 30)
		a, b := lines.Draw(t, "a"), lines.Draw(t, "b")
		var got []string
		at := 0
		for _, h := range lineHunks(a, b) {
			if h.a0 < at || h.a0 > h.a1 || h.a1 > len(a) || h.b0 > h.b1 || h.b1 > len(b) {
				t.Fatalf("lineHunks(%q, %q) has the hunk %+v after line %d", a, b, h, at)
			}
			got = append(append(got, a[at:h.a0]...), b[h.b0:h.b1]...)
			at = h.a1
		}
		got = append(got, a[at:]...)
		if strings.Join(got, "") != strings.Join(b, "") {
			t.Fatalf("lineHunks(%q, %q) gives %q", a, b, got)
		}
	})
}

func TestMerge(t *testing.T) {
	t.Parallel()
	const base = "one\ntwo\nthree\nfour\nfive\n"
	tests := map[string]struct {
		ours, theirs string
		want         string // "" for a conflict
	}{
		"nothing changed":              {base, base, base},
		"only ours":                    {"one\nTWO\nthree\nfour\nfive\n", base, "one\nTWO\nthree\nfour\nfive\n"},
		"only theirs":                  {base, "zero\n" + base, "zero\n" + base},
		"apart":                        {"one\nTWO\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nFIVE\n", "one\nTWO\nthree\nfour\nFIVE\n"},
		"ours taken out, theirs below": {"one\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nfive\nsix\n", "one\nthree\nfour\nfive\nsix\n"},
		"the same line":                {"one\nTWO\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nfive\n", ""},
		"lines that touch":             {"one\nTWO\nthree\nfour\nfive\n", "one\ntwo\n3\nfour\nfive\n", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := merge(sheetOf([]byte(base)).texts(), sheetOf([]byte(tc.ours)), sheetOf([]byte(tc.theirs)).texts())
			if ok != (tc.want != "") || string(got.bytes()) != tc.want {
				t.Errorf("merge(%q, %q) = %q, %v, want %q", tc.ours, tc.theirs, got.bytes(), ok, tc.want)
			}
		})
	}
}

func TestMergeKeepsMarks(t *testing.T) {
	t.Parallel()
	base := sheetOf([]byte("one\ntwo\nthree\nfour\n"))
	ours := sheet{{"one\n", 0}, {"TWO\n", 7}, {"three\n", 0}, {"four\n", 0}}
	got, ok := merge(base.texts(), ours, []string{"zero\n", "one\n", "two\n", "three\n"})
	want := sheet{{"zero\n", 0}, {"one\n", 0}, {"TWO\n", 7}, {"three\n", 0}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(markedLine{})); !ok || d != "" {
		t.Errorf("merge = %v (-want +got):\n%s", ok, d)
	}
}

func TestMutations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mutation string
		text     string
		line     int // from 1
		want     string
	}{
		"a check in Go":             {"dropped check", "x, err := f()\nif err != nil {\n\treturn err\n}\nuse(x)\n", 2, "x, err := f()\nuse(x)\n"},
		"a check in Python":         {"dropped check", "x = find()\nif x is None:\n    raise Gone()\nuse(x)\n", 2, "x = find()\nuse(x)\n"},
		"a check in Java":           {"dropped check", "get(x);\nif (x == null) {\n  throw new Gone();\n}\nuse(x);\n", 2, "get(x);\nuse(x);\n"},
		"a check with an else":      {"dropped check", "if x is None:\n    return\nelse:\n    use(x)\n", 1, ""},
		"a long guard":              {"dropped check", "if err != nil {\n\ta()\n\tb()\n\tc()\n\treturn\n}\n", 1, ""},
		"a comparison":              {"swapped comparison", "while i < n:\n", 1, "while i > n:\n"},
		"equality":                  {"swapped comparison", "if (a === b) {\n", 1, "if (a !== b) {\n"},
		"an arrow is none":          {"swapped comparison", "x => y\n", 1, ""},
		"a comment is no code":      {"swapped comparison", "// a < b\n", 1, ""},
		"the first element":         {"off by one", "x := list[0]\n", 1, "x := list[1]\n"},
		"a bound":                   {"off by one", "for (i = 0; i < a.length; i++)\n", 1, "for (i = 1; i < a.length; i++)\n"},
		"an argument":               {"missing argument", "\treturn open(name, mode)\r\n", 1, "\treturn open(name)\r\n"},
		"a declaration is no call":  {"missing argument", "def open(name, mode):\n", 1, ""},
		"a condition":               {"missing filter", "if (a.ok && b.tenant == id) {\n", 1, "if (a.ok) {\n"},
		"a condition in Python":     {"missing filter", "return a and b.mine\n", 1, "return a\n"},
		"a sentence is no filter":   {"missing filter", "salt and pepper\n", 1, ""},
		"an unlock":                 {"missing release", "mu.Lock()\ndefer mu.Unlock()\n", 2, "mu.Lock()\n"},
		"a close in C++":            {"missing release", "open(f);\nf->close();\n", 2, "open(f);\n"},
		"an unlock of another kind": {"missing release", "mu.Unlock().then(x)\n", 1, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := sheetOf([]byte(tc.text))
			var got string
			for i := range mutations {
				if mutations[i].name != tc.mutation {
					continue
				}
				e, ok := mutations[i].plant(text.texts(), tc.line-1)
				if !ok {
					break
				}
				planted := text.splice(e.from, e.to, unmarked(e.lines)...)
				got = string(planted.bytes())
			}
			if got != tc.want {
				t.Errorf("%s of %q = %q, want %q", tc.mutation, tc.text, got, tc.want)
			}
		})
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	text := "a = 1\n\"\"\"One line.\"\"\"\nb = \"x\"\n'''\nif a and b:\n'''\nc = 2\n"
	want := []bool{false, true, false, true, true, true, false}
	if d := cmp.Diff(want, prose(sheetOf([]byte(text)).texts())); d != "" {
		t.Errorf("prose(%q) (-want +got):\n%s", text, d)
	}
}
