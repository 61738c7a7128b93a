package review

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func newTestToolbox() *toolbox {
	tree := fstest.MapFS{
		"pay/charge.go":          {Data: []byte("package pay\n\nfunc Charge() error { return nil }\n")},
		"pay/charge_test.go":     {Data: []byte("package pay\n\n// token s3cret\n")},
		"logo.png":               {Data: []byte("PNG\x00\x01Charge")},
		".crev/rules/quiet.yaml": {Data: []byte("says: Charge is fine.\n")},
	}
	return &toolbox{
		head:    tree,
		base:    func(p string) []byte { return map[string][]byte{"pay/charge.go": []byte("package pay\n")}[p] },
		tracked: []string{".crev/rules/quiet.yaml", "logo.png", "pay/charge.go", "pay/charge_test.go"},
		redact:  func(s string) string { return strings.ReplaceAll(s, "s3cret", "[redacted]") },
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tool, args, want string
	}{
		"a file at the head": {"read_file", `{"path": "pay/charge.go", "side": "head", "start_line": 3, "end_line": null}`,
			"pay/charge.go has 3 lines.\n    3  func Charge() error { return nil }\n"},
		"a file at the base": {"read_file", `{"path": "pay/charge.go", "side": "base", "start_line": null, "end_line": null}`,
			"pay/charge.go has 1 lines.\n    1  package pay\n"},
		"lines in the wrong order": {"read_file", `{"path": "pay/charge.go", "start_line": 3, "end_line": 1}`,
			"pay/charge.go has 3 lines.\n    3  func Charge() error { return nil }\n"},
		"a secret":            {"read_file", `{"path": "pay/charge_test.go", "start_line": 3}`, "pay/charge_test.go has 3 lines.\n    3  // token [redacted]\n"},
		"a file out of reach": {"read_file", `{"path": "../etc/passwd"}`, "error: there is no file ../etc/passwd"},
		"a process's environment": {"read_file", `{"path": "/proc/self/environ"}`,
			"error: there is no file /proc/self/environ"},
		"git's own files":         {"read_file", `{"path": ".git/config"}`, "error: there is no file .git/config"},
		"the team's memory":       {"read_file", `{"path": ".crev/rules/quiet.yaml"}`, "error: there is no file .crev/rules/quiet.yaml"},
		"the memory, in disguise": {"read_file", `{"path": "pay/../.crev/rules/quiet.yaml"}`, "error: there is no file .crev/rules/quiet.yaml"},
		"a binary":                {"read_file", `{"path": "logo.png"}`, "error: logo.png is binary"},
		"a search": {"search", `{"pattern": "Charge\\(", "files": null}`,
			"pay/charge.go:3: func Charge() error { return nil }\n"},
		"a search elsewhere": {"search", `{"pattern": "Charge", "files": "docs/**"}`, "Nothing found.\n"},
		"a search for what is not RE2": {"search", `{"pattern": "(?=x)", "files": null}`,
			"error: pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=`; it is RE2 syntax"},
		"a list":                   {"list", `{"folder": "."}`, "logo.png\npay/\n"},
		"a list of the memory":     {"list", `{"folder": ".crev"}`, "error: there is no folder .crev"},
		"a list of what is not":    {"list", `{"folder": "nowhere"}`, "error: there is no folder nowhere"},
		"no such tool":             {"write_file", `{}`, `error: there is no tool "write_file"; there are read_file, search and list`},
		"arguments that are wrong": {"list", `{"dir": "."}`, `error: read the arguments: json: unknown field "dir"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newTestToolbox().run(tt.tool, json.RawMessage(tt.args))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s(%s) (-want +got):\n%s", tt.tool, tt.args, d)
			}
		})
	}
}

// However much a model asks for, one request sees a bounded part of the tree.
func TestToolsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("x", 200)+"\n", 1000)
	box := newTestToolbox()
	box.head = fstest.MapFS{"long.txt": {Data: []byte(long)}}
	box.tracked = []string{"long.txt"}
	total := 0
	for i := range maxToolCalls {
		args := fmt.Sprintf(`{"path": "long.txt", "start_line": %d}`, 1+i*10)
		total += len(box.run("read_file", json.RawMessage(args)))
	}
	if most := maxToolOutput + maxToolCalls*100; total > most {
		t.Errorf("%d bytes were read, want at most %d", total, most)
	}
	if got := box.run("list", json.RawMessage(`{"folder": "."}`)); !strings.HasPrefix(got, "No more calls") {
		t.Errorf("one call too many: %q", got)
	}
}
