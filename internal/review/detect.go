package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/gate"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/projection"
)

// result is what the reviewers made of one batch.
type result struct {
	batch batch.Batch
	// gate is passed, retried, forced or unreviewed; reason says why a batch
	// is unreviewed or forced.
	gate, reason string
	claims       []claim
	usage        model.Usage
	elapsed      time.Duration
	tries        int
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
	// judged is the judge's own category, for the shield.
	judged string
}

// parallel is how many requests are under way at once.
const parallel = 4

// plan selects the files, takes out those that an earlier run covered with the
// same content and prompts, and cuts the rest into batches.
func (j *job) plan(ctx context.Context) error {
	read := j.selectFiles(ctx)
	rs, err := reviewersOf(j.cfg.Reviewers)
	if err != nil {
		return err
	}
	b := j.cfg.Batch
	limits := batch.Limits{MinLines: b.MinLines, MaxLines: b.MaxLines, SameDir: b.SameDirSimilarity, CrossDir: b.CrossDirSimilarity}
	j.prompts = promptHash(rs, j.cfg.Model.Name, limits)
	j.surface(ctx)
	j.cut, err = batch.Cut(j.reuse(read), limits)
	return err
}

// surface finds which lines changed since the latest complete review: only they
// and what could hurt people are spoken of again. It compares the patch then
// with the patch now, so that what a rebase brings along does not count.
func (j *job) surface(ctx context.Context) {
	last, ok := j.state.LastComplete(j.in.PR)
	if !ok || j.in.PR == 0 && last.Base != j.mergeBase {
		return
	}
	before, err := j.d.Repo.Diff(ctx, last.Base, last.Commit, git.DiffOptions{})
	if err != nil {
		j.note("the commit reviewed last, %s, cannot be read: everything counts as new", short(last.Commit))
		return
	}
	now := make([]diff.File, len(j.files))
	for i, f := range j.files {
		now[i] = *f
	}
	j.sinceReview = map[string][]diff.Range{}
	for _, f := range diff.Since(before, now) {
		j.sinceReview[f.Path()] = f.ChangedNew()
	}
}

