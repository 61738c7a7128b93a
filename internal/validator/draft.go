package validator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Draft is a validator that is to be written: a scaffold for people, or what a
// finding brought as its artifact.
type Draft struct {
	// Name is the folder's name.
	Name string
	Says string
	Kind Kind
	// Scope lists globs, see glob.Match.
	Scope []string
	// MustNot and Must are the expressions of a pattern.
	MustNot, Must []string
	// Script is the text of check.sh, for a script.
	Script string
	// Promotes lists the classes it is to decide.
	Promotes []string
	// Note is a comment at the head of validator.yaml, one line or several.
	Note string
	// Samples are the files of bad/ and good/, by path below the folder.
	Samples map[string]string
}

// scriptName is the program of a drafted script.
const scriptName = "check.sh"

// DraftOf makes a draft of a finding's artifact. Own is the finding's file, which
// the artifact judges when it names no scope.
func DraftOf(a *finding.Artifact, name, says, own string) Draft {
	d := Draft{Name: name, Says: clipSays(says), Kind: Kind(a.Kind), Scope: a.Scope, Script: a.Script}
	if len(d.Scope) == 0 {
		d.Scope = []string{own}
	}
	if a.Pattern != "" {
		d.MustNot = []string{a.Pattern}
	}
	if a.Must != "" {
		d.Must = []string{a.Must}
	}
	return d
}

// clipSays makes one line of a text that fits under "says".
func clipSays(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > maxSays {
		s = strings.TrimSpace(string(runes[:maxSays-1])) + "…"
	}
	return s
}

// Write makes the folder of the draft below dir, which must exist. It replaces
// nothing: a folder that is there is an error that wraps fs.ErrExist.
func (d Draft) Write(dir string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("write validator %s: %w", d.Name, err)
	}
	defer func() {
		if err = errors.Join(err, root.Close()); err != nil {
			err = fmt.Errorf("write validator %s: %w", d.Name, err)
		}
	}()
	if err := root.Mkdir(d.Name, 0o755); err != nil {
		return err
	}
	files := d.files()
	for _, name := range sortedKeys(files) {
		to := filepath.FromSlash(path.Join(d.Name, name))
		if err := root.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if name == scriptName {
			mode = 0o755
		}
		if err := root.WriteFile(to, []byte(files[name]), mode); err != nil {
			return err
		}
	}
	return nil
}

// Paths lists the files of the draft, from the folder, in order.
func (d Draft) Paths() []string { return sortedKeys(d.files()) }

func (d Draft) files() map[string]string {
	files := map[string]string{fileName: d.description()}
	for name, text := range d.Samples {
		files[name] = text
	}
	if d.Kind == Script {
		files[scriptName] = d.Script
	}
	return files
}

// description renders validator.yaml.
func (d Draft) description() string {
	body := struct {
		Says     string   `yaml:"says"`
		Kind     Kind     `yaml:"kind"`
		Scope    []string `yaml:"scope,flow"`
		MustNot  []string `yaml:"must_not,omitempty"`
		Must     []string `yaml:"must,omitempty"`
		Run      []string `yaml:"run,flow,omitempty"`
		Promotes []string `yaml:"promotes,flow,omitempty"`
	}{d.Says, d.Kind, plainText(d.Scope), plainText(d.MustNot), plainText(d.Must), nil, d.Promotes}
	if d.Kind == Script {
		body.Run = []string{"./" + scriptName}
	}
	var b strings.Builder
	for line := range strings.Lines(d.Note) {
		b.WriteString("# " + strings.TrimSpace(line) + "\n")
	}
	text, err := yaml.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("validator: write a description: %v", err)) // strings only
	}
	b.Write(text)
	return b.String()
}

// plainText replaces bytes that are no UTF-8: YAML would hide them behind a tag,
// which the loader refuses.
func plainText(list []string) []string {
	out := slices.Clone(list)
	for i, s := range out {
		out[i] = strings.ToValidUTF8(s, "\uFFFD")
	}
	return out
}

// LoadDraft writes a draft below dir and loads it, so that whatever the loader
// refuses in a committed validator is refused here too.
func LoadDraft(d Draft, dir string) (Validator, error) {
	if err := d.Write(dir); err != nil {
		return Validator{}, err
	}
	v, problems := load(d.Name, os.DirFS(filepath.Join(dir, d.Name)))
	if len(problems) > 0 {
		return Validator{}, errors.New(problems[0].Msg)
	}
	return v, nil
}
