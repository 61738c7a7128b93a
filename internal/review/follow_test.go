package review

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// knownAt is a defect of the ledger at places of path, as a run file of it.
func knownAt(t *testing.T, commit, path string, lines ...int) string {
	t.Helper()
	o := &ledger.Opened{
		FP0: finding.FP0(path, "Charges twice."), Claim: "Charges twice.", Category: "correctness",
		Severity: finding.Medium, Tier: finding.Advisory, Source: "code", Criteria: []string{"It charges once."},
	}
	for i, n := range lines {
		role := "source"
		if i == 0 {
			role = "primary"
		}
		o.Locations = append(o.Locations, finding.Location{Role: role, Path: path, Start: n, End: n, Commit: commit})
	}
	e, err := ledger.Seal(ledger.Event{
		FP: "334cece5d8ab7d10", Run: "0.1", At: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), Defect: "D-5f0c9a1e",
		Payload: ledger.Payload{Opened: o},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Line())
}

// moves renders the relocated events of a run.
func moves(events []ledger.Event) []string {
	var out []string
	for _, e := range events {
		if r := e.Relocated; r != nil {
			out = append(out, fmt.Sprintf("%s:%d to %s:%d", r.From.Path, r.From.Start, r.To.Path, r.To.Start))
		}
	}
	return out
}

// A defect at two places has both followed, each by an event of its own.
func TestEveryPlaceIsFollowed(t *testing.T) {
	t.Parallel()
	r := coldRepo{t, t.TempDir()}
	r.git("init", "--quiet", "--initial-branch=main")
	code := "package pay\n\nfunc Pay(cents int) error {\n\treturn charge(cents, true)\n}\n\nfunc Again(cents int) error {\n\treturn charge(cents, false)\n}\n"
	old := r.commit(map[string]string{"pay.go": code})
	base := r.commit(map[string]string{".crev/ledger/2026-11/29/0-0-1.jsonl": knownAt(t, old, "pay.go", 4, 8)})
	head := r.commit(map[string]string{"pay.go": strings.Replace(code, "package pay\n", "package pay\n\nconst tries = 2\n", 1)})

	deps := coldDeps(t, r.dir, "")
	out, err := Run(t.Context(), Request{Run: "1.1", Base: base, Head: head, NoModel: "none is configured", LedgerMode: LedgerLocal}, deps)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"pay.go:4 to pay.go:6", "pay.go:8 to pay.go:10"}
	if d := cmp.Diff(want, moves(out.Events)); d != "" {
		t.Errorf("relocated (-want +got):\n%s", d)
	}
}

// Two moves of one place in one run would have no order.
func TestOnePlaceMovesOnceInARun(t *testing.T) {
	t.Parallel()
	at := func(line int, commit string) finding.Location {
		return finding.Location{Path: "pay.go", Start: line, Commit: commit}
	}
	d := &ledger.Defect{ID: "D-5f0c9a1e", FP: "334cece5d8ab7d10"}
	j := &job{in: Request{Run: "1.1"}, d: Deps{Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }}}
	j.relocated(d, at(4, "old"), relocate.Answer{Location: at(6, "new"), How: relocate.Shifted})
	j.relocated(d, at(8, "old"), relocate.Answer{Location: at(10, "new"), How: relocate.Shifted})
	j.relocated(d, at(6, "new"), relocate.Answer{Location: at(21, "new"), How: relocate.Candidate})
	want := []string{"pay.go:8 to pay.go:10", "pay.go:4 to pay.go:21"}
	if d := cmp.Diff(want, moves(j.events)); d != "" {
		t.Errorf("relocated (-want +got):\n%s", d)
	}
}
