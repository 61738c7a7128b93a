package ledger

import (
	"cmp"
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
	// Sightings are the opened and observed events.
	Sightings int         `json:"sightings"`
	Status    ClassStatus `json:"status"`
	// Validator decides the class when it is promoted.
	Validator string     `json:"validator,omitempty"`
	Defects   []DefectID `json:"defects"`
	FirstSeen time.Time  `json:"first_seen"`
	LastSeen  time.Time  `json:"last_seen"`
}

// Classes returns the classes of the view, the most recurring first, then by
// fingerprint.
func (s *State) Classes(r Ratchet) []Class {
	c := newCounter(len(s.events))
	pass := func() {
		for _, e := range s.events {
			if h, ok := headerOf(e); ok {
				_ = c.add(h, source{event: e}) // an event has its text
			}
		}
	}
	pass()
	if c.recount() {
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
	at     stamp
	defect uint32
	by     bool
	named  bool // defect is set
}

// stamp is a time as a decimal number, 20261129120411 for noon and four minutes
// of that day: it is cheaper to read than a time and orders alike.
type stamp int64

func stampOf(t time.Time) stamp {
	day := stamp(t.Year()*10000 + int(t.Month())*100 + t.Day())
	return day*1000000 + stamp(t.Hour()*10000+t.Minute()*100+t.Second())
}

func (s stamp) time() time.Time {
	n := int(s)
	return time.Date(n/1e10, time.Month(n/1e8%100), n/1e6%100, n/1e4%100, n/100%100, n%100, 0, time.UTC)
}

// headerOf returns the header of a sealed event that counts for its class.
func headerOf(e *Event) (header, bool) {
	h := header{kind: e.Kind(), run: hashRun([]byte(e.Run)), pr: e.PR, at: stampOf(e.At), by: e.By != "", named: e.Defect != ""}
	if !h.kind.counts() {
		return h, false
	}
	h.fp, _ = strconv.ParseUint(e.FP, 16, 64)
	h.id, _ = strconv.ParseUint(string(e.ID), 16, 64)
	if h.named {
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
	at stamp
	id uint64
}

func (m moment) compare(o moment) int {
	return cmp.Or(cmp.Compare(m.at, o.at), cmp.Compare(m.id, o.id))
}

// tally is the count of one class.
type tally struct {
	runs, pullRequests, loneRuns, sightings int

	text     text
	textFrom Kind
	textAt   moment

	first, last stamp
	defects     []uint32 // sorted up to some point, with repetitions after it
	sorted      int

	ruling    Kind // promoted, retired or ""
	rulingAt  moment
	validator string

	// since restarts the count: only later sightings are in it.
	since stamp
}

// counter counts the sightings of classes in whatever order they come.
type counter struct {
	tallies map[uint64]*tally
	events  idSet
	runs    idSet // class and run
	units   idSet // class and pull request, or run without one
	// again says that this is the second pass, for classes with since.
	again bool
}

func newCounter(events int) *counter {
	return &counter{
		tallies: map[uint64]*tally{},
		events:  newIDSet(events), runs: newIDSet(events / 4), units: newIDSet(events / 8),
	}
}

// add counts one event. It asks for the text only when it needs it.
func (c *counter) add(h header, from source) error {
	if !c.events.add(h.id) {
		return nil
	}
	t := c.tallies[h.fp]
	if t == nil {
		t = &tally{}
		c.tallies[h.fp] = t
	}
	if h.kind == KindPromoted || h.kind == KindRetired {
		return t.rule(h, from)
	}
	if c.again && (t.since == 0 || h.at <= t.since) {
		return nil
	}
	t.sightings++
	if c.runs.add(mix(h.fp, h.run)) {
		t.runs++
	}
	switch {
	case h.pr != 0 && c.units.add(mix(h.fp, uint64(h.pr))):
		t.pullRequests++
	case h.pr == 0 && c.units.add(mix(h.fp, ^h.run)):
		t.loneRuns++
	}
	if c.again {
		return nil
	}
	t.last = max(t.last, h.at)
	if t.first == 0 || h.at < t.first {
		t.first = h.at
	}
	if h.named {
		t.addDefect(h.defect)
	}
	return t.describe(h, from)
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
	if t.ruling != "" && at.compare(t.rulingAt) <= 0 {
		return nil
	}
	said, err := from.text(h.kind)
	if err != nil {
		return err
	}
	t.ruling, t.rulingAt, t.validator = h.kind, at, said.validator
	return nil
}

// addDefect keeps the set of defects in little memory: a slice that is sorted
// and freed of repetitions whenever it has doubled.
func (t *tally) addDefect(d uint32) {
	if n := len(t.defects); n > 0 && t.defects[n-1] == d {
		return
	}
	t.defects = append(t.defects, d)
	if len(t.defects) >= 16 && len(t.defects) >= 2*t.sorted {
		t.compactDefects()
	}
}

func (t *tally) compactDefects() {
	slices.Sort(t.defects)
	t.defects = slices.Compact(t.defects)
	t.sorted = len(t.defects)
}

// recount prepares the second pass and reports whether one is needed: a class
// that was retired and came back is counted from its return only.
func (c *counter) recount() bool {
	need := 0
	for _, t := range c.tallies {
		if t.ruling == KindRetired && t.last > t.rulingAt.at {
			t.since = t.rulingAt.at
			need += t.sightings
			t.runs, t.pullRequests, t.loneRuns, t.sightings = 0, 0, 0, 0
		}
	}
	c.again = true
	c.events, c.runs, c.units = newIDSet(need), newIDSet(need/4), newIDSet(need/8)
	return need > 0
}

// classes returns the counted classes in their order.
func (c *counter) classes(r Ratchet) []Class {
	recur := r.Recur
	if recur == 0 {
		recur = DefaultRecur
	}
	out := make([]Class, 0, len(c.tallies))
	for fp, t := range c.tallies {
		if t.textFrom == "" {
			continue // ruled on, never seen
		}
		t.compactDefects()
		class := Class{
			FP: formatFP(fp), FP0: t.text.fp0, Path: t.text.path, Claim: t.text.claim, Category: t.text.category,
			Runs: t.runs, PullRequests: t.pullRequests, Sightings: t.sightings,
			Recurrence: t.pullRequests + t.loneRuns, Defects: make([]DefectID, len(t.defects)),
			FirstSeen: t.first.time(), LastSeen: t.last.time(),
		}
		if r.Unit == UnitRun {
			class.Recurrence = t.runs
		}
		for i, d := range t.defects {
			class.Defects[i] = DefectID(fmt.Sprintf("D-%08x", d))
		}
		switch {
		case t.ruling == KindPromoted:
			class.Status, class.Validator = ClassPromoted, t.validator
		case t.ruling == KindRetired && t.since == 0:
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
	for i := range raw {
		raw[i] = byte(fp >> (56 - 8*i))
	}
	return hex.EncodeToString(raw[:])
}
