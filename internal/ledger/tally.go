package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Tally counts the classes of a ledger, rooted at .crev/ledger, in one scan: it
// reads the headers of the lines at their fixed places and decodes one payload
// a class. It costs memory for the classes and some 20 bytes a sighting, not for
// the events themselves. Unlike a view it counts the sightings of every pull
// request, merged or not: that a claim comes back is true all the same.
//
// The scan does not check ids; ReadAll does.
func Tally(fsys fs.FS, r Ratchet) ([]Class, []Problem) {
	c := newCounter()
	read := newReader(fsys)
	read.each(c.addLine)
	if c.restart() {
		newReader(fsys).each(c.addLine)
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
	h.at = s.time()
	if s.have(beforeBy) {
		s.quoted()
	}
	if s.have(beforeDefect) {
		h.defect = uint32(s.hex(8))
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

// time reads "2026-11-29T12:04:11Z" and its closing quote, and returns seconds
// since 1970.
func (s *scanner) time() int64 {
	const form = "dddd-dd-ddTdd:dd:ddZ\""
	if len(s.rest) < len(form) {
		s.rest = nil
		return 0
	}
	n := 0
	for i := range len(form) {
		c := s.rest[i]
		switch {
		case form[i] == 'd' && c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
		case form[i] != c:
			s.rest = nil
			return 0
		}
	}
	s.rest = s.rest[len(form):]
	return time.Date(n/1e10, time.Month(n/1e8%100), n/1e6%100, n/1e4%100, n/100%100, n%100, 0, time.UTC).Unix()
}

// decodeText reads from a payload, with the brace that closes the event behind
// it, what a class shows. It goes through the payload once and decodes no more
// than that: full decoding would cost half of the scan.
func decodeText(kind Kind, payload []byte) (text, error) {
	var t text
	err := eachMember(payload[:len(payload)-1], func(key, value []byte) (err error) {
		switch string(key) {
		case "fp0":
			t.fp0, err = unquote(value)
		case "claim":
			t.claim, err = unquote(value)
		case "category":
			t.category, err = unquote(value)
		case "validator":
			t.validator, err = unquote(value)
		case "location":
			t.path, err = pathOf(value)
		case "locations":
			if len(value) > 2 { // the first one, behind the bracket
				t.path, err = pathOf(value[1 : 1+valueLen(value[1:])])
			}
		}
		return err
	})
	if err != nil {
		return text{}, fmt.Errorf("%s: %w", kind, err)
	}
	return t, nil
}

func pathOf(location []byte) (p string, err error) {
	err = eachMember(location, func(key, value []byte) (err error) {
		if string(key) == "path" {
			p, err = unquote(value)
		}
		return err
	})
	return p, err
}

var errNotCanonical = errors.New("the payload is not canonical JSON")

// eachMember calls f with the members of an object that is written without
// blanks.
func eachMember(object []byte, f func(key, value []byte) error) error {
	if len(object) < 2 || object[0] != '{' || object[len(object)-1] != '}' {
		return errNotCanonical
	}
	rest := object[1 : len(object)-1]
	for len(rest) > 0 {
		n := valueLen(rest)
		if n < 2 || n >= len(rest) || rest[0] != '"' || rest[n] != ':' {
			return errNotCanonical
		}
		key := rest[1 : n-1]
		rest = rest[n+1:]
		n = valueLen(rest)
		if n == 0 || n < len(rest) && rest[n] != ',' {
			return errNotCanonical
		}
		if err := f(key, rest[:n]); err != nil {
			return err
		}
		rest = rest[min(n+1, len(rest)):]
	}
	return nil
}

// valueLen returns the length of the JSON value that text begins with, 0 when it
// does not end.
func valueLen(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n := stringLen(text[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
			continue
		default:
			if depth > 0 || i+1 < len(text) && !bytes.ContainsRune([]byte(",]}"), rune(text[i+1])) {
				continue
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return 0
}

// stringLen returns the length of the string literal that text begins with, 0
// when it does not end.
func stringLen(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

func unquote(literal []byte) (string, error) {
	if n := len(literal); n >= 2 && literal[0] == '"' && bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : n-1]), nil
	}
	var s string
	err := json.Unmarshal(literal, &s)
	return s, err
}
