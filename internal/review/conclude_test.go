package review

import (
	"testing"
	"testing/fstest"

	"github.com/crev-ratchet/crev/internal/model/replay"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/session"
)

func TestConclude(t *testing.T) {
	t.Parallel()
	silent, err := replay.Open(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	file := func(path string, s projection.State, reason string) projection.Coverage {
		return projection.Coverage{Path: path, State: s, Reason: reason}
	}
	for name, tt := range map[string]struct {
		checks  []projection.Check
		files   []projection.Coverage
		results []*result
		want    projection.Conclusion
		reason  string
	}{
		"no change at all": {
			want: projection.Passed,
		},
		"everything was read": {
			files: []projection.Coverage{file("a.go", projection.Reviewed, ""), file("b.go", projection.Reused, "same content")},
			want:  projection.Passed,
		},
		"what has no lines need not be read": {
			files: []projection.Coverage{file("a.png", projection.NoText, "binary"), file("go.sum", projection.Excluded, "lock file")},
			want:  projection.Passed,
		},
		"a part was not read": {
			files:  []projection.Coverage{file("a.go", projection.Reviewed, ""), file("b.go", projection.Unreviewed, "budget")},
			want:   projection.Partial,
			reason: "one file not reviewed (budget)",
		},
		"nothing was read": {
			files:  []projection.Coverage{file("a.go", projection.Unreviewed, "refused"), file("b.go", projection.Unreviewed, "refused")},
			want:   projection.Skipped,
			reason: "refused",
		},
		"nothing was read and the rest needs no reading": {
			files:  []projection.Coverage{file("a.go", projection.Unreviewed, "refused"), file("a.png", projection.NoText, "binary")},
			want:   projection.Skipped,
			reason: "refused",
		},
		"of one long file, a part was read": {
			files:   []projection.Coverage{file("a.go", projection.Unreviewed, "budget")},
			results: []*result{{state: session.BatchState{Gate: session.Passed}}, {state: session.BatchState{Gate: session.Unreviewed, Reason: "budget"}}},
			want:    projection.Partial,
			reason:  "one file not reviewed (budget)",
		},
		"a validator failed, whatever was read": {
			checks: []projection.Check{{Name: "v", Status: "found"}},
			files:  []projection.Coverage{file("a.go", projection.Unreviewed, "refused")},
			want:   projection.Failed,
			reason: "one validator failed",
		},
		"a validator could not be run": {
			checks: []projection.Check{{Name: "v", Status: "broken"}, {Name: "w", Status: "found"}, {Name: "x", Status: "found"}},
			want:   projection.Failed,
			reason: "2 validators failed, one validator could not be run",
		},
		"advice does not block": {
			checks: []projection.Check{{Name: "v", Status: "advisory"}, {Name: "w", Status: "clean"}},
			want:   projection.Passed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &job{model: silent, coverage: map[string]projection.Coverage{}, results: tt.results, budget: newBudget(ModelConfig{}, still)}
			j.report.Checks = tt.checks
			for _, f := range tt.files {
				j.coverage[f.Path] = f
			}
			j.conclude()
			if j.report.Conclusion != tt.want || j.report.Reason != tt.reason {
				t.Errorf("conclude() = %q, %q, want %q, %q", j.report.Conclusion, j.report.Reason, tt.want, tt.reason)
			}
			if got := len(j.report.Coverage); got != len(tt.files) {
				t.Errorf("the report covers %d files, want %d", got, len(tt.files))
			}
		})
	}
}
