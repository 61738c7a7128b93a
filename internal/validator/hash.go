package validator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
)

// Hash identifies a validator by everything that decides its answer: the
// SHA-256, in hex, over the files of its folder in the order of their paths,
// each written as
//
//	<length of path> SP <path> LF <length of content> SP <content> LF
//
// with lengths in decimal. Modes and times do not count, and neither do the
// samples in bad/ and good/: they prove the check and are no part of it.
func Hash(folder fs.FS) (string, error) {
	var names []string
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == badSamples || name == goodSamples):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s: not a regular file", name)
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("hash a validator: %w", err)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return "", fmt.Errorf("hash a validator: %w", err)
		}
		fmt.Fprintf(h, "%d %s\n%d ", len(name), name, len(data))
		h.Write(data)
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
