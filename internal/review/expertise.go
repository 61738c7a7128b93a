package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/git"
)

// ErrNoHistory is the error when nothing can be said about who knows the code.
// Whoever set a rule is then taken to know it better.
var ErrNoHistory = errors.New("no history")

// maxPeopleFile is how much of .mailmap and .git-blame-ignore-revs is read, in
// bytes; Linux, with thousands of entries, needs 50 kB.
const maxPeopleFile = 4 << 20

// People is what the server knows about an account.
type People interface {
	// Addresses returns the addresses on the commits that the server ties to
	// the account, none if there are no such commits.
	Addresses(ctx context.Context, login string) ([]string, error)
	// Access returns what the account may do; AccessUnknown, without an
	// error, if the token may not ask.
	Access(ctx context.Context, login string) (expertise.Access, error)
}

// Experts says who knows which part of a repository. It reads the history when
// it is asked first and keeps it. One goroutine may use it.
type Experts struct {
	Repo *git.Repo
	// Head is the full id of the default branch's commit. What is not
	// reachable from it counts for nobody: anybody can push a branch.
	Head string
	// Now is the moment that ages count to.
	Now time.Time
	// Cache is the directory to keep the history in between runs, "" for
	// none. Whoever can write there can decide disputes.
	Cache string
	// Remote is where a shallow clone gets its history from, with Auth; ""
	// forbids it. See git.Repo.Unshallow for what it does to the clone.
	Remote string
	Auth   git.Auth
	// People answers for the accounts of a dispute. Without it none is
	// decided: a login alone ties nobody to the addresses of their commits.
	People People
	// Reviews are the approvals and resolved threads that crev itself saw.
	Reviews []expertise.Review

	// history is the longest that was read.
	history *expertise.History
	graph   *expertise.Graph
	notes   []string
}

// Question is a dispute about a rule, by login.
type Question struct {
	// Scope reports whether the rule is about a file.
	Scope func(path string) bool
	// Challengers are who replied, and who agreed with them since.
	Challengers []Voice
	// Setters are who taught or confirmed the rule.
	Setters []Voice
}

// Voice is one side's person.
type Voice struct {
	Login string
	// Seen is when they spoke; the zero time if that is not known.
	Seen time.Time
}

// Decide says which side knows the code better. The decision is good with an
// error too: the rule stays, and the error says why nothing could be compared.
func (x *Experts) Decide(ctx context.Context, q Question) (expertise.Decision, error) {
	d := expertise.Dispute{Scope: q.Scope, Challengers: persons(q.Challengers), Setters: persons(q.Setters)}
	none := (*expertise.Graph)(nil).Decide(d)
	if none.Outcome == expertise.Wins {
		return none, nil // a setter's own rule needs no history
	}
	for _, side := range [][]expertise.Person{d.Challengers, d.Setters} {
		if err := x.ask(ctx, side); err != nil {
			return none, err
		}
	}
	// Who has left is not asked, history or not.
	none = (*expertise.Graph)(nil).Decide(d)
	decision := none
	for _, since := range []time.Time{x.Now.Add(-expertise.Window), {}} {
		g, err := x.Graph(ctx, since)
		if err != nil {
			return none, err
		}
		if decision = g.Decide(d); decision.Reason != expertise.Unproven {
			break
		}
	}
	return decision, nil
}

func persons(voices []Voice) []expertise.Person {
	out := make([]expertise.Person, len(voices))
	for i, v := range voices {
		out[i] = expertise.Person{Login: v.Login, Seen: v.Seen}
	}
	return out
}

// ask fills in what the server knows about people.
func (x *Experts) ask(ctx context.Context, side []expertise.Person) error {
	if x.People == nil {
		return fmt.Errorf("%w: nobody to ask which addresses belong to an account", ErrNoHistory)
	}
	for i := range side {
		p := &side[i]
		var err error
		if p.Access, err = x.People.Access(ctx, p.Login); err != nil {
			return fmt.Errorf("%w: ask what %s may do: %w", ErrNoHistory, p.Login, err)
		}
		if p.Emails, err = x.People.Addresses(ctx, p.Login); err != nil {
			return fmt.Errorf("%w: ask for the commits of %s: %w", ErrNoHistory, p.Login, err)
		}
	}
	return nil
}

// Notes are what went wrong without harm to an answer, such as a cache that
// could not be written.
func (x *Experts) Notes() []string { return slices.Clone(x.notes) }

// Graph returns who did what from a moment on, the zero time for ever. The
// error is ErrNoHistory when the clone does not tell.
func (x *Experts) Graph(ctx context.Context, since time.Time) (*expertise.Graph, error) {
	if x.graph != nil && x.history.Covers(since) {
		return x.graph, nil
	}
	h, err := x.read(ctx, since)
	if err != nil {
		return nil, err
	}
	o := expertise.Options{Now: x.Now, Reviews: x.Reviews}
	if o.Paths, err = x.Repo.Paths(ctx, x.Head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHistory, err)
	}
	if o.Mailmap, err = x.file(ctx, ".mailmap"); err != nil {
		return nil, err
	}
	if o.IgnoreRevs, err = x.file(ctx, ".git-blame-ignore-revs"); err != nil {
		return nil, err
	}
	x.history, x.graph = h, expertise.NewGraph(h, o)
	return x.graph, nil
}

// file returns a file of the head, nil if it has none that could be one.
func (x *Experts) file(ctx context.Context, path string) ([]byte, error) {
	text, err := x.Repo.ReadFileUpTo(ctx, x.Head, path, maxPeopleFile)
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid), errors.Is(err, git.ErrTooLarge):
		return nil, nil
	}
	return nil, fmt.Errorf("%w: %w", ErrNoHistory, err)
}
