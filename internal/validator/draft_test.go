package validator

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/finding"
)

// What is drafted is loaded as it was meant, whatever a model put into it.
func TestLoadDraft(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("compare ", 40)
	for name, tt := range map[string]struct {
		artifact finding.Artifact
		scope    []string
		err      string
	}{
		"a pattern for the finding's own file": {finding.Artifact{Kind: "pattern", Pattern: `a: b # "c" 'd' %\s`}, []string{"src/a.ts"}, ""},
		"a pattern with a scope of its own":    {finding.Artifact{Kind: "pattern", Must: `^x`, Scope: []string{"**/*.go", "!a/**"}}, []string{"**/*.go", "!a/**"}, ""},
		"bytes that are no UTF-8":              {finding.Artifact{Kind: "pattern", Pattern: "caf\xe9"}, []string{"src/a.ts"}, ""},
		"a script":                             {finding.Artifact{Kind: "script", Script: "#!/bin/sh\nexit 0\n"}, []string{"src/a.ts"}, ""},
		"no expression":                        {finding.Artifact{Kind: "pattern", Pattern: "("}, nil, "no RE2 expression"},
		"an expression too large":              {finding.Artifact{Kind: "pattern", Pattern: "((a{100}){100}){100}"}, nil, "no RE2 expression"},
		"a scope that leaves the tree":         {finding.Artifact{Kind: "pattern", Pattern: "x", Scope: []string{"../etc/*"}}, nil, "scope"},
		"another kind":                         {finding.Artifact{Kind: "command", Pattern: "x"}, nil, "kind"},
		"nothing":                              {finding.Artifact{Kind: "pattern"}, nil, "a pattern needs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := LoadDraft(DraftOf(&tt.artifact, "artifact", long, "src/a.ts"), t.TempDir())
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("LoadDraft = %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.scope, v.Scope); d != "" {
				t.Errorf("scope (-want +got):\n%s", d)
			}
			if n := len([]rune(v.Says)); n > maxSays || !strings.HasSuffix(v.Says, "…") {
				t.Errorf("says has %d characters: %q", n, v.Says)
			}
		})
	}
}

func TestWriteReplacesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := Draft{Name: "one", Says: "s", Kind: Pattern, Scope: []string{"**"}, MustNot: []string{"x"}, Samples: map[string]string{"bad/a/b.go": "x", "good/a/b.go": ""}}
	if err := d.Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second Write = %v, want fs.ErrExist", err)
	}
	d.Name, d.Samples = "two", map[string]string{"bad/../../../outside": "x"}
	if err := d.Write(dir); err == nil {
		t.Error("a sample outside of the folder was written")
	}
}

func TestReproduce(t *testing.T) {
	t.Parallel()
	pattern := func(text string) Validator {
		return loadOne(t, map[string]string{"validator.yaml": "says: Do not.\nkind: pattern\nscope: '*.go'\nmust_not: '" + text + "'\n"})
	}
	script := func(text string) Validator {
		return loadOne(t, map[string]string{"validator.yaml": "says: Do not.\nkind: script\nscope: '*.go'\nrun: [./check.sh]\n", "check.sh": "#!/bin/sh\n" + text + "\n"})
	}
	head := map[string]string{"a.go": "package a\nbad()\n", "b.go": "bad()\n"}
	base := map[string]string{"a.go": "package a\n"}
	here := func(f Failure) bool { return f.Path == "a.go" && f.Line == 2 }
	for name, tt := range map[string]struct {
		v           Validator
		head, other map[string]string
		want        Outcome
		reason      string
	}{
		"red and green":                {pattern(`bad\(\)`), head, base, Reproduced, "2 times each"},
		"green at the head":            {pattern(`worse`), head, base, NotReproduced, "it finds nothing"},
		"red elsewhere":                {pattern(`package`), head, map[string]string{"a.go": "x"}, NotReproduced, "it fails elsewhere: a.go:1:1"},
		"red at both":                  {pattern(`bad\(\)`), head, head, NoDifference, "it also fails at"},
		"nothing to compare with":      {pattern(`bad\(\)`), head, map[string]string{"a.txt": "x"}, NoDifference, "it judges no file"},
		"another answer each time":     {script(`grep -q bad "$1" && echo "$1:2: $(date +%N)" && exit 1; exit 0`), head, base, Unstable, "two runs at"},
		"another exit":                 {script(`exit 3`), head, base, Unclear, "exit status 3"},
		"a script that tells it apart": {script(`grep -q bad a.go || exit 0; echo a.go:2: bad; exit 1`), head, base, Reproduced, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := input(tt.head), input(tt.other)
			if tt.v.Kind == Script {
				a.Runner = runner(t)
				b.Runner = a.Runner
			}
			got := Reproduce(t.Context(), tt.v, a, b, here)
			if got.Outcome != tt.want || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("Reproduce = %s, %q, want %s with %q", got.Outcome, got.Reason, tt.want, tt.reason)
			}
		})
	}
}

func TestDiffer(t *testing.T) {
	t.Parallel()
	red := Result{Status: Found, Failures: []Failure{{Path: "a.go", Line: 2, Message: "bad"}}}
	noisy := red
	noisy.Output = "took 3 ms"
	if got := Differ(red, noisy); got != nil {
		t.Errorf("Differ = %q for the same answer with other talk", got)
	}
	if d := cmp.Diff([]string{"found: a.go:2: bad", "clean"}, Differ(red, Result{Status: Clean})); d != "" {
		t.Errorf("Differ (-want +got):\n%s", d)
	}
}
