package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// CheckAppend is the built-in validator "ledger". It compares two .crev folders,
// the one of the base commit and the one of the head, and returns what the head
// must not do:
//
//   - leave out or change an event of the base (moving whole lines into packs is
//     neither);
//   - hold a line, a file or a link that cannot be read as a ledger;
//   - add an event that is illegal in the view its writer had, for example one
//     about a defect of another pull request that is not merged;
//   - add a dismissal of a security, crash, data or secret defect: that takes the
//     explicit command of a person, and never arrives by a commit;
//   - remove a promoted validator, or change it without a new `promoted` event,
//     unless the base holds a `retired` event by a person: a change cannot
//     release itself, and whoever merges the retirement has the right to;
//   - quarantine a promoted validator.
//
// Each problem says what to do. The first one of a file is its first bad line.
func CheckAppend(base, head fs.FS) []Problem {
	before, problems := readLedger(base)
	if len(problems) > 0 {
		// The base is what it is; what is readable of it must stay.
		problems = nil
	}
	after, bad := readLedger(head)
	problems = append(problems, bad...)

	known := before.ids()
	present := after.ids()
	problems = append(problems, missing(before, present)...)

	isNew := func(e *Event) bool { return !known[e.ID] }
	for _, p := range CheckTransitions(after.events, isNew) {
		problems = append(problems, after.locate(p))
	}
	problems = append(problems, shieldedDismissals(after, isNew)...)
	problems = append(problems, quarantines(after, isNew)...)
	return append(problems, checkPromoted(before.events, after.events, base, head)...)
}

// placed is a ledger with the place of every event.
type placed struct {
	events []Event
	places map[ID]Problem
}

func readLedger(crev fs.FS) (placed, []Problem) {
	l := placed{places: map[ID]Problem{}}
	info, err := lstat(crev, "ledger")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err != nil:
		return l, []Problem{{Path: "ledger", Msg: fmt.Sprintf("cannot be read: %v", err)}}
	case !info.IsDir():
		return l, []Problem{{Path: "ledger", Msg: "is no folder; the ledger is a folder of files, and follows no symbolic link"}}
	}
	sub, err := fs.Sub(crev, "ledger")
	if err != nil {
		return l, []Problem{{Path: "ledger", Msg: err.Error()}}
	}
	r := newReader(sub)
	r.sums = true
	r.each(func(line []byte) error {
		e, err := Parse(line)
		if err == nil {
			if _, seen := l.places[e.ID]; !seen {
				l.places[e.ID] = r.at
				l.events = append(l.events, e)
			}
		}
		return err
	})
	for i := range r.problems {
		r.problems[i].Path = path.Join("ledger", r.problems[i].Path)
	}
	for id, p := range l.places {
		p.Path = path.Join("ledger", p.Path)
		l.places[id] = p
	}
	return l, r.problems
}

// lstat describes a name in the root of fsys without following a link.
func lstat(fsys fs.FS, name string) (fs.FileInfo, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == name {
			return e.Info()
		}
	}
	return nil, fs.ErrNotExist
}

func (l placed) ids() map[ID]bool {
	ids := make(map[ID]bool, len(l.events))
	for i := range l.events {
		ids[l.events[i].ID] = true
	}
	return ids
}

func (l placed) locate(p Problem) Problem {
	at := l.places[p.Event]
	p.Path, p.Line = at.Path, at.Line
	return p
}

// missing lists the events of the base that the head does not hold, one problem
// a file.
func missing(base placed, present map[ID]bool) []Problem {
	first := map[string]Problem{}
	count := map[string]int{}
	for i := range base.events {
		id := base.events[i].ID
		if present[id] {
			continue
		}
		at := base.places[id]
		at.Event = id
		if p, ok := first[at.Path]; !ok || at.Line < p.Line {
			first[at.Path] = at
		}
		count[at.Path]++
	}
	var out []Problem
	for _, p := range slices.Sorted(maps.Keys(first)) {
		at := first[p]
		at.Msg = fmt.Sprintf("event %s of the base is gone or changed", at.Event)
		if n := count[p]; n > 1 {
			at.Msg += fmt.Sprintf(" (and %d more of this file)", n-1)
		}
		at.Msg += "; the ledger is append-only: restore it with `git checkout BASE -- .crev/" + p + "`"
		out = append(out, at)
	}
	return out
}

