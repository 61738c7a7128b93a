package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/glob"
	"github.com/crev-ratchet/crev/internal/review"
)

// rankedJSON is one person that who prints with -json.
type rankedJSON struct {
	Name  string `json:"name"`
	Login string `json:"login,omitempty"`
	// Points are left out in a workflow, whose log others can read.
	Points   int       `json:"points,omitempty"`
	State    string    `json:"state"`
	LastSeen time.Time `json:"last_seen"`
}

func ruleWho(ctx context.Context, w world, flags *flag.FlagSet, args []string) (err error) {
	branch := flags.String("branch", "", "the `branch` whose history counts (default: the remote's default branch)")
	fetch := flags.Bool("fetch", false, "let a shallow clone fetch the history it lacks from origin")
	whole := flags.Bool("whole", false, "count the whole history (default: the last five years, and the whole where they say too little)")
	top := flags.Int("top", 10, "show this many `people`, 0 for all")
	asJSON := flags.Bool("json", false, "print one JSON object")
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 1:
		return usagef("%s: one path at a time, not %q too", flags.Name(), rest[1])
	case *top < 0:
		return usagef("%s: --top %d: want 0 or more", flags.Name(), *top)
	}
	repo, err := git.Open(ctx, w.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	scope, what, err := scopeOf(w, repo, append(rest, ".")[0])
	if err != nil {
		return err
	}
	x, err := localExperts(ctx, w, repo, *branch)
	if err != nil {
		return err
	}
	if *fetch {
		x.Remote = "origin"
	}
	since := []time.Time{x.Now.Add(-expertise.Window), {}}
	if *whole {
		since = since[1:]
	}
	ranked, err := rank(ctx, x, scope, since)
	for _, note := range x.Notes() {
		fmt.Fprintf(w.err, "crev: %s\n", note)
	}
	if err != nil {
		return err
	}
	if *top > 0 {
		ranked = ranked[:min(*top, len(ranked))]
	}
	return printRanked(w, what, ranked, *asJSON)
}

// localExperts reads the history of a branch of the clone on this machine.
func localExperts(ctx context.Context, w world, repo *git.Repo, branch string) (*review.Experts, error) {
	head, err := defaultHead(ctx, repo, branch)
	if err != nil {
		return nil, err
	}
	dir, err := repo.CommonDir()
	if err != nil {
		return nil, err
	}
	return &review.Experts{Repo: repo, Head: head, Now: w.now(), Cache: filepath.Join(dir, "crev")}, nil
}

// defaultHead returns the commit of a branch; of the remote's default branch
// when none is named, else of main or master, else the one checked out.
func defaultHead(ctx context.Context, repo *git.Repo, branch string) (string, error) {
	if branch != "" {
		head, err := repo.Resolve(ctx, branch)
		if err != nil {
			return "", usagef("--branch: %v", err)
		}
		return head, nil
	}
	names := []string{"refs/heads/main", "refs/heads/master", "HEAD"}
	if name, err := repo.DefaultBranch(ctx, "origin"); err == nil {
		names = append([]string{"refs/remotes/origin/" + name}, names...)
	}
	for _, name := range names {
		head, err := repo.Resolve(ctx, name)
		if err == nil || !errors.Is(err, git.ErrUnknownRevision) {
			return head, err
		}
	}
	return "", fmt.Errorf("%w: there is no commit yet", review.ErrNoHistory)
}

// scopeOf returns what a path, given from the working directory, stands for,
// and the path from the top of the repository: a file, everything in a folder,
// or what a glob matches.
func scopeOf(w world, repo *git.Repo, path string) (func(string) bool, string, error) {
	dir, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		return nil, "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, "", err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	rel, err := filepath.Rel(repo.Dir(), path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, "", usagef("rule who: %s is not in the repository %s", path, repo.Dir())
	}
	rel = filepath.ToSlash(rel)
	if rel == "." {
		return func(string) bool { return true }, "the repository", nil
	}
	globs := []string{rel}
	return func(p string) bool {
		return p == rel || strings.HasPrefix(p, rel+"/") || glob.Match(globs, p)
	}, rel, nil
}

// rank returns who knows the files of a scope. The history since the first
// moment says it, unless nobody has done enough there since; then the next.
func rank(ctx context.Context, x *review.Experts, scope func(string) bool, since []time.Time) ([]expertise.Ranked, error) {
	var ranked []expertise.Ranked
	for _, from := range since {
		g, err := x.Graph(ctx, from)
		if err != nil {
			return nil, err
		}
		if ranked = g.Rank(scope); len(ranked) > 0 && ranked[0].Points >= expertise.EnoughPoints {
			break
		}
	}
	return ranked, nil
}

// printRanked prints people. Points are for one's own terminal alone: the log of
// a workflow is open to everybody who can read the repository.
func printRanked(w world, what string, ranked []expertise.Ranked, asJSON bool) error {
	public := w.env("GITHUB_ACTIONS") == "true" || w.env("CI") != ""
	if asJSON {
		people := []rankedJSON{}
		for _, r := range ranked {
			one := rankedJSON{Name: printable(r.Name), Login: printable(r.Login), State: r.State.String(), LastSeen: r.Last}
			if !public {
				one.Points = r.Points
			}
			people = append(people, one)
		}
		return printJSON(w.out, struct {
			Scope  string       `json:"scope"`
			People []rankedJSON `json:"people"`
		}{what, people})
	}
	if len(ranked) == 0 {
		fmt.Fprintf(w.out, "nobody whose work is still in %s\n", printable(what))
		return nil
	}
	table := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	for _, r := range ranked {
		name := printable(r.Name)
		if r.Login != "" {
			name += " (" + printable(r.Login) + ")"
		}
		if !public {
			fmt.Fprintf(table, "%d\t", r.Points)
		}
		fmt.Fprintf(table, "%s\t%s\tlast seen %s\n", r.State, name, r.Last.Format(time.DateOnly))
	}
	return table.Flush()
}

// printable is text from a history for a terminal: a name could hold bytes that
// move its cursor.
func printable(s string) string {
	return oneLine(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "\uFFFD")))
}
