package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/review"
	"github.com/crev-ratchet/crev/internal/rule"
)

// ruleCommands look after what the team decided.
func ruleCommands() []command {
	return []command{
		{name: "list", args: "[PATH...]", summary: "list the rules, or those that apply to some files", run: ruleList},
		{name: "show", args: "ID", summary: "show one rule with its history and what it cites", run: ruleShow},
		{name: "teach", args: "[ID]", summary: "write a rule, or correct the one with that id", run: ruleTeach},
		{name: "confirm", args: "ID", summary: "let a pending rule take effect", run: ruleConfirm},
		{name: "disable", args: "ID", summary: "take a rule back; its record stays", run: ruleDisable},
		{name: "check", summary: "look whether every rule still makes sense; exit 2 when one does not", run: ruleCheck},
		{name: "distil", summary: "propose rules from what the ledger holds of noes and missed bugs", run: ruleDistil},
		{name: "replay", args: "ID|FILE", summary: "try a rule on the bench cases; exit 1 when it would hide a real finding", run: ruleReplay},
		{name: "who", args: "[PATH]", summary: "show who knows a file, a folder or a glob, from the history", run: ruleWho},
	}
}

// ruleBook is the rules of a work tree, as its files are now.
type ruleBook struct {
	dir      string
	root     *os.Root
	pool     *rule.Pool
	problems []rule.Problem
}

// openRules reads the rules of the repository that w.dir is in. The caller
// closes the book.
func openRules(w world) (*ruleBook, error) {
	dir, err := repositoryRoot(w.dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	b := &ruleBook{dir: dir, root: root}
	if b.pool, b.problems, err = rule.Load(root.FS()); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return b, nil
}

func (b *ruleBook) close() { b.root.Close() }

// find returns a rule that can be read.
func (b *ruleBook) find(id string) (rule.Rule, error) {
	if r, ok := b.pool.Find(id); ok {
		return r, nil
	}
	for _, p := range b.problems {
		if p.Path == (rule.Rule{ID: id}).Path() {
			return rule.Rule{}, usagef("rule %s", p)
		}
	}
	return rule.Rule{}, usagef("rule %s: there is none with that id; `crev rule list` lists them", id)
}

// writable refuses to write while a record cannot be read: the index would lose
// it.
func (b *ruleBook) writable() error {
	for _, p := range b.problems {
		if p.Path != rule.IndexPath {
			return usagef("rule %s; mend it first", p)
		}
	}
	return nil
}

// save writes records and the index, and returns the paths. Nothing is written
// through a link that leads out of the repository.
func (b *ruleBook) save(rules ...rule.Rule) ([]string, error) {
	if err := b.writable(); err != nil {
		return nil, err
	}
	pool := b.pool
	var paths []string
	for _, r := range rules {
		text, err := r.Marshal()
		if err != nil {
			return nil, usagef("%v", err)
		}
		if err := b.write(r.Path(), text); err != nil {
			return nil, err
		}
		paths = append(paths, r.Path())
		pool = pool.With(r)
	}
	b.pool = pool
	return append(paths, rule.IndexPath), b.write(rule.IndexPath, pool.Generate())
}

// write replaces a file as a whole.
func (b *ruleBook) write(name string, text []byte) error {
	if err := b.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	tmp := name + ".new"
	if err := b.root.WriteFile(tmp, text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := b.root.Rename(tmp, name); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), b.root.Remove(tmp))
	}
	return nil
}

// code returns what citations are held against: the work tree, and older commits
// where there are any. done must be called in the end.
func (b *ruleBook) code(ctx context.Context, w world) (code rule.Code, done func() error, err error) {
	code.Tree, done = b.root.FS(), func() error { return nil }
	if code.Files, err = workFiles(ctx, w, b.root); err != nil {
		return code, done, err
	}
	repo, err := git.Open(ctx, w.dir)
	if err != nil {
		return code, done, err
	}
	done = repo.Close
	code.At = func(commit, file string) ([]byte, error) {
		full, err := repo.Resolve(ctx, commit)
		if err != nil {
			return nil, err
		}
		return repo.ReadFile(ctx, full, file)
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if errors.Is(err, git.ErrUnknownRevision) {
		return code, done, nil // no commit yet: nothing can be cited
	}
	if err != nil {
		return code, done, err
	}
	code.Commit = head[:citedDigits]
	return code, done, nil
}

// citedDigits is how much of a commit's id a citation gives.
const citedDigits = 12

// history is what the work tree's ledger says of the rules' use.
func (b *ruleBook) history() (rule.History, error) {
	events, err := b.events()
	return review.RuleHistory(events), err
}

// events are those of the work tree's ledger.
func (b *ruleBook) events() (events []ledger.Event, err error) {
	store, err := ledger.OpenStore(b.dir)
	if err != nil {
		return nil, err
	}
	defer closing(store, &err)
	files, err := store.FS()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	events, problems := ledger.ReadAll(files)
	return events, problemsError(problems)
}
