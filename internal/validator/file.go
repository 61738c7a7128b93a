package validator

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf16"

	"github.com/crev-ratchet/crev/internal/glob"
)

const (
	// maxFile is the largest file a pattern reads. A larger one in scope
	// breaks the validator: not having looked is no pass.
	maxFile = 32 << 20
	// maxFailures ends a scan that finds more than anybody will read.
	maxFailures = 100_000
)

// file is one file of the judged tree, as text: without a byte order mark, with
// Unix line ends, and UTF-16 as UTF-8.
type file struct {
	path string
	data []byte
	// starts holds the offset of every line, computed when first asked for.
	starts []int
	doc    *docTree
}

// line returns the 1-based line of an offset.
func (f *file) line(offset int) int {
	if f.starts == nil {
		f.starts = []int{0}
		for i := 0; ; {
			n := bytes.IndexByte(f.data[i:], '\n')
			if n < 0 {
				break
			}
			i += n + 1
			f.starts = append(f.starts, i)
		}
	}
	return sort.SearchInts(f.starts, offset+1)
}

// column returns the 1-based column of an offset, in bytes.
func (f *file) column(offset int) int { return offset - f.starts[f.line(offset)-1] + 1 }

// open reads a file of the tree. A file that is gone, a link or a submodule
// gives nil: there is no text to judge.
func open(tree fs.FS, path string) (*file, error) {
	info, err := fs.Lstat(tree, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case !info.Mode().IsRegular():
		return nil, nil
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than %d MiB, more than a pattern reads; take it out of the scope with !%s", path, maxFile>>20, path)
	}
	data, err := fs.ReadFile(tree, path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &file{path: path, data: normalise(data)}, nil
}

func normalise(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		data = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		data = fromUTF16(data[2:], binary.BigEndian)
	default:
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	if bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// scan is one pattern or built-in on its way through the files.
type scan struct {
	v      Validator
	result *Result
	in     Input
	mu     sync.Mutex
	count  atomic.Int64
}

// runScans takes every file once and shows it to all who have it in scope.
func runScans(ctx context.Context, scans []scan, in Input) {
	if len(scans) == 0 {
		return
	}
	start := time.Now()
	for i := range scans {
		s := &scans[i]
		s.in = in
		if s.v.In != ChangedLines {
			s.in.Changed = nil
		}
		s.add(0, s.v.missing(in))
	}
	paths := slices.Sorted(slices.Values(in.Files))
	paths = slices.Compact(paths)

	next := atomic.Int64{}
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(paths) {
					return
				}
				showFile(scans, in.Tree, paths[i])
			}
		})
	}
	workers.Wait()

	for i := range scans {
		s := &scans[i]
		if err := context.Cause(ctx); err != nil {
			s.result.broken("it was stopped: %v", err)
		}
		if n := s.count.Load(); n > maxFailures {
			s.result.Notes = append(s.result.Notes, fmt.Sprintf("more than %d failures; not all files were judged", maxFailures))
		}
		s.result.settle()
		s.result.Elapsed = time.Since(start)
	}
}

// wants reports whether the scan judges a file of the tree.
func (s *scan) wants(path string) bool {
	if s.count.Load() > maxFailures || !s.in.touched(path) {
		return false
	}
	return glob.Match(s.v.Scope, path) && (s.v.builtin == nil || !glob.Match(s.in.Exempt, path))
}

// add counts files and what they do wrong.
func (s *scan) add(files int, fails []Failure) {
	for i := range fails {
		fails[i].Validator = s.v.Name
	}
	s.count.Add(int64(len(fails)))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result.Files += files
	s.result.Failures = append(s.result.Failures, fails...)
}

func showFile(scans []scan, tree fs.FS, path string) {
	var (
		f      *file
		err    error
		opened bool
	)
	for i := range scans {
		s := &scans[i]
		if !s.wants(path) {
			continue
		}
		if !opened {
			f, err = open(tree, path)
			opened = true
		}
		switch {
		case err != nil:
			s.mu.Lock()
			s.result.broken("%v", err)
			s.mu.Unlock()
		case f != nil:
			s.add(1, s.v.judge(f, s.in))
		}
	}
}
