package review

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

func TestNamedCode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		defect ledger.Defect
		want   []string
	}{
		"an inner capital":       {ledger.Defect{Detail: "The parseCents of today is wrong."}, []string{"parseCents"}},
		"an underscore":          {ledger.Defect{Detail: "It trusts tenant_id."}, []string{"tenant_id"}},
		"a call":                 {ledger.Defect{Evidence: []string{"open() is never followed by close()"}}, []string{"close", "open"}},
		"between backticks":      {ledger.Defect{Detail: "What `total` returns is wrong."}, []string{"total"}},
		"a sentence's beginning": {ledger.Defect{Criteria: []ledger.Criterion{{Text: "pay refuses what is not there."}}}, []string{"pay"}},
		"prose":                  {ledger.Defect{Detail: "The total is wrong when a page is open."}, nil},
		"another wording":        {ledger.Defect{Wordings: []ledger.Wording{{Claim: "The rows of readAll leak."}}}, []string{"readAll"}},
		"each once":              {ledger.Defect{Detail: "readAll and readAll()"}, []string{"readAll"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, namedCode(&tt.defect)); d != "" {
				t.Errorf("namedCode(%+v) (-want +got):\n%s", tt.defect, d)
			}
		})
	}
}

func TestNamedPaths(t *testing.T) {
	t.Parallel()
	j := &job{tracked: []string{"Makefile", "go.mod", "lib/http.sh", "src/a.go", "src/b.go"}}
	tests := map[string]struct {
		finding finding.Finding
		want    []string
	}{
		"in the evidence":     {finding.Finding{Evidence: []string{"src/b.go:12 never closes it"}}, []string{"src/b.go"}},
		"at a sentence's end": {finding.Finding{Detail: "See lib/http.sh."}, []string{"lib/http.sh"}},
		"its own":             {finding.Finding{Path: "src/a.go", Detail: "src/a.go is wrong"}, nil},
		"not in the tree":     {finding.Finding{Detail: "src/c.go is wrong"}, nil},
		"a bare word":         {finding.Finding{Detail: "the Makefile is wrong"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, j.namedPaths(claim{Finding: tt.finding})); d != "" {
				t.Errorf("namedPaths(%+v) (-want +got):\n%s", tt.finding, d)
			}
		})
	}
}
