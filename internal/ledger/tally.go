package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
)

// Tally counts the classes of a ledger, rooted at .crev/ledger, in one scan: it
// reads the headers of the lines at their fixed places and decodes one payload
// a class. It costs memory for the classes and 8 to 16 bytes an event, not for
// the events themselves. Unlike a view it counts the sightings of every pull
// request, merged or not: that a claim comes back is true all the same.
//
// The scan does not check ids; ReadAll does.
func Tally(fsys fs.FS, r Ratchet) ([]Class, []Problem) {
	c := newCounter(estimateEvents(fsys))
	read := newReader(fsys)
	visit := func(line []byte) error { return c.addLine(line) }
	read.each(visit)
	if c.recount() {
		again := newReader(fsys)
		again.each(visit)
	}
	return c.classes(r), read.problems
}

// ClassEvents returns the events of the classes that want accepts, each once,
// and decodes no others.
func ClassEvents(fsys fs.FS, want func(fp string) bool) ([]Event, []Problem) {
	var events []Event
	read := newReader(fsys)
	read.each(func(line []byte) error {
		if fp, ok := fpAt(line); ok && !want(string(fp)) {
			return nil
		}
		e, err := Parse(line)
		if err == nil {
			events = append(events, e)
		}
		return err
	})
	return Sort(events), read.problems
}

// meanLine is what an event takes in bytes, measured on the ledgers of the
// benchmarks. It only sizes tables.
const meanLine = 400

func estimateEvents(fsys fs.FS) int {
	var size int64
	_ = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && path.Ext(p) == ".jsonl" {
			if info, err := d.Info(); err == nil && info.Size() <= MaxFile {
				size += info.Size()
			}
		}
		return nil // an estimate: the reader reports what is wrong
	})
	return int(size / meanLine)
}

// addLine counts a canonical line.
func (c *counter) addLine(line []byte) error {
	h, payload, ok := scanHeader(line)
	if !ok {
		// It is not canonical, or of a newer version: Parse knows why.
		e, err := Parse(line)
		if err != nil {
			return err
		}
		if h, ok := headerOf(&e); ok {
			return c.add(h, source{event: &e})
		}
		return nil
	}
	if !h.kind.counts() {
		return nil
	}
	return c.add(h, source{payload: payload})
}

// The fixed pieces of a canonical line, in their order.
var (
	beforeFP     = []byte(`{"fp":"`)
	beforeRun    = []byte(`","run":"`)
	beforePR     = []byte(`,"pr":`)
	beforeID     = []byte(`,"v":1,"id":"`)
	beforeAt     = []byte(`","at":"`)
	beforeBy     = []byte(`,"by":"`)
	beforeDefect = []byte(`,"defect":"D-`)
)

const fpDigits = 16

// fpAt returns the class fingerprint of a line, false where it has none at its
// fixed place.
func fpAt(line []byte) ([]byte, bool) {
	if len(line) < len(beforeFP)+fpDigits || !bytes.HasPrefix(line, beforeFP) {
		return nil, false
	}
	return line[len(beforeFP) : len(beforeFP)+fpDigits], true
}

// scanHeader reads the header of a canonical line and returns the bytes from
// the payload's opening brace on. It reports false for a line of another shape.
func scanHeader(line []byte) (h header, payload []byte, ok bool) {
	s := scanner{line}
	s.skip(beforeFP)
	h.fp = s.hex(fpDigits)
	s.skip(beforeRun)
	h.run = hashRun(s.quoted())
	if s.have(beforePR) {
		h.pr = s.digits()
	}
	s.skip(beforeID)
	h.id = s.hex(idDigits)
	s.skip(beforeAt)
	h.at = s.stamp()
	if s.have(beforeBy) {
		h.by = len(s.quoted()) > 0
	}
	if s.have(beforeDefect) {
		h.defect, h.named = uint32(s.hex(8)), true
		s.skip([]byte(`"`))
	}
	s.skip([]byte(`,"`))
	kind := s.quoted()
	s.skip([]byte(`:`))
	if len(s.rest) == 0 || s.rest[0] != '{' {
		return header{}, nil, false
	}
	switch string(kind) {
	case string(KindOpened):
		h.kind = KindOpened
	case string(KindObserved):
		h.kind = KindObserved
	case string(KindPromoted):
		h.kind = KindPromoted
	case string(KindRetired):
		h.kind = KindRetired
	default:
		return h, s.rest, isKind(string(kind))
	}
	return h, s.rest, true
}

