package reconcile

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// FromDefect is what the ledger knows of a defect, seen from the run's commit.
// Places are the relocated locations; when there are none, the defect is
// compared by its words alone.
func FromDefect(d *ledger.Defect, places []Place) Known {
	k := Known{
		ID:       d.ID,
		Status:   d.Status,
		Category: d.Category,
		Severity: d.Severity,
		Places:   places,
		Source:   d.Source,
		Tier:     d.Tier,
		Artifact: d.Artifact,
		Quote:    d.Quote,

		Subject: d.Subject, Predicate: d.Predicate,
	}
	if len(d.Wordings) == 0 {
		k.Wordings = []string{d.Claim}
	}
	for _, w := range d.Wordings {
		k.Wordings = append(k.Wordings, w.Claim)
		k.Runs = append(k.Runs, w.Run)
		k.Keys = append(k.Keys, Key(w.Run, w.Source, w.Location.Path, w.Location.Start, w.Claim))
	}
	return k
}

// Key identifies one observation of one run, so that a run that is replayed
// recognises what it has written already. The line, from 1 and 0 for none,
// belongs to it: a run that says the same of two places means two defects.
func Key(run, source, path string, line int, claim string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{run, source, path, strconv.Itoa(line), claim}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// text joins a claim and its slots; slots that the claim already names are left
// out, so that they do not count twice.
func text(claim string, slots ...string) string {
	for _, s := range slots {
		if s != "" && !strings.Contains(strings.ToLower(claim), strings.ToLower(s)) {
			claim += " " + s
		}
	}
	return claim
}

// place is where the observation is.
func (o *Observation) place() finding.Location {
	if o.Location.Path != "" {
		return o.Location
	}
	return finding.Location{
		Path: o.Path, Start: o.StartLine, End: o.EndLine, Side: o.Side, Symbol: o.Symbol,
	}
}
