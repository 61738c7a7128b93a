package model_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/crev-ratchet/crev/internal/model"
)

// What models and their servers really send, by reports of users of such tools.
var extractCases = map[string]struct {
	text string
	want string
	err  error
}{
	"bare":                        {`{"findings":[]}`, `{"findings":[]}`, nil},
	"byte order mark":             {"\ufeff{\"a\":1}", `{"a":1}`, nil},
	"json fence":                  {"```json\n{\"a\":1}\n```", `{"a":1}`, nil},
	"fence without a language":    {"```\n{\"a\":1}\n```\n", `{"a":1}`, nil},
	"prose around":                {"Here it is:\n\n{\"a\":1}\n\nHope that helps!", `{"a":1}`, nil},
	"expression before":           {"The `${{ secrets.X }}` here: {\"a\":1}", `{"a":1}`, nil},
	"brace before":                {"A block opens with { and then {\"a\":1}", `{"a":1}`, nil},
	"quoted brace before":         {`It begins with {" as in {"a":1}`, `{"a":1}`, nil},
	"braces after":                {`{"a":1} where {} is empty and { is open`, `{"a":1}`, nil},
	"fence inside of a string":    {"```json\n{\"a\":\"```go\\nx\\n```\"}\n```", "{\"a\":\"```go\\nx\\n```\"}", nil},
	"raw newline in a string":     {"{\"a\":\"one\ntwo\tthree\"}", `{"a":"one\u000atwo\u0009three"}`, nil},
	"brace inside of a string":    {`{"a":"} {\"b\": 1}"}`, `{"a":"} {\"b\": 1}"}`, nil},
	"think block":                 {"<think>maybe {\"a\":0}?</think>{\"a\":1}", `{"a":1}`, nil},
	"think block opened before":   {"maybe {\"a\":0}?</think>\n{\"a\":1}", `{"a":1}`, nil},
	"think tag inside of a value": {`{"a":"<think>x</think>"}`, `{"a":"<think>x</think>"}`, nil},
	"close tag inside of a value": {`Found: {"a":"</think>"}`, `{"a":"</think>"}`, nil},
	"draft, then answer":          {`{"a":0} no: {"a":1}`, `{"a":1}`, nil},
	"empty object":                {`{ }`, `{}`, nil},
	"nested":                      {`{"a":{"b":[1,2.5e3,{"c":null}]},"d":true}`, `{"a":{"b":[1,2.5e3,{"c":null}]},"d":true}`, nil},
	"footnote and checkbox":       {"[1] and [x] {\"a\":1}", `{"a":1}`, nil},
	"list, then object":           {`[{"a":0}] and {"a":1}`, `{"a":1}`, nil},
	"half of a character":         {"{\"a\":\"\xc3\"}", "{\"a\":\"\ufffd\"}", nil},

	"empty":                      {"", "", model.ErrEmpty},
	"white space":                {" \n", "", model.ErrEmpty},
	"null":                       {"null\n", "", model.ErrNull},
	"prose":                      {"I see nothing to say.", "", model.ErrNoObject},
	"empty list":                 {"[]", "", model.ErrList},
	"list of objects":            {`[{"a":1},{"b":2}]`, "", model.ErrList},
	"fenced list":                {"```json\n[ {\"a\":1} ]\n```", "", model.ErrList},
	"cut in a list":              {`{"findings":[{"a":1},{"b":2`, "", model.ErrCut},
	"cut in a string":            {`{"findings":["it`, "", model.ErrCut},
	"cut in an escape":           {`{"a":"\u00`, "", model.ErrCut},
	"cut in a word":              {`{"a":tru`, "", model.ErrCut},
	"cut after a comma":          {`{"a":1,`, "", model.ErrCut},
	"cut list":                   {`[{"a":1},`, "", model.ErrCut},
	"cut in thought":             {`<think>maybe {"a":0}`, "", model.ErrCut},
	"comma at the end":           {`{"a":1,}`, "", model.ErrNoObject},
	"comment":                    {"{\"a\":1 // one\n}", "", model.ErrNoObject},
	"single quotes":              {"{'a':1}", "", model.ErrNoObject},
	"number with a leading zero": {`{"a":01}`, "", model.ErrNoObject},
	"thought without an answer":  {`{"a":0}</think>`, "", model.ErrNoObject},
}

func TestExtract(t *testing.T) {
	t.Parallel()
	for name, tt := range extractCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := model.Extract(tt.text)
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("Extract(%q) = %s, %v; want %s, %v", tt.text, got, err, tt.want, tt.err)
			}
		})
	}
}

// A text made to be read over and over ends all the same. The count of bytes
// that are read is bounded, so this finishes or the test runs into its limit.
func TestExtractOfHostileText(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"objects that all fail at the end": strings.Repeat(`{"a":[`, 20_000) + "x",
		"broken in the end":                strings.Repeat(`{"a":"b","c":{"d":[`, 10_000) + "!",
		"open braces":                      strings.Repeat("{", 100_000),
		"open lists":                       strings.Repeat("[{", 50_000),
		"open thoughts":                    strings.Repeat("<think>", 10_000),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := model.Extract(text); err == nil {
				t.Errorf("Extract() = %.60s, want an error", got)
			}
		})
	}
}

func FuzzExtract(f *testing.F) {
	for _, tt := range extractCases {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := model.Extract(text)
		if err != nil {
			if got != nil {
				t.Fatalf("Extract(%q) = %s and %v", text, got, err)
			}
			return
		}
		var object map[string]any
		if err := json.Unmarshal(got, &object); err != nil || object == nil || !utf8.Valid(got) {
			t.Fatalf("Extract(%q) = %q, which is no object: %v", text, got, err)
		}
		again, err := model.Extract(string(got))
		if err != nil || string(again) != string(got) {
			t.Fatalf("Extract(%q) = %q, then %q, %v", text, got, again, err)
		}
	})
}
