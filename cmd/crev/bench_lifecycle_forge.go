package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
)

// storyForge keeps the threads of one pull request in memory. It stands in for
// what GitHub displays and for nothing else: it takes every comment and loses
// none.
type storyForge struct {
	head    string
	threads []projection.Thread
}

func (f *storyForge) shown() []bench.ShownThread {
	var out []bench.ShownThread
	for _, t := range f.threads {
		out = append(out, bench.ShownThread{Defect: t.Defect, Resolved: t.Resolved, Says: statusSaid(t.Body)})
	}
	return out
}

// statusSaid reads the status from the first line of a comment, as a person
// would.
func statusSaid(body string) ledger.Status {
	first, _, _ := strings.Cut(body, "\n")
	switch {
	case strings.HasPrefix(first, "**Fixed in "):
		return ledger.Closed
	case strings.HasPrefix(first, "**Dismissed."):
		return ledger.Waived
	case strings.HasPrefix(first, "**No longer there."):
		return ledger.Obsolete
	case strings.Contains(first, "Back again."):
		return ledger.Back
	case strings.Contains(first, "Possibly fixed"):
		return ledger.Fixing
	}
	return ledger.Open
}

func (f *storyForge) Writable(context.Context) error            { return nil }
func (f *storyForge) Head(context.Context, int) (string, error) { return f.head, nil }
func (f *storyForge) Issue(context.Context, int) (string, error) {
	return "", errors.New("a story has no issues")
}

func (f *storyForge) Threads(context.Context, int) ([]projection.Thread, error) {
	return append([]projection.Thread(nil), f.threads...), nil
}

func (f *storyForge) Review(_ context.Context, _ int, commit string, cs []projection.Comment) (map[ledger.DefectID]ledger.Posted, error) {
	out := map[ledger.DefectID]ledger.Posted{}
	for _, c := range cs {
		out[c.Defect] = f.begin("thread", commit, c)
	}
	return out, nil
}

func (f *storyForge) FileComment(_ context.Context, _ int, commit string, c projection.Comment) (ledger.Posted, error) {
	return f.begin("file", commit, c), nil
}

// begin starts a thread.
func (f *storyForge) begin(kind, commit string, c projection.Comment) ledger.Posted {
	n := int64(len(f.threads) + 1)
	t := projection.Thread{ID: fmt.Sprintf("T%d", n), CommentID: n, Defect: c.Defect, Body: c.Body, Path: c.Path}
	f.threads = append(f.threads, t)
	return ledger.Posted{Kind: kind, Comment: n, Thread: t.ID, Commit: commit, State: "open"}
}

func (f *storyForge) Edit(_ context.Context, comment int64, body string) error {
	for i := range f.threads {
		if f.threads[i].CommentID == comment {
			f.threads[i].Body = body
			return nil
		}
	}
	return fmt.Errorf("there is no comment %d", comment)
}

func (f *storyForge) SetResolved(_ context.Context, id string, resolved bool) error {
	for i := range f.threads {
		if f.threads[i].ID == id {
			f.threads[i].Resolved = resolved
			return nil
		}
	}
	return fmt.Errorf("there is no thread %s", id)
}

func (f *storyForge) Summary(context.Context, int, string) error { return nil }

func (f *storyForge) Check(context.Context, *projection.Report, string) error { return nil }

// errStoryLedger is for what a story never asks: its ledger is in the work tree.
var errStoryLedger = errors.New("a story keeps its ledger in the work tree")

// DescribeLedger has no pull request to describe: a story's ledger is local.
func (f *storyForge) DescribeLedger(context.Context, string, string, string) error { return nil }

func (f *storyForge) CommitLedger(context.Context, string, string, map[string][]byte, string) (string, error) {
	return "", errStoryLedger
}

func (f *storyForge) CommitHead(context.Context, string, map[string][]byte, string) (string, error) {
	return "", errStoryLedger
}