// reuse marks files that were reviewed before and returns the others.
func (j *job) reuse(files []*diff.File) []*diff.File {
	var fresh []*diff.File
	for _, f := range files {
		want := ledger.CoveredFile{Path: f.Path(), Blob: f.NewBlob, Base: f.OldBlob}
		if _, ok := j.state.Covered(j.in.PR, want, j.prompts); ok {
			j.cover(f.Path(), projection.Reused, "same content as in an earlier review")
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh
}

func (j *job) cover(path string, s projection.State, reason string) {
	j.coverage[path] = projection.Coverage{Path: path, State: s, Reason: reason}
}

// detect asks every reviewer about every batch. A batch that one of them could
// not answer for is unreviewed; what the others found stays.
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
	rs, err := reviewersOf(j.cfg.Reviewers)
	if err != nil {
		panic(err) // plan has checked it
	}
	answers := make([][]answer, len(j.cut.Batches))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, b := range j.cut.Batches {
		answers[i] = make([]answer, len(rs))
		m := j.material(b)
		for k, r := range rs {
			group.Go(func() error {
				answers[i][k] = j.ask(ctx, r, m)
				return nil
			})
		}
	}
	_ = group.Wait() // no member returns an error; answers carry theirs
	for i, b := range j.cut.Batches {
		j.take(ctx, b, answers[i])
	}
}

// noModel says why no model is asked, "" when one is.
func (j *job) noModel() string {
	switch {
	case j.in.NoModel != "":
		return j.in.NoModel
	case j.model == nil:
		return "no model configured"
	}
	return ""
}

// material collects what the finders see of a batch. Secrets are taken out here,
// before anything leaves the process.
func (j *job) material(b batch.Batch) material {
	m := material{
		title:       j.redact(j.in.Title),
		description: j.redact(j.in.Description),
		batch:       b,
		around:      map[string]string{},
	}
	m.batch.Parts = slices.Clone(b.Parts)
	for i, p := range b.Parts {
		m.batch.Parts[i].Hunks = j.redactHunks(p.Hunks)
		if p.File.Status != diff.Added { // its diff is the whole file
			m.around[p.File.Path()] = j.redact(around(j.text(p.File.Path()), p.Hunks))
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

// answer is what one reviewer said of one batch.
type answer struct {
	findings []finding.Finding
	gate     string
	reason   string
	usage    model.Usage
	elapsed  time.Duration
	tries    int
}

// ask sends one request and repeats it with the gate's reasons until the result
// passes or the retries are used up.
func (j *job) ask(ctx context.Context, r reviewer, m material) answer {
	a := answer{gate: "passed"}
	texts := []string{m.title, m.description}
	for _, p := range m.batch.Parts {
		texts = append(texts, numbered(p.Hunks), m.around[p.File.Path()])
	}
	req := findRequest(r, j.cfg.Model.Name, model.Fence(j.d.Rand, texts...), m)
	for {
		a.tries++
		reply, err := j.complete(ctx, req)
		a.usage, a.elapsed = a.usage.Plus(reply.Usage), a.elapsed+reply.Elapsed
		if err != nil {
			a.gate, a.reason = "unreviewed", failure(err)
			return a
		}
		if a.findings, err = readFindings(reply.JSON, r.name); err != nil {
			a.gate, a.reason = "unreviewed", string(model.BadOutput)
			return a
		}
		v := gate.Judge(gate.Work{Lines: changedLines(m.batch), Tokens: reply.Usage.Completion, Findings: a.findings}, j.thresholds())
		switch {
		case v.Passed:
			return a
		case a.tries > j.cfg.Gate.MaxRetries:
			a.gate, a.reason = "forced", strings.Join(v.Reasons, "; ")
			return a
		}
		a.gate = "retried"
		req.Messages = append(req.Messages[:1:1],
			model.Message{Role: model.Assistant, Content: string(reply.JSON)},
			model.Message{Role: model.User, Content: "That result was not taken:\n- " + strings.Join(v.Reasons, "\n- ") +
				"\nRead the batch again from the start and answer with the complete list."})
	}
}

// complete sends one request within the budget.
func (j *job) complete(ctx context.Context, req model.Request) (model.Reply, error) {
	estimate, err := j.budget.admit(req)
	if err != nil {
		return model.Reply{}, err
	}
	reply, err := j.model.Complete(ctx, req)
	var e *model.Error
	if errors.As(err, &e) {
		reply.Usage, reply.Requests = e.Usage, e.Requests
	}
	j.budget.settle(estimate, req.Model, reply.Usage, reply.Requests)
	if err != nil {
		j.d.Log.Warn(req.Purpose, "error", j.redact(err.Error()))
		return reply, err
	}
	j.d.Log.Info(req.Purpose, "prompt", reply.Usage.Prompt, "completion", reply.Usage.Completion)
	return reply, nil
}

// failure is the word for a batch that has no answer.
func failure(err error) string {
	var e *model.Error
	switch {
	case errors.As(err, &e):
		return string(e.Failure)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "deadline"
	case strings.HasPrefix(err.Error(), "budget"):
		return "budget"
	}
	return "error"
}

func (j *job) thresholds() gate.Thresholds {
	g := j.cfg.Gate
	return gate.Thresholds{
		Mode: gate.Mode(g.Mode), MinEffort: g.MinEffort, MinDensity: g.MinDensity,
		LinesPerFinding: g.LinesPerFinding, MinContent: g.MinContent, HighRiskNeedsSuggestion: g.NeedsSuggestion,
	}
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

// take merges the answers about one batch, places their findings in the code and
// notes what the batch covers.
func (j *job) take(ctx context.Context, b batch.Batch, as []answer) {
	r := result{batch: b, gate: "passed"}
	for _, a := range as {
		r.usage, r.elapsed, r.tries = r.usage.Plus(a.usage), r.elapsed+a.elapsed, max(r.tries, a.tries)
		if rank(a.gate) > rank(r.gate) {
			r.gate, r.reason = a.gate, a.reason
		}
		for _, f := range a.findings {
			r.claims = append(r.claims, j.place(ctx, b, f))
		}
	}
	state, reason := projection.Reviewed, ""
	switch r.gate {
	case "unreviewed":
		state, reason = projection.Unreviewed, r.reason
	case "forced":
		reason = "taken after " + fmt.Sprint(r.tries) + " tries: " + r.reason
	}
	for _, p := range b.Parts {
		path, reason := p.File.Path(), reason
		if reason == "" {
			reason = shownInPart(p.File)
		}
		if j.coverage[path].State != projection.Unreviewed || j.coverage[path].Reason == "" {
			j.cover(path, state, reason)
		}
	}
	j.results = append(j.results, r)
	j.d.Log.Info("batch "+b.ID, "files", len(b.Paths()), "lines", b.Lines(), "result", r.gate, "findings", len(r.claims))
}

// rank orders gate results from good to bad.
func rank(gate string) int {
	switch gate {
	case "retried":
		return 1
	case "forced":
		return 2
	case "unreviewed":
		return 3
	}
	return 0
}

// readFindings decodes a reply that passed the schema.
func readFindings(raw json.RawMessage, source string) ([]finding.Finding, error) {
	var body struct {
		Findings []struct {
			Path       string   `json:"path"`
			Quote      string   `json:"quote"`
			Side       string   `json:"side"`
			StartLine  *int     `json:"start_line"`
			EndLine    *int     `json:"end_line"`
			Symbol     *string  `json:"symbol"`
			Category   string   `json:"category"`
			Severity   string   `json:"severity"`
			Claim      string   `json:"claim"`
			Subject    string   `json:"subject"`
			Predicate  string   `json:"predicate"`
			Detail     string   `json:"detail"`
			Evidence   []string `json:"evidence"`
			Criteria   []string `json:"criteria"`
			Suggestion *string  `json:"suggestion"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, fmt.Errorf("read findings of %s: %w", source, err)
	}
	var out []finding.Finding
	for _, f := range body.Findings {
		sev, err := finding.ParseSeverity(f.Severity)
		if err != nil {
			return nil, fmt.Errorf("read findings of %s: %w", source, err)
		}
		side := finding.Right
		if f.Side == "old" {
			side = finding.Left
		}
		out = append(out, finding.Finding{
			Source: source, Path: f.Path, Quote: f.Quote, Side: side,
			StartLine: deref(f.StartLine), EndLine: deref(f.EndLine), Symbol: deref(f.Symbol),
			Category: strings.ToLower(strings.TrimSpace(f.Category)), Severity: sev,
			Claim: f.Claim, Subject: f.Subject, Predicate: f.Predicate, Detail: f.Detail,
			Evidence: f.Evidence, Criteria: f.Criteria, Suggestion: deref(f.Suggestion),
			Tier: finding.Advisory,
		})
	}
	return out, nil
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
