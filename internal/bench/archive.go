package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

// archive is a txtar file of a script and some trees, taken apart.
type archive struct {
	tells  string
	script []byte
	trees  map[string]Tree
}

// parseArchive takes an archive apart. Every file is the script or stands in one
// of the folders; a byte order mark and CRLF are taken off.
func parseArchive(text []byte, script string, folders ...string) (archive, error) {
	a := archive{trees: map[string]Tree{}}
	for _, f := range folders {
		a.trees[f] = Tree{}
	}
	if len(text) > maxCase {
		return a, fmt.Errorf("it is larger than %d MiB", maxCase>>20)
	}
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	ar := txtar.Parse(text)
	if a.tells = strings.TrimSpace(string(ar.Comment)); a.tells == "" {
		return a, errors.New("it begins with a comment that tells what the change is about; there is none")
	}
	seen := map[string]bool{}
	for _, f := range ar.Files {
		if seen[f.Name] {
			return a, fmt.Errorf("file %q is there twice", f.Name)
		}
		seen[f.Name] = true
		if f.Name == script {
			a.script = f.Data
			continue
		}
		folder, rest, ok := strings.Cut(f.Name, "/")
		tree := a.trees[folder]
		if !ok || tree == nil || !fs.ValidPath(f.Name) || strings.ContainsRune(f.Name, 0) {
			return a, fmt.Errorf("file %q: want %s", f.Name, wantedNames(folders))
		}
		tree[rest] = string(f.Data)
	}
	if a.script == nil {
		return a, fmt.Errorf("there is no %s", script)
	}
	return a, nil
}

func wantedNames(folders []string) string {
	names := slices.Clone(folders)
	for i := range names {
		names[i] += "/PATH"
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// decodeScript reads the one YAML document of an archive, and refuses unknown
// keys and versions newer than the given one.
func decodeScript(text []byte, newest int, into any) error {
	var version struct {
		Version int `yaml:"version"`
	}
	if err := yaml.Unmarshal(text, &version); err == nil && version.Version > newest {
		return fmt.Errorf("version %d: this crev reads version %d; update crev", version.Version, newest)
	}
	if version.Version < 0 {
		return fmt.Errorf("version %d; want %d", version.Version, newest)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("more than one YAML document; keep the first")
	}
	return nil
}

// checkQuote refuses code that is no line of a file in any of the trees.
func checkQuote(p, quote string, trees ...Tree) error {
	there := false
	for _, t := range trees {
		text, ok := t[p]
		there = there || ok
		if ok && (quote == "" || slices.Contains(strings.Split(text, "\n"), quote)) {
			return nil
		}
	}
	if !there {
		return fmt.Errorf("path %s: it is neither under head/ nor under base/", strconv.Quote(p))
	}
	return fmt.Errorf("quote %q: it is no line of %s", quote, p)
}
