package crevtest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// pull is a pull request.
type pull struct {
	number             int
	title, body        string
	author             string
	state              string
	draft, merged      bool
	mergeCommit        string
	headRef, headSHA   string
	headRepo           string // owner/name; "" when the fork was deleted
	baseRef, baseSHA   string
	mergeSHA           string // refs/pull/N/merge; "" on a conflict
	before             string // the head before the last push
	created, updated   time.Time
	mergedAt, closedAt time.Time
	reviews            []*review
	threads            []*thread
	comments           []*comment
}

// review is a submitted review.
type review struct {
	id        int64
	author    string
	body      string
	commit    string
	submitted time.Time
}

// thread is a conversation on the diff or on a file.
type thread struct {
	id       string
	pull     *pull
	path     string
	file     bool
	side     string
	line     int // 0 once outdated
	start    int
	original struct {
		line, start int
		commit      string
	}
	startSide  string
	hunk       string
	resolvedBy string
	resolved   bool
	outdated   bool
	hidden     bool // accepted and never shown
	comments   []*comment
}

// comment is a comment in a thread or in the conversation.
type comment struct {
	id               int64
	review           int64
	author           string
	body             string
	created, updated time.Time
	edited           bool
	minimized        string
	reactions        []reaction
	thread           *thread
	pull             *pull
}

type reaction struct {
	id      int64
	content string
	by      string
	at      time.Time
}

// OpenPull describes a pull request to open.
type OpenPull struct {
	Head, Base  string
	Title, Body string
	Author      string
	Draft       bool
	// Fork puts the head branch into the author's fork: it is then known
	// here as refs/pull/N/head only. Commit is its head.
	Fork   bool
	Commit string
}

// OpenPullRequest opens a pull request and returns its number.
func (g *GitHub) OpenPullRequest(o OpenPull) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.openPull(o)
}

func (g *GitHub) openPull(o OpenPull) (int, error) {
	p := &pull{
		number: len(g.pulls) + 1, title: orElse(o.Title, o.Head), body: o.Body,
		author: orElse(o.Author, Maintainer), state: "open", draft: o.Draft,
		headRef: o.Head, headRepo: g.Owner + "/" + g.Repo,
		baseRef: orElse(o.Base, g.DefaultBranch),
	}
	g.account(p.author)
	p.headSHA = g.git.branch(o.Head)
	if o.Fork {
		p.headRepo = strings.Trim(p.author, "[]") + "/" + g.Repo
		p.headSHA = o.Commit
		// The branch is on the fork and nowhere else.
		if o.Head != g.DefaultBranch && g.git.branch(o.Head) != "" {
			if _, err := g.git.git("update-ref", "-d", "refs/heads/"+o.Head); err != nil {
				return 0, err
			}
		}
	}
	if p.headSHA == "" {
		return 0, fmt.Errorf("open a pull request: there is no branch %s", o.Head)
	}
	if p.baseSHA = g.git.branch(p.baseRef); p.baseSHA == "" {
		return 0, fmt.Errorf("open a pull request: there is no branch %s", p.baseRef)
	}
	p.created = g.tick()
	p.updated = p.created
	g.pulls = append(g.pulls, p)
	return p.number, g.publish(p)
}

// publish writes refs/pull/N/head and /merge.
func (g *GitHub) publish(p *pull) error {
	ref := "refs/pull/" + strconv.Itoa(p.number)
	if err := g.git.setRef(ref+"/head", p.headSHA); err != nil {
		return err
	}
	merge, err := g.git.merge(p.baseSHA, p.headSHA,
		fmt.Sprintf("Merge %s into %s", p.headSHA, p.baseSHA), "web-flow", p.updated, p.baseSHA, p.headSHA)
	if err != nil {
		return err
	}
	if p.mergeSHA = merge; merge == "" {
		_, err := g.git.git("update-ref", "-d", ref+"/merge")
		return err
	}
	return g.git.setRef(ref+"/merge", merge)
}

// refresh brings the open pull requests up to date with their branches.
func (g *GitHub) refresh() error {
	for _, p := range g.pulls {
		if p.state != "open" {
			continue
		}
		head := g.git.resolve("refs/pull/" + strconv.Itoa(p.number) + "/head")
		if !g.isFork(p) {
			head = orElse(g.git.branch(p.headRef), p.headSHA)
		}
		base := orElse(g.git.branch(p.baseRef), p.baseSHA)
		if head == p.headSHA && base == p.baseSHA {
			continue
		}
		if head != p.headSHA {
			if err := g.advance(p, head); err != nil {
				return err
			}
		}
		p.baseSHA = base
		if err := g.publish(p); err != nil {
			return err
		}
	}
	return nil
}

