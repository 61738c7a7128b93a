package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/rule"
)

// result is what the reviewers and the checkers made of one batch.
type result struct {
	batch batch.Batch
	// gate is passed, retried, forced or unreviewed; reason says why a batch
	// is unreviewed or forced.
	gate, reason string
	claims       []claim
	usage        model.Usage
	elapsed      time.Duration
	tries        int
	// reviewers is how many were asked, effort their output tokens, those of
	// the checkers left out.
	reviewers, effort int
	// notes are what a reader should know; they are shown in the order of the
	// batches, whichever was ready first.
	notes []string
	// purse is what the batch may spend, nil for the whole change.
	purse *purse
	// all are the batches of the whole change, where that is what a checker
	// looks at; nil for a batch.
	all []*result
}

func (r *result) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// claim is a finding that the runtime has placed, on its way through the
// checkers.
type claim struct {
	finding.Finding
	batch string
	// how says how the quote was found, "" when the finding is about the
	// whole file.
	how string
	// rejected is why the runtime refuses it: a path outside the batch.
	rejected string
	// dropped is the judge's reason, "" when the claim stands.
	dropped string
	// judged is what the judge calls it, for the shield.
	judged rule.Judged
	// checked says that the judge has seen it, or that it needs no judge.
	checked bool
	// reproduced is the run of its artifact that showed it, nil when none did.
	reproduced *finding.Reproduction
	// rules are those that had to do with it, each once.
	rules []touch
	// repeats is the claim that says the same in this run, nil for none.
	repeats *claim
}

// touch is a rule's effect on a claim.
type touch struct {
	rule string
	// effect is silenced or added, or refused where the shield or the rule's
	// own bounds forbid it.
	effect string
	why    string
}

// silenced is the rule that hides the claim, "" for none.
func (c *claim) silenced() (id, why string) {
	for _, t := range c.rules {
		if t.effect == "silenced" {
			return t.rule, t.why
		}
	}
	return "", ""
}

// stands reports whether nothing hides the claim so far.
func (c *claim) stands() bool {
	id, _ := c.silenced()
	return c.rejected == "" && c.dropped == "" && id == "" && c.repeats == nil
}

// detect takes every batch through reviewers, gate and checkers. A batch that
// one of its reviewers could not answer for is unreviewed; what the others
// found stays.
func (j *job) detect(ctx context.Context) {
	// The headline says what to do about it; a file needs the reason alone.
	if reason, _, _ := strings.Cut(j.noModel(), ";"); reason != "" {
		for _, b := range j.cut.Batches {
			for _, p := range b.Paths() {
				j.cover(p, projection.Unreviewed, reason)
			}
		}
		return
	}
	// A batch is finished before the next is begun, as far as the requests that
	// may be under way at once allow: when the budget ends, what was paid for
	// is whole.
	var group errgroup.Group
	group.SetLimit(max(1, j.cfg.Model.Parallel/max(1, len(j.reviewers))))
	results := make([]*result, len(j.cut.Batches))
	for i, b := range j.cut.Batches {
		group.Go(func() error {
			r := j.reviewBatch(ctx, b)
			j.d.Log.Info("batch "+b.ID, "files", len(b.Paths()), "lines", b.Lines(), "result", r.gate, "findings", len(r.claims))
			results[i] = r
			return nil
		})
	}
	_ = group.Wait() // no member returns an error; results carry theirs
	for _, r := range results {
		j.take(r)
	}
}

// reviewBatch asks the reviewers about one batch until the gate takes their
// results or the retries are used up, and then lets the checkers look at what
// they found.
func (j *job) reviewBatch(ctx context.Context, b batch.Batch) *result {
	r := &result{batch: b, gate: "passed"}
	asks := j.asks(b)
	r.reviewers = len(asks)
	var err error
	if r.purse, err = j.budget.fill(cost(asks)); err != nil {
		r.gate, r.reason = "unreviewed", failure(err)
		return r
	}
	defer r.purse.empty()
	for again := asks; len(again) > 0; {
		r.tries++
		j.askAll(ctx, again, r.purse)
		again = j.judgeAnswers(r, asks)
	}
	for _, a := range asks {
		r.usage, r.elapsed = r.usage.Plus(a.usage), max(r.elapsed, a.elapsed)
		r.effort += a.usage.Completion
		for _, f := range a.findings {
			r.claims = append(r.claims, j.place(ctx, b, f))
		}
	}
	j.check(ctx, r)
	return r
}

// ask is one reviewer's part in one batch: its request, which grows with each
// retry, and the latest answer.
type ask struct {
	reviewer string
	request  model.Request

	findings []finding.Finding
	raw      []byte
	err      error
	usage    model.Usage
	elapsed  time.Duration
}

