package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Seal returns the event with its version and id set, as a reader of the ledger
// will see it: times in UTC and whole seconds, text in valid UTF-8. It refuses
// an event without exactly one payload and illegal values.
func Seal(e Event) (Event, error) {
	e.V, e.ID = Version, ""
	e.At = e.At.UTC().Truncate(time.Second)
	if err := e.check(); err != nil {
		return Event{}, fmt.Errorf("seal event: %w", err)
	}
	line, err := e.encode()
	if err != nil {
		return Event{}, fmt.Errorf("seal %s event: %w", e.Kind(), err)
	}
	if len(line) > MaxLine {
		return Event{}, fmt.Errorf("seal %s event: %d bytes, more than the %d a line may have", e.Kind(), len(line), MaxLine)
	}
	var sealed Event
	if err := json.Unmarshal(line, &sealed); err != nil {
		return Event{}, fmt.Errorf("seal %s event: %w", e.Kind(), err)
	}
	// Bytes that are no UTF-8 were replaced on the way; what counts is what a
	// reader will encode.
	if line, err = sealed.encode(); err != nil {
		return Event{}, fmt.Errorf("seal %s event: %w", e.Kind(), err)
	}
	sealed.ID = hashID(line)
	return sealed, nil
}

// Line returns the canonical bytes of a sealed event and a newline. It panics
// on an event that cannot be written, which Seal does not return.
func (e *Event) Line() []byte {
	line, err := e.encode()
	if err != nil {
		panic(fmt.Sprintf("ledger: line of an event that was not sealed: %v", err))
	}
	return append(line, '\n')
}

// encode returns the canonical bytes: the fields in the order of the type, no
// blanks, no empty optional fields, no escapes that JSON does not ask for.
func (e *Event) encode() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

const (
	idDigits = 12
	idKey    = `"id":"`
)

// hashID returns the id of a canonical line: the hash of its bytes without the
// digits of the id itself.
func hashID(line []byte) ID {
	// The run before the key holds no quote, so the first match is the key.
	at := bytes.Index(line, []byte(idKey)) + len(idKey)
	end := at + bytes.IndexByte(line[at:], '"')
	h := sha256.New()
	h.Write(line[:at])
	h.Write(line[end:])
	return ID(hex.EncodeToString(h.Sum(nil))[:idDigits])
}

// NewDefectID returns the id of a new defect, from its class and its birth: the
// run that opened it, or for `crev ledger add` the pull request. The ordinals
// tell apart several defects of one class with one birth, and are raised while
// an id is taken; State.NewDefectID does that. After its birth an id is only ever copied.
func NewDefectID(fp, birth string, n ...int) DefectID {
	parts := []string{"crev-defect/1", fp, birth}
	for _, i := range n {
		parts = append(parts, strconv.Itoa(i))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return DefectID("D-" + hex.EncodeToString(sum[:4]))
}

// Sort puts events in the order in which they are folded (time, then kind, then
// id) and drops those whose id came before. A run stamps its events with one
// time; the order of kinds sees to it that a defect is opened before it is posted.
func Sort(events []Event) []Event {
	type key struct {
		at   int64
		rank int
		id   ID
		i    int
	}
	keys := make([]key, len(events))
	for i := range events {
		e := &events[i]
		keys[i] = key{e.At.Unix(), e.rank(), e.ID, i}
	}
	slices.SortFunc(keys, func(a, b key) int {
		switch {
		case a.at != b.at:
			return int(max(-1, min(1, a.at-b.at)))
		case a.rank != b.rank:
			return a.rank - b.rank
		}
		return strings.Compare(string(a.id), string(b.id))
	})
	out := make([]Event, 0, len(events))
	for i, k := range keys {
		if i > 0 && k.id == keys[i-1].id {
			continue
		}
		out = append(out, events[k.i])
	}
	return out
}

// check refuses an event with a header or payload that must not be stored.
func (e *Event) check() error {
	var found []int
	for i := range payloads {
		if payloads[i].in(&e.Payload) != nil {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 0:
		return errors.New("it has no payload")
	case len(found) > 1:
		return fmt.Errorf("it has two payloads, %s and %s; write two events", payloads[found[0]].kind, payloads[found[1]].kind)
	}
	p := payloads[found[0]]
	if err := e.checkHeader(p.about); err != nil {
		return fmt.Errorf("%s: %w", p.kind, err)
	}
	if err := p.in(&e.Payload).check(); err != nil {
		return fmt.Errorf("%s: %w", p.kind, err)
	}
	if p.kind == KindDismissed && e.By == "" {
		return errors.New("dismissed: by is empty; only a person dismisses a defect")
	}
	return nil
}

func (e *Event) checkHeader(about about) error {
	switch {
	case !isHex(e.FP, 16):
		return fmt.Errorf("fp %q: want 16 hex digits", e.FP)
	case !isRun(e.Run):
		return fmt.Errorf("run %q: want letters, digits, dot, dash and underscore, at most 100", e.Run)
	case e.PR < 0:
		return fmt.Errorf("pr %d: want 0 or more", e.PR)
	case e.At.IsZero() || e.At.Year() < 1970 || e.At.Year() > 9999:
		return fmt.Errorf("at %v: want a time", e.At)
	case !isActor(e.By):
		return fmt.Errorf("by %q: want at most 100 printable ASCII characters without quotes", e.By)
	case e.Defect != "" && !e.Defect.valid():
		return fmt.Errorf("defect %q: want D- and 8 hex digits", e.Defect)
	}
	noClass := e.FP == NoClass
	switch about {
	case aboutDefect:
		if noClass || e.Defect == "" {
			return errors.New("it names no class or no defect")
		}
	case aboutClass:
		if noClass || e.Defect != "" {
			return errors.New("it must name a class and no defect")
		}
	case aboutPR:
		if e.PR == 0 {
			return errors.New("it names no pull request")
		}
		if !noClass || e.Defect != "" {
			return fmt.Errorf("it must name no class (fp %s) and no defect", NoClass)
		}
	case aboutNothing:
		if !noClass || e.Defect != "" {
			return fmt.Errorf("it must name no class (fp %s) and no defect", NoClass)
		}
	case aboutAny:
		if noClass && e.Defect != "" {
			return errors.New("it names a defect and no class")
		}
	}
	return nil
}

func (id DefectID) valid() bool {
	return strings.HasPrefix(string(id), "D-") && isHex(string(id[2:]), 8)
}

func isHex(s string, digits int) bool {
	if len(s) != digits {
		return false
	}
	for i := 0; i < len(s); i++ {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}

// isRun reports whether s can be a run: it is part of a file name.
func isRun(s string) bool {
	if s == "" || len(s) > 100 || s[0] == '.' || s[0] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// isActor reports whether s can be a login or a tool's name. Quotes and
// backslashes are out, so that a scan finds the end without unescaping.
func isActor(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return len(s) <= 100
}
