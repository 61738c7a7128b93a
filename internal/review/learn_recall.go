package review

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/learn"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// Issues tells the story of an issue: who set a label, and which commits are said
// to fix it.
type Issues interface {
	Story(ctx context.Context, issue int, label string) (Story, error)
}

// Story is an issue as learning needs it.
type Story struct {
	URL, Title string
	// LabelledBy is who set the label that was asked for, "" when the issue
	// does not bear it.
	LabelledBy string
	// Fixes are the commits that are said to fix it, the best said first.
	Fixes []string
}

// recall records that a review should have found what an issue is about. People
// with write permission say so with a label; where the bug was follows from the
// commit that fixes it, which has to be in the base. An issue counts once.
func (l *learner) recall(ctx context.Context, issue int) error {
	s, err := l.d.Issues.Story(ctx, issue, l.cfg.Rules.RecallLabel)
	if err != nil {
		return err
	}
	if l.missedBefore(s.URL) {
		return nil
	}
	if why, err := l.unfit(ctx, s); why != "" || err != nil {
		l.note("%s is not counted as missed: %s", s.URL, why)
		return err
	}
	at, err := l.bugOf(ctx, s.Fixes)
	if err != nil {
		return err
	}
	if at.Path == "" {
		l.note("%s is not counted as missed: no commit of the base is linked that fixes it in code; "+
			"write its full id into the issue", s.URL)
		return nil
	}
	l.in.PR = 0
	l.add(ledger.Event{By: s.LabelledBy, Payload: ledger.Payload{Missed: &ledger.Missed{
		From: s.URL, Claim: cut(l.redact(s.Title), maxItem), Category: "correctness", Location: at}}})
	return nil
}

// unfit says why an issue does not count, "" when it does.
func (l *learner) unfit(ctx context.Context, s Story) (string, error) {
	if s.LabelledBy == "" {
		return "it does not bear the label " + l.cfg.Rules.RecallLabel, nil
	}
	perm, err := l.permission(ctx, s.LabelledBy)
	if err != nil {
		return "the permission of who labelled it was not read", err
	}
	switch standing := learn.StandingOf(perm, false); {
	case standing == learn.Unknown:
		return "the token may not ask what " + s.LabelledBy + " may do", nil
	case standing < learn.Writer:
		return s.LabelledBy + ", who labelled it, may not write to the repository", nil
	case learn.Injection(s.Title):
		return "its title gives orders to the tool", nil
	}
	return "", nil
}

// bugOf is where the first of the commits that is in the base changed the most
// lines of code, as they were before it; no path when none of them changed any.
func (l *learner) bugOf(ctx context.Context, commits []string) (finding.Location, error) {
	for _, sha := range commits {
		if ok, err := l.d.Repo.HasCommit(ctx, sha); err != nil || !ok {
			continue
		}
		if ok, err := l.d.Repo.IsAncestor(ctx, sha, l.in.Base); err != nil || !ok {
			continue
		}
		before, err := l.d.Repo.Resolve(ctx, sha+"^")
		if errors.Is(err, git.ErrUnknownRevision) {
			continue // the first commit fixes nothing
		}
		if err != nil {
			return finding.Location{}, err
		}
		files, err := l.d.Repo.Diff(ctx, before, sha, git.DiffOptions{Context: git.NoContext, IgnoreSpace: true})
		if err != nil {
			return finding.Location{}, fmt.Errorf("read what %.12s fixes: %w", sha, err)
		}
		file, hunk := mostChanged(files)
		if file == nil {
			continue
		}
		text, err := l.d.Repo.ReadFile(ctx, before, file.OldPath)
		if err != nil {
			return finding.Location{}, fmt.Errorf("read what %.12s fixes: %w", sha, err)
		}
		start := max(1, hunk.OldStart)
		at := finding.Location{Path: file.OldPath, Start: start, End: start + max(0, hunk.OldLines-1), Commit: before}
		if s, ok := relocate.Enclosing(relocate.Symbols(at.Path, text), at.Start); ok {
			at.Symbol = s.Name
		}
		return l.anchorAt(at, text), nil
	}
	return finding.Location{}, nil
}

// mostChanged is the hunk with the most changed lines among the files that can
// hold a bug: text that was there before, and is no test, document or memory of
// crev's. Among equals the first counts.
func mostChanged(files []diff.File) (*diff.File, diff.Hunk) {
	var best diff.Hunk
	var in *diff.File
	for i := range files {
		f := &files[i]
		if f.OldPath == "" || f.Kind != diff.Text || aside(f.OldPath) {
			continue
		}
		for _, h := range f.Hunks {
			if in == nil || h.OldLines+h.NewLines > best.OldLines+best.NewLines {
				in, best = f, h
			}
		}
	}
	return in, best
}

// aside reports whether a file goes along with a fix and is not what was broken.
func aside(p string) bool {
	name := strings.ToLower(path.Base(p))
	for _, end := range []string{".md", ".rst", ".txt", ".adoc"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	for _, folder := range strings.Split(strings.ToLower(path.Dir(p)), "/") {
		switch folder {
		case ".crev", ".github", "test", "tests", "testdata", "spec", "__tests__":
			return true
		}
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") ||
		strings.HasSuffix(stem, ".spec") || strings.HasPrefix(stem, "test_")
}
