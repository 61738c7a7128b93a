package review

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gopkg.in/yaml.v3"
)

func TestParseConfig(t *testing.T) {
	t.Parallel()
	with := func(change func(*Config)) Config {
		c := DefaultConfig()
		change(&c)
		return c
	}
	for name, tt := range map[string]struct {
		text string
		want Config
		// err is a piece of the message, "" for none.
		err string
	}{
		"an empty file":        {text: "", want: DefaultConfig()},
		"a comment alone":      {text: "# nothing yet\n", want: DefaultConfig()},
		"the version alone":    {text: "version: 1\n", want: DefaultConfig()},
		"a byte order mark":    {text: "\ufeffversion: 1\n", want: DefaultConfig()},
		"line ends of Windows": {text: "version: 1\r\nexclude: [a/**]\r\n", want: with(func(c *Config) { c.Exclude = []string{"a/**"} })},
		"a key beside the defaults of its group": {
			text: "batch: {max_lines: 40}\n",
			want: with(func(c *Config) { c.Batch.MaxLines = 40 }),
		},
		"a duration": {
			text: "sandbox: {timeout: 1m30s}\n",
			want: with(func(c *Config) { c.Sandbox.Timeout = 90 * time.Second }),
		},
		"an unknown key":          {text: "modle: {name: x}\n", err: "modle"},
		"an unknown key inside":   {text: "model: {nmae: x}\n", err: "nmae"},
		"a newer version":         {text: "version: 2\n", err: "version 2; this crev reads version 1"},
		"two documents":           {text: "version: 1\n---\nversion: 1\n", err: "more than one YAML document"},
		"no YAML":                 {text: "a: [", err: "line 1"},
		"a list":                  {text: "- a\n", err: "line 1"},
		"an unknown mode":         {text: "gate: {mode: strict}\n", err: `gate.mode: "strict"; want one of off, record, enforce`},
		"the laptop's mode":       {text: "ledger: {mode: local}\n", err: "ledger.mode"},
		"a pool below nothing":    {text: "rules: {max_active: -1}\n", err: "rules.max_active: -1; want at least 0"},
		"a rule of no occasion":   {text: "rules: {min_occurrence: 0}\n", err: "rules.min_occurrence: 0; want at least 1"},
		"more than alike":         {text: "batch: {cross_dir_similarity: 1.5}\n", err: "batch.cross_dir_similarity: 1.5; want 0 to 1"},
		"surer than sure":         {text: "rules: {min_confidence: 2}\n", err: "rules.min_confidence: 2; want a number from 0 to 1"},
		"a source of no signals":  {text: "rules: {sources: [dreams]}\n", err: `rules.sources: "dreams"; want some of user_reject, bug, recheck, user_adopt`},
		"a batch of no lines":     {text: "batch: {max_lines: 0}\n", err: "batch.max_lines: 0; want at least 1"},
		"a bound below zero":      {text: "model: {max_tokens_per_run: -1}\n", err: "model.max_tokens_per_run"},
		"more than GitHub takes":  {text: "comments: {max_per_review: 101}\n", err: "comments.max_per_review: 101"},
		"no time for a script":    {text: "sandbox: {timeout: 0s}\n", err: "sandbox.timeout"},
		"money without prices":    {text: "model: {max_usd_per_run: 1}\n", err: "model.prices"},
		"recurrence from the 1st": {text: "ratchet: {recur: 1}\n", err: "ratchet.recur: 1; want at least 2"},
		"a file of many lines":    {text: strings.Repeat("# x\n", maxConfig), err: "a configuration has at most"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseConfig([]byte(tt.text))
			switch {
			case tt.err != "" && err == nil:
				t.Fatalf("ParseConfig(%.60q) has no error, want one with %q", tt.text, tt.err)
			case tt.err != "":
				if !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "yaml: ") {
					t.Errorf("ParseConfig(%.60q): %v, want %q without the parser's name", tt.text, err, tt.err)
				}
				return
			case err != nil:
				t.Fatalf("ParseConfig(%.60q): %v", tt.text, err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("ParseConfig(%.60q) (-want +got):\n%s", tt.text, d)
			}
		})
	}
}

func TestReadConfigNamesTheFile(t *testing.T) {
	t.Parallel()
	if c, err := ReadConfig(fstest.MapFS{}); err != nil || !cmp.Equal(c, DefaultConfig()) {
		t.Errorf("ReadConfig of a tree without one = %v, %v, want the defaults", c, err)
	}
	_, err := ReadConfig(fstest.MapFS{ConfigPath: {Data: []byte("version: 9\n")}})
	if err == nil || !strings.HasPrefix(err.Error(), ConfigPath+": ") {
		t.Errorf("ReadConfig = %v, want an error that begins with %s", err, ConfigPath)
	}
}

// FuzzParseConfig: what is accepted survives being written and read again.
func FuzzParseConfig(f *testing.F) {
	for _, s := range []string{
		"", "version: 1\n", "\ufeffversion: 1\r\n",
		"model: {name: gpt-4.1, max_usd_per_run: 2, prices: {gpt-4.1: {prompt: 2, completion: 8}}}\n",
		"batch: {min_lines: 1, max_lines: 5}\ngate: {mode: enforce}\nexclude: ['a/**']\nbuiltins: [secrets]\n",
		"sandbox: {read: [/opt], timeout: 2m}\ndrafts: true\n",
		"a: &a [*a]\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseConfig(b)
		if err != nil {
			if strings.Contains(err.Error(), "yaml: ") {
				t.Errorf("the message %q speaks of the parser", err)
			}
			return
		}
		written, err := yaml.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseConfig(written)
		if err != nil {
			t.Fatalf("ParseConfig refuses what it wrote: %v\n%s", err, written)
		}
		rewritten, err := yaml.Marshal(again)
		if err != nil {
			t.Fatal(err)
		}
		if string(written) != string(rewritten) {
			t.Errorf("written twice (-first +second):\n%s", cmp.Diff(string(written), string(rewritten)))
		}
	})
}

// docs/configuration.md shows every key that there is and no other, with the
// value that it has by default.
func TestDocumentedConfig(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(doc), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	got, err := ParseConfig([]byte(block))
	if err != nil {
		t.Fatal(err)
	}
	want, cached := DefaultConfig(), .5
	want.Model.Name = "gpt-4.1"
	want.Model.Prices = map[string]Price{"gpt-4.1": {Prompt: 2, Completion: 8, Cached: &cached}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the documented values (-default +documented):\n%s", diff)
	}
	all, err := yaml.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(keysOf(t, all), keysOf(t, []byte(block))); diff != "" {
		t.Errorf("keys (-config +documented):\n%s", diff)
	}
}

// keysOf lists the keys of a YAML document, joined by dots.
func keysOf(t *testing.T, text []byte) []string {
	t.Helper()
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var keys []string
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for k, v := range m {
			keys = append(keys, prefix+k)
			if inner, ok := v.(map[string]any); ok {
				walk(prefix+k+".", inner)
			}
		}
	}
	walk("", doc)
	slices.Sort(keys)
	return keys
}
