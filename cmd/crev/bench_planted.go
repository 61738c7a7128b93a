package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/git"
)

// plantedCommits is how far back bench planted goes without -from.
const plantedCommits = 300

func benchPlanted(ctx context.Context, w world, flags *flag.FlagSet, args []string) error {
	dir := flags.String("repo", "", "plant in the history of the repository in `DIR`")
	from := flags.String("from", "", fmt.Sprintf("begin at `REV` (default %d first parents back)", plantedCommits))
	to := flags.String("to", "HEAD", "end at `REV`")
	var opts bench.PlantedOptions
	flags.IntVar(&opts.Plants, "plants", 100, "make `N` cases")
	flags.Uint64Var(&opts.Seed, "seed", 1, "draw everything from `S`")
	flags.Float64Var(&opts.Recall, "recall", 0.6, "let the scripted reviewer mention this `share` of what is there")
	asJSON := flags.Bool("json", false, "print one JSON object")
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return usagef("%s takes no arguments, only flags; got %q", flags.Name(), rest[0])
	case *dir == "":
		return usagef("%s: no repository given; pass -repo DIR, any local clone with some history", flags.Name())
	case opts.Plants < 1 || opts.Plants > maxPlants:
		return usagef("%s: -plants is %d; give a number from 1 to %d", flags.Name(), opts.Plants, maxPlants)
	case opts.Recall < 0 || opts.Recall > 1:
		return usagef("%s: -recall is %v; give a share between 0 and 1", flags.Name(), opts.Recall)
	}
	path := *dir
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.dir, path)
	}
	repo, err := git.Open(ctx, path)
	if err != nil {
		return err
	}
	defer repo.Close()
	h, err := newGitHistory(ctx, repo, *from, *to)
	if err != nil {
		return err
	}
	r, err := bench.Planted(h, opts)
	if err != nil {
		return fmt.Errorf("plant defects in %s: %w", *dir, err)
	}
	if *asJSON {
		return printJSON(w.out, r)
	}
	printPlanted(w.out, r)
	return nil
}

// maxPlants keeps a typing error from running for days.
const maxPlants = 100_000

func printPlanted(w io.Writer, r bench.PlantedResult) {
	fmt.Fprintf(w, "%d cases with %d rounds on %.12s..%.12s, seed %d, reviewer recall %.2f\n",
		r.Cases, r.Rounds, r.From, r.To, r.Seed, r.Recall)
	for _, m := range slices.Sorted(maps.Keys(r.Mutations)) {
		fmt.Fprintf(w, "  planted: %-20s %5d\n", m, r.Mutations[m])
	}
	for _, why := range slices.Sorted(maps.Keys(r.Discarded)) {
		fmt.Fprintf(w, "  given up, %s: %d\n", why, r.Discarded[why])
	}
	fmt.Fprintf(w, "\n%-24s %6s %9s %10s\n", "places", "alive", "coverage", "error rate")
	for _, p := range r.Places {
		fmt.Fprintf(w, "%-24s %6d %9.4f %10.4f\n", p.Method, p.Alive, p.Coverage, p.ErrorRate)
	}
	fmt.Fprintf(w, "\n%-24s %9s %9s %9s %9s %9s %11s\n", "identity", "sightings", "records", "duplicate", "asked", "mixed", "silent high")
	for _, p := range r.Identity {
		fmt.Fprintf(w, "%-24s %9d %9d %9.4f %9.4f %9.4f %11d\n",
			p.Method, p.Sightings, p.Records, p.DuplicateRate, p.AskedShare, p.MixedRate, p.SilentHigh)
	}
	fmt.Fprintf(w, "\n%-24s %9s %12s %11s %9s\n", "lifecycle", "too early", "never fixed", "recognition", "partial")
	for _, p := range r.Lifecycle {
		fmt.Fprintf(w, "%-24s %9.4f %12d %11.4f %9.4f\n", p.Rule, p.TooEarly, p.NeverFixed, p.Recognition, p.PartialAccuracy)
	}
	fmt.Fprintf(w, "\nreopened: precision %.4f (%d of %d), recall %.4f (%d of %d); on changed lines recall %.4f (%d of %d)\n",
		r.Reopen.Precision, r.Reopen.Right, r.Reopen.Reopened, r.Reopen.Recall, r.Reopen.Found, r.Reopen.Back,
		r.ReopenLine.Recall, r.ReopenLine.Found, r.ReopenLine.Back)
	fmt.Fprintf(w, "cost: %d diffs, %d files read, %.4f of %d open places carried without a look (%.4f of %d over true commits)\n",
		r.Cost.Diffs, r.Cost.Blobs, r.Cost.CarriedShare, r.Cost.Followed, r.Cost.CarriedTrueShare, r.Cost.FollowedTrue)
	fmt.Fprintf(w, "\n%-24s %6s %9s %6s %7s %6s %7s\n", "crev by ending", "cases", "given up", "alive", "stated", "wrong", "closed")
	for _, name := range slices.Sorted(maps.Keys(r.Endings)) {
		e := r.Endings[name]
		fmt.Fprintf(w, "%-24s %6d %9d %6d %7d %6d %7d\n", name, e.Cases, e.Discarded, e.Alive, e.Stated, e.Wrong, e.Closed)
	}
}

