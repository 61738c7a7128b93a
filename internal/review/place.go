package review

import (
	"bytes"
	"context"
	"strings"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// place grounds a finding in the code: its path must be in the batch, and its
// quote decides the lines. Line numbers from a model are a hint at most: models
// count in the wrong file, the old file or the patch.
func (j *job) place(ctx context.Context, b batch.Batch, f finding.Finding) claim {
	f = bounded(j.redactFinding(f))
	c := claim{Finding: f, batch: b.ID}
	if strings.TrimSpace(c.Claim) == "" {
		c.rejected = "it makes no claim"
		return c
	}
	file := inBatch(b, f.Path)
	if file == nil {
		// What is no path of the change is a reviewer's text like any other.
		c.Path, c.rejected = j.redact(c.Path), "its path is not in the batch"
		return c
	}
	c.Path = file.File.Path()
	text := j.text(c.Path)
	if c.Side == finding.Left {
		text = j.oldText(ctx, file.File.OldPath)
	}
	start, end, how, ok := finding.Place(j.asShown(text, f.Quote), f.Quote, f.StartLine, f.EndLine)
	if !ok && c.Side == finding.Right && file.File.OldPath != "" {
		// A model that quotes a removed line often calls it new.
		old := j.oldText(ctx, file.File.OldPath)
		if start, end, how, ok = finding.Place(j.asShown(old, f.Quote), f.Quote, f.StartLine, f.EndLine); ok && removed(file, start, end) {
			c.Side, text = finding.Left, old
		} else {
			ok = false
		}
	}
	if !ok {
		c.StartLine, c.EndLine, c.Side, c.how, c.Suggestion = 0, 0, finding.Right, "", ""
		c.Evidence = append(c.Evidence, "The code it quotes was not found, so the comment stands at the file.")
		return c
	}
	c.StartLine, c.EndLine, c.how = start, end, how
	if s := enclosing(c.Path, text, start); s != "" {
		c.Symbol = s
	}
	j.keepSuggestion(&c)
	return c
}

// readable is a text as a reviewer was shown it: bytes that are no UTF-8 are one
// U+FFFD, and characters that nobody sees are their code point. Its lines are
// those of the text.
func readable(text []byte) []byte {
	return []byte(model.Visible(string(bytes.ToValidUTF8(text, []byte("\uFFFD")))))
}

// asShown is a text in which a quote is looked for: as a reviewer was shown it,
// which is without its secrets. Taking those out costs, and few quotes hold one.
func (j *job) asShown(text []byte, quote string) []byte {
	if strings.Contains(quote, "[redacted:") {
		text = []byte(j.redact(string(text)))
	}
	return readable(text)
}

// inBatch finds the part of a path, by its new name or its old one.
func inBatch(b batch.Batch, path string) *batch.Part {
	for i, p := range b.Parts {
		if p.File.Path() == path {
			return &b.Parts[i]
		}
	}
	for i, p := range b.Parts {
		if path != "" && p.File.OldPath == path {
			return &b.Parts[i]
		}
	}
	return nil
}

// removed reports whether every line of the range was taken out by the change.
func removed(p *batch.Part, start, end int) bool {
	gone := 0
	for _, r := range p.File.ChangedOld() {
		gone += max(0, min(end, r.End)-max(start, r.Start)+1)
	}
	return gone == end-start+1
}

// enclosing names the innermost declaration around a line, "" when there is
// none or it cannot be told.
func enclosing(path string, text []byte, line int) string {
	name, size := "", 0
	for _, s := range relocate.Symbols(path, text) {
		if s.Start <= line && line <= s.End && (name == "" || s.End-s.Start < size) {
			name, size = s.Name, s.End-s.Start
		}
	}
	return name
}

// redactFinding takes secrets out of everything that a reviewer wrote, apart
// from the quote and the suggestion, which are matched against the code first
// and redacted when they are stored.
func (j *job) redactFinding(f finding.Finding) finding.Finding {
	for _, s := range []*string{&f.Claim, &f.Detail, &f.Subject, &f.Predicate, &f.Category, &f.Symbol} {
		*s = j.redact(*s)
	}
	f.Evidence, f.Criteria = j.redactAll(f.Evidence), j.redactAll(f.Criteria)
	if f.Artifact != nil {
		a := *f.Artifact
		for _, s := range []*string{&a.Pattern, &a.Must, &a.Script, &a.Fixed} {
			*s = j.redact(*s)
		}
		a.Scope = j.redactAll(a.Scope)
		f.Artifact = &a
	}
	return f
}

func (j *job) redactAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = j.redact(s)
	}
	return out
}

// codeOf is the code a claim is about with what surrounds it: numbered for the
// judge to read, and plain to look its quotes up in.
func (j *job) codeOf(ctx context.Context, c claim) (numbered, plain string) {
	text := j.text(c.Path)
	if c.Side == finding.Left {
		if f := j.file(c.Path); f != nil {
			text = j.oldText(ctx, f.OldPath)
		}
	}
	numbered, plain = window(withoutKeys(text, j.redact), c.StartLine, c.EndLine)
	return j.redact(numbered), plain
}

// excerptLines is how much code above and below a place the judge sees.
const excerptLines = 40
