package bench

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The figures below are floors for a small, clean set of our own. They guard
// against losing a skill; quality is measured on public findings, see
// docs/identity.md.
func TestIdentityOnOwnFindings(t *testing.T) {
	t.Parallel()
	cases := os.DirFS("../../testdata/identity")
	got, err := Identity(cases, IdentityOptions{Oracle: true, Curve: true, Failures: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Groups != 4 || got.Runs != 13 || got.Findings != 50 || got.Pairs != 217 {
		t.Errorf("Identity read %d groups, %d runs, %d findings, %d pairs; want 4, 13, 50, 217",
			got.Groups, got.Runs, got.Findings, got.Pairs)
	}
	for name, c := range map[string]struct{ got, floor float64 }{
		"f1":                      {got.F1, 0.80},
		"f1 above the baseline":   {got.F1 - got.Baseline.F1, 0},
		"shortlist recall":        {got.ShortlistRecall5, 0.99},
		"silent merges are right": {got.AutoMergePrecision, 1},
		"an oracle helps":         {got.Oracle.F1 - got.F1, 0},
	} {
		if c.got < c.floor {
			t.Errorf("%s: got %.4f, want at least %.4f", name, c.got, c.floor)
		}
	}
	wrong := 0
	for _, p := range got.Failures {
		if p.A == p.B {
			t.Errorf("Failures lists %s with itself", p.A)
		}
		wrong++
	}
	if right := wrong == 0; right != (got.F1 == 1) {
		t.Errorf("F1 is %.4f with %d failing pairs", got.F1, wrong)
	}
	again, err := Identity(cases, IdentityOptions{Oracle: true, Curve: true, Failures: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("the same cases gave another result (-first +second):\n%s", diff)
	}
}
