package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/github"
	"github.com/crev-ratchet/crev/internal/rule"
)

// What only the branch has is carried over; what was merged once is what the base
// made of it.
func TestDriftCompare(t *testing.T) {
	t.Parallel()
	const record, run = ".crev/rules/a.yaml", ".crev/ledger/2026-11/30/1-1017-1.jsonl"
	for name, tt := range map[string]struct {
		mine, now, ever []git.Change
		want            drift
	}{
		"nothing on the branch": {now: []git.Change{{Path: "shop.go", New: "1"}}},
		"a run file that the base has": {
			mine: []git.Change{{Path: run, New: "1"}}, now: []git.Change{{Path: run, New: "1"}},
			want: drift{merged: true}},
		"one that it has not": {
			mine: []git.Change{{Path: run, New: "1"}},
			want: drift{left: []github.Blob{{Path: run, SHA: "1"}}}},
		"merged, and then packed": {
			mine: []git.Change{{Path: run, New: "1"}}, ever: []git.Change{{Path: run, New: "1"}, {Path: run, Old: "1"}},
			want: drift{merged: true}},
		"merged, and then changed by hand": {
			mine: []git.Change{{Path: record, Old: "0", New: "1"}}, now: []git.Change{{Path: record, Old: "0", New: "2"}},
			ever: []git.Change{{Path: record, Old: "0", New: "1"}, {Path: record, Old: "1", New: "2"}},
			want: drift{merged: true}},
		"changed on both sides": {
			mine: []git.Change{{Path: record, Old: "0", New: "1"}}, now: []git.Change{{Path: record, Old: "0", New: "2"}},
			ever: []git.Change{{Path: record, Old: "0", New: "2"}},
			want: drift{left: []github.Blob{{Path: record, SHA: "1"}}, both: []string{record}}},
		"removed on the branch": {
			mine: []git.Change{{Path: record, Old: "0"}},
			want: drift{left: []github.Blob{{Path: record}}}},
		"the index alone": {
			mine: []git.Change{{Path: rule.IndexPath, Old: "0", New: "1"}}, now: []git.Change{{Path: rule.IndexPath, Old: "0", New: "2"}},
			ever: []git.Change{{Path: rule.IndexPath, Old: "0", New: "2"}},
			want: drift{index: true}},
		"code that was merged":     {mine: []git.Change{{Path: "a.go", New: "1"}}, now: []git.Change{{Path: "a.go", New: "1"}}, want: drift{merged: true}},
		"code that was not merged": {mine: []git.Change{{Path: "a.go", New: "1"}}, want: drift{outside: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got drift
			got.compare(tt.mine, tt.now, tt.ever)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(drift{})); diff != "" {
				t.Errorf("compare (-want +got):\n%s", diff)
			}
		})
	}
}
