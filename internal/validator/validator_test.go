package validator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func texts(fs []Failure) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.String())
	}
	return out
}

func TestRunPattern(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		yaml    string
		files   map[string]string
		changed map[string][]Range
		status  Status
		want    []string
	}{
		"must_not finds each match with its place": {
			yaml:   "says: Use the clock.\nkind: pattern\nscope: '**/*.go'\nmust_not: time\\.Now\\(\\)\n",
			files:  map[string]string{"a.go": "x\ny = time.Now()\n\tz(time.Now())\n", "a.txt": "time.Now()"},
			status: Found,
			want:   []string{"a.go:2:5: Use the clock.", "a.go:3:4: Use the clock."},
		},
		"nothing in scope is clean": {
			yaml:   "says: s\nkind: pattern\nscope: '**/*.go'\nmust_not: x\n",
			files:  map[string]string{"a.txt": "x"},
			status: Clean,
		},
		"carriage returns and a byte order mark do not hide the end of a line": {
			yaml:   "says: s\nkind: pattern\nscope: '**'\nmust_not: ^bad$\n",
			files:  map[string]string{"a": "\ufeffbad\r\nok\r\nbad\r\n"},
			status: Found,
			want:   []string{"a:1:1: s", "a:3:1: s"},
		},
		"UTF-16 is read": {
			yaml:   "says: s\nkind: pattern\nscope: '**'\nmust_not: bad\n",
			files:  map[string]string{"a": "\xff\xfeo\x00\n\x00b\x00a\x00d\x00"},
			status: Found,
			want:   []string{"a:2:1: s"},
		},
		"a NUL does not hide a file": {
			yaml:   "says: s\nkind: pattern\nscope: '**'\nmust_not: bad\n",
			files:  map[string]string{"a": "\x00\nbad"},
			status: Found,
			want:   []string{"a:2:1: s"},
		},
		"must fails for every file without a match": {
			yaml:   "says: Add a licence line.\nkind: pattern\nscope: ['**/*.go', '!gen/**']\nmust: SPDX-License\n",
			files:  map[string]string{"a.go": "// SPDX-License: MIT", "b.go": "package b", "gen/c.go": ""},
			status: Found,
			want:   []string{"b.go: Add a licence line."},
		},
		"changed lines only": {
			yaml:    "says: s\nkind: pattern\nscope: '**'\nmust_not: bad\nin: changed_lines\n",
			files:   map[string]string{"a": "bad\nbad\nbad\n", "b": "bad\n"},
			changed: map[string][]Range{"a": {{2, 2}}},
			status:  Found,
			want:    []string{"a:2:1: s"},
		},
		"a match over several lines counts when one of them changed": {
			yaml:    "says: s\nkind: pattern\nscope: '**'\nmust_not: '(?s)begin.*?end'\nin: changed_lines\n",
			files:   map[string]string{"a": "begin\n1\n2\nend\n"},
			changed: map[string][]Range{"a": {{3, 3}}},
			status:  Found,
			want:    []string{"a:1:1: s"},
		},
		"the whole tree is judged whatever changed": {
			yaml:    "says: s\nkind: pattern\nscope: '**'\nmust_not: bad\n",
			files:   map[string]string{"a": "bad\n"},
			changed: map[string][]Range{},
			status:  Found,
			want:    []string{"a:1:1: s"},
		},
		"forbidden files": {
			yaml:   "says: Keep secrets out.\nkind: pattern\nscope: '**/.env'\nfiles: forbidden\n",
			files:  map[string]string{"web/.env": "", "web/env": ""},
			status: Found,
			want:   []string{"web/.env: Keep secrets out."},
		},
		"required files": {
			yaml:   "says: Keep these.\nkind: pattern\nscope: [LICENSE, 'docs/**']\nfiles: required\n",
			files:  map[string]string{"docs/a": ""},
			status: Found,
			want:   []string{"Keep these. (no file matches LICENSE)"},
		},
		"keys of JSON and YAML": {
			yaml: "says: s\nkind: pattern\nscope: ['**/*.json', '**/*.yml']\nkeys:\n" +
				"  - {path: dependencies.left-pad, present: false}\n  - {path: 'jobs.*.timeout', must: '^\\d+$'}\n",
			files: map[string]string{
				"package.json": "{\n  \"dependencies\": {\n\t\"left-pad\": \"\\ud83d\\ude00 1\"\n  }\n}",
				"ci.yml":       "jobs:\n  a: {timeout: 5}\n  b:\n    timeout: never\n",
			},
			status: Found,
			want:   []string{"ci.yml:4: s", "package.json:3: s"},
		},
		"a key that must be present": {
			yaml:   "says: s\nkind: pattern\nscope: '*.json'\nkeys: [{path: 'engines[\"node.js\"]', present: true}]\n",
			files:  map[string]string{"a.json": `{"engines":{"node.js":1}}`, "b.json": `{"engines":[]}`},
			status: Found,
			want:   []string{"b.json: s"},
		},
		"a file that cannot be parsed fails": {
			yaml:   "says: s\nkind: pattern\nscope: '*.json'\nkeys: [{path: a, present: true}]\n",
			files:  map[string]string{"a.json": `{"a":1} x`},
			status: Found,
			want:   []string{"a.json: s (it is no valid JSON: text after the value)"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(tc.files)
			in.Changed = tc.changed
			got := Run(t.Context(), loadOne(t, map[string]string{"validator.yaml": tc.yaml}), in)
			if got.Status != tc.status {
				t.Errorf("status %s (%s), want %s", got.Status, got.Reason, tc.status)
			}
			if diff := cmp.Diff(tc.want, texts(got.Failures)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}

// An expression that makes a backtracking engine run for years answers at once:
// patterns are RE2. The deadline of the test is what fails otherwise.
func TestHostilePatternEnds(t *testing.T) {
	t.Parallel()
	for _, re := range []string{`(a+)+$`, `(a|aa)+$`} {
		e, err := compile(re)
		if err != nil {
			t.Fatal(err)
		}
		if found := e.matches([]byte(strings.Repeat("a", 100_000) + "!")); len(found) > 0 {
			t.Errorf("%s matches %d times", re, len(found))
		}
	}
}