// asks builds the requests about a batch, one for each reviewer that reads it.
func (j *job) asks(b batch.Batch) []*ask {
	m := j.material(b)
	texts := []string{m.title, m.description, m.uses}
	for _, p := range m.batch.Parts {
		texts = append(texts, numbered(p.Hunks), m.around[p.File.Path()])
	}
	var out []*ask
	for _, r := range j.reviewers {
		if r.reads(b) {
			out = append(out, &ask{reviewer: r.name,
				request: findRequest(r, j.cfg.Model.Name, model.Fence(j.d.Rand, texts...), m)})
		}
	}
	return out
}

// cost estimates, in tokens, what the requests of a batch and the judge of what
// they find may take.
func cost(asks []*ask) int {
	n := 0
	for _, a := range asks {
		n = max(n, requestTokens(a.request))
	}
	return n * (len(asks) + 1)
}

// askAll sends the requests of several reviewers at once.
func (j *job) askAll(ctx context.Context, asks []*ask, p *purse) {
	var group errgroup.Group
	for _, a := range asks {
		group.Go(func() error {
			j.send(ctx, a, p)
			return nil
		})
	}
	_ = group.Wait() // no member returns an error; asks carry theirs
}

// send asks one reviewer and reads what it answers.
func (j *job) send(ctx context.Context, a *ask, p *purse) {
	reply, err := j.converse(ctx, a.request, p)
	a.usage, a.elapsed = a.usage.Plus(reply.Usage), a.elapsed+reply.Elapsed
	if a.err = err; err != nil {
		return
	}
	a.raw = reply.JSON
	if a.findings, err = readFindings(reply.JSON, a.reviewer); err != nil {
		a.err = &model.Error{Failure: model.BadOutput, Detail: err.Error()}
	}
}

// judgeAnswers puts the batch's answers to the gate and returns those to ask for
// again, none when the batch has its end.
func (j *job) judgeAnswers(r *result, asks []*ask) []*ask {
	w := gate.Work{Paths: r.batch.Paths(), Lines: changedLines(r.batch), Reviewers: len(asks)}
	for _, a := range asks {
		if a.err != nil {
			r.gate, r.reason = "unreviewed", failure(a.err)
			return nil
		}
		w.Tokens += a.usage.Completion
		w.Seconds = max(w.Seconds, a.elapsed.Seconds())
		w.Findings = append(w.Findings, a.findings...)
	}
	t := j.thresholds()
	v := gate.Judge(w, t)
	switch {
	case v.Passed:
		return nil
	case !t.Again(r.tries):
		r.gate, r.reason = "forced", strings.Join(v.Reasons, "; ")
		return nil
	}
	r.gate = "retried"
	for _, a := range asks {
		a.request.Messages = append(a.request.Messages[:1:1],
			model.Message{Role: model.Assistant, Content: string(a.raw)},
			model.Message{Role: model.User, Content: gate.RetryPrompt(v)})
	}
	return asks
}

func changedLines(b batch.Batch) int {
	n := 0
	for _, p := range b.Parts {
		for _, h := range p.Hunks {
			n += h.ChangedLines()
		}
	}
	return n
}

// take notes what a batch came to: its files' coverage and its claims.
func (j *job) take(r *result) {
	for _, n := range r.notes {
		j.note("%s", n)
	}
	state, reason := projection.Reviewed, ""
	switch r.gate {
	case "unreviewed":
		happened, todo := explainReason(r.reason)
		state, reason = projection.Unreviewed, happened
		j.note("%s; %s", happened, todo)
	case "forced":
		reason = "taken after " + fmt.Sprint(r.tries) + " tries: " + r.reason
	}
	for _, p := range r.batch.Parts {
		path, reason := p.File.Path(), reason
		if reason == "" {
			reason = shownInPart(p.File)
		}
		if j.coverage[path].State != projection.Unreviewed || j.coverage[path].Reason == "" {
			j.cover(path, state, reason)
		}
	}
	j.results = append(j.results, r)
}

// material collects what the finders see of a batch. Secrets are taken out here,
// before anything leaves the process.
func (j *job) material(b batch.Batch) material {
	m := material{
		title:       j.redact(j.in.Title),
		description: j.redact(j.in.Description),
		batch:       b,
		around:      map[string]string{},
		uses:        j.redact(j.uses.of(b)),
	}
	m.batch.Parts = slices.Clone(b.Parts)
	for i, p := range b.Parts {
		m.batch.Parts[i].Hunks = j.redactHunks(p.Hunks)
		if path := p.File.Path(); p.File.Status != diff.Added { // its diff is the whole file
			m.around[path] = j.redact(around(path, j.text(path), p.Hunks))
		}
	}
	return m
}

// redactHunks copies hunks with their secrets taken out.
func (j *job) redactHunks(hunks []diff.Hunk) []diff.Hunk {
	out := make([]diff.Hunk, len(hunks))
	for i, h := range hunks {
		lines := make([]diff.Line, len(h.Lines))
		for k, l := range h.Lines {
			l.Text = j.redact(l.Text)
			lines[k] = l
		}
		h.Lines = lines
		out[i] = h
	}
	return out
}
