package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"
)

// packSize is where a pack ends, in bytes. GitHub warns of files above 50 MiB.
const packSize = 32 << 20

// PackFile is a file that holds the events of many runs. Its name is the hash
// of its content.
type PackFile struct {
	// Path is from the root of the ledger: packs/3f/3f09….jsonl.
	Path string
	Data []byte
}

// Pack writes events to as few files as their size allows: every event once,
// the lines unchanged, in the order in which they are folded. The same events
// give the same files.
func Pack(events []Event) []PackFile {
	return packAt(events, packSize)
}

func packAt(events []Event, size int) []PackFile {
	var files []PackFile
	var buf bytes.Buffer
	flush := func() {
		if buf.Len() == 0 {
			return
		}
		sum := sha256.Sum256(buf.Bytes())
		name := hex.EncodeToString(sum[:])
		files = append(files, PackFile{path.Join(packs, name[:2], name+".jsonl"), bytes.Clone(buf.Bytes())})
		buf.Reset()
	}
	for _, e := range Sort(events) {
		line := e.Line()
		if buf.Len()+len(line) > size {
			flush()
		}
		buf.Write(line)
	}
	flush()
	return files
}

// Packed says what Store.Pack did.
type Packed struct {
	Events int      `json:"events"`
	Packs  []string `json:"packs"`
	// Removed are the run files whose events are in the packs now.
	Removed []string `json:"removed"`
}

// Pack moves the run files of days before the given one into packs. It removes
// a run file only when every event of it has been read back from a pack, and
// changes nothing when the ledger has a problem.
func (s *Store) Pack(before time.Time) (Packed, error) {
	fsys, err := s.FS()
	if err != nil {
		return Packed{}, fmt.Errorf("pack ledger: %w", err)
	}
	old := oldRuns{fsys, before.UTC().Format("2006-01/02")}
	events, problems := ReadAll(old)
	if len(problems) > 0 {
		return Packed{}, fmt.Errorf("pack ledger: %v (run `crev ledger verify`)", problems[0])
	}
	result := Packed{Events: len(events), Packs: []string{}, Removed: []string{}}
	if len(events) == 0 {
		return result, nil
	}
	for _, f := range Pack(events) {
		p := path.Join(Folder, f.Path)
		if err := s.writeOnce(p, f.Data); err != nil {
			return result, fmt.Errorf("write pack %s: %w", p, err)
		}
		result.Packs = append(result.Packs, p)
	}
	if err := s.checkPacked(fsys, events); err != nil {
		return result, err
	}
	err = fs.WalkDir(old, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".jsonl" {
			return err
		}
		result.Removed = append(result.Removed, path.Join(Folder, p))
		return s.root.Remove(path.Join(Folder, p))
	})
	if err != nil {
		return result, fmt.Errorf("remove packed runs: %w", err)
	}
	s.removeEmptyDays(result.Removed)
	return result, nil
}

// checkPacked reads the packs back and looks for every event.
func (s *Store) checkPacked(fsys fs.FS, events []Event) error {
	dir, err := fs.Sub(fsys, packs)
	if err != nil {
		return err
	}
	stored, problems := ReadAll(dir)
	if len(problems) > 0 {
		return fmt.Errorf("read packs back: %v", problems[0])
	}
	have := map[ID]bool{}
	for i := range stored {
		have[stored[i].ID] = true
	}
	for i := range events {
		if !have[events[i].ID] {
			return fmt.Errorf("event %s is in no pack; no run file was removed", events[i].ID)
		}
	}
	return nil
}

// removeEmptyDays removes the folders that packing emptied. One that is not
// empty stays.
func (s *Store) removeEmptyDays(removed []string) {
	for _, p := range removed {
		day := path.Dir(p)
		if s.root.Remove(day) == nil {
			_ = s.root.Remove(path.Dir(day))
		}
	}
}

// oldRuns is the part of a ledger with the run files of days before a day: no
// packs and no newer folders.
type oldRuns struct {
	fs.FS
	before string // 2026-11/30
}

// ReadDir leaves out what does not belong to the part.
func (o oldRuns) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && name == "." {
			return nil, nil
		}
		return nil, err
	}
	var kept []fs.DirEntry
	for _, e := range entries {
		p := path.Join(name, e.Name())
		if p == packs || p > o.before[:min(len(p), len(o.before))] || p == o.before {
			continue
		}
		kept = append(kept, e)
	}
	return kept, nil
}
