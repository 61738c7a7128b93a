package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/learn"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/rule"
)

// heard is one comment with everything that is known of it.
type heard struct {
	Said
	place  *place
	thread TalkThread
	// defect is what is answered about, nil for none.
	defect *ledger.Defect
	// own is true for a person's own comment on the change.
	own  bool
	text learn.Text
	// permission is the API's word, standing what it means.
	permission string
	standing   learn.Standing
	// shaped are the rules that shaped the comment that is answered.
	shaped []string
	// earlier are the rules that an earlier version of the comment set.
	earlier []rule.Rule
}

// hear evaluates one comment.
func (l *learner) hear(ctx context.Context, s Said) {
	if s.Mine || s.Bot && !slices.Contains(l.cfg.Rules.Bots, s.By) || l.done[s.key()] {
		return
	}
	l.done[s.key()] = true
	text := learn.Clean(s.Body, l.redact)
	command, commanded := learn.ParseCommand(text)
	if s.Root == 0 && !commanded {
		return // people talk to each other
	}
	h, ok := l.place(ctx, s, text)
	if !ok || h.defect == nil && !h.own && !commanded {
		return // an answer to somebody else
	}
	l.in.PR = s.PR
	if text.Hidden {
		l.d.Log.Warn("hidden text in a reply was left out", "reply", s.URL)
	}
	switch {
	case h.standing == learn.Reader:
		l.stranger(h)
	case commanded && !learn.Injection(text.Said):
		l.obey(ctx, h, command)
	default:
		l.weigh(ctx, h, false)
	}
}

// place finds out where a comment stands, who wrote it and what it answers.
func (l *learner) place(ctx context.Context, s Said, text learn.Text) (heard, bool) {
	h := heard{Said: s, text: text}
	p, err := l.talk(ctx, s.PR)
	if err != nil {
		l.note("%s was not read: %v", s.URL, err)
		l.waiting++
		return h, false
	}
	h.place = p
	i := slices.IndexFunc(p.Threads, func(t TalkThread) bool { return s.Root != 0 && t.Root == s.Root })
	if i >= 0 {
		h.thread = p.Threads[i]
		h.own = !h.thread.Mine && s.ID == s.Root && s.By != p.Author
		if h.thread.Mine && h.thread.Defect != "" {
			h.defect = l.stateOf(s.PR).Defect(h.thread.Defect)
		}
	}
	if h.permission, err = l.permission(ctx, s.By); err != nil {
		l.note("%s was not read: %v", s.URL, err)
		l.waiting++
		return h, false
	}
	h.standing = learn.StandingOf(h.permission, strings.EqualFold(s.By, p.Author))
	if h.defect != nil {
		h.shaped = l.shapedBy(s.PR, h.defect.ID)
	}
	return h, true
}

func (l *learner) talk(ctx context.Context, pr int) (*place, error) {
	if p := l.talks[pr]; p != nil {
		return p, nil
	}
	t, err := l.d.Conversation.Talk(ctx, pr)
	if err != nil {
		return nil, err
	}
	p := &place{Talk: t, base: l.baseTree, files: l.tracked}
	if t.Base != "" && t.Base != l.in.Base {
		if tree, err := l.d.Repo.Tree(ctx, t.Base, ""); err == nil {
			p.base = tree
			if p.files, err = l.d.Repo.Paths(ctx, t.Base); err != nil {
				return nil, err
			}
		}
	}
	if t.Head != "" {
		if p.head, err = l.d.Repo.Tree(ctx, t.Head, ""); err == nil {
			p.changed = l.changedBy(ctx, t)
		} else {
			p.head = nil
		}
	}
	l.talks[pr] = p
	return p, nil
}

// changedBy lists the files that a pull request adds or changes.
func (l *learner) changedBy(ctx context.Context, t Talk) []string {
	from, err := l.d.Repo.MergeBase(ctx, t.Base, t.Head)
	if err != nil {
		return nil
	}
	files, err := l.d.Repo.Diff(ctx, from, t.Head, git.DiffOptions{})
	if err != nil {
		return nil
	}
	var out []string
	for i := range files {
		if p := files[i].NewPath; p != "" && !strings.HasPrefix(p, ".crev/") {
			out = append(out, p)
		}
	}
	return out
}

// permission asks once a person.
func (l *learner) permission(ctx context.Context, login string) (string, error) {
	if p, ok := l.standings[login]; ok {
		return p, nil
	}
	p, err := l.d.Conversation.Permission(ctx, login)
	if err != nil {
		return "", err
	}
	l.standings[login] = p
	return p, nil
}

// stateOf folds the ledger as a pull request sees it, with what this run added.
func (l *learner) stateOf(pr int) *ledger.State {
	return ledger.Fold(slices.Concat(l.past, l.events), ledger.View{PR: pr})
}

// shapedBy lists the rules that shaped the comment about a defect.
func (l *learner) shapedBy(pr int, id ledger.DefectID) []string {
	var out []string
	for _, e := range l.stateOf(pr).Events(id) {
		if e.RuleHit != nil && e.RuleHit.Effect != "silenced" && !slices.Contains(out, e.RuleHit.Rule) {
			out = append(out, e.RuleHit.Rule)
		}
	}
	return out
}

