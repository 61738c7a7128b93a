package review

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
)

func TestReviewersOf(t *testing.T) {
	t.Parallel()
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, tt := range map[string]struct {
		names []string
		base  fstest.MapFS
		want  []string
		fail  string
	}{
		"built in":     {names: []string{"security", "code"}, want: []string{"security", "code"}},
		"none":         {},
		"an unknown":   {names: []string{"style"}, fail: `there is no reviewer "style"`},
		"no name":      {names: []string{""}, fail: `there is no reviewer ""`},
		"a path":       {names: []string{"../reviewers/code"}, fail: "built in are c"},
		"no reviewer":  {names: []string{"common"}, fail: `there is no reviewer "common"`},
		"the team's":   {names: []string{"code"}, base: fstest.MapFS{".crev/reviewers/sql.md": file("Look for locks.")}, want: []string{"code", "sql"}},
		"listed twice": {names: []string{"sql"}, base: fstest.MapFS{".crev/reviewers/sql.md": file("Look for locks.")}, want: []string{"sql"}},
		"not a reviewer": {names: []string{"code"},
			base: fstest.MapFS{".crev/reviewers/README.md": file("x"), ".crev/reviewers/notes.txt": file("x")}, want: []string{"code"}},
		"with a scope": {base: fstest.MapFS{".crev/reviewers/sql.md": file("\xEF\xBB\xBF---\r\nscope: db/**\r\n---\r\nLook for locks.\r\n")}, want: []string{"sql"}},
		"a built-in's name": {base: fstest.MapFS{".crev/reviewers/code.md": file("x")},
			fail: ".crev/reviewers/code.md: a reviewer's name is"},
		"a name with a space": {base: fstest.MapFS{".crev/reviewers/my sql.md": file("x")}, fail: "rename the file"},
		"an empty file":       {base: fstest.MapFS{".crev/reviewers/sql.md": file(" \n")}, fail: "it is empty"},
		"an open head":        {base: fstest.MapFS{".crev/reviewers/sql.md": file("---\nscope: x\n")}, fail: "its head has no end"},
		"an unknown key":      {base: fstest.MapFS{".crev/reviewers/sql.md": file("---\ntier: 0\n---\nx\n")}, fail: "field tier not found"},
		"a scope of nothing":  {base: fstest.MapFS{".crev/reviewers/sql.md": file("---\nscope: []\n---\nx\n")}, fail: "scope: name the files"},
		"not UTF-8":           {base: fstest.MapFS{".crev/reviewers/sql.md": file("\xff\xfe")}, fail: "it is not UTF-8"},
		"too long":            {base: fstest.MapFS{".crev/reviewers/sql.md": file(strings.Repeat("x", maxReviewerText+1))}, fail: "it is part of every request"},
		"too many": {base: func() fstest.MapFS {
			m := fstest.MapFS{}
			for _, c := range "abcdefghi" {
				m[".crev/reviewers/"+string(c)+".md"] = file("x")
			}
			return m
		}(), fail: "more than 8 reviewers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rs, err := reviewersOf(tt.names, tt.base)
			if tt.fail != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fail) {
					t.Fatalf("reviewersOf: %v, want %q in it", err, tt.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range rs {
				got = append(got, r.name)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("reviewersOf (-want +got):\n%s", d)
			}
		})
	}
}

func TestReviewerReads(t *testing.T) {
	t.Parallel()
	b := batch.Batch{Parts: []batch.Part{{File: &diff.File{NewPath: "db/users.sql"}}, {File: &diff.File{NewPath: "main.go"}}}}
	for name, tt := range map[string]struct {
		scope []string
		want  bool
	}{
		"no scope":         {nil, true},
		"one file matches": {[]string{"**/*.sql"}, true},
		"none matches":     {[]string{"**/*.py"}, false},
	} {
		if got := (reviewer{scope: tt.scope}).reads(b); got != tt.want {
			t.Errorf("%s: reads() = %v, want %v", name, got, tt.want)
		}
	}
}
