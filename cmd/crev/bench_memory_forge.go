package main

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/bench"
	"github.com/crev-ratchet/crev/internal/review"
)

// pairTalk is what people say on a pair's first pull request. It stands in for
// GitHub's side of a conversation and keeps what crev commits.
type pairTalk struct {
	*storyForge
	author     string
	base, head string
	said       []review.Said
	may        map[string]string
	// commit takes the files of a commit on top of the base.
	commit func(files map[string][]byte) error
	tree   fs.FS
}

// speak adds a reply to crev's comment, or a comment of a person's own.
func (f *pairTalk) speak(r bench.PairReply, at time.Time) error {
	id := int64(1001 + len(f.said))
	s := review.Said{ID: id, PR: storyPR, By: r.By, Body: r.Says, At: at,
		URL: fmt.Sprintf("https://github.com/acme/shop/pull/%d#discussion_r%d", storyPR, id)}
	f.may[r.By] = r.May
	if r.At == "" {
		if len(f.threads) == 0 {
			return fmt.Errorf("there is no comment of crev's for %s to answer", r.By)
		}
		s.Root, s.Path = f.threads[0].CommentID, f.threads[0].Path
		f.said = append(f.said, s)
		return nil
	}
	path, line, _ := strings.Cut(r.At, ":")
	n, err := strconv.Atoi(line)
	if err != nil {
		return fmt.Errorf("at %q: want path:line", r.At)
	}
	s.Root, s.Path, s.Line = id, path, n
	f.said = append(f.said, s)
	return nil
}

func (f *pairTalk) Said(context.Context, time.Time) ([]review.Said, error) { return f.said, nil }

func (f *pairTalk) Talk(_ context.Context, pr int) (review.Talk, error) {
	t := review.Talk{PR: pr, Author: f.author, Base: f.base, Head: f.head, Open: true}
	for _, c := range f.threads {
		t.Threads = append(t.Threads, review.TalkThread{ID: c.ID, Root: c.CommentID, Defect: c.Defect, Mine: true, Path: c.Path})
	}
	for _, s := range f.said {
		if s.Root == s.ID {
			t.Threads = append(t.Threads, review.TalkThread{ID: fmt.Sprintf("P%d", s.ID), Root: s.ID, By: s.By, URL: s.URL, Path: s.Path, Line: s.Line})
		}
	}
	return t, nil
}

func (f *pairTalk) Permission(_ context.Context, login string) (string, error) {
	return f.may[login], nil
}

func (f *pairTalk) Answer(context.Context, review.Said, string) error { return nil }

func (f *pairTalk) React(context.Context, review.Said, string) error { return nil }

func (f *pairTalk) CommitMemory(_ context.Context, _, _ string, build func(fs.FS) (map[string][]byte, error), _ string) (string, error) {
	files, err := build(f.tree)
	if err != nil {
		return "", err
	}
	return "the base", f.commit(files)
}