// stranger notes what somebody says who may not write: at most one sign a person
// and defect. No model reads it, so that nobody can spend the team's money.
func (l *learner) stranger(h heard) {
	class, ok := learn.Plain(h.text)
	if !ok || class != learn.BareNo || h.defect == nil {
		return
	}
	d := learn.Decide(learn.Case{By: h.By, Standing: h.standing, Class: class, HasDefect: true})
	if d.Outcome == learn.Signal && !l.signalled(h, d.Signal) {
		l.record(&h, d, class)
	}
}

// signalled reports whether a person gave the same sign about the defect before.
func (l *learner) signalled(h heard, kind string) bool {
	return slices.ContainsFunc(slices.Concat(l.past, l.events), func(e ledger.Event) bool {
		return e.Signal != nil && e.Signal.Kind == kind && e.By == h.By && h.defect != nil && e.Defect == h.defect.ID
	})
}

// weigh classifies a comment and decides about it. Explicit is true for what
// follows `@crev remember`.
func (l *learner) weigh(ctx context.Context, h heard, explicit bool) {
	c := learn.Case{By: h.By, Standing: h.standing, Own: h.own, Explicit: explicit, HasDefect: h.defect != nil}
	if h.defect != nil {
		c.Shielded, c.Severity = h.defect.Shielded(), h.defect.Severity
	}
	var slots learn.Slots
	c.Injection = learn.Injection(h.text.Said)
	if class, ok := learn.Plain(h.text); ok || c.Injection {
		slots.Class = class
	} else if slots, ok = l.classify(ctx, h); !ok {
		return
	}
	c.Class, c.About = slots.Class, slots.About
	checkedAt := ""
	if claims := l.claimsOf(h, slots); len(claims) > 0 && !c.Injection {
		checked, ok := l.check(ctx, h, claims)
		if !ok {
			return
		}
		c.Claims, checkedAt = checked, h.place.Base
	}
	if !c.Injection {
		l.draft(ctx, h, slots, &c, checkedAt)
	}
	d := learn.Decide(c)
	if h.own && !explicit {
		l.backflow(h, slots)
	}
	l.act(h, d, c, slots.Answer)
}

// claimsOf returns the statements that have to be checked: those of a reply
// that would teach, or that calls the comment wrong.
func (l *learner) claimsOf(h heard, s learn.Slots) []learn.Claim {
	if s.Class == learn.Teach || s.Class == learn.OneOff && s.About == "false_positive" {
		return learn.Claims(h.text, s.Claims)
	}
	return nil
}

// classify asks the model for the slots of a reply. False says that the reply is
// left for the next run.
func (l *learner) classify(ctx context.Context, h heard) (learn.Slots, bool) {
	if l.noModel() != "" {
		l.waiting++
		return learn.Slots{}, false
	}
	setting := l.setting(h)
	req := learn.ClassifyRequest(l.cfg.Model.Name, model.Fence(l.d.Rand, learn.Texts(h.text, setting)...), h.text, setting)
	reply, err := l.complete(ctx, req, l.whole())
	var slots learn.Slots
	if err == nil {
		slots, err = learn.ReadClassification(reply, h.text)
	}
	if err != nil {
		l.note("%s was not read (%s) and is tried again next time", h.URL, failure(err))
		l.waiting++
		return learn.Slots{}, false
	}
	return slots, true
}

// maxFolders bounds how many folders a model is shown for a scope.
const maxFolders = 150

// setting is what the model sees beside the reply.
func (l *learner) setting(h heard) learn.Setting {
	s := learn.Setting{Path: h.thread.Path, Code: l.redact(l.commented(h))}
	if h.defect != nil {
		s.Comment = l.redact(h.defect.Category + ": " + h.defect.Claim + "\n" + h.defect.Detail)
	}
	for _, r := range l.pool.Rules() {
		if r.Status != rule.Superseded {
			s.Index = append(s.Index, r.Line()+" ("+string(r.Status)+")")
		}
	}
	seen := map[string]bool{}
	for _, f := range h.place.paths() {
		for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
			seen[dir] = true
		}
	}
	for dir := range seen {
		s.Folders = append(s.Folders, dir)
	}
	slices.SortFunc(s.Folders, func(a, b string) int {
		if c := strings.Count(a, "/") - strings.Count(b, "/"); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	s.Folders = s.Folders[:min(len(s.Folders), maxFolders)]
	return s
}

// commented is the code around the comment, numbered.
func (l *learner) commented(h heard) string {
	p, line := l.spot(h)
	if p == "" || h.place.head == nil {
		return ""
	}
	return excerpt(withoutKeys(readText(h.place.head, p), l.redact), line, line)
}

// commentedLine is the line of code that the comment stands at.
func (l *learner) commentedLine(h heard) string {
	p, line := l.spot(h)
	if p == "" || line == 0 || h.place.head == nil {
		return ""
	}
	lines := splitLines(readText(h.place.head, p))
	if line > len(lines) {
		return ""
	}
	return strings.TrimSpace(l.redact(lines[line-1]))
}

// spot is where the conversation is about.
func (l *learner) spot(h heard) (string, int) {
	if h.defect != nil && len(h.defect.Locations) > 0 {
		return h.defect.Locations[0].Path, h.defect.Locations[0].Start
	}
	return h.thread.Path, h.thread.Line
}

// hash is what is kept of a reply's text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(finding.Normalize(text)))
	return hex.EncodeToString(sum[:8])
}

// treeOr returns a tree, or the other where there is none.
func treeOr(t, other fs.FS) fs.FS {
	if t == nil {
		return other
	}
	return t
}