func isKind(s string) bool {
	for i := range payloads {
		if string(payloads[i].kind) == s {
			return true
		}
	}
	return false
}

// scanner reads a line from the front. After a mismatch rest is nil and every
// further read finds nothing.
type scanner struct{ rest []byte }

func (s *scanner) have(piece []byte) bool {
	if !bytes.HasPrefix(s.rest, piece) {
		return false
	}
	s.rest = s.rest[len(piece):]
	return true
}

func (s *scanner) skip(piece []byte) {
	if !s.have(piece) {
		s.rest = nil
	}
}

// quoted reads to the closing quote. Runs, actors and kinds hold no escapes.
func (s *scanner) quoted() []byte {
	i := bytes.IndexByte(s.rest, '"')
	if i < 0 {
		s.rest = nil
		return nil
	}
	text := s.rest[:i]
	s.rest = s.rest[i+1:]
	return text
}

func (s *scanner) hex(digits int) uint64 {
	if len(s.rest) < digits {
		s.rest = nil
		return 0
	}
	var n uint64
	for _, c := range s.rest[:digits] {
		d := hexDigits[c]
		if d == 0 {
			s.rest = nil
			return 0
		}
		n = n<<4 | uint64(d-1)
	}
	s.rest = s.rest[digits:]
	return n
}

// hexDigits maps the digits to their value plus one, everything else to 0.
var hexDigits = func() (t [256]uint8) {
	for i, c := range []byte("0123456789abcdef") {
		t[c] = uint8(i + 1)
	}
	return t
}()

func (s *scanner) digits() int {
	n, i := 0, 0
	for i < len(s.rest) && i < 18 && s.rest[i] >= '0' && s.rest[i] <= '9' {
		n = n*10 + int(s.rest[i]-'0')
		i++
	}
	s.rest = s.rest[i:]
	return n
}

// stamp reads "2026-11-29T12:04:11Z" and its closing quote.
func (s *scanner) stamp() stamp {
	const form = "dddd-dd-ddTdd:dd:ddZ\""
	if len(s.rest) < len(form) {
		s.rest = nil
		return 0
	}
	var n stamp
	for i := range len(form) {
		c := s.rest[i]
		switch {
		case form[i] == 'd' && c >= '0' && c <= '9':
			n = n*10 + stamp(c-'0')
		case form[i] != c:
			s.rest = nil
			return 0
		}
	}
	s.rest = s.rest[len(form):]
	return n
}

// decodeText reads from a payload, with the brace that closes the event behind
// it, what a class shows.
func decodeText(kind Kind, payload []byte) (text, error) {
	var p struct {
		FP0       string   `json:"fp0"`
		Claim     string   `json:"claim"`
		Category  string   `json:"category"`
		Location  pathOnly `json:"location"`
		Locations []pathOnly
		Validator string `json:"validator"`
	}
	if err := json.Unmarshal(payload[:len(payload)-1], &p); err != nil {
		return text{}, fmt.Errorf("%s: %w", kind, err)
	}
	t := text{fp0: p.FP0, path: p.Location.Path, claim: p.Claim, category: p.Category, validator: p.Validator}
	if len(p.Locations) > 0 {
		t.path = p.Locations[0].Path
	}
	return t, nil
}

type pathOnly struct {
	Path string `json:"path"`
}
