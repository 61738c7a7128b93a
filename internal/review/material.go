package review

import (
	"bytes"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
)

// material collects what the finders see of a batch. Secrets are taken out here,
// before anything leaves the process.
func (j *job) material(b batch.Batch) material {
	m := material{
		title:       j.redact(j.in.Title),
		description: j.redact(j.in.Description),
		batch:       b,
		around:      map[string]string{},
		uses:        j.redact(j.uses.of(b)),
	}
	for _, g := range guides(j.baseTree, b) {
		m.guides = append(m.guides, guide{g.path, j.redact(g.text)})
	}
	m.batch.Parts = slices.Clone(b.Parts)
	for i, p := range b.Parts {
		m.batch.Parts[i].Hunks = j.redactHunks(p.Hunks)
		if path := p.File.Path(); p.File.Status != diff.Added { // its diff is the whole file
			m.around[path] = j.redact(around(path, withoutKeys(j.text(path), j.redact), p.Hunks))
		}
	}
	return m
}

// withoutKeys takes the private keys out of a file before a part of it is shown: a
// part does not show that it is one of a key. The lines stay.
func withoutKeys(text []byte, redact func(string) string) []byte {
	if !bytes.Contains(text, []byte("PRIVATE KEY")) {
		return text
	}
	return []byte(redact(string(text)))
}

// redactHunks copies hunks with their secrets taken out. A hunk is one text: a
// secret may span its lines.
func (j *job) redactHunks(hunks []diff.Hunk) []diff.Hunk {
	out := make([]diff.Hunk, len(hunks))
	for i, h := range hunks {
		texts := make([]string, len(h.Lines))
		for k, l := range h.Lines {
			texts[k] = l.Text
		}
		h.Lines = slices.Clone(h.Lines)
		for k, text := range strings.Split(j.redact(strings.Join(texts, "\n")), "\n") {
			h.Lines[k].Text = text
		}
		h.Section = j.redact(h.Section)
		out[i] = h
	}
	return out
}