// advance moves a pull request to a new head: comments follow their line or
// become outdated, and reviews claim to be about the new head.
func (g *GitHub) advance(p *pull, head string) error {
	p.before, p.headSHA, p.updated = p.headSHA, head, g.tick()
	shown, err := g.git.diff(g.git.mergeBase(p.baseSHA, head), head, 3)
	if err != nil {
		return err
	}
	for _, t := range p.threads {
		if t.file || t.outdated || t.side == "LEFT" {
			continue
		}
		changes, err := g.git.diff(t.original.commit, head, 0)
		if err != nil {
			return err
		}
		line, ok := follow(changes, t.path, t.original.line)
		if ok {
			ok = false
			for _, f := range shown {
				ok = ok || f.path == t.path && f.hunkAt(t.side, line) >= 0
			}
		}
		if !ok {
			t.outdated, t.line, t.start = true, 0, 0
			continue
		}
		if t.start != 0 {
			t.start = line - (t.original.line - t.original.start)
		}
		t.line = line
	}
	for _, r := range p.reviews {
		r.commit = head
	}
	return nil
}

func (g *GitHub) isFork(p *pull) bool { return p.headRepo != g.Owner+"/"+g.Repo }

func (g *GitHub) pull(n int) (*pull, error) {
	if n < 1 || n > len(g.pulls) {
		return nil, fmt.Errorf("there is no pull request %d", n)
	}
	return g.pulls[n-1], nil
}

// PushFork moves the head of a pull request from a fork.
func (g *GitHub) PushFork(n int, commit string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := g.pull(n); err != nil {
		return err
	}
	if err := g.git.setRef("refs/pull/"+strconv.Itoa(n)+"/head", commit); err != nil {
		return err
	}
	return g.refresh()
}

// Merge says how a pull request is merged: with a merge commit unless one of
// the two is set. DeleteBranch deletes its branch afterwards.
type Merge struct {
	Squash, Rebase, DeleteBranch bool
}

// MergePullRequest merges a pull request and returns the commit on the base
// branch.
func (g *GitHub) MergePullRequest(n int, how Merge) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mergePull(n, how)
}

func (g *GitHub) mergePull(n int, how Merge) (string, error) {
	p, err := g.pull(n)
	if err != nil {
		return "", err
	}
	if p.state != "open" {
		return "", fmt.Errorf("pull request %d is closed", n)
	}
	at := g.tick()
	var sha string
	switch {
	case how.Rebase:
		sha, err = g.git.rebase(p.baseSHA, p.headSHA, at)
	case how.Squash:
		sha, err = g.git.merge(p.baseSHA, p.headSHA, fmt.Sprintf("%s (#%d)", p.title, n), Maintainer, at, p.baseSHA)
	default:
		sha, err = g.git.merge(p.baseSHA, p.headSHA, fmt.Sprintf("Merge pull request #%d from %s\n\n%s", n, p.headRef, p.title),
			Maintainer, at, p.baseSHA, p.headSHA)
	}
	if err != nil {
		return "", err
	}
	if sha == "" {
		return "", fmt.Errorf("pull request %d has a conflict", n)
	}
	p.state, p.merged, p.mergeCommit = "closed", true, sha
	p.mergedAt, p.closedAt, p.updated = at, at, at
	if err := g.git.setRef("refs/heads/"+p.baseRef, sha); err != nil {
		return "", err
	}
	if how.DeleteBranch {
		if _, err := g.git.git("update-ref", "-d", "refs/heads/"+p.headRef); err != nil {
			return "", err
		}
	}
	return sha, g.refresh()
}

// ClosePullRequest closes a pull request without merging it.
func (g *GitHub) ClosePullRequest(n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.pull(n)
	if err != nil {
		return err
	}
	p.state, p.closedAt = "closed", g.tick()
	p.updated = p.closedAt
	return nil
}

// DeleteFork deletes the repository that the head of a pull request is in.
func (g *GitHub) DeleteFork(n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.pull(n)
	if err != nil {
		return err
	}
	p.headRepo = ""
	return nil
}

// SetDraft makes a pull request a draft or ready for review.
func (g *GitHub) SetDraft(n int, draft bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.pull(n)
	if err != nil {
		return err
	}
	p.draft, p.updated = draft, g.tick()
	return nil
}
