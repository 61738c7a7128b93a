package relocate

import (
	"github.com/crev-ratchet/crev/internal/finding"
)

// Redactor hides the secrets in one line. It must give the same for the same
// line, because anchors are compared after redaction.
type Redactor func(line string) string

// anchor is finding.NewAnchor for a text that is split already.
func (t *text) anchor(i int, redact Redactor) *finding.Anchor {
	before, after := t.around(i)
	a := &finding.Anchor{Line: t.raw[i], Before: before, After: after}
	if redact != nil {
		a.Line = redact(a.Line)
		redactAll(a.Before, redact)
		redactAll(a.After, redact)
	}
	a.LineV1 = finding.LineV1(a.Line)
	a.Block3V1 = finding.Block3V1(a.Before, a.Line, a.After)
	return a
}

func redactAll(lines []string, redact Redactor) {
	for i, l := range lines {
		lines[i] = redact(l)
	}
}

// anchored is a stored anchor prepared for comparison.
type anchored struct {
	*finding.Anchor
	norm  string
	pairs []uint16
	words []wordCount
}

func prepare(a *finding.Anchor) anchored {
	p := anchored{Anchor: a, norm: normalize(a.Line)}
	p.pairs = pairsOf(p.norm)
	p.words = wordsOf(append(append([]string(nil), a.Before...), a.After...))
	return p
}

const (
	// suspectFloor is the least score of a place found from an anchor.
	suspectFloor = 0.7
	// suspectText is the least likeness of its line.
	suspectText = 0.6
	// suspectMargin is by how much it must beat the next one.
	suspectMargin = 0.05
)

// FromAnchor looks for a place by its stored anchor alone, for when the commit
// it was recorded at is gone. The contents are those of the file at loc.Path,
// or at the path git says it was renamed to; the answer keeps loc.Path. What it
// finds is Suspect at best: text that looks like the defect's proves nothing.
func FromAnchor(loc finding.Location, contents []byte, opts Options) Answer {
	if loc.Anchor == nil {
		return lost(Unknown, "the commit is gone and no anchor was stored")
	}
	m := New(Change{}, opts)
	t := newText(loc.Path, contents)
	want := prepare(loc.Anchor)
	var best, second hit
	for n := range t.len() {
		h := hit{n, m.resemblance(loc, want, t, n)}
		switch {
		case h.score > best.score:
			best, second = h, best
		case h.score > second.score:
			second = h
		}
	}
	if best.score < suspectFloor {
		return lost(Unknown, "the commit is gone and the stored text is not in the file")
	}
	a := Answer{
		How: Suspect, Confidence: confidenceSuspect, Changed: true,
		Reason:    "found by the stored text alone, because the commit is gone",
		Ambiguous: best.score-second.score < suspectMargin,
	}
	a.Location = m.at(t, loc, best.line)
	if a.Ambiguous {
		a.Candidates = []finding.Location{m.at(t, loc, second.line)}
	}
	return a
}

// resemblance scores line n against a stored anchor, 0 for a text that is too
// different: .6 for the text, .4 for its surroundings, .1 more in its symbol.
func (m *Mapper) resemblance(loc finding.Location, want anchored, t *text, n int) float64 {
	sim := dice(want.pairs, t.pairsAt(n), suspectText)
	if want.norm == t.norm[n] || m.redact != nil && finding.LineV1(m.redact(t.raw[n])) == want.LineV1 {
		sim = 1
	}
	if sim < suspectText {
		return 0
	}
	score := .6*sim + .4*cosine(want.words, t.contextAt(n))
	name := m.declared(t).nameAt(n)
	if sameName(name, loc.Symbol) {
		score += .05
	}
	if name != "" && name == loc.Symbol {
		score += .05
	}
	return score
}
