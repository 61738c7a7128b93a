package ledger

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"strings"
)

const (
	// MaxFile is the greatest size of a ledger file in bytes. GitHub
	// rejects pushes with larger ones:
	// https://docs.github.com/en/repositories/working-with-files/managing-large-files/about-large-files-on-github
	MaxFile = 100 << 20

	// maxProblems is how many bad lines of one file are listed.
	maxProblems = 100

	packs = "packs"
)

// ReadAll reads every event in a tree rooted at .crev/ledger, run files and
// packs, and returns each once. What cannot be read is left out and listed;
// a caller that decides anything by the events refuses to when there are
// problems. A tree that does not exist holds no events.
func ReadAll(fsys fs.FS) ([]Event, []Problem) {
	var events []Event
	seen := map[ID]bool{}
	r := newReader(fsys)
	r.sums = true
	r.each(func(line []byte) error {
		e, err := Parse(line)
		if err == nil && !seen[e.ID] {
			seen[e.ID] = true
			events = append(events, e)
		}
		return err
	})
	return events, r.problems
}

// reader reads the lines of a ledger's files through one buffer.
type reader struct {
	fsys     fs.FS
	buf      *bufio.Reader
	problems []Problem
	// sums says that the name of a pack is checked against its content.
	sums bool
	// at is the file and line being read.
	at Problem
}

func newReader(fsys fs.FS) *reader {
	// The buffer holds the longest line, its mark and its end.
	return &reader{fsys: fsys, buf: bufio.NewReaderSize(nil, MaxLine+len(byteOrderMark)+2)}
}

func (r *reader) problem(p string, line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{Path: p, Line: line, Msg: fmt.Sprintf(format, args...)})
}

// each calls visit with every line of every ledger file, without its end, in
// the order of paths. The line is valid during the call. An error of visit is
// listed as a problem of the line.
func (r *reader) each(visit func(line []byte) error) {
	err := fs.WalkDir(r.fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if p != "." || !errors.Is(err, fs.ErrNotExist) {
				r.problem(p, 0, "cannot be read: %v", err)
			}
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.Type()&fs.ModeSymlink != 0:
			r.problem(p, 0, "is a symbolic link; the ledger follows none, put the file itself there")
		case d.IsDir() || path.Ext(p) != ".jsonl":
		default:
			r.file(p, visit)
		}
		return nil
	})
	if err != nil {
		r.problem(".", 0, "cannot be read: %v", err)
	}
}

// file reads one file.
func (r *reader) file(p string, visit func(line []byte) error) {
	f, err := r.fsys.Open(p)
	if err != nil {
		r.problem(p, 0, "cannot be opened: %v", err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		r.problem(p, 0, "cannot be read: %v", err)
		return
	case !info.Mode().IsRegular():
		r.problem(p, 0, "is no regular file")
		return
	case info.Size() > MaxFile:
		r.problem(p, 0, "has %d bytes; a ledger file has at most %d (run `crev ledger pack`)", info.Size(), MaxFile)
		return
	}
	r.buf.Reset(io.LimitReader(f, MaxFile))
	r.lines(p, visit)
}

func (r *reader) lines(p string, visit func(line []byte) error) {
	var sum hash.Hash
	if r.sums && strings.HasPrefix(p, packs+"/") {
		sum = sha256.New()
	}
	before := len(r.problems)
	for n := 1; len(r.problems)-before < maxProblems; n++ {
		line, err := r.buf.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			r.problem(p, n, "the line is longer than %d bytes", MaxLine)
			if err = r.skipLine(); err == nil {
				continue
			}
			line = nil
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) > 0 {
			if sum != nil {
				sum.Write(line)
				sum.Write([]byte("\n"))
			}
			r.at = Problem{Path: p, Line: n}
			if err := visit(line); err != nil {
				r.problem(p, n, "%v", err)
			}
		}
		if err != nil {
			if err != io.EOF {
				r.problem(p, n, "cannot be read: %v", err)
			}
			r.checkSum(p, sum)
			return
		}
	}
	r.problem(p, 0, "has more bad lines than these; the rest was not read")
}

// skipLine reads to the end of a line that does not fit the buffer.
func (r *reader) skipLine() error {
	for {
		_, err := r.buf.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// checkSum compares a pack with its name.
func (r *reader) checkSum(p string, sum hash.Hash) {
	if sum == nil {
		return
	}
	got := hex.EncodeToString(sum.Sum(nil))
	if want := strings.TrimSuffix(path.Base(p), ".jsonl"); want != got {
		r.problem(p, 0, "holds content %s, which is not its name: a pack is never edited", got[:12])
	}
}
