package ledger

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	posted := seal(t, sample(KindPosted))
	good := strings.TrimSuffix(string(posted.Line()), "\n")
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s does not hold %s", good, old)
		}
		return strings.Replace(good, old, new, 1)
	}
	tests := map[string]struct{ line, want string }{
		"nothing":                 {"", "not an event"},
		"no object":               {"[]", "not an event"},
		"half a line":             {good[:len(good)-9], "not an event"},
		"two events":              {good + good, "more text follows"},
		"an unknown field":        {swap(`"posted":{`, `"posted":{"nice":1,`), `unknown field "nice"`},
		"an unknown kind":         {swap(`"posted":`, `"shouted":`), `unknown field "shouted"`},
		"a key twice":             {swap(`"kind":"thread"`, `"kind":"thread","kind":"thread"`), `"kind" stands twice`},
		"a header key twice":      {swap(`"pr":42`, `"pr":41,"pr":42`), `"pr" stands twice`},
		"another order":           {swap(`"run":"1017.1","pr":42`, `"pr":42,"run":"1017.1"`), "canonical"},
		"blanks":                  {swap(`,"pr"`, `, "pr"`), "canonical"},
		"another case of a key":   {swap(`"pr":`, `"PR":`), "canonical"},
		"an escape without need":  {swap(`"thread"`, `"thre\u0061d"`), "canonical"},
		"an empty optional field": {swap(`"commit":"6f882ee"`, `"commit":"6f882ee","state":""`), `"state" stands twice`},
		"another id":              {swap(string(posted.ID), "0123456789ab"), "does not match the content"},
		"an edited text":          {swap("6f882ee", "6f882ef"), "does not match the content"},
		"no version":              {swap(`"v":1,`, ""), "version 0: want 1"},
		"an illegal value":        {swap(`"thread"`, `"shout"`), "kind"},
		"a zero byte":             {swap("PRRT", "P\x00RT"), "zero byte"},
		"invalid UTF-8":           {swap("PRRT", "P\xffRT"), "UTF-8"},
		"a long line":             {good + strings.Repeat(" ", MaxLine), "at most"},
		"two payloads":            {swap(`"posted":`, `"merged_pr":{"commit":"a","head":"b"},"posted":`), "two payloads"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Parse([]byte(tt.line)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%.200q) = %v, want an error about %q", tt.line, err, tt.want)
			}
		})
	}
	for name, line := range map[string]string{
		"same fields":   swap(`"v":1`, `"v":2`),
		"unknown field": swap(`"v":1`, `"v":3,"mood":"good"`),
		"unknown kind":  swap(`"v":1`, `"v":9`)[:60] + `","sung":{}}`,
	} {
		if _, err := Parse([]byte(line)); name != "unknown kind" && !errors.Is(err, ErrNewerFormat) {
			t.Errorf("%s of a newer version: %v, want ErrNewerFormat", name, err)
		}
	}
}

func TestParseForgivesEditors(t *testing.T) {
	t.Parallel()
	want := seal(t, sample(KindReviewed))
	line := string(want.Line())
	for name, typed := range map[string]string{
		"as written":        line,
		"no newline":        strings.TrimSuffix(line, "\n"),
		"CRLF":              strings.TrimSuffix(line, "\n") + "\r\n",
		"a byte-order mark": "\ufeff" + line,
	} {
		got, err := Parse([]byte(typed))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, k := range everyKind() {
		e := seal(f, sample(k))
		f.Add(e.Line())
	}
	f.Add([]byte(`{"fp":"334cece5d8ab7d10","fp":""}`))
	f.Add([]byte("\ufeff{}\r\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := Parse(line)
		if err != nil {
			return
		}
		again, err := Parse(e.Line())
		if err != nil {
			t.Fatalf("Parse accepts %q but not what it writes, %q: %v", line, e.Line(), err)
		}
		if diff := cmp.Diff(e, again); diff != "" {
			t.Errorf("round trip (-first +second):\n%s", diff)
		}
		sealed, err := Seal(e)
		if err != nil || sealed.ID != e.ID {
			t.Errorf("Seal of a parsed event: id %s, %v; want %s", sealed.ID, err, e.ID)
		}
		h, payload, ok := scanHeader(e.Line()[:len(e.Line())-1])
		if !ok {
			t.Errorf("the scan cannot read %q", e.Line())
		}
		if want, counts := headerOf(&e); counts && h != want {
			t.Errorf("the scan reads %+v from %q, want %+v", h, e.Line(), want)
		} else if counts {
			said, err := decodeText(h.kind, payload)
			if err != nil || said != textOf(&e) {
				t.Errorf("the scan reads %+v, %v from %q, want %+v", said, err, e.Line(), textOf(&e))
			}
		}
	})
}
