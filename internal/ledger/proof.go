package ledger

import (
	"slices"
	"strings"
)

// Provable reports whether a verified event at the commit would be accepted. It
// returns the evidence in one line when it would, and what is missing when not.
func (d *Defect) Provable(commit string) (why string, ok bool) {
	if err := d.proven(commit); err != nil {
		_, missing, _ := strings.Cut(err.Error(), short(commit)+" ")
		return strings.TrimPrefix(missing, "although "), false
	}
	var evidence []string
	for _, v := range d.Verifications {
		if v.Commit != commit || v.Outcome != outcomePassed {
			continue
		}
		for _, e := range v.Evidence {
			if !slices.Contains(evidence, e) {
				evidence = append(evidence, e)
			}
		}
	}
	return strings.Join(evidence, "; "), true
}
