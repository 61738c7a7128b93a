package reconcile

import (
	"math"
	"testing"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

func TestNearness(t *testing.T) {
	t.Parallel()
	at := func(path string, start, end int) finding.Location {
		return finding.Location{Path: path, Start: start, End: end}
	}
	for name, tc := range map[string]struct {
		a, b finding.Location
		want float64
	}{
		"the same lines":             {at("a.go", 10, 12), at("a.go", 10, 12), 1},
		"an end that was left out":   {at("a.go", 10, 0), at("a.go", 10, 10), 1},
		"five lines on":              {at("a.go", 10, 12), at("a.go", 15, 17), math.Exp(-1)},
		"a line in a range of ten":   {at("a.go", 10, 10), at("a.go", 10, 20), math.Exp(-1)},
		"two files":                  {at("a.go", 10, 12), at("b.go", 10, 12), 0},
		"a file, and a line of it":   {at("a.go", 0, 0), at("a.go", 10, 12), 0},
		"two findings about a file":  {at("a.go", 0, 0), at("a.go", 0, 0), 0},
		"the order makes no change":  {at("a.go", 15, 17), at("a.go", 10, 12), math.Exp(-1)},
		"the first line of the file": {at("a.go", 1, 1), at("a.go", 1, 1), 1},
	} {
		if got := nearness(&tc.a, &tc.b); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%s: nearness is %.3f, want %.3f", name, got, tc.want)
		}
	}
}

// Terse findings with hardly a common word are one defect where nobody else is
// near, and stay apart where somebody is.
func TestPlacesTellApart(t *testing.T) {
	t.Parallel()
	in := func(symbol string, line int) Place {
		return Place{Location: finding.Location{Path: "d/fan.go", Start: line, End: line, Symbol: symbol}, How: "shifted"}
	}
	see := func(claim, symbol string, line int) Observation {
		o := observed(claim, "d/fan.go", line)
		o.Location = in(symbol, line).Location
		return o
	}
	opened := func(id ledger.DefectID, claim, symbol string, line int) Known {
		k := recorded(id, "d/fan.go", line, claim)
		k.Places = []Place{in(symbol, line)}
		return k
	}
	const handle, leak = "Sensor handle is never closed.", "File descriptors pile up."
	for name, tc := range map[string]struct {
		obs    []Observation
		known  []Known
		likely bool
	}{
		"alone in the function": {
			[]Observation{see(leak, "Start", 31)},
			[]Known{opened("D-0000000a", handle, "Start", 30)}, true,
		},
		"another function": {
			[]Observation{see(leak, "Stop", 38)},
			[]Known{opened("D-0000000a", handle, "Start", 30)}, false,
		},
		"another defect on the line": {
			[]Observation{see(leak, "Start", 30)},
			[]Known{opened("D-0000000a", "Speed can be negative.", "Start", 30), opened("D-0000000b", "Typo in the name.", "Start", 30)}, false,
		},
	} {
		got := Reconcile(tc.obs, append(noise(), tc.known...), Options{}).Decisions[0]
		if got.Likely != tc.likely {
			t.Errorf("%s: likely is %t with a score of %.2f (%s), want %t", name, got.Likely, got.Score, got.Reason, tc.likely)
		}
		if got.Kind == Same {
			t.Errorf("%s: merged silently by %s; a place makes nothing sure", name, got.How)
		}
	}
}
