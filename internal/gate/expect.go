package gate

import (
	"path"
	"slices"
	"strings"
)

// documents are extensions of files that people read and no machine runs.
var documents = []string{".md", ".mdx", ".rst", ".adoc", ".txt", ".csv", ".svg", ".po"}

// nothingExpected reports whether a good review of the batch may find nothing in
// no time. A change of documents alone must not be asked about for ever.
func nothingExpected(w Work) bool {
	return DocumentsOnly(w.Paths)
}

// DocumentsOnly reports whether every file is a document by its name; false for no
// files.
func DocumentsOnly(paths []string) bool {
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool {
		base := strings.ToLower(path.Base(p))
		stem, _, _ := strings.Cut(base, ".")
		named := slices.Contains([]string{"license", "licence", "notice", "authors", "copying", "changelog"}, stem)
		return !named && !slices.Contains(documents, path.Ext(base))
	})
}
