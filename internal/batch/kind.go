package batch

import (
	"path"
	"slices"
	"strings"
)

// kind is the type of a file as far as cutting cares: what it is written in, and
// whether it tests.
type kind struct {
	// ext is the lower-case extension, or the lower-case name of a file
	// without one.
	ext string
	// family is the one of families that ext is in, "" for none.
	family string
	test   bool
}

// String names the kind: "go", "go tests".
func (k kind) String() string {
	name := strings.TrimPrefix(k.ext, ".")
	if k.test {
		name += " tests"
	}
	return name
}

// kindOf classifies a file by its path.
func kindOf(p string) kind {
	base := strings.ToLower(path.Base(p))
	ext := path.Ext(base)
	if ext == "" || ext == base {
		return kind{ext: base, family: familyOf[base]}
	}
	return kind{ext: ext, family: familyOf[ext], test: isTest(path.Base(p), ext)}
}

// isTest reports whether a file is named as tests are where its language is at
// home.
func isTest(base, ext string) bool {
	stem := base[:len(base)-len(ext)]
	lower := strings.ToLower(stem)
	return strings.HasPrefix(lower, "test_") ||
		slices.ContainsFunc([]string{"_test", "_spec", ".test", ".spec"}, func(s string) bool { return strings.HasSuffix(lower, s) }) ||
		slices.ContainsFunc([]string{"Test", "Tests", "Spec"}, func(s string) bool { return strings.HasSuffix(stem, s) && stem != s })
}

// families are extensions that are edited together. Two extensions of one
// family are familySimilarity alike.
var families = map[string][]string{
	"c":      {".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm"},
	"config": {".json", ".jsonc", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".properties"},
	"docs":   {".md", ".mdx", ".rst", ".adoc", ".txt"},
	"dotnet": {".cs", ".fs", ".vb", ".razor", ".cshtml"},
	"jvm":    {".java", ".kt", ".kts", ".scala", ".groovy"},
	"markup": {".html", ".htm", ".hbs", ".ejs", ".njk"},
	"python": {".py", ".pyi", ".pyx"},
	"script": {".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro"},
	"shell":  {".sh", ".bash", ".zsh"},
	"style":  {".css", ".scss", ".sass", ".less"},
}

// The similarities of types. The default limits are .8 for one directory and .6
// across; docs/batching.md has the table.
const (
	// familySimilarity is that of two extensions of one family: a header and
	// its source, a script and its types.
	familySimilarity = .9
	// testSimilarity is what the similarity is multiplied by when one file
	// is a test and the other is not.
	testSimilarity = .9
	// componentSimilarity is that of the three that make a component of a
	// page: script, style and markup.
	componentSimilarity = .85
	// unrelated is that of all others.
	unrelated = .3
)

// component are the families that make one component of a page.
var component = []string{"markup", "script", "style"}

// familyOf is the index of families.
var familyOf = indexFamilies()

func indexFamilies() map[string]string {
	of := map[string]string{}
	for family, exts := range families {
		for _, ext := range exts {
			of[ext] = family
		}
	}
	return of
}

// similarity says how alike two types are, in [0,1]. It is symmetric, and 1 for
// a type and itself alone.
func (k kind) similarity(o kind) float64 {
	s := unrelated
	switch {
	case k.ext == o.ext:
		s = 1
	case k.family == "" || o.family == "":
	case k.family == o.family:
		s = familySimilarity
	case slices.Contains(component, k.family) && slices.Contains(component, o.family):
		s = componentSimilarity
	}
	if k.test != o.test {
		s *= testSimilarity
	}
	return s
}
