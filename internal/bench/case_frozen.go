package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// SumFile is the list of what is frozen, in the folder of the frozen cases: one
// line a case with the SHA-256 of its bytes and its file name, two blanks
// between them and by name, as sha256sum writes and checks.
const SumFile = "frozen.sum"

// FrozenSum returns the content that the list should have. The file system is
// rooted at the folder of the frozen cases.
func FrozenSum(fsys fs.FS) ([]byte, error) {
	names, err := fs.Glob(fsys, "*"+caseEnding)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read case %s: %w", name, err)
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&b, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	return b.Bytes(), nil
}

// Thawed is a case that is not what the list says.
type Thawed struct {
	// Name is the file's.
	Name string
	// Msg is what is wrong with it, New that it is only not in the list yet.
	Msg string
	New bool
}

// CheckFrozen returns the cases that are not what the list says: changed, gone,
// or not in it.
func CheckFrozen(fsys fs.FS) ([]Thawed, error) {
	want, err := fs.ReadFile(fsys, SumFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", SumFile, err)
	}
	have, err := FrozenSum(fsys)
	if err != nil {
		return nil, err
	}
	var problems []Thawed
	listed, present := sums(want), sums(have)
	for _, name := range sortedNames(listed) {
		switch sum, ok := present[name]; {
		case !ok:
			problems = append(problems, Thawed{Name: name, Msg: "it is frozen and is not there"})
		case sum != listed[name]:
			problems = append(problems, Thawed{Name: name, Msg: "it is frozen and was changed"})
		}
	}
	for _, name := range sortedNames(present) {
		if _, ok := listed[name]; !ok {
			problems = append(problems, Thawed{Name: name, Msg: "it is not in " + SumFile + "; run `crev bench freeze`", New: true})
		}
	}
	return problems, nil
}

// sums reads a list. A line that is none counts as a file that is not there.
func sums(list []byte) map[string]string {
	sums := map[string]string{}
	for line := range strings.Lines(strings.TrimPrefix(string(list), "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		sum, name, _ := strings.Cut(line, "  ")
		sums[name] = sum
	}
	return sums
}
