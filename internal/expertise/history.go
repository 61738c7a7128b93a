package expertise

import (
	"bytes"
	"encoding/hex"
	"slices"
	"time"
)

// Commit is one commit, not a merge, as the log of the default branch tells
// it. Its bytes need not be UTF-8.
type Commit struct {
	// ID is the full id in hex.
	ID []byte
	// Time is when it was committed, in Unix seconds.
	Time int64
	// Name and Email are the author's, as they stand in the commit.
	Name, Email []byte
	// People are the co-authors and reviewers of its trailers, "Name <email>"
	// each.
	People [][]byte
	// Changes are the files it changed.
	Changes []Change
}

// Change is one file of a commit.
type Change struct {
	// Path is the file's path after the commit, or the last one it had.
	Path []byte
	// From is the path before the commit if that renamed the file, else empty.
	From []byte
}

// History is the log of a branch, from a moment on. It is never changed: a
// Recorder makes another one.
type History struct {
	// Head is the full id of the branch's commit that was read up to.
	Head string
	// Since is the moment the history starts at; zero when it is whole.
	Since time.Time

	people []ident
	paths  []string // paths[0] is no path
	// commits are newest first, and none stands before its children.
	commits []record
}

// ident is who a commit names.
type ident struct{ name, email string }

// record is a commit with its names as places in the tables of its history.
type record struct {
	id      uint64 // the first 8 bytes
	time    int64
	author  uint32
	others  []uint32
	changes []change
}

// change has from 0 when nothing was renamed.
type change struct{ path, from uint32 }

// Covers reports whether the history reaches back to a moment, the zero time
// meaning its beginning.
func (h *History) Covers(since time.Time) bool {
	return h.Since.IsZero() || !since.IsZero() && !h.Since.After(since)
}

// Recorder makes a History of the commits it is given.
type Recorder struct {
	base          *History
	people, paths map[string]uint32
	made          History
	key           []byte
}

// NewRecorder returns a Recorder for the commits that are not in base, which
// is nil for all of them.
func NewRecorder(base *History) *Recorder {
	if base == nil {
		base = &History{paths: []string{""}}
	}
	r := &Recorder{
		base:   base,
		people: make(map[string]uint32, len(base.people)),
		paths:  make(map[string]uint32, len(base.paths)),
		made:   History{people: slices.Clip(base.people), paths: slices.Clip(base.paths)},
	}
	for i, p := range base.people {
		r.people[p.name+"\x00"+p.email] = uint32(i)
	}
	for i, p := range base.paths {
		r.paths[p] = uint32(i)
	}
	return r
}

// Add adds a commit that is older than those before it. It keeps nothing of
// c's memory.
func (r *Recorder) Add(c *Commit) {
	rec := record{id: shortID(c.ID), time: c.Time, author: r.person(c.Name, c.Email)}
	for _, p := range c.People {
		name, email := splitPerson(p)
		if other := r.person(name, email); !slices.Contains(rec.others, other) {
			rec.others = append(rec.others, other)
		}
	}
	if len(c.Changes) > 0 {
		rec.changes = make([]change, len(c.Changes))
	}
	for i, ch := range c.Changes {
		rec.changes[i] = change{path: r.path(ch.Path), from: r.path(ch.From)}
	}
	r.made.commits = append(r.made.commits, rec)
}

// History returns base and the commits that were added, as the history of head
// since a moment. The Recorder is used up.
func (r *Recorder) History(head string, since time.Time) *History {
	h := r.made
	h.Head, h.Since = head, since
	h.commits = interleave(r.made.commits, r.base.commits)
	return &h
}

// interleave merges two lists that are newest first, as git does with two
// branches: each keeps its own order.
func interleave(a, b []record) []record {
	if len(b) == 0 {
		return a
	}
	out := make([]record, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].time >= b[0].time {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func (r *Recorder) person(name, email []byte) uint32 {
	r.key = append(append(append(r.key[:0], name...), 0), email...)
	at, ok := r.people[string(r.key)]
	if !ok {
		at = uint32(len(r.made.people))
		r.made.people = append(r.made.people, ident{name: string(name), email: string(email)})
		r.people[string(r.key)] = at
	}
	return at
}

func (r *Recorder) path(p []byte) uint32 {
	at, ok := r.paths[string(p)]
	if !ok {
		at = uint32(len(r.made.paths))
		s := string(p)
		r.made.paths = append(r.made.paths, s)
		r.paths[s] = at
	}
	return at
}

// shortID returns the first 8 bytes of an id: enough to tell the commits of
// one repository apart.
func shortID(id []byte) uint64 {
	var b [8]byte
	if len(id) >= 16 {
		hex.Decode(b[:], id[:16]) // what is no hex stays 0
	}
	var n uint64
	for _, v := range b {
		n = n<<8 | uint64(v)
	}
	return n
}

// splitPerson splits "Name <email>". What is not of this form is all name.
func splitPerson(p []byte) (name, email []byte) {
	open := bytes.LastIndexByte(p, '<')
	shut := bytes.LastIndexByte(p, '>')
	if open < 0 || shut < open {
		return bytes.TrimSpace(p), nil
	}
	return bytes.TrimSpace(p[:open]), bytes.TrimSpace(p[open+1 : shut])
}
