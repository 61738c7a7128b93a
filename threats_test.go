package crev_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// caseRow is a row of a table that names what shows it; caseTest is one name.
var (
	caseRow  = regexp.MustCompile(`^\| ([TL]\d\d) \|.*\| ([^|]*) \|$`)
	caseTest = regexp.MustCompile("`([^`]+)`")
)

// A threat or a field case is listed only with what shows it, and that exists.
func TestThreatsAndFieldCasesAreShown(t *testing.T) {
	t.Parallel()
	tests := testNames(t)
	for name, count := range map[string]int{"docs/threats.md": 47, "docs/field-cases.md": 60} {
		data, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for line := range strings.Lines(string(data)) {
			row := caseRow.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if row == nil {
				continue
			}
			if seen[row[1]] {
				t.Errorf("%s: %s is there twice", name, row[1])
			}
			seen[row[1]] = true
			shown := caseTest.FindAllStringSubmatch(row[2], -1)
			if len(shown) == 0 {
				t.Errorf("%s: %s names no test", name, row[1])
			}
			for _, s := range shown {
				if !tests[s[1]] && !isScenario(s[1]) {
					t.Errorf("%s: %s: there is no test, scenario or story %s", name, row[1], s[1])
				}
			}
		}
		if len(seen) != count {
			t.Errorf("%s lists %d cases, want %d; change the number here when one is added", name, len(seen), count)
		}
	}
}

// testNames are the tests of the module: "rule.TestLint", and the name alone for
// those of the root.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, p := range load(t) {
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv != nil || !f.test || !strings.HasPrefix(fn.Name.Name, "Test") {
					continue
				}
				if p.dir == "." {
					out[fn.Name.Name] = true
				} else {
					out[path.Base(p.dir)+"."+fn.Name.Name] = true
				}
			}
		}
	}
	return out
}

// isScenario reports whether a name is that of a scenario or of a story.
func isScenario(name string) bool {
	file := "testdata/script/" + name
	if story, ok := strings.CutPrefix(name, "lifecycle/"); ok {
		file = "testdata/lifecycle/" + story
	}
	_, err := os.Stat(filepath.FromSlash(file + ".txtar"))
	return err == nil
}
