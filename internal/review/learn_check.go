package review

import (
	"bytes"
	"context"
	"io/fs"
	"time"

	"github.com/crev-ratchet/crev/internal/expertise"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/learn"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/rule"
)

// check holds the claims of a reply against the code. Whether a file is generated
// is decided here; the rest is asked, with code that was looked up, and counts
// only with citations that exist. False says that the reply is left for the next
// run.
func (l *learner) check(ctx context.Context, h heard, claims []learn.Claim) ([]learn.Checked, bool) {
	p, _ := l.spot(h)
	corpus := learn.Corpus{Base: h.place.base, Head: treeOr(h.place.head, h.place.base),
		Files: h.place.files, Changed: h.place.changed, Near: p}
	var out []learn.Checked
	var doubts []learn.Doubt
	for _, c := range claims {
		if c.Generated {
			out = append(out, l.generated(h, c))
			continue
		}
		d := learn.Doubt{Claim: c, Code: learn.Search(c, corpus)}
		for i := range d.Code {
			for k, line := range d.Code[i].Lines {
				d.Code[i].Lines[k] = l.redact(line)
			}
		}
		if len(d.Code) == 0 {
			out = append(out, learn.Checked{Claim: c})
			continue
		}
		doubts = append(doubts, d)
	}
	if len(doubts) == 0 {
		return out, true
	}
	if l.noModel() != "" {
		l.waiting++
		return nil, false
	}
	req := learn.VerifyRequest(l.cfg.Model.Name, model.Fence(l.d.Rand, learn.DoubtTexts(doubts)...), doubts)
	reply, err := l.complete(ctx, req, l.whole())
	var checked []learn.Checked
	if err == nil {
		checked, err = learn.ReadVerdicts(reply, doubts, func(p, quote string) (learn.Place, bool) { return h.place.find(p, quote) })
	}
	if err != nil {
		l.note("what %s says of the code was not checked (%s); it is tried again next time", h.URL, failure(err))
		l.waiting++
		return nil, false
	}
	return append(out, checked...), true
}

// generated decides whether the file that is spoken of bears the header of
// generated code.
func (l *learner) generated(h heard, c learn.Claim) learn.Checked {
	out := learn.Checked{Claim: c, Verdict: learn.Contradicted}
	p, _ := l.spot(h)
	if p == "" {
		out.Verdict = learn.NotCheckable
		return out
	}
	for _, side := range []fs.FS{h.place.base, h.place.head} {
		if side != nil && generated(readText(side, p)) {
			out.Verdict = learn.Supported
		}
	}
	return out
}

// find looks a quotation up: in the base, which can support a claim, and then in
// the head, which can only contradict one.
func (p *place) find(file, quote string) (learn.Place, bool) {
	for _, side := range []struct {
		tree   fs.FS
		commit string
		base   bool
	}{{p.base, p.Base, true}, {p.head, p.Head, false}} {
		if side.tree == nil {
			continue
		}
		text := readText(side.tree, file)
		start, _, _, ok := finding.Place(text, quote, 1, 0)
		if !ok || start == 0 {
			continue
		}
		lines := bytes.Split(text, []byte("\n"))
		return learn.Place{Path: file, Line: start, Commit: side.commit, Base: side.base, Text: string(lines[start-1])}, true
	}
	return learn.Place{}, false
}

// draft turns the proposals of a reply into records, lints them and compares
// them with the rules there are.
func (l *learner) draft(ctx context.Context, h heard, s learn.Slots, c *learn.Case, checkedAt string) {
	rules := l.rulesFor(h)
	at := learn.Context{Code: l.commentedLine(h), Claims: c.Claims}
	if h.defect != nil {
		at.Category = h.defect.Category
	}
	for _, p := range s.Rules {
		r := learn.RuleCase{Proposal: p, Draft: p.Draft(l.lesson(h, checkedAt), at)}
		if s.Class == learn.Forget {
			r.Target, _ = l.pool.Find(p.Rule)
		} else {
			p.Category = r.Draft.Category
			r.Proposal.Category = r.Draft.Category
			r.Complaints = r.Draft.Lint(h.place.paths())
			if err := r.Draft.Check(); err != nil {
				r.Complaints = append(r.Complaints, rule.Complaint{Code: "format", Key: "says", Msg: err.Error()})
			}
			if learn.Injection(p.Says + " " + p.Condition + " " + p.Reason) {
				r.Complaints = append(r.Complaints, rule.Complaint{Code: "instruction", Key: "says", Msg: "it gives orders to the tool"})
			}
			r.Target, r.Relation = rules.Compare(p)
		}
		if r.Target.ID != "" {
			r.Dispute = l.dispute(ctx, h, r.Target)
			r.Asked = l.asked(h.PR, r.Target.ID)
		}
		c.Rules = append(c.Rules, r)
	}
}

func (l *learner) rulesFor(h heard) learn.Rules {
	return learn.Rules{All: l.pool.Rules(), Files: h.place.paths(), Shaped: h.shaped}
}

func (l *learner) lesson(h heard, checkedAt string) learn.Lesson {
	return learn.Lesson{By: h.By, From: h.URL, At: rule.DateOf(l.d.Now()), CheckedAgainst: checkedAt}
}

// asked reports whether the owners of a rule were asked in a pull request.
func (l *learner) asked(pr int, id string) bool {
	for _, events := range [][]ledger.Event{l.past, l.events} {
		for _, e := range events {
			if e.PR == pr && e.Learned != nil && e.Learned.Outcome == string(learn.Ask) && e.Learned.Rule == id {
				return true
			}
		}
	}
	return false
}

// dispute asks the history of the code who knows it better: who replied, or who
// set the rule.
func (l *learner) dispute(ctx context.Context, h heard, r rule.Rule) expertise.Decision {
	q := Question{
		Scope:       func(p string) bool { return r.Applies(p, r.ForAuthor) },
		Challengers: []Voice{{Login: h.By, Seen: h.At}},
	}
	for _, who := range r.Teachers() {
		q.Setters = append(q.Setters, Voice{Login: who, Seen: taughtAt(r, who)})
	}
	x := l.d.Experts
	if x == nil {
		x = &Experts{Repo: l.d.Repo, Head: l.in.Base, Now: l.d.Now()}
	}
	decision, err := x.Decide(ctx, q)
	if err != nil {
		l.note("rule %s stays as it is: %v", r.ID, err)
	}
	return decision
}

// taughtAt is the day on which somebody taught a rule last.
func taughtAt(r rule.Rule, who string) time.Time {
	var last time.Time
	for _, t := range r.Learned {
		day, err := time.Parse(time.DateOnly, string(t.At))
		if err == nil && t.By == who && day.After(last) {
			last = day
		}
	}
	return last
}
