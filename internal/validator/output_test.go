package validator

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLines(t *testing.T) {
	t.Parallel()
	files := []string{"src/a.ts", "web/main.tf", "foo/main.tf", "odd:1: name.go", "dir with blank/b.go", "-dash.go"}
	tests := map[string]struct {
		dir    string
		output string
		want   []string
	}{
		"path, line, message":                       {"", "src/a.ts:3: no\n", []string{"src/a.ts:3: no"}},
		"path, line, column":                        {"", "src/a.ts:3:7: no\n", []string{"src/a.ts:3:7: no"}},
		"talk is left out":                          {"", "checking 3 files...\nsrc/a.ts:3: no\ndone: 1\nat 12:30: x\n", []string{"src/a.ts:3: no", "x (at at 12:30, which is no file of the tree)"}},
		"colours and returns":                       {"", "\x1b[31msrc/a.ts:3:\x1b[0m no\r\n", []string{"src/a.ts:3: no"}},
		"no message is the sentence":                {"", "src/a.ts:3:\n", []string{"src/a.ts:3: says"}},
		"a dot before":                              {"", "./src/a.ts:3: no\n", []string{"src/a.ts:3: no"}},
		"the exported tree":                         {"", "/tmp/tree/src/a.ts:3: no\n", []string{"src/a.ts:3: no"}},
		"a dash at the start":                       {"", "./-dash.go:1: no\n", []string{"-dash.go:1: no"}},
		"a path with colons":                        {"", "odd:1: name.go:5: no\n", []string{"odd:1: name.go:5: no"}},
		"a path with blanks":                        {"", "dir with blank/b.go:5: no\n", []string{"dir with blank/b.go:5: no"}},
		"Windows separators":                        {"", "src\\a.ts:3: no\n", []string{"src/a.ts:3: no"}},
		"run in a directory":                        {"web", "main.tf:1: no\n", []string{"web/main.tf:1: no"}},
		"run in a directory, printed from the root": {"foo", "foo/main.tf:1: no\n", []string{"foo/main.tf:1: no"}},
		"up and down again":                         {"web", "../src/a.ts:1: no\n", []string{"src/a.ts:1: no"}},
		"doubled":                                   {"foo", "foo/foo/main.tf:1: no\n", []string{"no (at foo/foo/main.tf:1, which is no file of the tree)"}},
		"outside":                                   {"", "../../etc/passwd:1: no\n", []string{"no (at ../../etc/passwd:1, which is no file of the tree)"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlaces(files, tc.dir, "/tmp/tree")
			if diff := cmp.Diff(tc.want, texts(p.parseLines(tc.output, "says"))); diff != "" {
				t.Errorf("parseLines(%q) (-want +got):\n%s", tc.output, diff)
			}
		})
	}
}

