package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	// Folder is where the ledger is in a repository.
	Folder = ".crev/ledger"

	readmeName = "README.md"
)

// README is the text of .crev/ledger/README.md. Git keeps no empty folder, and
// people who find the folder want to know what it is.
const README = `# The ledger

What crev found in this repository and what became of it: one event a line, one
file a run, never edited. State is computed from the set of events, so files can
be moved into packs and branches can be merged in any order.

Read it with ` + "`crev ledger tally`, `crev ledger show`" + ` and ` + "`crev ledger verify`" + `.
The format is described in crev's docs/ledger.md.
`

// Store writes the ledger of one repository. It reads nothing back, so writing
// costs the same whatever the ledger holds.
type Store struct {
	root *os.Root
}

// OpenStore opens the ledger of the repository at dir. It creates nothing.
func OpenStore(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return &Store{root}, nil
}

// Close releases the repository's folder.
func (s *Store) Close() error { return s.root.Close() }

// FS returns the ledger's files, rooted at .crev/ledger. It refuses a ledger
// that is not made of folders. A ledger that does not exist is empty.
func (s *Store) FS() (fs.FS, error) {
	if _, err := s.existing(Folder); err != nil {
		return nil, err
	}
	return fs.Sub(s.root.FS(), Folder)
}

// RunPath returns the path, from the repository root, of the file of a run:
// .crev/ledger/2026-11/30/42-1017-1.jsonl for attempt 1 of run 1017 about pull
// request 42.
func RunPath(pr int, run string, at time.Time) string {
	name := run
	if i := strings.LastIndexByte(run, '.'); i >= 0 {
		name = run[:i] + "-" + run[i+1:]
	}
	at = at.UTC()
	return path.Join(Folder, at.Format("2006-01"), at.Format("02"), strconv.Itoa(pr)+"-"+name+".jsonl")
}

// RunFile returns the content of a run's file: the lines of sealed events in
// their order, each once.
func RunFile(events []Event) []byte {
	var buf bytes.Buffer
	for _, e := range Sort(events) {
		buf.Write(e.Line())
	}
	return buf.Bytes()
}

// WriteRun writes the events of a run to its file and returns the file's path
// from the repository root. The file is written once: the same content again is
// no change, other content is an error. Nothing is written for no events, and
// the path is then "". The file appears whole or not at all.
func (s *Store) WriteRun(pr int, run string, at time.Time, events []Event) (string, error) {
	if len(events) == 0 {
		return "", nil
	}
	if pr < 0 || !isRun(run) {
		return "", fmt.Errorf("write ledger: run %q of pull request %d cannot name a file", run, pr)
	}
	p := RunPath(pr, run, at)
	if err := s.writeOnce(p, RunFile(events)); err != nil {
		return "", fmt.Errorf("write ledger %s: %w", p, err)
	}
	return p, nil
}

// Has reports whether a file of the ledger exists, by its path from the
// repository root.
func (s *Store) Has(p string) bool {
	_, err := s.root.Lstat(p)
	return err == nil
}

// existing reports whether a path exists, and refuses it when one of the folders
// on it is a link or no folder.
func (s *Store) existing(dir string) (bool, error) {
	parts := strings.Split(dir, "/")
	for i := range parts {
		p := path.Join(parts[:i+1]...)
		info, err := s.root.Lstat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		case err != nil:
			return false, err
		case info.Mode()&fs.ModeSymlink != 0:
			return false, fmt.Errorf("%s is a symbolic link; crev writes through none, make it a folder", p)
		case !info.IsDir():
			return false, fmt.Errorf("%s is not a folder", p)
		}
	}
	return true, nil
}

// writeOnce writes a file that does not exist, with its folders and the
// ledger's README.
func (s *Store) writeOnce(p string, content []byte) error {
	dir := path.Dir(p)
	if ok, err := s.existing(dir); err != nil {
		return err
	} else if !ok {
		if err := s.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	if err := s.writeREADME(); err != nil {
		return err
	}
	return s.publish(p, content)
}

func (s *Store) writeREADME() error {
	p := path.Join(Folder, readmeName)
	if _, err := s.root.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.publish(p, []byte(README))
}

// publish puts content at p by a hard link to a complete, synced file, so that
// nobody sees half of it and nothing is overwritten.
func (s *Store) publish(p string, content []byte) error {
	tmp, err := s.writeTemporary(p, content)
	if err != nil {
		return err
	}
	defer s.root.Remove(tmp)
	err = s.root.Link(tmp, p)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = s.renameIfFree(tmp, p) // a file system without hard links
	}
	if errors.Is(err, fs.ErrExist) {
		return s.checkSame(p, content)
	}
	if err != nil {
		return err
	}
	return s.syncDir(path.Dir(p))
}

// writeTemporary writes a file beside p and returns its path.
func (s *Store) writeTemporary(p string, content []byte) (_ string, err error) {
	var f *os.File
	tmp := ""
	for n := range 100 {
		tmp = fmt.Sprintf("%s/.%s.%d.tmp", path.Dir(p), path.Base(p), n)
		f, err = s.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return "", errors.Join(err, s.root.Remove(tmp))
	}
	return tmp, nil
}

func (s *Store) renameIfFree(tmp, p string) error {
	if _, err := s.root.Lstat(p); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.root.Rename(tmp, p)
}

func (s *Store) checkSame(p string, content []byte) error {
	info, err := s.root.Lstat(p)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("exists and is no regular file")
	}
	old, err := s.root.ReadFile(p)
	if err != nil {
		return err
	}
	if !bytes.Equal(old, content) {
		return errors.New("exists with other content; a run's file is written once")
	}
	return nil
}

// syncDir makes the entry of a new file durable where the system can.
func (s *Store) syncDir(dir string) error {
	f, err := s.root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	_ = f.Sync() // not every system syncs folders
	return nil
}
