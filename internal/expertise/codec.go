package expertise

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"
)

// ErrNotAHistory is the error of Decode for bytes that Encode did not make:
// damaged, cut, or of another version.
var ErrNotAHistory = errors.New("not a history of this version")

// magic begins every encoded history; its number is the version, which changes
// with the format.
const magic = "crev history 1\n"

// sumSize is the length of the checksum at the end, against damage. It is no
// proof of who wrote the bytes.
const sumSize = crc32.Size

// maxPathBytes is how long all paths of a history may be together. Linux has
// 10 MB of them in 20 years.
const maxPathBytes = 1 << 28

// Encode returns the history as bytes: the magic line, the head, the start,
// the tables of people and paths, the commits, and a checksum. Numbers are
// varints, a path is what differs from the path before it, a time is the
// difference to the commit before it.
func (h *History) Encode() []byte {
	b := append(make([]byte, 0, 64*len(h.paths)+24*len(h.commits)), magic...)
	b = appendText(b, h.Head)
	b = binary.AppendVarint(b, startOf(h.Since))
	b = binary.AppendUvarint(b, uint64(len(h.people)))
	for _, p := range h.people {
		b = appendText(appendText(b, p.name), p.email)
	}
	b = binary.AppendUvarint(b, uint64(len(h.paths)))
	last := ""
	for _, p := range h.paths {
		n := commonPrefix(last, p)
		b = appendText(binary.AppendUvarint(b, uint64(n)), p[n:])
		last = p
	}
	b = binary.AppendUvarint(b, uint64(len(h.commits)))
	var before int64
	for _, c := range h.commits {
		b = binary.BigEndian.AppendUint64(b, c.id)
		b = binary.AppendVarint(b, c.time-before)
		before = c.time
		b = binary.AppendUvarint(b, uint64(c.author))
		b = binary.AppendUvarint(b, uint64(len(c.others)))
		for _, o := range c.others {
			b = binary.AppendUvarint(b, uint64(o))
		}
		b = binary.AppendUvarint(b, uint64(len(c.changes)))
		for _, ch := range c.changes {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(ch.path)), uint64(ch.from))
		}
	}
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// startOf is how the start of a history is written, 0 when it is whole.
func startOf(since time.Time) int64 {
	if since.IsZero() {
		return 0
	}
	return since.Unix()
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Decode reads what Encode made. The error is ErrNotAHistory for anything
// else.
func Decode(b []byte) (*History, error) {
	body, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(body) < sumSize {
		return nil, ErrNotAHistory
	}
	sum := binary.BigEndian.Uint32(b[len(b)-sumSize:])
	if crc32.ChecksumIEEE(b[:len(b)-sumSize]) != sum {
		return nil, fmt.Errorf("the checksum is wrong: %w", ErrNotAHistory)
	}
	d := decoder{rest: body[:len(body)-sumSize]}
	h := d.history()
	if d.bad || len(d.rest) > 0 {
		return nil, ErrNotAHistory
	}
	return h, nil
}

// decoder reads an encoded history. Once bad, it reads zeros.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) history() *History {
	h := &History{Head: d.text()}
	if start := d.signed(); start != 0 {
		h.Since = time.Unix(start, 0).UTC()
	}
	h.people = make([]ident, d.count(2))
	for i := range h.people {
		h.people[i] = ident{name: d.text(), email: d.text()}
	}
	h.paths = make([]string, d.count(2))
	last, size := "", 0
	for i := range h.paths {
		n := d.number(uint64(len(last)) + 1)
		last = last[:n] + d.text()
		if size += len(last); size > maxPathBytes {
			d.bad = true
		}
		h.paths[i] = last
	}
	if len(h.paths) == 0 || h.paths[0] != "" {
		d.bad = true
	}
	h.commits = make([]record, d.count(8+4))
	var time int64
	for i := range h.commits {
		time = d.commit(&h.commits[i], time, h)
	}
	return h
}

// commit reads a commit of h and returns its time.
func (d *decoder) commit(c *record, before int64, h *History) int64 {
	c.id = d.id()
	c.time = before + d.signed()
	c.author = d.index(len(h.people))
	if n := d.count(1); n > 0 {
		c.others = make([]uint32, n)
	}
	for i := range c.others {
		c.others[i] = d.index(len(h.people))
	}
	if n := d.count(2); n > 0 {
		c.changes = make([]change, n)
	}
	for i := range c.changes {
		c.changes[i] = change{path: d.index(len(h.paths)), from: d.index(len(h.paths))}
	}
	return c.time
}

// unsigned reads a number.
func (d *decoder) unsigned() uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.bad || n <= 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.rest)
	if d.bad || n <= 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// number reads a number below limit.
func (d *decoder) number(limit uint64) uint64 {
	v := d.unsigned()
	if v >= limit {
		d.bad = true
		return 0
	}
	return v
}

// index reads a place in a table of so many rows.
func (d *decoder) index(rows int) uint32 {
	return uint32(d.number(min(uint64(rows), math.MaxUint32)))
}

// count reads how many things follow, each of at least so many bytes: no more
// than there is room for.
func (d *decoder) count(each int) int {
	return int(d.number(uint64(len(d.rest)/each) + 1))
}

func (d *decoder) text() string {
	n := d.count(1)
	if d.bad || n > len(d.rest) {
		d.bad = true
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) id() uint64 {
	if d.bad || len(d.rest) < 8 {
		d.bad = true
		return 0
	}
	v := binary.BigEndian.Uint64(d.rest)
	d.rest = d.rest[8:]
	return v
}
