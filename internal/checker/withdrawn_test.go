package checker

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

func TestWithdrawn(t *testing.T) {
	t.Parallel()
	a := finding.Finding{Path: "a.go", Quote: "x := 1", Claim: "x is never read."}
	b := finding.Finding{Path: "a.go", Quote: "y := 2", Claim: "y is never read."}
	again := finding.Finding{Path: "a.go", Quote: "\tx := 1\n\tz()", Claim: "Nobody reads x."}
	elsewhere := finding.Finding{Path: "b.go", Quote: "x := 1", Claim: "x is never read."}
	bare := finding.Finding{Path: "a.go", Claim: "The file has no test."}
	for name, tt := range map[string]struct{ earlier, later, want []finding.Finding }{
		"all are repeated":        {[]finding.Finding{a, b}, []finding.Finding{b, a}, nil},
		"one is left out":         {[]finding.Finding{a, b}, []finding.Finding{b}, []finding.Finding{a}},
		"in other words":          {[]finding.Finding{a}, []finding.Finding{again}, nil},
		"in another file":         {[]finding.Finding{a}, []finding.Finding{elsewhere}, []finding.Finding{a}},
		"without a quote":         {[]finding.Finding{bare, a}, []finding.Finding{a}, []finding.Finding{bare}},
		"without a quote, again":  {[]finding.Finding{bare}, []finding.Finding{bare}, nil},
		"twice made, never again": {[]finding.Finding{a, again, a}, nil, []finding.Finding{a}},
		"nothing was said before": {nil, []finding.Finding{a}, nil},
	} {
		if d := cmp.Diff(tt.want, Withdrawn(tt.earlier, tt.later)); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}
