package ledger

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unit is what one recurrence of a class is.
type Unit string

// The units of recurrence.
const (
	// UnitPullRequest counts pull requests; runs that belong to none count
	// one each. Ten pushes to one pull request are one recurrence.
	UnitPullRequest Unit = "pull_request"
	// UnitRun counts runs.
	UnitRun Unit = "run"
)

// DefaultRecur is the recurrence from which on a class is shown by triage.
const DefaultRecur = 3

// Ratchet says how recurrence is counted. The zero value is the default.
type Ratchet struct {
	// Unit is UnitPullRequest when empty.
	Unit Unit
	// Recur is DefaultRecur when 0.
	Recur int
}

// ParseUnit accepts "pull_request", "run" and "" for the default.
func ParseUnit(s string) (Unit, error) {
	switch u := Unit(s); u {
	case "":
		return UnitPullRequest, nil
	case UnitPullRequest, UnitRun:
		return u, nil
	}
	return "", fmt.Errorf("unit %q: want pull_request or run", s)
}

// Class is what is known of all sightings with one class fingerprint. Every
// number is counted when it is asked for; none is stored.
type Class struct {
	FP string `json:"fp"`
	// FP0, Path, Claim and Category are those of the earliest opened event.
	FP0      string `json:"fp0"`
	Path     string `json:"path"`
	Claim    string `json:"claim"`
	Category string `json:"category,omitempty"`
	// Recurrence is the number of units that saw it.
	Recurrence   int `json:"recurrence"`
	Runs         int `json:"runs"`
	PullRequests int `json:"pull_requests"`
	// Sightings is the number of opened and observed events.
	Sightings int         `json:"sightings"`
	Status    ClassStatus `json:"status"`
	// Defects is the number of defects they are about; ClassEvents names
	// them.
	Defects int `json:"defects"`
	// Validator decides the class when it is promoted.
	Validator string    `json:"validator,omitempty"`
	FirstSeen time.Time `json:"first_seen"`
	LastSeen  time.Time `json:"last_seen"`
}

// Count returns the classes of events as Tally does: those of every pull
// request count, merged or not. An event that is there twice counts once.
func Count(events []Event, r Ratchet) []Class {
	sorted := Sort(events)
	each := make([]*Event, len(sorted))
	for i := range sorted {
		each[i] = &sorted[i]
	}
	return count(each, r)
}

func count(events []*Event, r Ratchet) []Class {
	c := newCounter()
	pass := func() {
		for _, e := range events {
			if h, ok := headerOf(e); ok {
				_ = c.add(h, source{event: e}) // an event has its text
			}
		}
	}
	pass()
	if c.restart() {
		pass()
	}
	return c.classes(r)
}

// header is the part of an event that counting needs, as numbers.
type header struct {
	kind   Kind
	fp     uint64
	run    uint64 // a hash
	pr     int
	id     uint64
	at     int64 // seconds since 1970
	defect uint32
}

// headerOf returns the header of a sealed event, false when it does not count
// for a class.
func headerOf(e *Event) (header, bool) {
	h := header{kind: e.Kind(), run: hashRun([]byte(e.Run)), pr: e.PR, at: e.At.Unix()}
	if !h.kind.counts() {
		return h, false
	}
	h.fp, _ = strconv.ParseUint(e.FP, 16, 64)
	h.id, _ = strconv.ParseUint(string(e.ID), 16, 64)
	if e.Defect != "" {
		d, _ := strconv.ParseUint(string(e.Defect[2:]), 16, 32)
		h.defect = uint32(d)
	}
	return h, true
}

// counts reports whether events of the kind bear on the count of a class.
func (k Kind) counts() bool {
	return k == KindOpened || k == KindObserved || k == KindPromoted || k == KindRetired
}

