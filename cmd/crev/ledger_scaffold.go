package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/validator"
)

// maxSample bounds a sample in bytes; a larger file gives its quoted lines.
const maxSample = 64 << 10

// scaffold writes a validator from what the ledger recorded of a class: a
// pattern of the quoted code, the code as bad samples, its fix as good ones.
func scaffold(ctx context.Context, w world, root string, due ledger.Due, p promotion) error {
	if due.At.Path == "" || due.Code == "" && due.Artifact == nil {
		return usagef("promote %s: the ledger recorded no code of it; write .crev/validators/NAME by hand, docs/validators.md shows how", due.FP)
	}
	name := p.name
	if name == "" {
		name = slug(due.Claim)
	}
	d, hint := drafted(due, name)
	d.Samples = samplesOf(ctx, w, due)
	dir := filepath.Join(root, filepath.FromSlash(validator.Root))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	v, err := validator.LoadDraft(d, dir)
	switch {
	case errors.Is(err, fs.ErrExist):
		return usagef("promote %s: %s is there already; choose another name with --name", due.FP, path.Join(validator.Root, name))
	case err != nil:
		return fmt.Errorf("promote %s: %w", due.FP, err)
	}
	folder := path.Join(validator.Root, name)
	fmt.Fprintf(w.out, "wrote %s\n", folder)
	for _, file := range d.Paths() {
		fmt.Fprintf(w.out, "  %s\n", file)
	}
	bad, good, err := v.Samples()
	if err != nil {
		return err
	}
	runner := promotionRunner(ctx, w, v)
	bad.Runner, good.Runner = runner, runner
	proof := validator.Prove(ctx, v, bad, good)
	fmt.Fprintf(w.out, "It is %s as it stands: %s.\n", proof.Verdict, strings.TrimSuffix(oneLine(proof.Reason), "."))
	fmt.Fprintf(w.out, "%s\nThen:\n", hint)
	fmt.Fprintf(w.out, "  crev validators prove %s\n", name)
	fmt.Fprintf(w.out, "  crev validators run %s\n", name)
	fmt.Fprintf(w.out, "  crev ledger promote %s --check %s\n", due.FP, folder)
	fmt.Fprintf(w.out, "  git add .crev && git commit -m \"Check: %s\"\n", strings.ReplaceAll(name, "-", " "))
	return nil
}

// drafted is the validator without samples, and what to look at in it.
func drafted(due ledger.Due, name string) (validator.Draft, string) {
	says := due.Claim
	if len(due.Phrases) > 0 {
		says = due.Phrases[0].Claim
	}
	if len(due.Criteria) > 0 && !strings.Contains(due.Criteria[0], due.Claim) {
		says = due.Criteria[0] // it says what to do instead
	}
	hint := "Read validator.yaml: does the pattern see every case, and nothing else? Does it say what to do?"
	d := validator.DraftOf(&finding.Artifact{Kind: finding.ArtifactPattern, Pattern: patternOf(due.Code)}, name, says, due.At.Path)
	d.Scope = globsOf(due)
	d.Note = "From what reviewers kept saying. The pattern finds the recorded line: widen it to\nthe defect, and let says tell what to do instead."
	if a := due.Artifact; a != nil {
		d = validator.DraftOf(a, name, says, due.At.Path)
		d.Note = "From a check that a reviewer brought and crev reproduced."
		hint = "Read what the reviewer brought before you trust it."
	}
	d.Promotes = []string{due.FP}
	return d, hint
}

// patternOf makes an expression of the first quoted line that says something.
// Blanks match any blanks.
func patternOf(code string) string {
	for line := range strings.Lines(code) {
		words := strings.Fields(line)
		if strings.ContainsFunc(line, func(r rune) bool {
			return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > 0x7f
		}) {
			for i, word := range words {
				words[i] = regexp.QuoteMeta(word)
			}
			return strings.Join(words, `\s+`)
		}
	}
	return regexp.QuoteMeta(strings.TrimSpace(code))
}

// globsOf covers the directories in which the class was seen, for files of the
// same kind.
func globsOf(due ledger.Due) []string {
	var globs []string
	for _, l := range due.Places {
		glob := l.Path
		if ext := path.Ext(l.Path); ext != "" {
			glob = path.Join(path.Dir(l.Path), "**", "*"+ext)
		}
		if !slices.Contains(globs, glob) {
			globs = append(globs, glob)
		}
	}
	return globs
}

// samplesOf takes the recorded code as bad samples and its fix as good ones.
// Where no fix is known, the suggestion takes the place of the quoted lines, or
// they are left out.
func samplesOf(ctx context.Context, w world, due ledger.Due) map[string]string {
	read := func(string, string) string { return "" }
	if repo, err := git.Open(ctx, w.dir); err == nil {
		defer repo.Close()
		read = func(commit, name string) string {
			b, err := repo.ReadFile(ctx, commit, name)
			if err != nil || len(b) > maxSample || commit == "" {
				return ""
			}
			return string(b)
		}
	}
	samples := map[string]string{}
	for _, l := range due.Places {
		bad := read(l.Commit, l.Path)
		if bad == "" && l.Path == due.At.Path {
			bad = due.Code
		}
		if !strings.Contains(flat(bad), flat(due.Code)) {
			continue // the code is not what was quoted any more
		}
		samples["bad/"+l.Path] = ended(bad)
		good := read(due.FixedIn, l.Path)
		if good == "" || strings.Contains(flat(good), flat(due.Code)) {
			good = corrected(bad, due)
		}
		samples["good/"+l.Path] = ended(good)
	}
	if len(samples) == 0 {
		samples["bad/"+due.At.Path] = ended(due.Code)
		samples["good/"+due.At.Path] = ended(due.Suggestion)
	}
	return samples
}

// corrected replaces the quoted lines of a text by the suggestion.
func corrected(text string, due ledger.Due) string {
	start, end, _, ok := finding.Place([]byte(text), due.Code, due.At.Start, due.At.End)
	if !ok {
		return due.Suggestion
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var with []string
	if due.Suggestion != "" {
		with = strings.Split(strings.TrimSuffix(due.Suggestion, "\n"), "\n")
	}
	return strings.Join(slices.Concat(lines[:start-1], with, lines[end:]), "\n")
}

// flat is a text without blanks, for comparing code.
func flat(s string) string { return strings.Join(strings.Fields(s), "") }

func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// slugWords is how many words of a claim name a validator.
const slugWords = 5

// slug makes a validator's name of a claim.
func slug(claim string) string {
	var words []string
	for _, word := range strings.FieldsFunc(strings.ToLower(finding.Normalize(claim)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		if len(words) < slugWords && !slices.Contains([]string{"the", "a", "an", "is", "are", "of", "in", "to"}, word) {
			words = append(words, word)
		}
	}
	name := strings.Join(words, "-")
	if len(name) > 48 {
		name = strings.Trim(name[:48], "-")
	}
	if name == "" {
		return "recurring"
	}
	return name
}