func TestParseSARIF(t *testing.T) {
	t.Parallel()
	log := func(run string) string {
		return `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint","rules":[{"id":"R1","messageStrings":{"m":{"text":"use {0}"}}},{"id":"R2","defaultConfiguration":{"level":"note"}}]}}` + run + `}]}`
	}
	at := func(uri string) string {
		return `"message":{"text":"no"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"` + uri + `"},"region":{"startLine":3,"startColumn":2}}}]`
	}
	result := func(parts ...string) string {
		return log(`,"results":[{` + strings.Join(parts, "},{") + `}]`)
	}
	tests := map[string]struct {
		dir  string
		log  string
		want []string
		err  string
		// suppressed and informal results
		suppressed, informal int
	}{
		"a result":          {log: result(`"ruleId":"R1",` + at("src/a.ts")), want: []string{"src/a.ts:3:2: [R1] no"}},
		"no results":        {log: log(``)},
		"a byte order mark": {log: "\ufeff" + log(``)},

		// L15
		"relative to where it ran":     {dir: "web", log: result(at("main.tf")), want: []string{"web/main.tf:3:2: no"}},
		"relative to the root":         {dir: "foo", log: result(at("foo/main.tf")), want: []string{"foo/main.tf:3:2: no"}},
		"a file URI":                   {log: result(at("file:///tmp/tree/src/a.ts")), want: []string{"src/a.ts:3:2: no"}},
		"escaped":                      {log: result(at("dir%20with%20blank/b.go")), want: []string{"dir with blank/b.go:3:2: no"}},
		"no file of the tree is kept":  {log: result(at("foo/foo/main.tf")), want: []string{"no (at foo/foo/main.tf:3, which is no file of the tree)"}},
		"without a place":              {log: result(`"message":{"text":"no"}`), want: []string{"no"}},
		"a base that the log explains": {log: log(`,"originalUriBaseIds":{"S":{"uri":"src/","uriBaseId":"R"},"R":{"uri":"file:///tmp/tree/"}},"results":[{"message":{"text":"no"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.ts","uriBaseId":"S"}}}]}]`), want: []string{"src/a.ts: no"}},
		"a base that is left open":     {log: log(`,"results":[{"message":{"text":"no"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/a.ts","uriBaseId":"%SRCROOT%"}}}]}]`), want: []string{"src/a.ts: no"}},
		"bases in a circle":            {log: log(`,"originalUriBaseIds":{"A":{"uri":"x","uriBaseId":"A"}},"results":[{"message":{"text":"no"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.ts","uriBaseId":"A"}}}]}]`), err: "leads in a circle"},
		"an artifact by index":         {log: log(`,"artifacts":[{"location":{"uri":"src/a.ts"}}],"results":[{"message":{"text":"no"},"locations":[{"physicalLocation":{"artifactLocation":{"index":0}}}]}]`), want: []string{"src/a.ts: no"}},
		"an address of the network":    {log: result(at("https://example.com/a")), err: "is no file"},

		// L16
		"suppressed in the source": {log: result(at("src/a.ts") + `,"suppressions":[{"kind":"inSource"}]`), suppressed: 1},
		"a rejected suppression":   {log: result(at("src/a.ts") + `,"suppressions":[{"kind":"external","status":"rejected"}]`), want: []string{"src/a.ts:3:2: no"}},
		"one accepted, one not":    {log: result(at("src/a.ts") + `,"suppressions":[{"kind":"inSource"},{"kind":"external","status":"underReview"}]`), want: []string{"src/a.ts:3:2: no"}},

		"a note":                     {log: result(at("src/a.ts") + `,"level":"note"`), informal: 1},
		"a note by its rule":         {log: result(at("src/a.ts") + `,"ruleIndex":1`), informal: 1},
		"a pass":                     {log: result(at("src/a.ts") + `,"kind":"pass"`), informal: 1},
		"gone since the baseline":    {log: result(at("src/a.ts") + `,"baselineState":"absent"`), informal: 1},
		"a message of the rule":      {log: result(`"ruleId":"R1","message":{"id":"m","arguments":["it"]}`), want: []string{"[R1] use it"}},
		"a rule that does not exist": {log: result(at("src/a.ts") + `,"ruleIndex":9`), err: "rule 9 of 2"},
		"no message":                 {log: result(`"ruleId":"R1"`), err: "it has no message"},
		"a line below one":           {log: strings.Replace(result(at("src/a.ts")), `"startLine":3`, `"startLine":-3`, 1), err: "they count from 1"},
		"a run that says it failed":  {log: log(`,"invocations":[{"executionSuccessful":false}]`), err: "did not succeed"},
		"another version":            {log: `{"version":"1.0.0","runs":[]}`, err: `version "1.0.0"`},
		"no runs":                    {log: `{"version":"2.1.0","runs":[]}`, err: "no runs"},
		"no tool":                    {log: `{"version":"2.1.0","runs":[{}]}`, err: "names no tool"},
		"text after the log":         {log: log(``) + `{}`, err: "text after"},
		"a number where a text is":   {log: `{"version":2}`, err: "read SARIF"},
		"cut in the middle":          {log: log(``)[:40], err: "read SARIF"},
	}
	files := []string{"src/a.ts", "web/main.tf", "foo/main.tf", "dir with blank/b.go"}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newPlaces(files, tc.dir, "/tmp/tree").parseSARIF([]byte(tc.log))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("error %v, want %q in it", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, texts(got.failures)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
			if got.suppressed != tc.suppressed || got.informal != tc.informal {
				t.Errorf("suppressed %d, informal %d; want %d, %d", got.suppressed, got.informal, tc.suppressed, tc.informal)
			}
		})
	}
}

func FuzzParseLines(f *testing.F) {
	for _, s := range []string{"src/a.ts:3: no", "a:1:2: b", ":1: x", "a:999999999999: x", "a:1:1:1:1: ", "\x1b[0ma:1: x", "../a:1: x"} {
		f.Add(s)
	}
	p := newPlaces([]string{"src/a.ts", "a"}, "", "/tmp/tree")
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range p.parseLines(s, "says") {
			if got.Path != "" && !p.known[got.Path] || got.Message == "" || got.Line < 0 {
				t.Fatalf("parseLines(%q) = %+v", s, got)
			}
		}
	})
}

func FuzzParseSARIF(f *testing.F) {
	seed, err := os.ReadFile("testdata/suppressed.sarif")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"message":{"text":"a"}}]}]}`))
	p := newPlaces([]string{"src/a.ts", "a"}, "", "/tmp/tree")
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := p.parseSARIF(data)
		if err != nil && len(got.failures) > 0 {
			t.Fatalf("an error and failures: %v", err)
		}
		for _, fail := range got.failures {
			if fail.Path != "" && !p.known[fail.Path] || fail.Line < 0 {
				t.Fatalf("%+v", fail)
			}
		}
	})
}
