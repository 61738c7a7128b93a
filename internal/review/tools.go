package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// The limits of the tools, for one request with all its turns. They bound what
// a reviewer that was talked into reading everything can spend.
const (
	maxToolCalls  = 16
	maxToolOutput = 60_000 // bytes
	maxReadLines  = 400
	maxSearchHits = 40
	maxListed     = 300
	// maxSearched bounds, in bytes, what one search reads of the tree;
	// maxSearchedFile is the largest file that it looks into.
	maxSearched     = 32 << 20
	maxSearchedFile = 1 << 20
)

// toolbox is what a reviewer may look at besides its batch: the two trees of the
// change, read only. The trees are git's objects, not a checkout: no path leads
// out of them, no link is followed, and there is no process, network or
// environment to reach. What crev itself remembers is not in them.
type toolbox struct {
	head fs.FS
	// base reads a file of the merge base, nil when there is none.
	base func(path string) []byte
	// tracked are the paths of the head's tree.
	tracked []string
	redact  func(string) string

	calls, output int
}

// open reports whether a reviewer may see a path. Finders run cold: what is
// under .crev/ is the team's memory.
func (t *toolbox) open(p string) bool {
	return p == "." || fs.ValidPath(p) && p != ".crev" && !strings.HasPrefix(p, ".crev/")
}

// run answers one call. What goes wrong is told to the model in words: it can
// ask better.
func (t *toolbox) run(name string, args json.RawMessage) string {
	if t.calls++; t.calls > maxToolCalls {
		return "No more calls are possible for this batch. Answer with what you know."
	}
	out, err := t.answer(name, args)
	if err != nil {
		return "error: " + err.Error()
	}
	if room := maxToolOutput - t.output; len(out) > room {
		out = head(out, max(room, 0)) + "\n(cut: the room for looking around is used up)\n"
	}
	t.output += len(out)
	return t.redact(out)
}

func (t *toolbox) answer(name string, args json.RawMessage) (string, error) {
	switch name {
	case "read_file":
		var a struct {
			Path  string `json:"path"`
			Side  string `json:"side"`
			Start int    `json:"start_line"`
			End   int    `json:"end_line"`
		}
		if err := readArgs(args, &a); err != nil {
			return "", err
		}
		return t.readFile(a.Path, a.Side, a.Start, a.End)
	case "search":
		var a struct {
			Pattern string `json:"pattern"`
			Files   string `json:"files"`
		}
		if err := readArgs(args, &a); err != nil {
			return "", err
		}
		return t.search(a.Pattern, a.Files)
	case "list":
		var a struct {
			Folder string `json:"folder"`
		}
		if err := readArgs(args, &a); err != nil {
			return "", err
		}
		return t.list(a.Folder)
	}
	return "", fmt.Errorf("there is no tool %q; there are read_file, search and list", head(name, maxWord))
}

// readArgs decodes what a model gave as arguments. Nulls, which strict schemas
// ask for, leave the zero value.
func readArgs(raw json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	return nil
}

func (t *toolbox) readFile(p, side string, start, end int) (string, error) {
	p = path.Clean(p)
	var text []byte
	switch {
	case !t.open(p):
	case side == "base":
		text = t.base(p)
	default:
		text = readText(t.head, p)
	}
	if text == nil {
		return "", fmt.Errorf("there is no file %s", head(p, maxPath))
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return "", fmt.Errorf("%s is binary", p)
	}
	lines := splitLines(withoutKeys(text, t.redact))
	start = max(start, 1)
	if end < start {
		end = start + maxReadLines - 1
	}
	end = min(end, len(lines), start+maxReadLines-1)
	var b strings.Builder
	fmt.Fprintf(&b, "%s has %d lines.\n", p, len(lines))
	for n := start; n <= end; n++ {
		fmt.Fprintf(&b, "%5d  %s\n", n, clipLine(lines[n-1]))
	}
	return b.String(), nil
}

// search looks for a regular expression in the text files of the head, in order
// of path, within a glob where one is given.
func (t *toolbox) search(pattern, glob string) (string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", fmt.Errorf("pattern: %w; it is RE2 syntax", err)
	}
	if glob != "" && !doublestar.ValidatePattern(glob) {
		return "", errors.New("files: no valid glob; use for example src/**/*.go")
	}
	var b strings.Builder
	hits, read := 0, 0
	for _, p := range t.tracked {
		if glob != "" && !doublestar.MatchUnvalidated(glob, p) || !t.open(p) {
			continue
		}
		text := t.searchable(p)
		if read += len(text); read > maxSearched {
			b.WriteString("(the rest of the tree was not searched: name files)\n")
			break
		}
		if !re.Match(text) {
			continue
		}
		for i, line := range splitLines(withoutKeys(text, t.redact)) {
			if !re.MatchString(line) {
				continue
			}
			if hits++; hits > maxSearchHits {
				b.WriteString("(there are more: be more precise)\n")
				return b.String(), nil
			}
			fmt.Fprintf(&b, "%s:%d: %s\n", p, i+1, clipLine(line))
		}
	}
	if hits == 0 {
		b.WriteString("Nothing found.\n")
	}
	return b.String(), nil
}

// searchable returns the text of a file of the head that is worth searching, nil
// for others.
func (t *toolbox) searchable(p string) []byte {
	info, err := fs.Stat(t.head, p)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSearchedFile {
		return nil
	}
	text := readText(t.head, p)
	if bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	return text
}

func (t *toolbox) list(folder string) (string, error) {
	folder = path.Clean("./" + folder)
	if !t.open(folder) {
		return "", fmt.Errorf("there is no folder %s", head(folder, maxPath))
	}
	entries, err := fs.ReadDir(t.head, folder)
	if err != nil {
		return "", fmt.Errorf("there is no folder %s", head(folder, maxPath))
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !t.open(path.Join(folder, e.Name())) })
	var b strings.Builder
	for i, e := range entries {
		if i == maxListed {
			fmt.Fprintf(&b, "(and %d more)\n", len(entries)-i)
			break
		}
		slash := ""
		if e.IsDir() {
			slash = "/"
		}
		b.WriteString(e.Name() + slash + "\n")
	}
	return b.String(), nil
}

// The tools' parameters, in the strict subset.
const (
	readFileParameters = `{
  "type": "object", "additionalProperties": false, "required": ["path", "side", "start_line", "end_line"],
  "properties": {
    "path": {"type": "string"},
    "side": {"type": "string", "enum": ["head", "base"]},
    "start_line": {"type": ["integer", "null"]},
    "end_line": {"type": ["integer", "null"]}
  }
}`
	searchParameters = `{
  "type": "object", "additionalProperties": false, "required": ["pattern", "files"],
  "properties": {
    "pattern": {"type": "string", "description": "a regular expression in RE2 syntax"},
    "files": {"type": ["string", "null"], "description": "a glob such as src/**/*.go, or null for every file"}
  }
}`
	listParameters = `{
  "type": "object", "additionalProperties": false, "required": ["folder"],
  "properties": {"folder": {"type": "string", "description": "a folder, or . for the root"}}
}`
)
