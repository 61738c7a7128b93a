package bench

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// fixed puts the claims into given records, whatever they say.
type fixed []int

func (f fixed) place(ledger [][]int, run span) []int {
	// A record number that no earlier run used is a new record, so the plan
	// has to number records in the order in which they appear.
	return append([]int(nil), f[run.from:run.to]...)
}
func (f fixed) unite([][]int, []int) [][2]int       { return nil }
func (f fixed) rank(l [][]int, asked []int) [][]int { return make([][]int, len(asked)) }

const fourClaims = `{"id":"a","group":"g","run":"1","order":1,"path":null,"start_line":null,"end_line":null,"commit":null,"title":"","text":"x","truth":"t"}
{"id":"b","group":"g","run":"2","order":2,"path":null,"start_line":null,"end_line":null,"commit":null,"title":"","text":"x","truth":"t"}
{"id":"c","group":"g","run":"3","order":3,"path":null,"start_line":null,"end_line":null,"commit":null,"title":"","text":"x","truth":"t"}
{"id":"d","group":"g","run":"4","order":4,"path":null,"start_line":null,"end_line":null,"commit":null,"title":"","text":"x","truth":"u"}
`

const fourPairs = `{"a":"a","b":"b","same":true}
{"a":"a","b":"c","same":true}
{"a":"b","b":"c","same":true}
{"a":"c","b":"d","same":false}
`

func TestMetrics(t *testing.T) {
	t.Parallel()
	c, err := readIdentity(fstest.MapFS{
		"findings.jsonl": {Data: []byte(fourClaims)},
		"pairs.jsonl":    {Data: []byte(fourPairs)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		records []int
		want    IdentityScore
	}{
		"all right": {
			[]int{0, 0, 0, 1},
			IdentityScore{Precision: 1, Recall: 1, F1: 1, BCubedF1: 1},
		},
		"one record too many": {
			[]int{0, 0, 1, 2},
			IdentityScore{Precision: 1, Recall: 1.0 / 3, F1: 0.5, DuplicateRate: 0.5, BCubedF1: 2 * (2.0 / 3) / (1 + 2.0/3)},
		},
		"everything in one": {
			[]int{0, 0, 0, 0},
			IdentityScore{Precision: 0.75, Recall: 1, F1: 6.0 / 7, FalseMergeRate: 1, PollutedRate: 1, BCubedF1: 2 * 0.625 / 1.625},
		},
		"one with the wrong one": {
			[]int{0, 0, 1, 1},
			IdentityScore{Precision: 0.5, Recall: 1.0 / 3, F1: 0.4, DuplicateRate: 0.5, FalseMergeRate: 0.5, PollutedRate: 0.5, BCubedF1: 2 * 0.75 * (2.0 / 3) / (0.75 + 2.0/3)},
		},
	} {
		got := scoreOf(sum(count(c, replay(c, fixed(tc.records)))))
		if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadIdentityRefuses(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"an unknown field":              {"findings.jsonl": `{"id":"a","colour":"red"}`, "pairs.jsonl": ""},
		"an id used twice":              {"findings.jsonl": `{"id":"a"}` + "\n" + `{"id":"a"}`, "pairs.jsonl": ""},
		"a pair with an unknown id":     {"findings.jsonl": `{"id":"a"}`, "pairs.jsonl": `{"a":"a","b":"b","same":true}`},
		"a pair across two groups":      {"findings.jsonl": `{"id":"a","group":"g"}` + "\n" + `{"id":"b","group":"h"}`, "pairs.jsonl": `{"a":"a","b":"b","same":true}`},
		"no findings":                   {"pairs.jsonl": ""},
		"a listed blob that is missing": {"findings.jsonl": `{"id":"a"}`, "pairs.jsonl": "", "files.jsonl": `{"group":"g","commit":"c","path":"p","blob":"00","bytes":1}`},
	} {
		fsys := fstest.MapFS{}
		for path, text := range files {
			fsys[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, err := readIdentity(fsys); err == nil {
			t.Errorf("%s: readIdentity reports no error", name)
		}
	}
}
