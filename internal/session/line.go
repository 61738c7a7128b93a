package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// first is the first line of every file: which journal it belongs to.
type first struct {
	Version int    `json:"v"`
	Plan    string `json:"plan"`
	Batch   string `json:"batch,omitempty"`
}

// line is one record: its number in the file, from 1, and one of the others.
type line struct {
	N     int      `json:"n"`
	Entry *Entry   `json:"entry,omitempty"`
	Paid  *payment `json:"paid,omitempty"`
}

// file is one that is written to.
type file struct {
	to *os.File
	// lines is how many records it has.
	lines int
	// begun is true when the first line is there.
	begun bool
	// broken is why it is not written to any more.
	broken error
}

// append writes one line and returns when it is on the disk.
func (j *Journal) append(batch string, l line) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	f, ok := j.files[fileName(batch)]
	if !ok {
		return fmt.Errorf("write session: %s is not open", fileName(batch))
	}
	if f.broken != nil {
		return fmt.Errorf("write session %s: an earlier line could not be written: %w", fileName(batch), f.broken)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if !f.begun {
		if err := enc.Encode(first{Version, j.header.Hash, batchOf(fileName(batch))}); err != nil {
			return err
		}
	}
	l.N = f.lines + 1
	if err := enc.Encode(l); err != nil {
		return fmt.Errorf("write session %s: %w", fileName(batch), err)
	}
	_, err := f.to.Write(text.Bytes())
	if err == nil {
		err = f.to.Sync()
	}
	if err != nil {
		// Half a line may be there now. It is cut off by the next Open.
		f.broken = err
		return fmt.Errorf("write session %s: %w", fileName(batch), err)
	}
	f.lines, f.begun = l.N, true
	j.synced()
	return nil
}

// load reads every file that this journal is made of and opens it for writing.
func (j *Journal) load() error {
	names := append(j.batchFiles(), sessionName)
	if j.only != "" {
		names = []string{fileName(j.only)}
	}
	var missing []error // all of them are named, not the first one alone
	for _, name := range names {
		switch err := j.loadFile(name); {
		case errors.As(err, new(*NoRecordError)):
			missing = append(missing, err)
		case err != nil:
			return err
		}
	}
	return errors.Join(missing...)
}

func (j *Journal) loadFile(name string) error {
	flags := os.O_RDWR | os.O_APPEND
	if j.only != "" {
		flags |= os.O_CREATE // the machine that made the plan need not send empty files
	}
	to, err := j.root.OpenFile(name, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return noRecord(name)
	}
	if err != nil {
		return err
	}
	f := &file{to: to}
	j.files[name] = f
	text, err := readAll(to)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	lines, begun, err := parseFile(text[:whole], j.header.Hash, batchOf(name))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if whole < len(text) {
		// A line that a kill cut off never counted.
		if err := errors.Join(to.Truncate(int64(whole)), to.Sync()); err != nil {
			return err
		}
		j.synced()
	}
	f.lines, f.begun = len(lines), begun
	for _, l := range lines {
		j.remember(batchOf(name), l)
	}
	return nil
}

func (j *Journal) remember(batch string, l line) {
	if l.Entry != nil {
		j.entries = append(j.entries, *l.Entry)
		return
	}
	j.paid[paidKey{batch, l.Paid.Scope, l.Paid.Key, l.Paid.Nth}] = l.Paid.outcome
}

// noRecord is a batch without a journal.
func noRecord(name string) error {
	if name == sessionName {
		return fmt.Errorf("%s is missing; the journal is not complete", name)
	}
	return &NoRecordError{Batch: batchOf(name)}
}

// NoRecordError is a batch of the plan that nobody has a journal of. It is never
// taken for one that was reviewed.
type NoRecordError struct{ Batch string }

// Error says what to do.
func (e *NoRecordError) Error() string {
	return fmt.Sprintf("batch %s has no record; bring its %s, or review it with `crev review --batch %s`", e.Batch, fileName(e.Batch), e.Batch)
}

// maxFile is the greatest size of a file in bytes: replies of a few hundred
// requests are far smaller.
const maxFile = 256 << 20

func readAll(f *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return text, err
}

// parseFile reads whole lines. What a kill cannot have done is an error: a line
// that cannot be read, a number that is missing, another journal's line.
func parseFile(text []byte, hash, batch string) (lines []line, begun bool, err error) {
	for n := 0; len(text) > 0; n++ {
		raw, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if n == 0 {
			if err := checkFirst(raw, hash, batch); err != nil {
				return nil, false, err
			}
			begun = true
			continue
		}
		var l line
		if err := strict(raw, &l); err != nil {
			return nil, false, fmt.Errorf("line %d: %w", n+1, err)
		}
		if err := l.check(n, batch); err != nil {
			return nil, false, fmt.Errorf("line %d: %w", n+1, err)
		}
		lines = append(lines, l)
	}
	return lines, begun, nil
}

func checkFirst(raw []byte, hash, batch string) error {
	var f first
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("line 1: %w", err)
	}
	switch {
	case f.Version > Version:
		return fmt.Errorf("version %d: %w", f.Version, ErrNewerFormat)
	case f.Version != Version:
		return errors.New("it is no journal of a session")
	case f.Plan != hash:
		return fmt.Errorf("it belongs to another plan (%.12s, this one is %.12s)", f.Plan, hash)
	case f.Batch != batch:
		return fmt.Errorf("it is the journal of batch %q under another name", f.Batch)
	}
	return nil
}

func (l line) check(n int, batch string) error {
	switch {
	case l.N != n:
		return fmt.Errorf("it is number %d where %d is due; a line is missing or stands twice", l.N, n)
	case (l.Entry == nil) == (l.Paid == nil):
		return errors.New("want either an entry or a paid reply")
	case l.Paid != nil:
		return l.Paid.check()
	case fileName(l.Entry.Batch) != fileName(batch):
		return fmt.Errorf("it is about batch %q", l.Entry.Batch)
	}
	return nil
}

// strict decodes one JSON value and refuses unknown fields.
func strict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value on the line")
	}
	return nil
}
