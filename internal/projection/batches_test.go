package projection

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/gate"
)

func TestBatchesInTheSummary(t *testing.T) {
	t.Parallel()
	many := make([]string, 7)
	for i := range many {
		many[i] = fmt.Sprintf("f%d.go", i+1)
	}
	for name, tt := range map[string]struct {
		batches []Batch
		want    string
	}{
		"no batches":       {nil, ""},
		"all plain passed": {[]Batch{{ID: "reused", Gate: "reused"}, {ID: "1", Gate: "passed", Tries: 1}}, ""},
		"one of each": {
			[]Batch{
				{ID: "reused", Gate: "reused", Paths: []string{"r.go"}},
				{ID: "1", Gate: "passed", Tries: 1, Paths: []string{"a.go"}},
				{ID: "2", Gate: "retried", Tries: 2, Paths: []string{"b.go"}},
				{ID: "3", Gate: "forced", Tries: 4, Reason: "finding 1: has no claim", Paths: many},
				{ID: "4", Gate: "unreviewed", Reason: "the tokens of the run are spent @maria", Paths: []string{"`x`.go"}},
			},
			"\n<details><summary>Batches: 5, 1 retried, 1 forced, 1 unreviewed</summary>\n\n" +
				"- batch 2 retried after 2 tries (`b.go`)\n" +
				"- batch 3 forced after 4 tries: finding 1: has no claim (`f1.go`, `f2.go`, `f3.go`, `f4.go`, `f5.go`, and 2 more)\n" +
				"- batch 4 unreviewed: the tokens of the run are spent " + Line("@maria") + " (" + Code("`x`.go") + ")\n\n</details>\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			writeBatches(&b, &Report{Batches: tt.batches})
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("writeBatches (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBatchesInTheLog(t *testing.T) {
	t.Parallel()
	r := &Report{Batches: []Batch{
		{ID: "1", Gate: "passed", Tries: 1},
		{ID: "2", Gate: "unreviewed", Reason: "it says\n::error::no"},
	}}
	var b strings.Builder
	writeTextBatches(&b, r)
	const want = "batch 2 unreviewed: it says ::error::no\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("writeTextBatches (-want +got):\n%s", diff)
	}
	if got, want := r.Shares(), (gate.Shares{Passed: 1, Unreviewed: 1}); got != want {
		t.Errorf("Shares() = %+v, want %+v", got, want)
	}
}
