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

// The placed findings share few words with each other and crowd on few lines. One
// half was used to find the weights of places, the other half was not.
func TestIdentityOfPlacedFindings(t *testing.T) {
	t.Parallel()
	for half, c := range map[string]struct {
		findings, pairs int
		f1, falseMerges float64
	}{
		"placed-tuning":  {126, 1222, 0.54, 0.02},
		"placed-heldout": {118, 1067, 0.50, 0.07},
	} {
		got, err := Identity(os.DirFS("../../testdata/identity/"+half), IdentityOptions{Oracle: true})
		if err != nil {
			t.Fatal(err)
		}
		if got.Groups != 5 || got.Findings != c.findings || got.Pairs != c.pairs {
			t.Errorf("%s: read %d groups, %d findings, %d pairs; want 5, %d, %d",
				half, got.Groups, got.Findings, got.Pairs, c.findings, c.pairs)
		}
		if got.F1 < c.f1 || got.F1 <= got.Baseline.F1 {
			t.Errorf("%s: f1 is %.3f, baseline %.3f; want at least %.2f and more than the baseline", half, got.F1, got.Baseline.F1, c.f1)
		}
		if got.FalseMergeRate > c.falseMerges {
			t.Errorf("%s: false merge rate is %.3f, want at most %.2f", half, got.FalseMergeRate, c.falseMerges)
		}
		if got.Oracle.F1 < 0.9 {
			t.Errorf("%s: f1 with a perfect adjudicator is %.3f, want at least 0.9: the right defects are not asked about", half, got.Oracle.F1)
		}
		if got.AutoMergeRecall > 0 && got.AutoMergePrecision < 1 {
			t.Errorf("%s: silent merges are right in %.3f of cases, want all", half, got.AutoMergePrecision)
		}
	}
}
