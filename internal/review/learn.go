package review

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/learn"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/rule"
)

// Conversation is what people say on pull requests, as learning needs it.
type Conversation interface {
	// Said lists the comments on pull requests that were written or changed
	// at or after a time, the first change first.
	Said(ctx context.Context, since time.Time) ([]Said, error)
	// Talk describes a pull request and its threads, and sees to it that its
	// commits are in the clone.
	Talk(ctx context.Context, pr int) (Talk, error)
	// Permission is what a login may do: none, read, triage, write, maintain,
	// admin, or "" when the token may not ask.
	Permission(ctx context.Context, login string) (string, error)
	// Answer replies to what was said: in its thread, or in the conversation.
	Answer(ctx context.Context, s Said, body string) error
	// React adds a reaction to what was said, once.
	React(ctx context.Context, s Said, content string) error
	// CommitMemory is CommitLedger for files that depend on what the branch
	// holds: build gets the tree that the commit goes on top of, and is asked
	// again when somebody else was faster. No file is no commit.
	CommitMemory(ctx context.Context, branch, base string, build func(fs.FS) (map[string][]byte, error), message string) (string, error)
}

// Said is a comment.
type Said struct {
	ID int64
	PR int
	// Root is the first comment of the thread, the comment itself where it
	// opens one; 0 in the conversation.
	Root      int64
	URL, Body string
	// By is the author's login. Mine is true for crev's own comments, Bot for
	// those of other programs.
	By        string
	Mine, Bot bool
	// Path and Line are where the thread stands, for one in a diff.
	Path string
	Line int
	// At is when the comment was last changed.
	At time.Time
}

// key names the comment as it stands; see ledger.Learned.
func (s Said) key() string {
	kind := "c"
	if s.Root != 0 {
		kind = "r"
	}
	return kind + strconv.FormatInt(s.ID, 10) + "@" + s.At.UTC().Format(time.RFC3339)
}

// Talk is a pull request as people speak on it.
type Talk struct {
	PR     int
	Author string
	// Base and Head are commits of the clone; Head is "" when it could not be
	// fetched.
	Base, Head string
	Open       bool
	Threads    []TalkThread
}

// TalkThread is one conversation on a diff.
type TalkThread struct {
	ID string
	// Root is the id of the first comment, By its author's login.
	Root int64
	By   string
	URL  string
	// Defect is what the thread is about when crev itself opened it.
	Defect ledger.DefectID
	Mine   bool
	Path   string
	Line   int
	// ResolvedBy is the person who resolved it, "" for none and for crev.
	ResolvedBy string
	// Moods are the reactions of people to the first comment.
	Moods []Mood
}

// Mood is one person's reaction: GitHub's name of it, "+1" for example.
type Mood struct {
	By, Content string
}

// Learned is what a run of Learn came to.
type Learned struct {
	Replies []ReplyOutcome
	// Memory says in a line each what changed in the rules.
	Memory []string
	// Events are what the run adds to the ledger, Where a reader finds them.
	Events []ledger.Event
	Where  string
	// Waiting counts replies that could not be read now and will be next time.
	Waiting int
	Notes   []string
}

// ReplyOutcome is what became of one reply, or of one rule of it.
type ReplyOutcome struct {
	URL     string          `json:"url"`
	PR      int             `json:"pr"`
	By      string          `json:"by"`
	Outcome learn.Outcome   `json:"outcome"`
	Reason  learn.Reason    `json:"reason,omitempty"`
	Rule    string          `json:"rule,omitempty"`
	Defect  ledger.DefectID `json:"defect,omitempty"`

	key string
}

// learner is one run of Learn on its way.
type learner struct {
	*job
	talks map[int]*place
	// standings are what people may do, by login.
	standings map[string]string
	// known are the keys of replies that the ledger has, done those and what
	// this run evaluated.
	known, done map[string]bool
	// hearing is the key of the comment that is evaluated, heardIn that of
	// each event, "" for one of no comment.
	hearing string
	// distilled is what the signs of this run and earlier ones come to.
	distilled distilled
	heardIn   []string
	pool      *rule.Pool
	lessons   []lesson
	replies   []reply
	outcomes  []ReplyOutcome
	waiting   int
}

// place is a pull request with the trees of its two ends.
type place struct {
	Talk
	base, head fs.FS
	// files are those of the base, changed those that the pull request adds or
	// changes.
	files, changed []string
}

// paths are the files that a scope may match: those of the base and new ones.
func (p *place) paths() []string {
	out := slices.Clone(p.files)
	for _, f := range p.changed {
		if !slices.Contains(p.files, f) {
			out = append(out, f)
		}
	}
	return out
}

// reply is something crev does on GitHub about a comment: at most one a comment.
type reply struct {
	to          Said
	body, react string
	// dismissed is the defect whose thread is to be closed, and thread where
	// it is.
	dismissed ledger.DefectID
	thread    TalkThread
}

// lesson is a decision about a rule that waits to be committed.
type lesson struct {
	key      string
	decision learn.RuleDecision
	rules    learn.Rules
	from     learn.Lesson
}

// overlap is how far behind the newest reply it has read a poll begins: a list
// that changes while it is paged can hide a comment, and one that could not be
// read when it came is tried again for so long.
const overlap = 7 * 24 * time.Hour

