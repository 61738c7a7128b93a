package review

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// A fix is often in another place than the defect. What a reviewer wrote names
// such places: a file in the evidence, a function in a criterion. When one of
// them changes, the defect has to be looked at again.

// maxNamedFiles bounds how many files of a change are searched for
// declarations; a larger change is a merge of the base or a reformatting.
const maxNamedFiles = 400

// namedPaths lists the files of the head's tree that a claim names, apart from
// its own.
func (j *job) namedPaths(c claim) []string {
	words := map[string]bool{}
	for _, text := range slices.Concat([]string{c.Claim, c.Detail}, c.Evidence, c.Criteria) {
		for _, w := range pathWord.FindAllString(text, -1) {
			words[strings.TrimRight(w, ".")] = true
		}
	}
	var out []string
	for _, p := range j.tracked {
		if words[p] && p != c.Path {
			out = append(out, p)
		}
	}
	return out
}

// pathWord finds what may be a path; a line number behind a colon is not part
// of it.
var pathWord = regexp.MustCompile(`[\w./@+-]*[./][\w./@+-]*`)

// addNames adds the declarations of a file, before and after, in which lines
// differ.
func (j *job) addNames(ctx context.Context, names map[string]bool, f diff.File) {
	for _, side := range []struct {
		path, blob string
		lines      []diff.Range
	}{
		{f.OldPath, f.OldBlob, f.ChangedOld()},
		{f.NewPath, f.NewBlob, f.ChangedNew()},
	} {
		source := j.source(ctx, side.blob)
		if source == nil || len(side.lines) == 0 {
			continue
		}
		text, err := source()
		if err != nil {
			continue // following the defects reports what cannot be read
		}
		for _, s := range relocate.Symbols(side.path, text) {
			if slices.ContainsFunc(side.lines, func(r diff.Range) bool { return r.Start <= s.End && s.Start <= r.End }) {
				names[s.Name[strings.LastIndex(s.Name, ".")+1:]] = true
			}
		}
	}
}

var (
	quotedCode = regexp.MustCompile("`[^`]+`")
	identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*\(?`)
	// compound matches what nobody writes in prose: an inner capital or
	// underscore.
	compound = regexp.MustCompile(`[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]`)
	// opening matches the first word of a sentence that begins in lower case.
	opening = regexp.MustCompile(`^[a-z_][A-Za-z0-9_]*`)
)

// namedCode lists the identifiers in what was said of a defect, each once and in
// order. A plain word counts only where it is written as code: between backticks,
// before a parenthesis, or in lower case where a sentence begins.
func namedCode(d *ledger.Defect) []string {
	var sentences, out []string
	for _, w := range d.Wordings {
		sentences = append(sentences, w.Claim)
	}
	for _, c := range d.Criteria {
		sentences = append(sentences, c.Text)
	}
	for _, text := range sentences {
		if w := opening.FindString(text); w != "" {
			out = append(out, w)
		}
	}
	texts := append(sentences, d.Detail)
	for _, text := range slices.Concat(texts, d.Evidence) {
		for _, code := range quotedCode.FindAllString(text, -1) {
			for _, w := range identifier.FindAllString(code, -1) {
				out = append(out, strings.TrimSuffix(w, "("))
			}
		}
		for _, w := range identifier.FindAllString(text, -1) {
			if name, called := strings.CutSuffix(w, "("); called || compound.MatchString(name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
