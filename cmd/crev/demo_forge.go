package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/review"
)

// demoForge stands in for the place where the demo's pull requests live, in
// memory: their threads, what people say, what they may do, what crev answers.
type demoForge struct {
	// dir is the work tree, which takes the memory as the ledger's branch
	// would.
	dir     string
	pulls   []*demoPull
	said    []review.Said
	answers []demoAnswer
}

// demoAnswer is what crev did about a comment.
type demoAnswer struct {
	to   review.Said
	body string
}

// demoPull is one pull request. It is the forge of its own review.
type demoPull struct {
	storyForge
	number                int
	branch, title, author string
	base                  string
}

// demoURL is where the shop would be.
const demoURL = "https://github.com/acme/shop"

// demoPermissions are what the people of the story may do.
var demoPermissions = map[string]string{"maria": "maintain", "omar": "write", "lena": "write"}

// open adds a pull request, which has no commit yet.
func (f *demoForge) open(number int, branch, title, author string) *demoPull {
	p := &demoPull{number: number, branch: branch, title: title, author: author}
	f.pulls = append(f.pulls, p)
	return p
}

// speak adds a comment on a pull request: in the thread about a file, or in the
// conversation where the path is "".
func (f *demoForge) speak(p *demoPull, at time.Time, by, path, body string) {
	s := review.Said{ID: int64(1000 + len(f.said)), PR: p.number, Body: body, By: by, Path: path, At: at}
	s.URL = fmt.Sprintf("%s/pull/%d#issuecomment-%d", demoURL, p.number, s.ID)
	for _, t := range p.threads {
		if path != "" && t.Path == path {
			s.Root = t.CommentID
			s.URL = fmt.Sprintf("%s/pull/%d#discussion_r%d", demoURL, p.number, s.ID)
		}
	}
	f.said = append(f.said, s)
}

// Said lists what was said since a time.
func (f *demoForge) Said(_ context.Context, since time.Time) ([]review.Said, error) {
	return slices.DeleteFunc(slices.Clone(f.said), func(s review.Said) bool { return s.At.Before(since) }), nil
}

// Talk describes a pull request of the story.
func (f *demoForge) Talk(_ context.Context, pr int) (review.Talk, error) {
	for _, p := range f.pulls {
		if p.number != pr {
			continue
		}
		talk := review.Talk{PR: pr, Author: p.author, Base: p.base, Head: p.head, Open: true}
		for _, t := range p.threads {
			talk.Threads = append(talk.Threads, review.TalkThread{
				ID: t.ID, Root: t.CommentID, Defect: t.Defect, Mine: true, Path: t.Path,
			})
		}
		return talk, nil
	}
	return review.Talk{}, fmt.Errorf("there is no pull request %d", pr)
}

// Permission is what somebody may do.
func (f *demoForge) Permission(_ context.Context, login string) (string, error) {
	return demoPermissions[login], nil
}

// Answer keeps what crev says, without its marker.
func (f *demoForge) Answer(_ context.Context, to review.Said, body string) error {
	text, _, _ := strings.Cut(body, "\n\n<!--")
	f.answers = append(f.answers, demoAnswer{to, text})
	return nil
}

// React keeps a reaction of crev's.
func (f *demoForge) React(_ context.Context, to review.Said, content string) error {
	f.answers = append(f.answers, demoAnswer{to, "(" + content + ")"})
	return nil
}

// CommitMemory puts the files into the work tree, from where they are committed
// as if the ledger's pull request had been merged.
func (f *demoForge) CommitMemory(_ context.Context, branch, _ string, build func(fs.FS) (map[string][]byte, error), _ string) (string, error) {
	files, err := build(os.DirFS(f.dir))
	if err != nil {
		return "", err
	}
	for name, content := range files {
		to := filepath.Join(f.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return "", err
		}
	}
	return "branch " + branch, nil
}

// Addresses are the ones that somebody of the story commits with.
func (f *demoForge) Addresses(_ context.Context, login string) ([]string, error) {
	return []string{login + "@example.com"}, nil
}

// Access says that everybody of the story may write.
func (f *demoForge) Access(_ context.Context, login string) (expertise.Access, error) {
	if demoPermissions[login] == "" {
		return expertise.AccessUnknown, nil
	}
	return expertise.Writes, nil
}
