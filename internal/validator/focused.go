package validator

import (
	"path"
	"regexp"
	"strings"
)

// testScope is where tests are by the habits of their languages.
var testScope = []string{
	"**/*.{test,spec,cy,e2e}.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue}",
	"**/{test,tests,spec,specs,__tests__,cypress,e2e}/**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts}",
	"**/*_{spec,test}.rb", "**/*_test.go", "**/*Spec.{swift,kt,groovy}",
}

// A focus makes the runner skip every test without one. Each expression is
// anchored where a statement begins, so that a call of a method named fit on an
// object is none.
var (
	focusScript = regexp.MustCompile(`(?:^|[\s;{(])((?:describe|context|suite|it|test|specify|bench)(?:\.(?:concurrent|sequential|each|serial))?\.only\b|(?:fdescribe|fcontext|fit|ftest)\s*\()`)
	focusRuby   = regexp.MustCompile(`^\s*((?:fdescribe|fcontext|fit|fspecify|fexample|focus)[\s(]+['"]|(?:RSpec\.)?(?:describe|context|it|specify|example)\b.*(?:,\s*:focus\b|,\s*focus:\s*true|,\s*:focus\s*=>\s*true))`)
	focusGo     = regexp.MustCompile(`(?:^|[\s;{(=])((?:ginkgo\.)?(?:FDescribe|FContext|FWhen|FIt|FSpecify|FDescribeTable|FEntry)\s*\(|Focus\s*,\s*func\b)`)
	focusSwift  = regexp.MustCompile(`^\s*((?:fdescribe|fcontext|fit)\s*\()`)
)

func focusOf(name string) *regexp.Regexp {
	switch path.Ext(name) {
	case ".rb":
		return focusRuby
	case ".go":
		return focusGo
	case ".swift", ".kt", ".groovy":
		return focusSwift
	}
	return focusScript
}

// focusedTests finds tests that keep all others from running.
func focusedTests(f *file, in Input) []Failure {
	re := focusOf(f.path)
	var fails []Failure
	f.eachLine(func(n int, line []byte) {
		if !in.changed(f.path, n, n) {
			return
		}
		m := re.FindSubmatchIndex(line)
		if m == nil || isComment(line[:m[2]]) {
			return
		}
		fails = append(fails, Failure{
			Path: f.path, Line: n, Column: m[2] + 1,
			Message: "focused test: " + strings.TrimSpace(strings.TrimRight(string(line[m[2]:m[3]]), "( '\"")) + " keeps the others from running",
		})
	})
	return fails
}

// isComment reports whether the text before a match begins a line comment.
func isComment(before []byte) bool {
	s := strings.TrimSpace(string(before))
	return strings.HasPrefix(s, "//") || strings.HasPrefix(s, "#") || strings.HasPrefix(s, "*") || strings.HasPrefix(s, "/*")
}