// Learn reads what people said since the last time: replies become rules,
// dismissals, signals or nothing, reactions and resolved threads are counted, and
// in.Issue may be a bug that a review should have found.
// The rules and the events are committed to the ledger branch; then each reply
// is answered at most once. In.Heard is the comment of the event that woke the
// run, nil for none.
func Learn(ctx context.Context, in Request, d Deps) (*Learned, error) {
	if d.Conversation == nil {
		return nil, fmt.Errorf("learn: there is no GitHub to listen to")
	}
	j, err := newJob(ctx, in, d)
	if err != nil {
		return nil, err
	}
	j.readLedger(ctx)
	l := &learner{job: j, talks: map[int]*place{}, standings: map[string]string{}, known: map[string]bool{}, done: map[string]bool{}}
	for _, e := range j.past {
		if e.Learned != nil && e.Learned.Key != "" {
			l.known[e.Learned.Key], l.done[e.Learned.Key] = true, true
		}
	}
	if err := l.readRules(ctx); err != nil {
		return nil, err
	}
	said, err := d.Conversation.Said(ctx, l.since())
	if err != nil {
		return nil, err
	}
	for _, s := range withEvent(said, in.Heard) {
		l.hearing = s.key()
		l.hear(ctx, s)
	}
	l.hearing = ""
	l.watch(ctx)
	if in.Issue != 0 && d.Issues != nil {
		if err := l.recall(ctx, in.Issue); err != nil {
			l.note("issue %d was not read: %v", in.Issue, err)
		}
	}
	l.distil(ctx)
	return l.finish(ctx)
}

// since is where the poll begins: some days before the newest reply that the
// ledger knows, or crev's first comment, which nobody could answer earlier.
func (l *learner) since() time.Time {
	var newest, first time.Time
	for _, e := range l.past {
		switch {
		case e.Learned != nil:
			_, at, _ := strings.Cut(e.Learned.Key, "@")
			if t, err := time.Parse(time.RFC3339, at); err == nil && t.After(newest) {
				newest = t
			}
		case e.Posted != nil && (first.IsZero() || e.At.Before(first)):
			first = e.At
		}
	}
	if !newest.IsZero() {
		return newest.Add(-overlap)
	}
	recent := l.d.Now().Add(-overlap)
	if first.IsZero() || first.After(recent) {
		return recent
	}
	return first
}

// withEvent adds the comment of the event as it was then: when it was edited
// since, both are evaluated, the later one last.
func withEvent(said []Said, heard *Said) []Said {
	if heard == nil {
		return said
	}
	for i := range said {
		if said[i].key() == heard.key() {
			return said
		}
	}
	said = append(slices.Clone(said), *heard)
	slices.SortStableFunc(said, func(a, b Said) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return said
}

// readRules reads the rules of the base, and those that wait on the ledger
// branch for their merge: what was taught yesterday is not taught anew today.
func (l *learner) readRules(ctx context.Context) error {
	pool, problems, err := rule.Load(l.baseTree)
	if err != nil {
		return err
	}
	for _, p := range problems {
		l.note("%s", p)
	}
	l.pool = pool
	if l.d.Rules != nil {
		waiting, err := l.newerRules(ctx)
		if err != nil {
			return fmt.Errorf("read the rules of the ledger branch: %w", err)
		}
		l.pool = pool.Newest(waiting)
	}
	return nil
}

// add seals an event and keeps which comment it is of.
func (l *learner) add(e ledger.Event) {
	l.job.add(e)
	l.heardIn = append(l.heardIn, l.hearing)
}

// yield gives up what another run has evaluated in the meantime: the comment is
// in the ledger that the commit goes on top of.
func (l *learner) yield(tree fs.FS) {
	folder, err := fs.Sub(tree, ledger.Folder)
	if err != nil {
		panic(err) // Folder is a valid path
	}
	events, _ := ledger.ReadAll(folder)
	theirs := map[string]bool{}
	for _, e := range events {
		if e.Learned != nil && e.Learned.Key != "" && !l.known[e.Learned.Key] {
			theirs[e.Learned.Key] = true
		}
	}
	var kept []ledger.Event
	var heardIn []string
	for i, e := range l.events {
		if !theirs[l.heardIn[i]] {
			kept, heardIn = append(kept, e), append(heardIn, l.heardIn[i])
		}
	}
	l.events, l.heardIn = kept, heardIn
	l.lessons = slices.DeleteFunc(l.lessons, func(le lesson) bool { return theirs[le.key] })
	l.replies = slices.DeleteFunc(l.replies, func(r reply) bool { return theirs[r.to.key()] })
	l.outcomes = slices.DeleteFunc(l.outcomes, func(o ReplyOutcome) bool { return theirs[o.key] })
}

// finish commits what was learned and then speaks.
func (l *learner) finish(ctx context.Context) (*Learned, error) {
	l.in.PR = 0 // the run file belongs to no pull request
	out := &Learned{Waiting: l.waiting}
	committed := true
	if len(l.events) > 0 || l.expiring(l.d.Now()) {
		memory, err := l.keepMemory(ctx)
		if err != nil {
			committed = false
			l.note("what was learned was not committed, so nobody is answered: %v", err)
			if err := l.keep(); err != nil {
				return nil, fmt.Errorf("learn: %w", err)
			}
		}
		out.Memory = memory
	}
	if committed {
		l.speak(ctx)
	}
	out.Replies = l.outcomes
	out.Events, out.Where, out.Notes = l.events, l.report.LedgerWhere, l.report.Notes
	return out, nil
}
