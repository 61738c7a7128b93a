package checker

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/finding"
)

const tabbed = "package a\n\nfunc F(x int) error {\n\tif x > 1 {\n\t\tdo(x)\n\t}\n\treturn nil\n}\n"

func TestSuggested(t *testing.T) {
	t.Parallel()
	blanks := strings.ReplaceAll(tabbed, "\t", "    ")
	windows := strings.ReplaceAll(tabbed, "\n", "\r\n")
	for name, tt := range map[string]struct {
		file, suggestion string
		start, end       int
		want, reason     string
	}{
		"one line":                       {tabbed, "\tif x >= 1 {", 4, 4, "\tif x >= 1 {", ""},
		"a newline at its end":           {tabbed, "\tif x >= 1 {\n", 4, 4, "\tif x >= 1 {", ""},
		"more lines":                     {tabbed, "\tif x > 1 {\n\t\treturn do(x)\n\t}", 4, 6, "\tif x > 1 {\n\t\treturn do(x)\n\t}", ""},
		"the last line without an end":   {"a\nb", "c", 2, 2, "c", ""},
		"line ends of Windows are kept":  {windows, "\tif x >= 1 {\n\t\tbe(x)", 4, 5, "\tif x >= 1 {\r\n\t\tbe(x)\r", ""},
		"the same with its own":          {windows, "\tif x >= 1 {\r\n", 4, 4, "\tif x >= 1 {\r", ""},
		"mixed line ends":                {"a\r\nb\nc\n", "x\ny", 1, 2, "", "the lines it replaces have mixed line ends"},
		"none":                           {tabbed, "", 4, 4, "", "there is none"},
		"no lines":                       {tabbed, "x", 0, 0, "", "the lines it replaces are not known"},
		"lines past the end":             {tabbed, "x", 8, 9, "", "the lines it replaces are not known"},
		"turned about":                   {tabbed, "x", 5, 4, "", "the lines it replaces are not known"},
		"too many lines replaced":        {strings.Repeat("a\n", 30), "x", 1, 21, "", "it replaces 21 lines; at most 20 may be"},
		"too many lines":                 {"a\n", strings.Repeat("x\n", 21), 1, 1, "", "it has 21 lines; at most 20 are offered"},
		"nothing changes":                {tabbed, "\treturn nil", 7, 7, "", "it changes nothing"},
		"nothing but the line end":       {windows, "\treturn nil\n", 7, 7, "", "it changes nothing"},
		"blanks for tabs":                {tabbed, "    if x >= 1 {", 4, 4, "", "it is indented with blanks, the file with tabs"},
		"tabs for blanks":                {blanks, "\tif x >= 1 {", 4, 4, "", "it is indented with tabs, the file with blanks"},
		"blanks where the file has tabs": {tabbed, "func F(\n    x int) error {", 3, 3, "", "it is indented with blanks, the file with tabs"},
		"no indentation":                 {tabbed, "if x >= 1 {", 4, 4, "", "it has lost the indentation"},
		"an open bracket":                {tabbed, "\tif x >= 1 {\n\t\tif x < 9 {", 4, 4, "", "it leaves other brackets open than the lines it replaces"},
		"a bracket in a string":          {tabbed, "\t\tlog(\"(\", x)", 5, 5, "\t\tlog(\"(\", x)", ""},
		"a bracket in a comment":         {tabbed, "\t\tbe(x) // not (", 5, 5, "\t\tbe(x) // not (", ""},
		"an apostrophe":                  {tabbed, "\t\tbe(x) // it's not", 5, 5, "\t\tbe(x) // it's not", ""},
		"the line before again":          {tabbed, "\tif x > 1 {\n\t\tbe(x)\n\t}", 5, 6, "", "it leaves other brackets open than the lines it replaces"},
		"the line before, in balance":    {"a := 1\nb := 2\nc := 3\n", "a := 1\nb := 4", 2, 2, "", "it repeats the line before those it replaces"},
		"the line after":                 {"a := 1\nb := 2\nc := 3\n", "b := 4\nc := 3", 2, 2, "", "it repeats the line after those it replaces"},
		"a line that stood there twice":  {"x()\nx()\ny()\n", "x()\nz()", 2, 2, "x()\nz()", ""},
		"a secret":                       {"a\n", "key = \"ghp_0123456789012345678901234567890123456\"", 1, 1, "", "it holds what is never shown"},
		"what nobody sees":               {"a\n", "b\u202e", 1, 1, "", "it holds characters that a reader does not see"},
		"what was there before":          {"a\u200d\n", "b\u200d", 1, 1, "b\u200d", ""},
		"no UTF-8":                       {"a\xff\n", "b", 1, 1, "", "it or the file is not UTF-8"},
		"a file that is not there":       {"", "b", 1, 1, "", "the lines it replaces are not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := finding.Finding{Path: "a.go", Suggestion: tt.suggestion, StartLine: tt.start, EndLine: tt.end}
			got, reason := Suggested(f, []byte(tt.file), new(finding.Redactor).Redact)
			if got != tt.want || reason != tt.reason {
				t.Errorf("Suggested(%q) = %q, %q; want %q, %q", tt.suggestion, got, reason, tt.want, tt.reason)
			}
		})
	}
	left := finding.Finding{Path: "a.go", Side: finding.Left, Suggestion: "x", StartLine: 1, EndLine: 1}
	if _, reason := Suggested(left, []byte("a\n"), new(finding.Redactor).Redact); reason != "it would replace lines that the change removed" {
		t.Errorf("removed lines: %q", reason)
	}
	text := finding.Finding{Path: "README.md", Suggestion: "1) first (see", StartLine: 1, EndLine: 1}
	if _, reason := Suggested(text, []byte("one\n"), new(finding.Redactor).Redact); reason != "" {
		t.Errorf("brackets in text for people: %q", reason)
	}
}

