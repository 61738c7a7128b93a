package validator

import (
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/glob"
)

// inScope returns the files that a scope matches, sorted.
func inScope(scope, files []string) []string {
	var in []string
	for _, f := range files {
		if glob.Match(scope, f) {
			in = append(in, f)
		}
	}
	slices.Sort(in)
	return slices.Compact(in)
}

// cleanRel returns a slash-separated path below the root, or false.
func cleanRel(p string) (string, bool) {
	p = path.Clean(p)
	if p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(p) {
		return "", false
	}
	return p, true
}
