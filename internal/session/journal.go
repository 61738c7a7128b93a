package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// Version is the format of journals that this program writes, and the newest it
// reads.
const Version = 1

// ErrNewerFormat is returned for a journal that a newer crev wrote.
var ErrNewerFormat = errors.New("written by a newer crev; update crev to read it")

// ErrLocked is returned for a journal that another process writes.
var ErrLocked = errors.New("another crev writes this session; wait for it, or stop it")

// Header says what a journal is about. It is written once, as plan.json.
type Header struct {
	Version int       `json:"version"`
	Run     string    `json:"run"`
	Started time.Time `json:"started"`
	Base    string    `json:"base"`
	Head    string    `json:"head"`
	// Prompts is the hash of prompts, schema and configuration.
	Prompts string `json:"prompts"`
	Plan    Plan   `json:"plan"`
	Limits  Limits `json:"limits"`
	// Hash names the plan: see Header.hash.
	Hash string `json:"hash"`
}

// hash is the SHA-256, in hex, over everything in the header but the run and its
// time. Journals with another hash are of another review. Paths count with their
// raw bytes.
func (h Header) hash() string {
	h.Run, h.Started, h.Hash, h.Version = "", time.Time{}, "", Version
	sum := sha256.New()
	for _, b := range h.Plan.Batches {
		fmt.Fprintf(sum, "%q %q\n", b.ID, b.Paths)
	}
	if h.Plan.Reused != nil {
		fmt.Fprintf(sum, "%q\n", h.Plan.Reused.Paths)
	}
	text, err := json.Marshal(h)
	if err != nil {
		panic("session: encode a header: " + err.Error())
	}
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

// Journal is the folder of a session: plan.json, session.jsonl and one file a
// batch. One process writes it at a time; several goroutines may.
type Journal struct {
	mu     sync.Mutex
	root   *os.Root
	lock   *os.File
	header Header
	// only is the batch that this machine reviews, "" for all.
	only  string
	files map[string]*file
	// entries are those that were there when the journal was opened.
	entries []Entry
	paid    map[paidKey]outcome
	// synced is called after everything that was made durable.
	synced func()
}

// Open opens the journal of a review in a folder, and makes it where there is
// none. For one that exists the header has to be the same but for the run and its
// time, which stay those of the first. The caller closes it.
func Open(dir string, h Header) (*Journal, error) {
	return open(dir, h, "", func() {})
}

// Join opens the journal for one batch alone, on a machine that reviews no other.
// The folder holds the plan.json that Open made.
func Join(dir string, h Header, batch string) (*Journal, error) {
	if _, err := h.Plan.Only(batch); err != nil {
		return nil, fmt.Errorf("join session %s: %w", dir, err)
	}
	return open(dir, h, batch, func() {})
}

func open(dir string, h Header, only string, synced func()) (_ *Journal, err error) {
	h.Version, h.Hash = Version, h.hash()
	if err := h.Plan.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	j := &Journal{root: root, header: h, only: only, files: map[string]*file{}, paid: map[paidKey]outcome{}, synced: synced}
	defer func() {
		if err != nil {
			err = fmt.Errorf("open session %s: %w", dir, errors.Join(err, j.Close()))
		}
	}()
	if j.lock, err = lockFolder(root); err != nil {
		return nil, err
	}
	if err := j.agree(); err != nil {
		return nil, err
	}
	return j, j.load()
}

// Close releases the folder for the next writer.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	for _, f := range j.files {
		errs = append(errs, f.to.Close())
	}
	clear(j.files)
	if j.lock != nil {
		errs = append(errs, unlockFolder(j.root, j.lock))
	}
	return errors.Join(append(errs, j.root.Close())...)
}

// Header returns what plan.json says: the run and the time are those of the first
// start.
func (j *Journal) Header() Header { return j.header }

// Session returns the session as the journal has it, resumed at now. Step 0 has
// to be passed again.
func (j *Journal) Session(now time.Time) (*Session, error) {
	p := j.header.Plan
	if j.only != "" {
		var err error
		if p, err = p.Only(j.only); err != nil {
			return nil, err
		}
	}
	s, err := Restore(p, j.header.Limits, j, j.entries, now)
	if err != nil {
		return nil, err
	}
	return s, s.Resume(now)
}

// Append writes a transition, durably. It is for a Session. A machine that
// reviews one batch writes nothing about the session as a whole.
func (j *Journal) Append(e Entry) error {
	if j.only != "" && e.Batch != j.only {
		return nil
	}
	return j.append(e.Batch, line{Entry: &e})
}

const (
	planName = "plan.json"
	// lockName is the file by which one process keeps others out.
	lockName = "lock"
)

// agree compares the header with plan.json, and writes it where there is none.
func (j *Journal) agree() error {
	text, err := j.root.ReadFile(planName)
	switch {
	case errors.Is(err, fs.ErrNotExist) && j.only != "":
		return fmt.Errorf("there is no %s; make it with `crev review --plan` and take it along", planName)
	case errors.Is(err, fs.ErrNotExist):
		return j.begin()
	case err != nil:
		return err
	}
	h, err := parseHeader(text)
	if err != nil {
		return fmt.Errorf("%s: %w", planName, err)
	}
	if h.Hash != j.header.Hash {
		return fmt.Errorf("it is about another review (base %.12s, head %.12s, or other files, prompts or limits); "+
			"give an empty folder, or the revision it began with", h.Base, h.Head)
	}
	j.header.Run, j.header.Started = h.Run, h.Started
	return nil
}

func parseHeader(text []byte) (Header, error) {
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return Header{}, err
	}
	if v.Version > Version {
		return Header{}, fmt.Errorf("version %d: %w", v.Version, ErrNewerFormat)
	}
	var h Header
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&h); err != nil {
		return Header{}, err
	}
	if h.Version != Version || len(h.Hash) != sha256.Size*2 {
		return Header{}, errors.New("it is no header of a session")
	}
	return h, nil
}

// begin makes a new journal. The files of the batches come first: where plan.json
// is, all of them are, so that one that is missing later was lost.
func (j *Journal) begin() error {
	for _, name := range append(j.batchFiles(), sessionName) {
		f, err := j.root.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && info.Size() > 0 {
			err = fmt.Errorf("%s is there without %s; give an empty folder", name, planName)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if err := j.syncFolder(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(j.header, "", "  ")
	if err != nil {
		return err
	}
	tmp := planName + ".tmp"
	f, err := j.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	j.synced()
	if err := j.root.Rename(tmp, planName); err != nil {
		return err
	}
	return j.syncFolder()
}

// syncFolder makes the names in the folder durable where the system can.
func (j *Journal) syncFolder() error {
	f, err := j.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	_ = f.Sync() // not every system syncs folders
	j.synced()
	return nil
}

// sessionName is the file of what is about no batch alone.
const sessionName = "session.jsonl"

// fileName is where lines about a batch are.
func fileName(batch string) string {
	if batch == "" || batch == LastID {
		return sessionName
	}
	return "batch-" + batch + ".jsonl"
}

func (j *Journal) batchFiles() []string {
	var out []string
	for _, b := range j.header.Plan.Batches {
		out = append(out, fileName(b.ID))
	}
	return out
}

// batchOf is the batch of a file's name, "" for session.jsonl.
func batchOf(name string) string {
	if name == sessionName {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, "batch-"), ".jsonl")
}