// hashRun is FNV-1a.
func hashRun(run []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range run {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// text is what counting needs from a payload.
type text struct {
	fp0, path, claim, category, validator string
}

// source is where the text of an event is read when it is needed: the event, or
// the bytes of its payload.
type source struct {
	event   *Event
	payload []byte
}

func (s source) text(kind Kind) (text, error) {
	if s.event == nil {
		return decodeText(kind, s.payload)
	}
	return textOf(s.event), nil
}

func textOf(e *Event) text {
	switch {
	case e.Opened != nil:
		o := e.Opened
		return text{fp0: o.FP0, path: o.Locations[0].Path, claim: o.Claim, category: o.Category}
	case e.Observed != nil:
		o := e.Observed
		return text{fp0: o.FP0, path: o.Location.Path, claim: o.Claim, category: o.Category}
	case e.Promoted != nil:
		return text{validator: e.Promoted.Validator}
	}
	return text{}
}

// moment orders events as Order does within one kind.
type moment struct {
	at int64
	id uint64
}

func (m moment) compare(o moment) int {
	return cmp.Or(cmp.Compare(m.at, o.at), cmp.Compare(m.id, o.id))
}

// tally is what is known of one class while it is counted.
type tally struct {
	seen pile

	text     text
	textFrom Kind
	textAt   moment

	first, last int64
	// ruling is the latest promotion or retirement, nil for none.
	ruling *rulingOf
	// since restarts the count: only later sightings are in it.
	since int64
}

// rulingOf is a promotion or a retirement.
type rulingOf struct {
	kind      Kind
	at        moment
	validator string
}

// counter counts the sightings of classes in whatever order they come.
type counter struct {
	tallies   map[uint64]*tally
	sightings slabs
	// again says that this is the second pass, for classes with since.
	again bool
}

func newCounter() *counter { return &counter{tallies: map[uint64]*tally{}} }

// add takes one event in. It reads the text only when it needs it.
func (c *counter) add(h header, from source) error {
	t := c.tallies[h.fp]
	if t == nil {
		t = &tally{}
		c.tallies[h.fp] = t
	}
	isRuling := h.kind == KindPromoted || h.kind == KindRetired
	switch {
	case c.again:
		if !isRuling && t.since != 0 && h.at > t.since {
			t.seen.add(sightingOf(h), &c.sightings)
		}
		return nil
	case isRuling:
		return t.rule(h, from)
	}
	t.seen.add(sightingOf(h), &c.sightings)
	if t.textFrom == "" {
		t.first, t.last = h.at, h.at
	}
	t.first, t.last = min(t.first, h.at), max(t.last, h.at)
	return t.describe(h, from)
}

// restart prepares a second pass and reports whether one is needed: a class
// that was retired and came back is counted from its return on.
func (c *counter) restart() bool {
	for _, t := range c.tallies {
		if t.textFrom != "" && t.ruling != nil && t.ruling.kind == KindRetired && t.last > t.ruling.at.at {
			t.seen, t.since = pile{}, t.ruling.at.at
			c.again = true
		}
	}
	return c.again
}

// describe keeps the text of the earliest opened event, or of the earliest
// observed one while there is no other.
func (t *tally) describe(h header, from source) error {
	at := moment{h.at, h.id}
	better := t.textFrom == "" || t.textFrom == KindObserved && h.kind == KindOpened ||
		t.textFrom == h.kind && at.compare(t.textAt) < 0
	if !better {
		return nil
	}
	said, err := from.text(h.kind)
	if err != nil {
		return err
	}
	t.text, t.textFrom, t.textAt = said, h.kind, at
	return nil
}

// rule keeps the latest promotion or retirement.
func (t *tally) rule(h header, from source) error {
	at := moment{h.at, h.id}
	if t.ruling != nil && at.compare(t.ruling.at) <= 0 {
		return nil
	}
	said, err := from.text(h.kind)
	if err != nil {
		return err
	}
	t.ruling = &rulingOf{h.kind, at, said.validator}
	return nil
}

// classes returns the counted classes in their order.
func (c *counter) classes(r Ratchet) []Class {
	recur := cmp.Or(r.Recur, DefaultRecur)
	out := make([]Class, 0, len(c.tallies))
	var s sum
	for fp, t := range c.tallies {
		if t.textFrom == "" {
			continue // ruled on, never seen
		}
		n := s.count(&t.seen, &c.sightings)
		class := Class{
			FP: formatFP(fp), FP0: t.text.fp0, Path: t.text.path, Claim: t.text.claim, Category: t.text.category,
			Recurrence: n.pullRequests + n.loneRuns, Runs: n.runs, PullRequests: n.pullRequests,
			Sightings: n.sightings, Defects: n.defects,
			FirstSeen: time.Unix(t.first, 0).UTC(), LastSeen: time.Unix(t.last, 0).UTC(),
		}
		if r.Unit == UnitRun {
			class.Recurrence = n.runs
		}
		switch {
		case t.ruling != nil && t.ruling.kind == KindPromoted:
			class.Status, class.Validator = ClassPromoted, t.ruling.validator
		case t.ruling != nil && t.since == 0:
			class.Status = ClassRetired
		case class.Recurrence >= recur:
			class.Status = ClassRecurring
		default:
			class.Status = ClassNew
		}
		out = append(out, class)
	}
	slices.SortFunc(out, func(a, b Class) int {
		return cmp.Or(cmp.Compare(b.Recurrence, a.Recurrence), strings.Compare(a.FP, b.FP))
	})
	return out
}

func formatFP(fp uint64) string {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], fp)
	return hex.EncodeToString(raw[:])
}
