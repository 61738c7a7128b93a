package review

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/projection"
)

// lockFiles are written by tools. A name here says nothing about who wrote the
// file, so the list holds only names that no one uses for code.
var lockFiles = map[string]bool{
	"package-lock.json": true, "npm-shrinkwrap.json": true, "yarn.lock": true, "pnpm-lock.yaml": true,
	"bun.lock": true, "bun.lockb": true, "deno.lock": true, "go.sum": true, "go.work.sum": true,
	"Cargo.lock": true, "composer.lock": true, "Gemfile.lock": true, "poetry.lock": true,
	"Pipfile.lock": true, "uv.lock": true, "pdm.lock": true, "mix.lock": true, "flake.lock": true,
	"packages.lock.json": true, "Podfile.lock": true, "pubspec.lock": true, "gradle.lockfile": true,
}

// maxLineLength is the length, in bytes, above which a line makes a file count
// as minified or recorded.
const maxLineLength = 5_000

// generatedHeaders are what generators write near the top; "Code generated … DO
// NOT EDIT." is Go's convention, "@generated" is Meta's.
var generatedHeaders = [][]byte{[]byte("DO NOT EDIT"), []byte("@generated")}

// headerSize is how far into a file a generated header is looked for, in bytes.
const headerSize = 1024

// selectFiles decides which changed files a reviewer reads. Every file gets a state
// and, unless it is reviewed, the reason. Exclusions come from the base commit:
// the change under review cannot take itself out of the review.
func (j *job) selectFiles(ctx context.Context) []*diff.File {
	marked := j.attributes(ctx)
	var read []*diff.File
	for _, f := range j.files {
		c := projection.Coverage{Path: f.Path()}
		switch c.State, c.Reason = noText(f); {
		case c.State != "":
		default:
			if c.Reason = j.excluded(ctx, f, marked); c.Reason != "" {
				c.State = projection.Excluded
			} else {
				c.State = projection.Unreviewed
				read = append(read, f)
			}
		}
		j.coverage[c.Path] = c
	}
	return read
}

// noText reports files that have no lines for a reviewer.
func noText(f *diff.File) (projection.State, string) {
	switch {
	case f.Kind == diff.Submodule:
		return projection.NoText, "submodule moved from " + short(f.OldBlob) + " to " + short(f.NewBlob)
	case f.Kind == diff.Binary:
		return projection.NoText, "binary"
	case f.Kind == diff.Symlink:
		return projection.NoText, "symbolic link" + linkTarget(f)
	case len(f.Hunks) == 0:
		return projection.NoText, withoutLines(f)
	case f.EOLOnly:
		return projection.NoText, "line ends only"
	}
	return "", ""
}

// withoutLines says what happened to a file when none of its lines changed.
func withoutLines(f *diff.File) string {
	mode := f.OldMode + " to " + f.NewMode
	moved := ""
	switch f.Status {
	case diff.Renamed:
		moved = "renamed from " + f.OldPath
	case diff.Copied:
		moved = "copied from " + f.OldPath
	}
	switch changed := f.OldMode != "" && f.NewMode != "" && f.OldMode != f.NewMode; {
	case moved != "" && changed:
		return moved + ", mode " + mode
	case moved != "":
		return moved
	case changed:
		return "mode only, " + mode
	}
	return "empty"
}

func short(blob string) string {
	if blob == "" {
		return "nothing"
	}
	return projection.Short(blob)
}

func linkTarget(f *diff.File) string {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Add {
				return " to " + l.Text
			}
		}
	}
	return ""
}

// excluded returns why a text file is not reviewed, "" when it is.
func (j *job) excluded(ctx context.Context, f *diff.File, marked map[string]string) string {
	p := f.Path()
	if strings.HasPrefix(p, ".crev/ledger/") {
		return "crev's ledger, checked by the ledger validator"
	}
	if reason := marked[p]; reason != "" {
		return reason
	}
	for _, glob := range j.cfg.Exclude {
		if ok, _ := doublestar.Match(glob, p); ok {
			return "excluded by " + glob + " in the base's configuration"
		}
	}
	if lockFiles[path.Base(p)] {
		return "lock file"
	}
	if lfsPointer.Match(j.text(p)) {
		return "Git LFS pointer"
	}
	if f.OldPath == "" {
		return ""
	}
	switch old := j.oldText(ctx, f.OldPath); {
	case generated(old):
		return "generated: the base version says so in its header"
	case longestLine(old) > maxLineLength:
		return "minified or recorded: its base version has a line of more than 5,000 bytes"
	}
	return ""
}

// lfsPointer matches a whole pointer file and nothing that only begins like one:
// the file comes from the head, which must not take itself out of the review.
// https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
var lfsPointer = regexp.MustCompile(`\Aversion https://git-lfs\.github\.com/spec/v1\n(?:ext-\d-\w+ \S+\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n\z`)

func longestLine(text []byte) int {
	longest := 0
	for line := range bytes.Lines(text) {
		longest = max(longest, len(line))
	}
	return longest
}

// shownInPart says that a reviewer does not see all of a file's changed lines,
// "" when it does.
func shownInPart(f *diff.File) string {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Context && len(l.Text) > diff.MaxShownLine {
				return "lines of more than 1,000 bytes were shown in part"
			}
		}
	}
	return ""
}

func generated(text []byte) bool {
	head := text[:min(len(text), headerSize)]
	for _, h := range generatedHeaders {
		if bytes.Contains(head, h) {
			return true
		}
	}
	return false
}

// excluding are the attributes that take a file out of the review.
var excluding = []string{"linguist-generated", "linguist-vendored"}

// attributes returns the files that .gitattributes of the base commit marks as
// generated or vendored, with the reason.
func (j *job) attributes(ctx context.Context) map[string]string {
	paths := make([]string, 0, len(j.files))
	for _, f := range j.files {
		paths = append(paths, f.Path())
	}
	got, err := j.d.Repo.Attributes(ctx, j.in.Base, paths, excluding...)
	if err != nil {
		j.note("the base's .gitattributes could not be read, so nothing is excluded by them: %v", err)
		return nil
	}
	out := map[string]string{}
	for p, attrs := range got {
		for _, name := range excluding {
			if v := attrs[name]; v == "set" || v == "true" {
				out[p] = strings.TrimPrefix(name, "linguist-") + " by the base's .gitattributes"
			}
		}
	}
	return out
}
