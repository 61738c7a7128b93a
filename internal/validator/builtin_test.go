package validator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func builtinNamed(t testing.TB, name string) Builtin {
	t.Helper()
	for _, b := range Builtins() {
		if b.Name == name {
			return b
		}
	}
	t.Fatalf("no built-in %q", name)
	return Builtin{}
}

func TestConflictMarkers(t *testing.T) {
	t.Parallel()
	const conflict = "a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> branch\n"
	tests := map[string]struct {
		file    string
		changed []Range
		want    []string
	}{
		"a conflict":               {conflict, []Range{{1, 6}}, []string{"a.md:2: merge conflict that is not resolved"}},
		"with the base":            {"<<<<<<< a\n||||||| b\n=======\n>>>>>>> c\n", []Range{{1, 1}}, []string{"a.md:1: merge conflict that is not resolved"}},
		"one changed line of it":   {conflict, []Range{{5, 5}}, []string{"a.md:2: merge conflict that is not resolved"}},
		"an old one":               {conflict, []Range{{1, 1}}, nil},
		"an underlined title":      {"Title\n=======\n\n> quote\n", []Range{{1, 9}}, nil},
		"eight marks":              {"<<<<<<<<\n========\n>>>>>>>>\n", []Range{{1, 9}}, nil},
		"marks out of order":       {">>>>>>> a\n=======\n<<<<<<< b\n", []Range{{1, 9}}, nil},
		"carriage returns":         {strings.ReplaceAll(conflict, "\n", "\r\n"), []Range{{1, 6}}, []string{"a.md:2: merge conflict that is not resolved"}},
		"only the name is changed": {conflict, nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(map[string]string{"a.md": tc.file})
			in.Changed = map[string][]Range{"a.md": tc.changed}
			got := Run(t.Context(), builtinNamed(t, "conflict-markers").Validator(), in)
			if diff := cmp.Diff(tc.want, texts(got.Failures)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFocusedTests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path, line string
		found      bool
	}{
		"only":                 {"a.test.ts", "it.only('x', () => {", true},
		"describe.only":        {"test/a.js", "  describe.only('x', () => {", true},
		"test.only.each":       {"a.spec.tsx", "test.only.each([1])('x')", true},
		"test.concurrent.only": {"a.spec.tsx", "test.concurrent.only('x')", true},
		"fit":                  {"a.spec.js", "fit('x', () => {", true},
		"a model's fit":        {"a.spec.js", "model.fit(data)", false},
		"profit":               {"a.spec.js", "profit(1)", false},
		"a comment":            {"a.spec.js", "// it.only('x')", false},
		"no test file":         {"src/a.js", "it.only('x')", false},
		"ruby":                 {"spec/a_spec.rb", "  fit 'x' do", true},
		"ruby's tag":           {"a_spec.rb", "it 'x', :focus do", true},
		"ruby's option":        {"a_spec.rb", "describe 'x', focus: true do", true},
		"ruby without":         {"a_spec.rb", "it 'keeps focus: true' do", false},
		"ginkgo":               {"a_test.go", "\tFDescribe(\"x\", func() {", true},
		"ginkgo by name":       {"a_test.go", "var _ = ginkgo.FIt(\"x\", func() {", true},
		"go's Fit":             {"a_test.go", "\tFit(x)", false},
		"swift":                {"ASpec.swift", "  fdescribe(\"x\") {", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Run(t.Context(), builtinNamed(t, "focused-tests").Validator(), input(map[string]string{tc.path: tc.line + "\n"}))
			if (got.Status == Found) != tc.found {
				t.Errorf("%s: %s, failures %v", tc.line, got.Status, got.Failures)
			}
		})
	}
}

// T64
func TestHiddenUnicode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path, line string
		want       []string
	}{
		"plain":                         {"a.go", "x := 1 // naïve café – ok …", nil},
		"Trojan Source":                 {"a.go", "if a { // \u202e\u2066 check\u2069", []string{"a.go:1:11: character that reorders the text <U+202E>", "a.go:1:14: character that reorders the text <U+2066>", "a.go:1:23: character that reorders the text <U+2069>"}},
		"also in a translation":         {"i18n/ar.json", "\"a\u202eb\"", []string{"i18n/ar.json:1:3: character that reorders the text <U+202E>"}},
		"zero width":                    {"a.go", "ad\u200bmin", []string{"a.go:1:3: invisible character <U+200B>"}},
		"a joiner between Latin":        {"a.go", "ad\u200dmin", []string{"a.go:1:3: invisible joiner <U+200D>"}},
		"a joiner in Persian":           {"a.md", "می\u200cخواهم", nil},
		"a family":                      {"a.md", "👨\u200d👩\u200d👧", nil},
		"a coloured family":             {"a.md", "👩🏽\u200d💻 ❤\ufe0f\u200d🔥", nil},
		"a heart":                       {"a.md", "❤\ufe0f ™\ufe0f 1\ufe0f\u20e3", nil},
		"GlassWorm":                     {"a.js", "const s = `\ufe01\U000e0101`", []string{"a.js:1:12: variation selector where there is nothing to vary <U+FE01>", "a.js:1:15: variation selector where there is nothing to vary <U+E0101>"}},
		"an ideograph's variant":        {"a.md", "葛\U000e0100", nil},
		"tags":                          {"a.md", "hi\U000e0068\U000e0069", []string{"a.md:1:3: invisible tag <U+E0068>", "a.md:1:7: invisible tag <U+E0069>"}},
		"the flag of Scotland":          {"a.md", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", nil},
		"a byte order mark at start":    {"a.go", "\ufeffpackage a", nil},
		"a byte order mark in between":  {"a.go", "pack\ufeffage a", []string{"a.go:1:5: byte order mark inside of the text <U+FEFF>"}},
		"a Hangul filler":               {"a.js", "const ㅤ\u3164= 1", []string{"a.js:1:7: invisible letter <U+3164>", "a.js:1:10: invisible letter <U+3164>"}},
		"a Cyrillic letter in Latin":    {"a.go", "func раypal() {}", []string{"a.go:1:6: a letter that only looks Latin, <U+0440>, in the word \"раypal\""}},
		"Cyrillic alone":                {"a.go", "// проверка паспорта", nil},
		"Cyrillic after an underscore":  {"a.go", "func Test_проверка(t)", nil},
		"a Greek letter of mathematics": {"a.go", "Δx := λ * πr", nil},
		"mixed in a translation":        {"locales/ru.yml", "раypal", nil},
		"the mark of a right-to-left":   {"a.md", "שלום\u200f.", nil},
		"the same in Latin":             {"a.md", "abc\u200f.", []string{"a.md:1:4: invisible mark of direction <U+200F>"}},
		"a wrong byte":                  {"a.go", "x\xff\xfey", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Run(t.Context(), builtinNamed(t, "hidden-unicode").Validator(), input(map[string]string{tc.path: tc.line + "\n"}))
			if diff := cmp.Diff(tc.want, texts(got.Failures)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}

// T65: the message about a secret does not hold it. finding.Secrets has the forms.
func TestSecretsInDiff(t *testing.T) {
	t.Parallel()
	body := "Zq7Lw2Xk9Rt4Vb6Nc8Mh1Gd3Fs5Pj0YaUeIoTrWqEzSxCd"
	in := input(map[string]string{"a": "x\n\tkey: \"ghp_" + body[:36] + "\"\n", "b": "sk_test_" + body[:24] + "\n"})
	got := Run(t.Context(), builtinNamed(t, "secrets-in-diff").Validator(), in)
	want := []Failure{{
		Validator: "secrets-in-diff", Path: "a", Line: 2, Column: 8,
		Message: "GitHub token in the code; take it out and revoke it",
	}}
	if d := cmp.Diff(want, got.Failures); got.Status != Found || d != "" {
		t.Errorf("%s, failures (-want +got):\n%s", got.Status, d)
	}
}

func TestBuiltinsSkipWhatIsExempt(t *testing.T) {
	t.Parallel()
	in := input(map[string]string{"a.go": "ad\u200bmin", "testdata/a.go": "ad\u200bmin"})
	in.Exempt = []string{"testdata/**"}
	got := Run(t.Context(), builtinNamed(t, "hidden-unicode").Validator(), in)
	if len(got.Failures) != 1 || got.Failures[0].Path != "a.go" {
		t.Errorf("failures %v", got.Failures)
	}
}

func FuzzHiddenUnicode(f *testing.F) {
	for _, s := range []string{"ad\u200bmin", "👨\u200d👩", "\xff\xfe", "раypal", "\U000e0041", "a\n\u202e"} {
		f.Add(s)
	}
	b := Builtins()[2]
	f.Fuzz(func(t *testing.T, s string) {
		got := Run(t.Context(), b.Validator(), input(map[string]string{"a.go": s}))
		for _, fail := range got.Failures {
			for _, r := range fail.Message {
				if r >= 0x200B && r <= 0x206F || r >= 0xE0000 {
					t.Fatalf("the message shows what it warns of: %q", fail.Message)
				}
			}
		}
	})
}
