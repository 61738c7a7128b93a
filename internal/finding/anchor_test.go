package finding

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewAnchor(t *testing.T) {
	t.Parallel()
	const text = "one\r\ntwo\r\n{\r\nthree\r\n\r\nfour\r\nfive\r\nkey = hunter2hunter2\r\n}\r\nsix\r\nseven\r\n"
	hide := func(line string) string { return strings.ReplaceAll(line, "hunter2hunter2", "[secret]") }
	tests := map[string]struct {
		text   string
		line   int
		redact func(string) string
		want   *Anchor
	}{
		"the middle": {text, 7, hide, &Anchor{
			Line:   "five",
			Before: []string{"one", "two", "three", "four"},
			After:  []string{"key = [secret]", "six", "seven"},
			LineV1: LineV1("five"),
			Block3V1: Block3V1([]string{"two", "three", "four"}, "five",
				[]string{"key = [secret]", "six", "seven"}),
		}},
		"a secret in the line itself": {"a\nkey = hunter2hunter2\n", 2, hide, &Anchor{
			Line:     "key = [secret]",
			Before:   []string{"a"},
			LineV1:   LineV1("key=[secret]"),
			Block3V1: Block3V1([]string{"a"}, "key = [secret]", nil),
		}},
		"no redaction, a byte order mark, bytes that are not UTF-8": {"\ufeffcaf\xe9\n", 1, nil, &Anchor{
			Line:     "caf\uFFFD",
			LineV1:   LineV1("caf\xe9"),
			Block3V1: Block3V1(nil, "caf\xe9", nil),
		}},
		"before the first line": {text, 0, nil, nil},
		"after the last line":   {text, 12, nil, nil},
		"an empty file":         {"", 1, nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := NewAnchor([]byte(tt.text), tt.line, tt.redact)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("NewAnchor(line %d) (-want +got):\n%s", tt.line, d)
			}
		})
	}
}

// The ledger holds these values for years.
func TestAnchorFingerprintsAreFrozen(t *testing.T) {
	t.Parallel()
	if got, want := LineV1("\tif err != nil {  \r"), LineV1("iferr!=nil{"); got != want {
		t.Errorf("LineV1 of the indented line = %s, want %s", got, want)
	}
	if got, want := LineV1("return nil"), "8373eae9987d0f96"; got != want {
		t.Errorf("LineV1 = %s, want %s", got, want)
	}
	if got, want := Block3V1([]string{"x", "a", "b", "c"}, "return nil", []string{"d"}), "4fdbdfc25e6dccaa"; got != want {
		t.Errorf("Block3V1 = %s, want %s", got, want)
	}
}

func TestAnchorOfALongLineIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	a := NewAnchor([]byte(long), 1, nil)
	if len(a.Line) != maxAnchorLine {
		t.Errorf("anchor keeps %d bytes of a line, want %d", len(a.Line), maxAnchorLine)
	}
	if a.LineV1 != LineV1(long) {
		t.Errorf("LineV1 does not cover the whole line")
	}
}

func FuzzNewAnchor(f *testing.F) {
	f.Add([]byte(placeFile), 9)
	f.Add([]byte("\ufeff\xff\r\n\n{\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, line int) {
		a := NewAnchor(text, line, nil)
		if a == nil {
			if n := len(splitLines(text)); line >= 1 && line <= n {
				t.Fatalf("no anchor for line %d of %d", line, n)
			}
			return
		}
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back Anchor
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(a, &back); d != "" {
			t.Fatalf("through JSON (-want +got):\n%s", d)
		}
	})
}
