package reconcile

import (
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// guard says why observation i must not be merged into known defect k on the
// given ground without a person, "" when it may.
//
// Two defects that are taken for one lose one of them, so a wrong merge costs
// most where the defect does: high severity, security and crashes need
// evidence. A dismissal is a decision about one place and one claim; it reaches
// another sighting only where nothing has changed, and never for security. Two
// different artifacts are two different proofs.
func (r *run) guard(i, k int, how How) string {
	if how.settles() {
		return ""
	}
	o, d := &r.obs[i], &r.known[k]
	grave := r.graveObs.of(i, func() bool { return grave(o.Category, o.Claim) }) ||
		r.graveKnown.of(k, func() bool { return grave(d.Category, d.Wordings...) })
	if o.Artifact != nil && d.Artifact != nil && !o.Artifact.Same(d.Artifact) {
		return "both bring an artifact, and the artifacts differ"
	}
	if d.Status == ledger.Waived && (grave || !r.unchanged(i, k)) {
		return "the defect it resembles was dismissed, and a dismissal is not inherited"
	}
	if how != ByScore {
		return ""
	}
	if grave {
		return "security and crash defects are merged on evidence only"
	}
	if o.Severity.Rank() >= finding.High.Rank() && d.Severity.Rank() >= finding.High.Rank() {
		return "two defects of high severity are merged on evidence only"
	}
	return ""
}

// grave holds for what concerns security, a crash, lost data or a secret, by
// its label or by its words.
func grave(category string, texts ...string) bool {
	return finding.Shielded(category, "", texts...)
}

// unchanged holds when category, symbol and the line itself are those of the
// dismissed defect.
func (r *run) unchanged(i, k int) bool {
	o, d := &r.obs[i], &r.known[k]
	at := o.place()
	if label(o.Category) != label(d.Category) || at.Symbol == "" || at.Anchor == nil || at.Anchor.LineV1 == "" {
		return false
	}
	for _, p := range d.Places {
		if p.Symbol == at.Symbol && p.Anchor != nil && p.Anchor.LineV1 == at.Anchor.LineV1 {
			return true
		}
	}
	return false
}

// memo remembers yes and no by index.
type memo map[int]bool

func (m memo) of(i int, ask func() bool) bool {
	v, ok := m[i]
	if !ok {
		v = ask()
		m[i] = v
	}
	return v
}
