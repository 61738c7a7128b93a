package review

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/learn"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// maxWatched bounds how many pull requests one run looks at for reactions; each
// costs a request.
const maxWatched = 20

// watch counts what no event tells: reactions to crev's comments, and threads
// that people resolved while the defect is open.
func (l *learner) watch(ctx context.Context) {
	for _, pr := range l.watched() {
		p, err := l.talk(ctx, pr)
		if err != nil {
			l.note("the reactions on pull request %d were not read: %v", pr, err)
			continue
		}
		l.in.PR = pr
		for _, t := range p.Threads {
			if t.Mine && t.Defect != "" {
				l.moods(ctx, p, t)
				l.resolved(ctx, p, t)
			}
		}
	}
}

// watched are the pull requests to look at: those this run has heard of, and
// then those with comments of crev's that did not end, newest first.
func (l *learner) watched() []int {
	ended := map[int]bool{}
	posted := map[int]bool{}
	for _, e := range l.past {
		switch {
		case e.MergedPR != nil, e.ClosedPR != nil:
			ended[e.PR] = true
		case e.Posted != nil && e.PR != 0:
			posted[e.PR] = true
		}
	}
	out := slices.Sorted(maps.Keys(l.talks))
	rest := slices.Sorted(maps.Keys(posted))
	slices.Reverse(rest)
	for _, pr := range rest {
		if !ended[pr] && !slices.Contains(out, pr) {
			out = append(out, pr)
		}
	}
	return out[:min(len(out), maxWatched)]
}

// moods records reactions to a comment: for the rule that shaped it where there
// is one, else as a sign for the distiller. Only people who may write count, and
// the author of the pull request.
func (l *learner) moods(ctx context.Context, p *place, t TalkThread) {
	d := l.stateOf(p.PR).Defect(t.Defect)
	if d == nil {
		return
	}
	counts := map[string]int{}
	for _, m := range t.Moods {
		perm, err := l.permission(ctx, m.By)
		if err != nil || learn.StandingOf(perm, strings.EqualFold(m.By, p.Author)) < learn.Author {
			continue
		}
		counts[m.Content]++
		h := heard{Said: Said{PR: p.PR, Root: t.Root, URL: t.URL, By: m.By}, place: p, thread: t, defect: d}
		if m.Content == "-1" && len(l.shapedBy(p.PR, d.ID)) == 0 {
			l.signal(h, "thumbs_down")
		}
		if m.Content == "confused" {
			l.signal(h, notAdopted)
		}
	}
	for _, content := range []string{"+1", "-1"} {
		for _, id := range l.shapedBy(p.PR, d.ID) {
			if n := counts[content]; n != l.counted(t.Root, content, id) {
				l.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{
					Reaction: &ledger.Reaction{Comment: t.Root, Content: content, Count: n, Rule: id}}})
			}
		}
	}
}

// counted is how many reactions the ledger has of a comment.
func (l *learner) counted(comment int64, content, id string) int {
	n := 0
	for _, events := range [][]ledger.Event{ledger.Sort(l.past), l.events} {
		for _, e := range events {
			if r := e.Reaction; r != nil && r.Comment == comment && r.Content == content && r.Rule == id {
				n = r.Count
			}
		}
	}
	return n
}

// notAdopted is the signal that a comment may be right and was not followed. It
// says something of the suggestion and is no rejection.
const notAdopted = "not_adopted"

// resolved notes a thread that somebody resolved without a word although the
// defect is open, so that its code never changed. What was answered there counts
// as what it says.
func (l *learner) resolved(ctx context.Context, p *place, t TalkThread) {
	d := l.stateOf(p.PR).Defect(t.Defect)
	if t.ResolvedBy == "" || d == nil || d.Status != ledger.Open || l.answered(d.ID) {
		return
	}
	perm, err := l.permission(ctx, t.ResolvedBy)
	if err != nil || learn.StandingOf(perm, strings.EqualFold(t.ResolvedBy, p.Author)) < learn.Author {
		return
	}
	l.signal(heard{Said: Said{PR: p.PR, Root: t.Root, URL: t.URL, By: t.ResolvedBy}, place: p, thread: t, defect: d}, notAdopted)
}

// answered reports whether a reply about a defect was evaluated.
func (l *learner) answered(id ledger.DefectID) bool {
	return slices.ContainsFunc(slices.Concat(l.past, l.events), func(e ledger.Event) bool {
		return e.Learned != nil && e.Defect == id
	})
}

// nearby is how many lines apart a comment of a person and a defect may be to
// count as about the same.
const nearby = 5

// backflow records what a person found in a change and crev did not.
func (l *learner) backflow(h heard, s learn.Slots) {
	p, line := l.spot(h)
	if s.Problem == "" || p == "" || h.standing < learn.Writer || learn.Injection(s.Problem) || l.missedBefore(h.URL) {
		return
	}
	for _, d := range l.stateOf(h.PR).All() {
		for _, at := range d.Locations {
			if at.Path == p && (line == 0 || at.Start == 0 || at.Start-nearby <= line && line <= max(at.Start, at.End)+nearby) {
				return
			}
		}
	}
	at := finding.Location{Path: p, Start: line, End: line, Commit: h.place.Head}
	if h.place.head != nil && line > 0 {
		at = l.anchorAt(at, readText(h.place.head, p))
	}
	l.add(ledger.Event{By: h.By, Payload: ledger.Payload{Missed: &ledger.Missed{
		From: h.URL, Claim: cut(l.redact(s.Problem), maxItem), Category: s.ProblemCategory, Location: at}}})
}

func (l *learner) missedBefore(url string) bool {
	return slices.ContainsFunc(slices.Concat(l.past, l.events), func(e ledger.Event) bool {
		return e.Missed != nil && e.Missed.From == url
	})
}
