package relocate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSymbols(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		path string
		text string
		want []string // "name kind start-end"
	}{
		"go functions, methods and types": {
			path: "a.go",
			text: "package a\n\ntype T struct {\n\tx int\n}\n\nfunc (t *T) Get() int {\n\treturn t.x\n}\n\nfunc main() {\n}\n",
			want: []string{"T type 3-5", "T.Get func 7-9", "main func 11-12"},
		},
		"go that does not parse gives what comes before": {
			path: "a.go",
			text: "package a\n\nfunc ok() {\n}\n\nfunc broken( {\n",
			want: []string{"ok func 3-4"},
		},
		"java with annotations, generics and an inner class": {
			path: "A.java",
			text: "class A<T> {\n  @Override\n  public <S> List<S> of(T t) throws X {\n    for (;;) { }\n  }\n  static class B {\n    B() {\n    }\n  }\n}\n",
			want: []string{"A type 1-10", "A.of func 2-5", "A.B type 6-9", "A.B.B func 7-8"},
		},
		"java braces in strings and comments": {
			path: "A.java",
			text: "class A {\n  void f() {\n    s = \"}\"; // }\n    c = '}'; /* } */\n  }\n  void g() {\n  }\n}\n",
			want: []string{"A type 1-8", "A.f func 2-5", "A.g func 6-7"},
		},
		"java anonymous class is no declaration": {
			path: "A.java",
			text: "class A {\n  void f() {\n    run(new Task() {\n      public void go() {\n      }\n    });\n  }\n}\n",
			want: []string{"A type 1-8", "A.f func 2-7", "A.f.go func 4-5"},
		},
		"python with decorators and a nested function": {
			path: "a.py",
			text: "class A(B):\n    @cached\n    def f(self,\n          x):\n        def g():\n            return 1\n        return g\n\n\ndef h():\n    pass\n",
			want: []string{"A type 1-7", "A.f func 2-7", "A.f.g func 5-6", "h func 10-11"},
		},
		"python strings over lines do not end a function": {
			path: "a.py",
			text: "def f():\n    \"\"\"Says\nsomething.\n    \"\"\"\n    return 1\n\nx = 1\n",
			want: []string{"f func 1-5"},
		},
		"ruby": {
			path: "a.rb",
			text: "module M\n  class C\n    def go!\n      1\n    end\n  end\nend\n",
			want: []string{"M type 1-7", "M.C type 2-6", "M.C.go! func 3-5"},
		},
		"typescript": {
			path: "a.ts",
			text: "export class A {\n  async get(x: string): Promise<void> {\n    if (x) {\n    }\n  }\n}\n\nexport function f<T>(x: T) {\n}\n\nconst g = async (x: number) => {\n};\n\ndescribe('x', () => {\n});\n",
			want: []string{"A type 1-6", "A.get func 2-5", "f func 8-9", "g func 11-12"},
		},
		"javascript with templates and regular expressions": {
			path: "a.js",
			text: "function f() {\n  return `{${x}`;\n}\nfunction g() {\n  return /[{]/.test(s);\n}\n",
			want: []string{"f func 1-3", "g func 4-6"},
		},
		"javascript with nested templates": {
			path: "a.js",
			text: "function f() {\n  return `it's ${x ? `{${y}` : \"`\"} ${g({a: 1})} {`;\n}\nfunction g() {\n}\n",
			want: []string{"f func 1-3", "g func 4-5"},
		},
		"c": {
			path: "a.c",
			text: "#define X {\nstruct p {\n  int x;\n};\n\nstatic struct p *at(int x) {\n  while (x) { x--; }\n}\n",
			want: []string{"p type 2-4", "at func 6-8"},
		},
		"c++": {
			path: "a.cpp",
			text: "namespace n {\nclass A : public B {\n public:\n  ~A() {}\n};\nint A::size() const {\n  return 1;\n}\n}\n",
			want: []string{"n type 1-9", "n.A type 2-5", "n.A.~A func 4-4", "n.size func 6-8"},
		},
		"c sharp": {
			path: "A.cs",
			text: "namespace N\n{\n  public class A\n  {\n    [Test]\n    public void F()\n    {\n      using (x) { }\n    }\n  }\n}\n",
			want: []string{"N type 1-11", "N.A type 3-10", "N.A.F func 5-9"},
		},
		"rust": {
			path: "a.rs",
			text: "impl<'a> Show for Point<'a> {\n    pub fn show(&self) -> String {\n        match self { _ => {} }\n    }\n}\n",
			want: []string{"Point type 1-5", "Point.show func 2-4"},
		},
		"php": {
			path: "a.php",
			text: "<?php\nclass A {\n  # }\n  public function f($x) {\n  }\n}\n",
			want: []string{"A type 2-6", "A.f func 4-5"},
		},
		"kotlin": {
			path: "a.kt",
			text: "class A(val x: Int) {\n    fun <T> of(x: T): A {\n        when (x) { else -> {} }\n    }\n}\n",
			want: []string{"A type 1-5", "A.of func 2-4"},
		},
		"shell": {
			path: "a.sh",
			text: "build() {\n  # }\n  go build\n}\n",
			want: []string{"build func 1-4"},
		},
		"a language without declarations": {
			path: "a.yaml",
			text: "a: {b: 1}\n",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range Symbols(tc.path, []byte(tc.text)) {
				got = append(got, fmt.Sprintf("%s %s %d-%d", s.Name, s.Kind, s.Start, s.End))
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("Symbols(%s) (-want +got):\n%s", tc.path, d)
			}
		})
	}
}

func FuzzSymbols(f *testing.F) {
	for _, ext := range []string{".go", ".java", ".py", ".rb", ".ts", ".rs", ".c", ".sh"} {
		f.Add(ext, "class A {\n  def f(x):\n    \"\"\"{\n`/*'\n}\nfunc (t *T) g() {\n")
	}
	f.Add(".ts", "a(`${{`}${`\n${b}`")
	f.Fuzz(func(t *testing.T, ext, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, s := range Symbols("a"+ext, []byte(text)) {
			if s.Name == "" || s.Start < 1 || s.End < s.Start || s.End > lines {
				t.Errorf("Symbols(%q, %q) has %+v; the text has %d lines", ext, text, s, lines)
			}
		}
	})
}
