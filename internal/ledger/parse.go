package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxLine is the greatest length of a line in bytes. A longer one is refused
// before it is read into memory.
const MaxLine = 1 << 20

// ErrNewerFormat says that an event was written by a newer crev.
var ErrNewerFormat = errors.New("written by a newer crev; update crev to read it")

var byteOrderMark = []byte("\uFEFF")

// Parse reads one line of the ledger. A byte-order mark before it and CRLF at
// its end are taken off; apart from those it must be byte for byte what Line
// writes, so that two readers can never disagree about it.
func Parse(line []byte) (Event, error) {
	line = bytes.TrimPrefix(line, byteOrderMark)
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	switch {
	case len(line) > MaxLine:
		return Event{}, fmt.Errorf("the line has %d bytes; at most %d are read", len(line), MaxLine)
	case bytes.IndexByte(line, 0) >= 0:
		return Event{}, errors.New("the line holds a zero byte")
	case !utf8.Valid(line):
		return Event{}, errors.New("the line is not valid UTF-8")
	}
	e, err := decode(line)
	if err != nil {
		return Event{}, err
	}
	if err := e.check(); err != nil {
		return Event{}, err
	}
	canonical, err := e.encode()
	if err != nil {
		return Event{}, err
	}
	if !bytes.Equal(canonical, line) {
		return Event{}, explainDifference(line)
	}
	if want := hashID(line); e.ID != want {
		return Event{}, fmt.Errorf("id %q does not match the content, which gives %q; events are never edited", e.ID, want)
	}
	return e, nil
}

// decode reads the JSON, strictly.
func decode(line []byte) (Event, error) {
	var e Event
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	err := dec.Decode(&e)
	if err == nil {
		if _, extra := dec.Token(); extra != io.EOF {
			err = errors.New("more text follows the event")
		}
	}
	if err != nil || e.V != Version {
		// A newer format may have fields this one does not know: the
		// version is the better message.
		var header struct{ V int }
		if json.Unmarshal(line, &header) == nil && header.V > Version {
			return Event{}, fmt.Errorf("version %d: %w", header.V, ErrNewerFormat)
		}
	}
	if err != nil {
		return Event{}, fmt.Errorf("not an event: %w", err)
	}
	if e.V != Version {
		return Event{}, fmt.Errorf("version %d: want %d", e.V, Version)
	}
	return e, nil
}

// explainDifference says why a line that means something is not canonical.
func explainDifference(line []byte) error {
	if key := duplicateKey(json.NewDecoder(bytes.NewReader(line))); key != "" {
		return fmt.Errorf("the key %q stands twice in one object", key)
	}
	return errors.New("the line is not in canonical form (field order, blanks, case of keys or escapes); " +
		"events are written by crev, not by hand")
}

// duplicateKey returns the first key that an object holds twice, "" for none.
func duplicateKey(dec *json.Decoder) string {
	type object struct {
		seen  map[string]bool // nil for an array
		value bool            // the next token is a value
	}
	var open []object
	for {
		token, err := dec.Token()
		if err != nil {
			return ""
		}
		top := len(open) - 1
		switch delim, isDelim := token.(json.Delim); {
		case isDelim && (delim == '}' || delim == ']'):
			open = open[:top]
			continue
		case top >= 0 && open[top].seen != nil && !open[top].value:
			key, _ := token.(string)
			if open[top].seen[key] {
				return key
			}
			open[top].seen[key], open[top].value = true, true
			continue
		}
		if top >= 0 {
			open[top].value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, object{seen: map[string]bool{}})
		case json.Delim('['):
			open = append(open, object{})
		}
	}
}