// shieldedDismissals lists new dismissals of defects that no commit may dismiss.
func shieldedDismissals(l placed, isNew func(*Event) bool) []Problem {
	var out []Problem
	states := map[int]*State{}
	for i := range l.events {
		e := &l.events[i]
		if e.Dismissed == nil || !isNew(e) {
			continue
		}
		if states[e.PR] == nil {
			states[e.PR] = Fold(l.events, View{PR: e.PR})
		}
		d := states[e.PR].Defect(e.Defect)
		if d == nil || !d.Shielded() {
			continue
		}
		p := l.places[e.ID]
		p.Event = e.ID
		p.Msg = fmt.Sprintf("event %s dismisses %s, which is %s; a commit cannot do that: "+
			"remove the line, and let somebody with write permission comment `/crev dismiss %s REASON`",
			e.ID, d.ID, d.gravity(), d.ID)
		out = append(out, p)
	}
	return out
}

// quarantines lists new quarantines of validators that decide a class: to stop
// blocking is to loosen the ratchet.
func quarantines(l placed, isNew func(*Event) bool) []Problem {
	promoted := promotedNames(l.events)
	var out []Problem
	for i := range l.events {
		e := &l.events[i]
		if e.Quarantined == nil || !isNew(e) || !slices.Contains(promoted, e.Quarantined.Validator) {
			continue
		}
		p := l.places[e.ID]
		p.Event = e.ID
		p.Msg = fmt.Sprintf("event %s quarantines %s, which decides a class; remove the line and repair the check, or retire the class first",
			e.ID, e.Quarantined.Validator)
		out = append(out, p)
	}
	return out
}

// checkPromoted compares the validators that classes were promoted to with
// those of the base. Only what the base has retired is free.
func checkPromoted(before, after []Event, base, head fs.FS) []Problem {
	var out []Problem
	for _, name := range promotedNames(after) {
		dir := path.Join("validators", name)
		old, err := hashBelow(base, dir)
		if err != nil {
			continue // the base has no such validator, so nothing is taken away
		}
		now, err := hashBelow(head, dir)
		switch {
		case err == nil && now == old:
		case Released(before, name):
		case err != nil:
			out = append(out, Problem{Path: dir, Msg: "a promoted validator is gone or unreadable; restore it, or retire its class " +
				"first with `crev ledger retire FP --reason WHY --by LOGIN`, in a change of its own that is merged before this one"})
		case !promotedAs(after, name, now):
			out = append(out, Problem{Path: dir, Msg: "a promoted validator was changed; " +
				"promote it again with `crev ledger promote FP --check .crev/" + dir + "` in the same change, or restore it"})
		}
	}
	return out
}

// promotedNames returns the validators of all promotions, in order.
func promotedNames(events []Event) []string {
	names := map[string]bool{}
	for i := range events {
		if p := events[i].Promoted; p != nil {
			names[p.Validator] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Released reports whether somebody retired every class that the validator was
// promoted for, after its promotion: it may be changed and removed. One that
// decides nothing is released.
func Released(events []Event, validator string) bool {
	standing := map[string]bool{}
	sorted := Sort(events)
	for i := range sorted {
		switch e := &sorted[i]; {
		case e.Promoted != nil && e.Promoted.Validator == validator:
			standing[e.FP] = true
		case e.Retired != nil && e.By != "":
			delete(standing, e.FP)
		}
	}
	return len(standing) == 0
}

func promotedAs(events []Event, validator, hash string) bool {
	return slices.ContainsFunc(events, func(e Event) bool {
		return e.Promoted != nil && e.Promoted.Validator == validator && e.Promoted.Hash == hash
	})
}

// maxValidatorFile is the greatest size of a file of a validator in bytes.
const maxValidatorFile = 16 << 20

// HashValidator returns the hash of a validator's folder that a promotion
// stores: the SHA-256, in hex, over its files in the order of their paths, each
// written as
//
//	<length of path> SP <path> LF <length of content> SP <content> LF
//
// with lengths in decimal. The samples in bad/ and good/ do not count. It
// refuses links, files above 16 MiB and a folder without files.
func HashValidator(folder fs.FS) (string, error) {
	var names []string
	err := fs.WalkDir(folder, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (p == "bad" || p == "good"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is no regular file", p)
		}
		names = append(names, p)
		return nil
	})
	if err == nil && len(names) == 0 {
		err = errors.New("the folder has no files")
	}
	if err != nil {
		return "", fmt.Errorf("hash validator: %w", err)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		data, err := readSmall(folder, name)
		if err != nil {
			return "", fmt.Errorf("hash validator: %w", err)
		}
		fmt.Fprintf(h, "%d %s\n%d ", len(name), name, len(data))
		h.Write(data)
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func readSmall(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxValidatorFile+1))
	if err == nil && len(data) > maxValidatorFile {
		err = fmt.Errorf("%s has more than %d bytes", name, maxValidatorFile)
	}
	return data, err
}

func hashBelow(fsys fs.FS, dir string) (string, error) {
	folder, err := fs.Sub(fsys, dir)
	if err != nil {
		return "", err
	}
	return HashValidator(folder)
}
