package bench

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/crev-ratchet/crev/internal/relocate"
)

// relocateCase is one line of code_cases or mutation_cases.
type relocateCase struct {
	Repo       string            `json:"repo"`
	SourceRepo string            `json:"source_repo"`
	Kind       string            `json:"kind"`
	Mutation   string            `json:"mutation"`
	OldPath    string            `json:"old_path"`
	OldLine    int               `json:"old_line"`
	OldEnd     int               `json:"old_end"`
	OldBlob    string            `json:"old_blob"`
	GitStatus  [][]string        `json:"git_status"` // letter, old path, new path
	NewFiles   map[string]string `json:"new_files"`  // path to blob
	Truth      *truth            `json:"truth"`      // nil: removed
	OldCommit  string            `json:"old_commit"`

	number int               // among the cases of its file, from 1
	texts  map[string]string // blob to text
	// olds are the blobs of the old commits that some case of the set names.
	olds map[version]string
}

// truth is where the code is after the change.
type truth struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// version is a file at a commit.
type version struct{ repo, commit, path string }

func (c *relocateCase) repository() string {
	if c.Repo != "" {
		return c.Repo
	}
	return c.SourceRepo
}

// change builds what a caller with git would give. Of a file other than the
// one with the place the old text is known only where another case has it.
func (c *relocateCase) change() relocate.Change {
	var ch relocate.Change
	done := make(map[string]bool)
	add := func(oldPath, newPath string) {
		f := relocate.File{OldPath: oldPath, NewPath: newPath}
		if oldPath == c.OldPath {
			f.Old = relocate.Bytes([]byte(c.texts[c.OldBlob]))
			done[oldPath] = true
		} else if blob, ok := c.olds[version{c.repository(), c.OldCommit, oldPath}]; ok && c.OldCommit != "" {
			f.Old = relocate.Bytes([]byte(c.texts[blob]))
		}
		if newPath != "" {
			blob, ok := c.NewFiles[newPath]
			if !ok {
				return // not a file the case brings
			}
			f.New = relocate.Bytes([]byte(c.texts[blob]))
			done[newPath] = true
		}
		ch.Files = append(ch.Files, f)
	}
	for _, s := range c.GitStatus {
		if len(s) != 3 {
			continue
		}
		switch s[0][:min(1, len(s[0]))] {
		case "A":
			add("", s[2])
		case "D":
			add(s[1], "")
		default:
			add(s[1], s[2])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.NewFiles)) {
		switch {
		case done[path]:
		case path == c.OldPath:
			add(path, path)
		default:
			add("", path)
		}
	}
	if !done[c.OldPath] {
		add(c.OldPath, "")
	}
	return ch
}

// relocateCases reads one pair of files, nil when the cases are not there.
func relocateCases(dir fs.FS, kind string) ([]relocateCase, error) {
	texts := make(map[string]string)
	err := eachLine(dir, kind+"_blobs", func(dec *json.Decoder) error {
		var b struct{ ID, Text string }
		if err := dec.Decode(&b); err != nil {
			return err
		}
		texts[b.ID] = b.Text
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var cases []relocateCase
	olds := make(map[version]string)
	err = eachLine(dir, kind+"_cases", func(dec *json.Decoder) error {
		c := relocateCase{texts: texts, olds: olds}
		if err := dec.Decode(&c); err != nil {
			return err
		}
		c.number = len(cases) + 1
		olds[version{c.repository(), c.OldCommit, c.OldPath}] = c.OldBlob
		cases = append(cases, c)
		return c.complete()
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return cases, err
}

// complete reports a text that the case names and the blobs do not hold.
func (c *relocateCase) complete() error {
	if _, ok := c.texts[c.OldBlob]; !ok {
		return fmt.Errorf("text %q is not among the blobs", c.OldBlob)
	}
	for _, blob := range c.NewFiles {
		if _, ok := c.texts[blob]; !ok {
			return fmt.Errorf("text %q is not among the blobs", blob)
		}
	}
	return nil
}

// eachLine decodes NAME.jsonl or NAME.jsonl.gz value by value.
func eachLine(dir fs.FS, name string, decode func(*json.Decoder) error) error {
	name += ".jsonl"
	f, err := dir.Open(name)
	var r io.Reader = f
	if errors.Is(err, fs.ErrNotExist) {
		name += ".gz"
		if f, err = dir.Open(name); err == nil {
			if r, err = gzip.NewReader(f); err != nil {
				f.Close()
			}
		}
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReader(r))
	for n := 1; dec.More(); n++ {
		if err := decode(dec); err != nil {
			return fmt.Errorf("read %s: value %d: %w", name, n, err)
		}
	}
	return nil
}
