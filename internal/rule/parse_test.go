package rule

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParse(t *testing.T) {
	t.Parallel()
	text := string(sample(t, "go-errgroup.yaml"))
	for name, in := range map[string]string{
		"as written":        text,
		"with CRLF":         strings.ReplaceAll(text, "\n", "\r\n"),
		"with a BOM":        "\ufeff" + text,
		"with its version":  "version: 1\n" + text,
		"with a list scope": strings.Replace(text, "scope: services/**/*.go", "scope:\n  - services/**/*.go", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse([]byte(in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(errgroup(), got); diff != "" {
				t.Errorf("Parse (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMarshalWritesLittle: what a person wrote comes back as it was, so that a
// change of one field is a diff of one line.
func TestMarshalWritesLittle(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"go-errgroup.yaml", "test-literals.yaml"} {
		want := sample(t, name)
		r, err := Parse(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := "id: a\nkind: always\nsays: Close every body.\nstatus: active\n"
	tests := map[string]struct{ in, want string }{
		"nothing":             {"", "it is empty"},
		"a list":              {"- a\n", "line 1: a rule is keys and values"},
		"a second document":   {good + "---\n" + good, "there is a second document"},
		"an unknown key":      {good + "colour: red\n", "line 5: unknown key colour"},
		"a repeated key":      {good + "kind: always\n", "line 5: mapping key"},
		"an anchor":           {strings.Replace(good, "a\n", "&x a\n", 1), "line 1: anchors"},
		"a merge key":         {"<<: {a: b}\n" + good, "line 1: anchors, aliases, merge keys"},
		"deep nesting":        {good + "why: " + strings.Repeat("[", 20_000), "exceeded max depth"},
		"a tag":               {strings.Replace(good, "id: a", "id: !!str a", 1), "line 1: anchors"},
		"no UTF-8":            {good + "why: \xff\n", "it is not UTF-8"},
		"a newer version":     {"version: 2\nnew: {}\n" + good, "line 1: version 2: this crev reads version 1; update crev"},
		"no version":          {"version: one\n" + good, `line 1: version "one": write 1`},
		"an id with a path":   {strings.Replace(good, "id: a", "id: ../a", 1), `line 1: id "../a": write a-z`},
		"another kind":        {strings.Replace(good, "always", "never", 1), `line 2: kind "never": write silence, always or context`},
		"another status":      {strings.Replace(good, "active", "confirmed", 1), `line 4: status "confirmed": write pending`},
		"no sentence":         {strings.Replace(good, "Close every body.", "''", 1), "line 3: says: write the rule in one sentence"},
		"a long sentence":     {strings.Replace(good, "Close every body.", strings.Repeat("é", 161), 1), "line 3: says: 161 characters, and 160 is the most"},
		"two lines":           {strings.Replace(good, "Close every body.", `"a\nb"`, 1), "line 3: says: write one line"},
		"a glob that is none": {good + "scope: 'a/{b'\n", "line 5: scope"},
		"out of the tree":     {good + "scope: ../x\n", "line 5: scope"},
		"a wordy category":    {good + "category: Magic Number\n", "line 5: category"},
		"a mention":           {good + "for_author: '@kim'\n", "line 5: for_author"},
		"a severity":          {good + "severity: bad\n", "line 5: severity"},
		"a confidence":        {good + "confidence: 1.5\n", "line 5: confidence 1.5"},
		"no number":           {good + "confidence: .nan\n", "line 5: confidence NaN"},
		"a day":               {good + "expires: tomorrow\n", "line 5: expires"},
		"a citation":          {good + "cites: [a.go]\n", `line 5: citation "a.go": it names no commit`},
		"a citation's line":   {good + "cites: ['a.go:0@1234567']\n", "the line is a number from 1 on"},
		"a citation's path":   {good + "cites: ['../a.go:1@1234567']\n", "the path holds an empty part"},
		"a teacher":           {good + "learned: [{from: x, by: a b, at: 2026-11-02}]\n", "line 5: learned: by"},
		"a source":            {good + "source: dream\n", "line 5: source"},
		"who replaced it":     {good + "superseded_by: A B\n", "line 5: superseded_by"},
		"control characters":  {good + `why: "a\u0007"` + "\n", "line 5: why: it holds a control character"},
		"too large":           {good + "why: " + strings.Repeat("a", maxRecord), "larger than 64 KiB"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(tc.in))
			if bad := (*SyntaxError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Parse = %v, want a SyntaxError with %q", err, tc.want)
			}
		})
	}
	if _, err := Parse([]byte("version: 9\n")); !errors.Is(err, ErrNewerFormat) {
		t.Errorf("Parse of version 9 = %v, want ErrNewerFormat", err)
	}
	if _, err := Parse([]byte(good)); err != nil {
		t.Errorf("Parse of the good one = %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"go-errgroup.yaml", "test-literals.yaml", "v1.yaml"} {
		f.Add(string(sample(f, name)))
	}
	for _, s := range []string{"a: &a [*a]\n", "<<: x\n", "\ufeff", "? [a]\n: b\n", "[[[[", "!!map {a: b}",
		"id: a\nkind: always\nstatus: active\nsays: x y z\nbreaks: |2\n    a\n   b\n", "id: 0x1\nkind: always\nstatus: active\nsays: \"\\x85 a\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Parse([]byte(s))
		if err != nil {
			return
		}
		text, err := r.Marshal()
		if err != nil {
			t.Fatalf("Marshal of what Parse took: %v\n%s", err, s)
		}
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("Parse of what Marshal wrote: %v\n%s", err, text)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatalf("round trip (-want +got):\n%s", diff)
		}
	})
}
