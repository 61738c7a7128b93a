package bench

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The set that ships with the project is easy; these bounds hold with room, so
// that they fail when a layer stops working and not when one improves.
func TestRelocateOwnCases(t *testing.T) {
	t.Parallel()
	dir := os.DirFS("../../testdata/tracking")
	r, err := Relocate(dir)
	if err != nil {
		t.Fatal(err)
	}
	bounds := map[string]struct {
		got                 RelocateSet
		present, removed    int
		exact               float64
		wrong, claimedShare float64
	}{
		"code":      {r.Code, 9, 3, 0.85, 0, 0},
		"mutations": {r.Mutations, 100, 36, 0.98, 0.01, 0.02},
		"reopen":    {r.Reopen, 30, 30, 0.97, 0, 0},
		"anchor":    {r.Anchor, 70, 30, 0.9, 0.1, 0.6},
	}
	for name, b := range bounds {
		if b.got.Present < b.present || b.got.Removed < b.removed {
			t.Errorf("%s has %d present and %d removed cases, want at least %d and %d", name, b.got.Present, b.got.Removed, b.present, b.removed)
		}
		if b.got.ExactShare < b.exact || b.got.WrongShare > b.wrong || b.got.ClaimedShare > b.claimedShare {
			t.Errorf("%s: exact %.3f wrong %.3f claimed %.3f, want >= %.3f, <= %.3f, <= %.3f; misses: %+v",
				name, b.got.ExactShare, b.got.WrongShare, b.got.ClaimedShare, b.exact, b.wrong, b.claimedShare, b.got.Misses)
		}
	}
	again, err := Relocate(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, again); d != "" {
		t.Errorf("the same cases gave other figures:\n%s", d)
	}
}

func TestRelocateScores(t *testing.T) {
	t.Parallel()
	const blobs = `{"id":"a","text":"one\ntwo\nthree\n"}
{"id":"b","text":"zero\none\ntwo\nthree\n"}
`
	tests := map[string]struct {
		files fstest.MapFS
		want  RelocateScore
		err   string
	}{
		"right, wrong and claimed": {
			files: fstest.MapFS{
				"mutation_blobs.jsonl": {Data: []byte(blobs)},
				"mutation_cases.jsonl": {Data: []byte(`{"mutation":"shift","old_path":"x.txt","old_line":2,"old_blob":"a","new_files":{"x.txt":"b"},"truth":{"path":"x.txt","line":3},"source_repo":"r"}
{"mutation":"shift","old_path":"x.txt","old_line":2,"old_blob":"a","new_files":{"x.txt":"b"},"truth":{"path":"x.txt","line":1},"source_repo":"r"}
{"mutation":"shift","old_path":"x.txt","old_line":2,"old_blob":"a","new_files":{"x.txt":"b"},"truth":null,"source_repo":"r"}
{"mutation":"shift","old_path":"x.txt","old_line":2,"old_blob":"a","new_files":{},"truth":{"path":"y.txt","line":1},"source_repo":"r"}
`)},
			},
			want: RelocateScore{Present: 3, Exact: 1, Wrong: 1, Lost: 1, Removed: 1, Claimed: 1},
		},
		"an empty folder": {files: fstest.MapFS{}, err: "give the folder that holds them"},
		"a text is missing": {
			files: fstest.MapFS{
				"code_blobs.jsonl": {Data: []byte(blobs)},
				"code_cases.jsonl": {Data: []byte(`{"old_path":"x.txt","old_line":2,"old_blob":"c","new_files":{}}`)},
			},
			err: "not among the blobs",
		},
		"broken JSON": {
			files: fstest.MapFS{
				"code_blobs.jsonl": {Data: []byte(blobs)},
				"code_cases.jsonl": {Data: []byte(`{"old_path":`)},
			},
			err: "read code_cases.jsonl: value 1",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Relocate(tc.files)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("Relocate = %v, want an error with %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := r.Mutations.RelocateScore
			got = RelocateScore{Present: got.Present, Exact: got.Exact, Wrong: got.Wrong, Lost: got.Lost, Removed: got.Removed, Claimed: got.Claimed}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("Relocate (-want +got):\n%s", d)
			}
			b, err := json.Marshal(r)
			if err != nil || !strings.Contains(string(b), `"claimed_share"`) {
				t.Errorf("json.Marshal = %s, %v; want snake_case keys", b, err)
			}
		})
	}
}
