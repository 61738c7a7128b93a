package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
)

// ledgerCommands are the ratchet (add, tally, triage, promote, retire) and what
// looks after the store.
func ledgerCommands() []command {
	return []command{
		{name: "add", summary: "record findings, JSON on standard input", run: ledgerAdd},
		{name: "tally", summary: "count in how many pull requests every class came back", run: ledgerTally},
		{name: "triage", summary: "show the classes that came back often enough to decide about", run: ledgerTriage},
		{name: "promote", args: "FP", summary: "let a proven validator decide a class from now on; --scaffold writes its folder", run: ledgerPromote},
		{name: "retire", args: "[FP]", summary: "stop counting a class, or all that nobody repeats", run: ledgerRetire},
		{name: "stats", summary: "draw the curve: findings, repeats, promoted classes, reviews saved", run: ledgerStats},
		{name: "show", args: "FP|D-…", summary: "show a class or a defect with its history", run: ledgerShow},
		{name: "merge", args: "D-… D-…", summary: "make the first defect an alias of the second", run: ledgerMerge},
		{name: "unmerge", args: "D-…", summary: "take a merge back", run: ledgerUnmerge},
		{name: "split", args: "D-…", summary: "deal a defect out to new ones, one a location", run: ledgerSplit},
		{name: "verify", summary: "check that every event is whole and legal", run: ledgerVerify},
		{name: "pack", summary: "move old run files into packs, without loss", run: ledgerPack},
		{name: "export", summary: "print every event, in order, one a line", run: ledgerExport},
	}
}

// repositoryRoot walks up from dir to the folder that holds .git or .crev.
func repositoryRoot(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for at := abs; ; {
		for _, mark := range []string{".git", ".crev"} {
			if _, err := os.Lstat(filepath.Join(at, mark)); err == nil {
				return at, nil
			}
		}
		up := filepath.Dir(at)
		if up == at {
			return "", usagef("no repository here: neither %s nor a folder above it holds .git or .crev; run `git init` or go there", abs)
		}
		at = up
	}
}

// openLedger opens the ledger of the repository that w.dir is in.
func openLedger(w world) (root string, store *ledger.Store, err error) {
	root, err = repositoryRoot(w.dir)
	if err != nil {
		return "", nil, err
	}
	store, err = ledger.OpenStore(root)
	return root, store, err
}

// tallied counts the classes of the ledger. A ledger with a problem is not
// counted: half a count is a wrong one.
func tallied(store *ledger.Store, r ledger.Ratchet) ([]ledger.Class, fs.FS, error) {
	fsys, err := store.FS()
	if err != nil {
		return nil, nil, err
	}
	classes, problems := ledger.Tally(fsys, r)
	return classes, fsys, problemsError(problems)
}

// problemsError turns what is wrong with the files into one line.
func problemsError(problems []ledger.Problem) error {
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s/%v", ledger.Folder, problems[0])
	}
	return fmt.Errorf("%s/%v (and %d more; run `crev ledger verify`)", ledger.Folder, problems[0], len(problems)-1)
}

// ratchetFlags say how recurrence is counted.
type ratchetFlags struct {
	unit  string
	recur int
}

func (f *ratchetFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&f.unit, "unit", "", "what one recurrence is: pull_request or run (default: the configuration's)")
	flags.IntVar(&f.recur, "recur", 0, "the `number` of recurrences from which on a class is recurring (default: the configuration's)")
}

// ratchet is what the flags say, else the configuration in the work tree.
func (f *ratchetFlags) ratchet(root string, flags *flag.FlagSet) (ledger.Ratchet, error) {
	cfg, err := review.ReadConfig(os.DirFS(root))
	if err != nil {
		return ledger.Ratchet{}, err
	}
	unit, err := ledger.ParseUnit(cmp.Or(f.unit, cfg.Ratchet.Unit))
	if err != nil {
		return ledger.Ratchet{}, usagef("--unit: %v", err)
	}
	given := false
	flags.Visit(func(one *flag.Flag) { given = given || one.Name == "recur" })
	if given && f.recur < 1 {
		return ledger.Ratchet{}, usagef("--recur %d: want 1 or more", f.recur)
	}
	return ledger.Ratchet{Unit: unit, Recur: cmp.Or(f.recur, cfg.Ratchet.Recur)}, nil
}

// findClass returns the class whose fingerprint begins with prefix.
func findClass(classes []ledger.Class, prefix string) (ledger.Class, error) {
	if len(prefix) < 4 || len(prefix) > 16 || strings.Trim(prefix, "0123456789abcdef") != "" {
		return ledger.Class{}, usagef("%q is no class: a fingerprint is 16 hex digits, or its first ones, at least 4", prefix)
	}
	var found []ledger.Class
	for _, c := range classes {
		if strings.HasPrefix(c.FP, prefix) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return ledger.Class{}, usagef("%s: no class with that fingerprint; `crev ledger tally` lists them", prefix)
	case 1:
		return found[0], nil
	}
	return ledger.Class{}, usagef("%s: %d classes begin so, among them %s and %s; give more digits", prefix, len(found), found[0].FP, found[1].FP)
}

// record seals events of a command that has no run of its own, and writes them
// to one file.
func record(store *ledger.Store, now time.Time, events ...ledger.Event) (string, []ledger.Event, error) {
	run := localRun(now, events)
	for i := range events {
		events[i].Run, events[i].At = run, now
		sealed, err := ledger.Seal(events[i])
		if err != nil {
			return "", nil, err
		}
		events[i] = sealed
	}
	path, err := store.WriteRun(0, run, now, events)
	return path, events, err
}

// localRun names a run after its time and what it says: two commands in one
// second that say different things are two runs.
func localRun(now time.Time, events []ledger.Event) string {
	h := sha256.New()
	for _, e := range events {
		fmt.Fprintf(h, "%s %s %s %s\n", e.FP, e.Defect, e.By, e.Kind())
	}
	return "local-" + now.UTC().Format("20060102T150405") + "-" + hex.EncodeToString(h.Sum(nil)[:4]) + ".1"
}

// contentName returns 8 hex digits that name a set of sealed events.
func contentName(events []ledger.Event) string {
	ids := make([]string, len(events))
	for i := range events {
		ids[i] = string(events[i].ID)
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(ids), " ")))
	return hex.EncodeToString(sum[:4])
}

// plural returns "1 run" or "2 runs".
func plural(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// closing joins the error of closing the store to err.
func closing(store *ledger.Store, err *error) { *err = errors.Join(*err, store.Close()) }