// What is offered, put in the place of the lines, leaves every other byte of the
// file as it was, gives all lines the same kind of end and keeps the brackets.
func TestSuggestedKeepsTheRest(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"", "a", "\tb", "  c", "f(x)", "if {", "}", "// (", `s := "("`, "x := [1]"})
	rapid.Check(t, func(t *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		lines := rapid.SliceOfN(line, 1, 12).Draw(t, "file")
		start := rapid.IntRange(1, len(lines)).Draw(t, "start")
		end := rapid.IntRange(start, len(lines)).Draw(t, "end")
		text := strings.Join(lines, eol) + eol
		f := finding.Finding{Path: "a.go", StartLine: start, EndLine: end,
			Suggestion: strings.Join(rapid.SliceOfN(line, 1, 4).Draw(t, "suggestion"), "\n")}
		got, reason := Suggested(f, []byte(text), new(finding.Redactor).Redact)
		if (got == "") != (reason != "") && f.Suggestion != "" && strings.TrimSpace(f.Suggestion) != "" {
			t.Fatalf("%q with the reason %q", got, reason)
		}
		if reason != "" {
			return
		}
		before, after := strings.Join(lines[:start-1], eol), strings.Join(lines[end:], eol)
		applied := strings.Join(append(append(lines[:start-1:start-1], strings.TrimSuffix(got, "\r")), lines[end:]...), eol) + eol
		if !strings.HasPrefix(applied, before) || !strings.HasSuffix(applied, after+eol) || applied == text {
			t.Fatalf("%q became %q", text, applied)
		}
		if eol == "\r\n" && strings.Count(applied, "\n") != strings.Count(applied, "\r\n") {
			t.Fatalf("mixed line ends in %q", applied)
		}
		all := strings.Split(text, "\n")
		fresh := strings.Split(applied, "\n")
		if nesting(all, false) != nesting(fresh, false) && nesting(all, true) != nesting(fresh, true) {
			t.Fatalf("%q leaves other brackets open than %q", applied, text)
		}
	})
}

func TestFix(t *testing.T) {
	t.Parallel()
	cs := candidates()[:1]
	file := strings.Repeat("// x\n", 10) + cs[0].Source
	c := changed(map[string]string{"pay/charge.go": file}, "pay/charge.go")
	req := Fix("m", "fence", cs)
	golden(t, "fix", req)
	for name, tt := range map[string]struct {
		body string
		want Proposal
	}{
		"one that applies":   {`{"fixes":[{"finding":1,"replacement":"\tif err := Charge(total); err != nil {\n\t\treturn err\n\t}","reason":"r"}]}`, Proposal{Suggestion: "\tif err := Charge(total); err != nil {\n\t\treturn err\n\t}"}},
		"one that does not":  {`{"fixes":[{"finding":1,"replacement":"Charge(","reason":"r"}]}`, Proposal{Reason: "it has lost the indentation"}},
		"none, with reason":  {`{"fixes":[{"finding":1,"replacement":null,"reason":"It needs a decision."}]}`, Proposal{Reason: "It needs a decision."}},
		"none":               {`{"fixes":[]}`, Proposal{Reason: "no fix was proposed"}},
		"of another finding": {`{"fixes":[{"finding":2,"replacement":"x","reason":"r"}]}`, Proposal{Reason: "no fix was proposed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadFix(reply(t, req.Schema, tt.body), cs, c)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestFixable(t *testing.T) {
	t.Parallel()
	at := finding.Finding{Severity: finding.High, StartLine: 3, EndLine: 4}
	for name, tt := range map[string]struct {
		edit func(*finding.Finding)
		want bool
	}{
		"high":                {func(*finding.Finding) {}, true},
		"critical":            {func(f *finding.Finding) { f.Severity = finding.Critical }, true},
		"medium":              {func(f *finding.Finding) { f.Severity = finding.Medium }, false},
		"with a suggestion":   {func(f *finding.Finding) { f.Suggestion = "x" }, false},
		"of the whole file":   {func(f *finding.Finding) { f.StartLine, f.EndLine = 0, 0 }, false},
		"about removed lines": {func(f *finding.Finding) { f.Side = finding.Left }, false},
		"of many lines":       {func(f *finding.Finding) { f.EndLine = 30 }, false},
	} {
		f := at
		tt.edit(&f)
		if got := Fixable(f); got != tt.want {
			t.Errorf("%s: Fixable is %v, want %v", name, got, tt.want)
		}
	}
}