// gitHistory reads a stretch of first parents for the bench. It keeps what it
// has read.
type gitHistory struct {
	commits []string
	// diff, list and blob ask git; they end with the command.
	diff func(from, to string) ([]diff.File, error)
	list func(commit string) ([]git.Entry, error)
	blob func(id string) ([]byte, error)

	changed map[int][]diff.File
	entries map[int][]git.Entry
	paths   map[int][]string
	blobs   map[string][]byte
}

func newGitHistory(ctx context.Context, repo *git.Repo, from, to string) (*gitHistory, error) {
	end, err := repo.Resolve(ctx, to)
	if err != nil {
		return nil, err
	}
	h := &gitHistory{
		diff: func(from, to string) ([]diff.File, error) {
			return repo.Diff(ctx, from, to, git.DiffOptions{Context: git.NoContext})
		},
		list:    func(commit string) ([]git.Entry, error) { return repo.Files(ctx, commit) },
		blob:    func(id string) ([]byte, error) { return repo.Blob(ctx, id) },
		changed: map[int][]diff.File{}, entries: map[int][]git.Entry{},
		paths: map[int][]string{}, blobs: map[string][]byte{},
	}
	if from == "" {
		h.commits, err = lastCommits(ctx, repo, end)
		return h, err
	}
	start, err := repo.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	between, err := repo.FirstParents(ctx, start, end, maxStretch)
	if errors.Is(err, git.ErrNotOnChain) {
		return nil, fmt.Errorf("%w; give -from a commit that is a first parent of -to, at most %d back", err, maxStretch)
	}
	if err != nil {
		return nil, err
	}
	h.commits = append([]string{start}, between...)
	return h, nil
}

// maxStretch is how many commits one run reads at most.
const maxStretch = 5000

// lastCommits is the end of a history, as far back as it goes.
func lastCommits(ctx context.Context, repo *git.Repo, end string) ([]string, error) {
	for back := plantedCommits; back > 0; back /= 2 {
		start, err := repo.Resolve(ctx, fmt.Sprintf("%s~%d", end, back))
		if errors.Is(err, git.ErrUnknownRevision) {
			continue
		}
		if err != nil {
			return nil, err
		}
		between, err := repo.FirstParents(ctx, start, end, back)
		return append([]string{start}, between...), err
	}
	return []string{end}, nil
}

func (h *gitHistory) Commits() []string { return h.commits }

func (h *gitHistory) Changed(n int) ([]diff.File, error) {
	if files, ok := h.changed[n]; ok {
		return files, nil
	}
	files, err := h.diff(h.commits[n-1], h.commits[n])
	if err != nil {
		return nil, err
	}
	for i := range files {
		files[i].Hunks = nil // the bench compares what it planted by itself
	}
	h.changed[n] = files
	return files, nil
}

func (h *gitHistory) Paths(n int) ([]string, error) {
	if paths, ok := h.paths[n]; ok {
		return paths, nil
	}
	entries, err := h.files(n)
	if err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(entries))
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	h.paths[n] = paths
	return paths, nil
}

// files lists the regular files of a commit in byte order.
func (h *gitHistory) files(n int) ([]git.Entry, error) {
	if entries, ok := h.entries[n]; ok {
		return entries, nil
	}
	entries, err := h.list(h.commits[n])
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e git.Entry) bool { return !e.IsRegular() })
	h.entries[n] = entries
	return entries, nil
}

func (h *gitHistory) Read(n int, path string) ([]byte, error) {
	entries, err := h.files(n)
	if err != nil {
		return nil, err
	}
	i, ok := slices.BinarySearchFunc(entries, path, func(e git.Entry, p string) int { return cmp.Compare(e.Path, p) })
	if !ok {
		return nil, fmt.Errorf("read %s at %.12s: it is not a file there", path, h.commits[n])
	}
	id := entries[i].Blob
	if text, ok := h.blobs[id]; ok {
		return text, nil
	}
	text, err := h.blob(id)
	if err != nil {
		return nil, err
	}
	h.blobs[id] = text
	return text, nil
}
