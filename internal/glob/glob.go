// Package glob matches paths of a repository against scopes: the lists of globs
// that say where a validator or a rule applies.
package glob

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Match reports whether a path is in a scope: at least one glob matches it and
// no glob with "!" before it does.
//
// Globs are those of doublestar: "*" and "?" stay within a directory, "**" does
// not, "{a,b}" is either. Brackets and everything else that a framework may put
// into a name are also taken as they stand: "app/(auth)/[id]/**" matches
// app/(auth)/[id]/page.tsx, and a path always matches itself.
func Match(scope []string, name string) bool {
	in := false
	for _, g := range scope {
		if g == name {
			return true
		}
		if out, ok := strings.CutPrefix(g, "!"); ok {
			if matchGlob(out, name) {
				return false
			}
			continue
		}
		in = in || matchGlob(g, name)
	}
	return in
}

func matchGlob(glob, name string) bool {
	if glob == name {
		return true
	}
	if doublestar.MatchUnvalidated(glob, name) {
		return true
	}
	literal := literalBrackets(glob)
	return literal != glob && doublestar.MatchUnvalidated(literal, name)
}

// literalBrackets escapes the brackets of a glob that are not yet escaped.
func literalBrackets(glob string) string {
	if !strings.ContainsAny(glob, "[]") {
		return glob
	}
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			b.WriteByte('\\')
			if i++; i < len(glob) {
				b.WriteByte(glob[i])
			}
			continue
		case '[', ']':
			b.WriteByte('\\')
		}
		b.WriteByte(glob[i])
	}
	return b.String()
}

// Check refuses a scope that could never match or would match by accident.
func Check(globs []string) error {
	if len(globs) == 0 {
		return errors.New("scope: name the files it is about, for example src/**/*.go")
	}
	positive := false
	for _, g := range globs {
		bare, negative := strings.CutPrefix(g, "!")
		positive = positive || !negative
		switch {
		case bare == "":
			return errors.New("scope: a glob is empty")
		case strings.ContainsAny(bare, "\x00\n\r"):
			return fmt.Errorf("scope %q: a glob is one line of text", g)
		case strings.HasPrefix(bare, "/"):
			return fmt.Errorf("scope %q: globs begin at the repository's root, without a slash", g)
		case strings.HasPrefix(bare, "./"), slices.Contains(strings.Split(bare, "/"), ".."):
			return fmt.Errorf("scope %q: globs hold no . or .. at their start", g)
		case !doublestar.ValidatePattern(bare) && !doublestar.ValidatePattern(literalBrackets(bare)):
			return fmt.Errorf("scope %q: it is no valid glob; write \\ before a bracket or brace that is part of a name", g)
		}
	}
	if !positive {
		return errors.New("scope: every glob takes files out; add one that takes some in")
	}
	return nil
}
