package git

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// logFormat is the head of a commit in the answer that readLog reads: five
// fields, each but the last ended by a NUL, which none of them can hold. With
// -z git ends the last one with a NUL too. People in trailers are the lines of
// the last field, one after another, between bytes 1.
const logFormat = "%H%x00%ct%x00%an%x00%ae%x00" +
	"%(trailers:key=Co-authored-by,key=Reviewed-by,valueonly,unfold,separator=%x01)"

// Bounds of one commit. They hold memory down for a commit that is made to
// hurt; an honest one has less of each.
const (
	// maxLogField is how much of a name, a path or a list of people is kept.
	maxLogField = 1 << 20
	// maxLogPeople is how many people of one commit's trailers count.
	maxLogPeople = 100
)

// errCutLog is the error of readLog for an answer that ends inside a commit.
var errCutLog = errors.New("git log ended in the middle of a commit")

// LogCommit is one commit as History tells it. All bytes are as git stores
// them, valid UTF-8 or not.
type LogCommit struct {
	// ID is the full id in hex.
	ID []byte
	// Time is when it was committed, in Unix seconds.
	Time int64
	// Name and Email are the author's, before any .mailmap.
	Name, Email []byte
	// People are the values of the trailers Co-authored-by and Reviewed-by:
	// "Name <email>" if whoever wrote them kept to the form.
	People [][]byte
	// Changes are the files it changed.
	Changes []LogChange
}

// LogChange is one file of a commit.
type LogChange struct {
	// Path is where the file is afterwards, or was if it is removed.
	Path []byte
	// From is where it was before, empty unless it was renamed.
	From []byte
}

// logReader reads the answer of git log, one commit after the other, and uses
// the memory of one for the next.
type logReader struct {
	in     *bufio.Reader
	commit LogCommit
	// text holds every field of the commit; spans say where in it the changes
	// are, for it may move while it grows.
	text  []byte
	spans []logSpan
}

// logSpan is where a change stands in the text: path from start to middle, the
// path before it from middle to end.
type logSpan struct{ start, middle, end int }

// readLog calls yield for every commit of an answer to git log with logFormat,
// -z and --name-status.
func readLog(in *bufio.Reader, yield func(*LogCommit) error) error {
	r := &logReader{in: in}
	for {
		switch err := r.next(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := yield(&r.commit); err != nil {
			return err
		}
	}
}

// next reads one commit; the error is io.EOF after the last.
func (r *logReader) next() error {
	if _, err := r.in.Peek(1); err != nil {
		return err
	}
	r.text, r.spans = r.text[:0], r.spans[:0]
	var head [5]logSpan
	for i := range head {
		start, end, err := r.field()
		if err != nil {
			return err
		}
		head[i] = logSpan{start: start, middle: end, end: end}
	}
	if err := r.changes(); err != nil {
		return err
	}
	c := &r.commit
	c.ID, c.Name, c.Email = r.path(head[0]), r.path(head[2]), r.path(head[3])
	if !IsFullID(string(c.ID)) {
		return fmt.Errorf("git log said %.100q where a commit begins", c.ID)
	}
	var err error
	if c.Time, err = strconv.ParseInt(string(r.path(head[1])), 10, 64); err != nil {
		return fmt.Errorf("git log said %.100q for the time of %s", r.path(head[1]), short(string(c.ID)))
	}
	c.People = c.People[:0]
	for person := range bytes.SplitSeq(r.path(head[4]), []byte{1}) {
		if len(person) > 0 && len(c.People) < maxLogPeople {
			c.People = append(c.People, person)
		}
	}
	c.Changes = c.Changes[:0]
	for _, s := range r.spans {
		c.Changes = append(c.Changes, LogChange{Path: r.path(s), From: r.text[s.middle:s.end:s.end]})
	}
	return nil
}

func (r *logReader) path(s logSpan) []byte { return r.text[s.start:s.middle:s.middle] }

// changes reads the files of a commit: after a line end, a status and a path
// each, or a status and two paths. What is no status begins the next commit.
func (r *logReader) changes() error {
	b, err := r.in.Peek(1)
	if err == io.EOF || err == nil && b[0] != '\n' {
		return nil // it changed nothing
	}
	if err != nil {
		return err
	}
	if _, err := r.in.Discard(1); err != nil {
		return err
	}
	for {
		status, ok, err := r.status()
		if err != nil || !ok {
			return err
		}
		start, end, err := r.field()
		if err != nil {
			return err
		}
		span := logSpan{start: start, middle: end, end: end}
		if status == 'R' || status == 'C' {
			// git names the old path first; a copy leaves it where it is.
			from := bytes.Clone(r.text[start:end])
			r.text = r.text[:start]
			if _, span.middle, err = r.field(); err != nil {
				return err
			}
			span.end = span.middle
			if status == 'R' {
				r.text = append(r.text, from...)
				span.end = len(r.text)
			}
		}
		r.spans = append(r.spans, span)
	}
}

// status reads the status of a change, a letter and for some a number of at
// most three digits. It reads nothing where another thing stands.
func (r *logReader) status() (letter byte, ok bool, err error) {
	b, err := r.in.Peek(5)
	if err != nil && err != io.EOF {
		return 0, false, err
	}
	end := bytes.IndexByte(b, 0)
	if end < 1 || b[0] < 'A' || b[0] > 'Z' {
		return 0, false, nil
	}
	letter = b[0]
	_, err = r.in.Discard(end + 1)
	return letter, err == nil, err
}

// field reads up to the next NUL and returns where in the text it stands.
func (r *logReader) field() (start, end int, err error) {
	start = len(r.text)
	for {
		part, err := r.in.ReadSlice(0)
		switch err {
		case nil:
			part = part[:len(part)-1]
		case io.EOF:
			return 0, 0, errCutLog
		case bufio.ErrBufferFull:
		default:
			return 0, 0, err
		}
		room := maxLogField - (len(r.text) - start)
		r.text = append(r.text, part[:min(len(part), room)]...)
		if err == nil {
			return start, len(r.text), nil
		}
	}
}
