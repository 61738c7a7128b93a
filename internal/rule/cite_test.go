package rule

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

func code(files map[string]string) Code {
	tree := fstest.MapFS{}
	c := Code{Tree: tree, Commit: "77aa10c"}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name := range files {
		c.Files = append(c.Files, name)
	}
	return c
}

func TestRecheck(t *testing.T) {
	t.Parallel()
	const group = "package run\n\nfunc (g *Group) Go(f func() error) {\n\tg.run(f)\n}\n"
	hashed := Citation{Path: "run/group.go", Line: 3, Commit: "6f882ee", Hash: finding.LineV1("func (g *Group) Go(f func() error) {")}
	plain := Citation{Path: "run/group.go", Line: 3, Commit: "6f882ee"}
	old := func(commit, path string) ([]byte, error) {
		if commit == "6f882ee" && path == "run/group.go" {
			return []byte(group), nil
		}
		return nil, fs.ErrNotExist
	}
	at := func(path string, line int) Citation {
		return Citation{Path: path, Line: line, Commit: "77aa10c", Hash: hashed.Hash}
	}
	tests := map[string]struct {
		cite  Citation
		files map[string]string
		old   func(commit, path string) ([]byte, error)
		want  Cited
	}{
		"as it was":             {hashed, map[string]string{"run/group.go": group}, nil, Cited{hashed, Holds, at("run/group.go", 3)}},
		"without a fingerprint": {plain, map[string]string{"run/group.go": group}, old, Cited{plain, Holds, at("run/group.go", 3)}},
		"indented otherwise":    {hashed, map[string]string{"run/group.go": "a\n\n  func (g *Group)  Go(f func() error) {\r\n"}, nil, Cited{hashed, Holds, at("run/group.go", 3)}},
		"further down":          {hashed, map[string]string{"run/group.go": "// run\n" + group}, nil, Cited{hashed, Moved, at("run/group.go", 4)}},
		"the nearest of two":    {hashed, map[string]string{"run/group.go": "a\n" + group + group + group}, nil, Cited{hashed, Moved, at("run/group.go", 4)}},
		"in a renamed folder":   {hashed, map[string]string{"internal/run/group.go": group}, nil, Cited{hashed, Moved, at("internal/run/group.go", 3)}},
		"in a renamed file":     {hashed, map[string]string{"run/errgroup.go": group}, nil, Cited{hashed, Moved, at("run/errgroup.go", 3)}},
		"twice elsewhere":       {hashed, map[string]string{"run/a.go": group, "run/b.go": group}, nil, Cited{hashed, Gone, Citation{}}},
		"far away":              {hashed, map[string]string{"pool/pool.go": group}, nil, Cited{hashed, Gone, Citation{}}},
		"rewritten":             {hashed, map[string]string{"run/group.go": "package run\n"}, nil, Cited{hashed, Gone, Citation{}}},
		"rewritten, no mark":    {plain, map[string]string{"run/group.go": "package run\n"}, old, Cited{plain, Gone, Citation{}}},
		"nothing to compare":    {plain, map[string]string{"run/group.go": "package run\n"}, nil, Cited{plain, Unchecked, Citation{}}},
		"no file and no commit": {plain, map[string]string{"a.go": ""}, nil, Cited{plain, Gone, Citation{}}},
		"a line that was a gap": {Citation{Path: "run/group.go", Line: 5, Commit: "6f882ee"}, map[string]string{"run/group.go": "x"}, old, Cited{Citation{Path: "run/group.go", Line: 5, Commit: "6f882ee"}, Unchecked, Citation{}}},
		"a line that never was": {Citation{Path: "run/group.go", Line: 99, Commit: "6f882ee"}, map[string]string{"run/group.go": "x"}, old, Cited{Citation{Path: "run/group.go", Line: 99, Commit: "6f882ee"}, Unchecked, Citation{}}},
		"a byte order mark":     {Citation{Path: "a.go", Line: 1, Commit: "6f882ee", Hash: finding.LineV1("package a")}, map[string]string{"a.go": "\ufeffpackage a"}, nil, Cited{Citation{Path: "a.go", Line: 1, Commit: "6f882ee", Hash: finding.LineV1("package a")}, Holds, Citation{Path: "a.go", Line: 1, Commit: "77aa10c", Hash: finding.LineV1("package a")}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := code(tc.files)
			c.At = tc.old
			got := c.Recheck(edit(errgroup(), func(r *Rule) { r.Cites = []Citation{tc.cite} }))
			if diff := cmp.Diff([]Cited{tc.want}, got); diff != "" {
				t.Errorf("Recheck (-want +got):\n%s", diff)
			}
			if Stale(got) != (tc.want.Standing == Gone) {
				t.Errorf("Stale = %v of %s", Stale(got), tc.want.Standing)
			}
		})
	}
}

func TestCite(t *testing.T) {
	t.Parallel()
	c := code(map[string]string{"a.go": "package a\n\n}\n"})
	got, err := c.Cite("a.go", 1)
	if want := (Citation{"a.go", 1, "77aa10c", finding.LineV1("package a")}); err != nil || got != want {
		t.Errorf("Cite = %v, %v, want %v", got, err, want)
	}
	for _, at := range []Citation{{Path: "b.go", Line: 1}, {Path: "a.go", Line: 3}, {Path: "a.go"}, {Path: "a.go", Line: 99}} {
		if got, err := c.Cite(at.Path, at.Line); err == nil {
			t.Errorf("Cite(%q, %d) = %v, want an error", at.Path, at.Line, got)
		}
	}
}
