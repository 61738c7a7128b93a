package relocate

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Redactor hides the secrets in one line. It must give the same for the same
// line, because anchors are compared after redaction.
type Redactor func(line string) string

// blockLines is how many significant lines on each side a block3/v1 covers.
const blockLines = 3

// AnchorAt keeps what is needed to find a line again when its commit is gone:
// its text, four significant lines on each side, and fingerprints of both, all
// taken after redaction. The line counts from 1; nil when the file has no such
// line. A nil redact keeps lines as they are.
func AnchorAt(contents []byte, line int, redact Redactor) *finding.Anchor {
	t := newText("", contents)
	if line < 1 || line > t.len() {
		return nil
	}
	return t.anchor(line-1, redact)
}

func (t *text) anchor(i int, redact Redactor) *finding.Anchor {
	before, after := t.around(i)
	a := &finding.Anchor{Line: t.raw[i], Before: before, After: after}
	if redact != nil {
		a.Line = redact(a.Line)
		redactAll(a.Before, redact)
		redactAll(a.After, redact)
	}
	a.LineV1 = lineV1(a.Line)
	a.Block3V1 = block3V1(a)
	return a
}

func redactAll(lines []string, redact Redactor) {
	for i, l := range lines {
		lines[i] = redact(l)
	}
}

// lineV1 fingerprints a line without its blanks.
func lineV1(line string) string { return fingerprint(normalize(line)) }

// block3V1 fingerprints a line with three significant lines on each side.
func block3V1(a *finding.Anchor) string {
	before, after := a.Before, a.After
	if len(before) > blockLines {
		before = before[len(before)-blockLines:]
	}
	if len(after) > blockLines {
		after = after[:blockLines]
	}
	var b strings.Builder
	for _, l := range before {
		b.WriteString(normalize(l) + "\n")
	}
	b.WriteString(normalize(a.Line) + "\n")
	for _, l := range after {
		b.WriteString(normalize(l) + "\n")
	}
	return fingerprint(b.String())
}

// fingerprint is 16 hex digits. It is evidence in a comparison and never the
// identity of anything.
func fingerprint(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
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
	if want.norm == t.norm[n] || m.redact != nil && lineV1(m.redact(t.raw[n])) == want.LineV1 {
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
