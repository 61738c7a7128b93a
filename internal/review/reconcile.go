package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/reconcile"
	"github.com/crev-ratchet/crev/internal/relocate"
	"github.com/crev-ratchet/crev/internal/rule"
)

// reconcile gives each claim an identity: a known defect is seen again, any
// other opens one. What is not to be posted is recorded all the same, with the
// reason. Then it records what the run covered.
func (j *job) reconcile(ctx context.Context) {
	for _, r := range append(j.results, &result{claims: j.extra}) {
		for _, c := range r.claims {
			if c.rejected != "" {
				j.hide(c, "grounding", c.rejected)
				continue
			}
			j.claims = append(j.claims, c)
		}
	}
	// Ids are numbered where two defects of a class open in one run, so the
	// order in which a model lists them must not count.
	slices.SortStableFunc(j.claims, compareClaims)
	obs := make([]reconcile.Observation, len(j.claims))
	for i, c := range j.claims {
		at := j.located(c)
		obs[i] = reconcile.Observation{Finding: c.Finding, Location: at,
			Key: reconcile.Key(j.in.Run, c.Source, at.Path, at.Start, c.Claim)}
	}
	known := j.known()
	decided := reconcile.Reconcile(obs, known, reconcile.Options{Adjudicator: j.noModel() == ""})
	j.adjudicate(ctx, obs, known, decided.Decisions)
	ids := make([]ledger.DefectID, len(obs))
	for i, d := range decided.Decisions {
		if d.Kind != reconcile.Twin {
			ids[i] = j.record(j.claims[i], obs[i], d)
		}
	}
	for i, d := range decided.Decisions {
		if d.Kind == reconcile.Twin {
			j.observe(j.claims[i], obs[i], d, ids[d.Twin])
		}
	}
	j.rate()
	j.recordCoverage()
	j.refold()
	j.recur(ctx)
	j.unite()
	j.report.Defects = j.state.All()
	for _, d := range j.report.Defects {
		// A claim that stands in this run is shown, whatever hid it before.
		if j.standing[d.ID] && !capped(d) {
			d.Hidden = nil
		}
	}
}

func compareClaims(a, b claim) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(a.EndLine, b.EndLine),
		strings.Compare(a.Claim, b.Claim), strings.Compare(a.Source, b.Source))
}

// known is every defect of the view as it is at the head.
func (j *job) known() []reconcile.Known {
	at := map[ledger.DefectID]sight{}
	for _, s := range j.sights {
		at[s.defect.ID] = s
	}
	var out []reconcile.Known
	for _, d := range j.state.All() {
		var places []reconcile.Place
		if s, ok := at[d.ID]; ok {
			for _, f := range s.steps() {
				if f.answer.Location.Path != "" {
					places = append(places, reconcile.Place{Location: f.answer.Location, How: string(f.answer.How), Ambiguous: f.answer.Ambiguous})
				}
			}
		} else if len(d.Locations) > 0 {
			p := reconcile.Place{Location: d.Locations[0]}
			if p.Commit != j.in.Head {
				p.How = string(relocate.Suspect)
			}
			places = append(places, p)
		}
		out = append(out, reconcile.FromDefect(d, places))
	}
	return out
}

// located is where a claim stands at the head, with its redacted surroundings.
func (j *job) located(c claim) finding.Location {
	l := finding.Location{Path: c.Path, Start: c.StartLine, End: c.EndLine, Symbol: c.Symbol, Commit: j.in.Head}
	if c.Side == finding.Left {
		l.Side, l.Commit = finding.Left, j.mergeBase
		return l
	}
	return j.anchorAt(l, j.text(c.Path))
}

// record writes down what became of one claim and returns its defect.
func (j *job) record(c claim, o reconcile.Observation, d reconcile.Decision) ledger.DefectID {
	if d.Kind == reconcile.Same {
		j.observe(c, o, d, d.Defect)
		return d.Defect
	}
	id := j.open(c, o, d)
	fp := j.class(c)
	switch d.Kind {
	case reconcile.MergeProposed:
		j.add(ledger.Event{FP: fp, Defect: id, Payload: ledger.Payload{
			MergeProposed: &ledger.MergeProposed{Into: d.Defect, Evidence: []string{d.Reason}}}})
	case reconcile.PossibleDuplicate, reconcile.Ask:
		j.add(ledger.Event{FP: fp, Defect: id, Payload: ledger.Payload{
			PossibleDuplicate: &ledger.PossibleDuplicate{Of: d.Defect, Score: d.Score, Reason: d.Reason}}})
	}
	return id
}

func (j *job) class(c claim) string {
	return finding.Class(c.Path, c.Category, c.Subject, c.Predicate, c.Claim)
}

// open starts a defect.
func (j *job) open(c claim, o reconcile.Observation, d reconcile.Decision) ledger.DefectID {
	fp := j.class(c)
	id := j.state.NewDefectID(fp, j.in.Run, func(id ledger.DefectID) bool { return j.born[id] })
	j.born[id] = true
	criteria := c.Criteria
	if len(criteria) == 0 {
		criteria = []string{"The claim no longer holds: " + c.Claim}
	}
	j.add(ledger.Event{FP: fp, Defect: id, By: c.Source, Payload: ledger.Payload{Opened: &ledger.Opened{
		FP0: finding.FP0(c.Path, c.Claim), Claim: c.Claim, Detail: c.Detail, Category: c.Category,
		Severity: finding.Max(c.Severity, d.Severity), Tier: c.tier(), Source: c.Source,
		Artifact: c.Artifact, Reproduced: c.reproduced,
		Subject: c.Subject, Predicate: c.Predicate,
		Locations: []finding.Location{o.Location},
		DependsOn: j.namedPaths(c),
		Criteria:  criteria, Evidence: c.Evidence, Quote: j.redact(c.Quote), Suggestion: j.redact(c.Suggestion),
		MissedEarlier: j.missedEarlier(c),
	}}})
	j.ruled(id, fp, c)
	if j.suppress(id, fp, c) {
		return id
	}
	j.standing[id] = true
	j.changed(id, "opened", where(o.Location)+" "+c.Claim)
	return id
}

// observe records another sighting; a sighting never changes the state.
func (j *job) observe(c claim, o reconcile.Observation, d reconcile.Decision, id ledger.DefectID) {
	fp := j.class(c)
	if known := j.state.Defect(id); known != nil {
		fp = known.FP
	}
	j.add(ledger.Event{FP: fp, Defect: id, By: c.Source, Payload: ledger.Payload{Observed: &ledger.Observed{
		FP0: finding.FP0(c.Path, c.Claim), Claim: c.Claim, Category: c.Category, Severity: c.Severity,
		Tier: c.tier(), Artifact: c.Artifact, Reproduced: c.reproduced, Source: c.Source, Location: bare(o.Location), Criteria: c.Criteria,
		Evidence: c.Evidence, How: string(d.How), Score: d.Score,
	}}})
	j.ruled(id, fp, c)
	if by := j.decidedBy(fp, c); by != "" && c.dropped == "" {
		j.add(ledger.Event{FP: fp, Defect: id, Payload: ledger.Payload{Suppressed: &ledger.Suppressed{
			Reason: "validator", By: by, Detail: "decides it", Commit: j.in.Head}}})
		j.hide(c, "validator", by+" decides it")
		return
	}
	switch hiding, why := c.silenced(); {
	case c.stands():
		j.standing[id] = true
		j.worst[id] = finding.Max(j.worst[id], c.Severity)
		j.changed(id, "seen again", string(d.How))
	case hiding != "":
		// A rule that was learned since hides what was posted before it.
		if j.mayHideKnown(hiding, id) {
			j.add(ledger.Event{FP: fp, Defect: id, Payload: ledger.Payload{Suppressed: &ledger.Suppressed{
				Reason: "rule", By: hiding, Detail: why, Commit: j.in.Head}}})
		}
		j.hide(c, "rule", hiding)
	}
}

// mayHideKnown reports whether a rule that hides a sighting may hide the defect
// that it is a sighting of. A defect is more than one wording of it: the rule has
// to be about what it was opened as, and none of its wordings may be shielded.
// One that this run opened has been decided about by then.
func (j *job) mayHideKnown(id string, defect ledger.DefectID) bool {
	d := j.state.Defect(defect)
	if d == nil || j.born[defect] || d.Shielded() || len(d.Locations) == 0 {
		return false
	}
	return slices.ContainsFunc(j.memory.view, func(r rule.Rule) bool {
		ok, _ := r.MayHide(finding.Finding{Path: d.Locations[0].Path, Category: d.Category, Severity: d.Severity,
			Claim: d.Claim, Detail: d.Detail, Subject: d.Subject, Predicate: d.Predicate, Evidence: d.Evidence, Tier: d.Tier}, rule.Judged{}, j.memory.author)
		return r.ID == id && ok
	})
}

// ruled records the rules that had an effect on a claim.
func (j *job) ruled(id ledger.DefectID, fp string, c claim) {
	for _, t := range c.rules {
		if t.effect != "refused" {
			j.add(ledger.Event{FP: fp, Defect: id, Payload: ledger.Payload{RuleHit: &ledger.RuleHit{Rule: t.rule, Effect: t.effect}}})
		}
	}
}

// rate raises known defects that a reviewer now finds worse. A severity falls by
// decision of people only.
func (j *job) rate() {
	for _, d := range j.state.All() {
		if s := j.worst[d.ID]; s.Rank() > d.Severity.Rank() {
			j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{Rated: &ledger.Rated{
				Severity: s, Reason: "a reviewer that saw it again finds it worse"}}})
			j.changed(d.ID, "rated", string(s))
		}
	}
}

// suppress records why a new defect is not posted, and reports whether it is
// not. Security and crash findings are hidden by nobody but a validator that
// decides their class, or by a judge that shows the code.
func (j *job) suppress(id ledger.DefectID, fp string, c claim) bool {
	reason, by, detail := "", "", ""
	ruled, why := c.silenced()
	switch {
	case c.dropped != "":
		reason, by, detail = "judge", "recheck", c.dropped
	case j.decidedBy(fp, c) != "":
		reason, by, detail = "validator", j.decidedBy(fp, c), "decides it"
	case ruled != "":
		reason, by, detail = "rule", ruled, why
	case c.repeats != nil:
		reason, by, detail = "duplicate", c.repeats.Source, "it says the same of the same lines"
	case j.settled(c):
		reason, detail = "convergence", "the line was reviewed before and has not changed"
	default:
		return false
	}
	detail = j.redact(detail)
	j.add(ledger.Event{FP: fp, Defect: id, Payload: ledger.Payload{Suppressed: &ledger.Suppressed{
		Reason: reason, By: by, Detail: detail, Commit: j.in.Head}}})
	j.hide(c, reason, strings.TrimSpace(by+" "+detail))
	return true
}

func (j *job) hide(c claim, reason, by string) {
	j.report.Hidden = append(j.report.Hidden, projection.Hidden{
		Claim: c.Claim, Path: c.Path, Line: c.StartLine, Reason: reason, By: j.redact(by)})
}

// settled reports whether a complete review has seen this very line before: the
// review converges, so later rounds speak of what changed. What could hurt
// people is exempt and marked as missed earlier.
func (j *job) settled(c claim) bool { return j.seenBefore(c) && !j.shielded(c) }

func (j *job) missedEarlier(c claim) bool { return j.seenBefore(c) && j.shielded(c) }

func (j *job) shielded(c claim) bool {
	return rule.Shielded(c.Finding, c.judged)
}

// seenBefore reports whether a complete review covered the claim's lines and
// they have not changed since.
func (j *job) seenBefore(c claim) bool {
	if j.sinceReview == nil || c.StartLine == 0 || c.Side == finding.Left {
		return false
	}
	for _, r := range j.sinceReview[c.Path] {
		if c.StartLine <= r.End && c.EndLine >= r.Start {
			return false
		}
	}
	return true
}

// filesPerEvent bounds how many files one event lists, so that its line stays far
// below the largest one.
const filesPerEvent = 500

// recordCoverage writes one reviewed event a batch.
func (j *job) recordCoverage() {
	var reused []ledger.CoveredFile
	for _, f := range j.files {
		if j.coverage[f.Path()].State == projection.Reused {
			reused = append(reused, ledger.CoveredFile{Path: f.Path(), Blob: f.NewBlob, Base: f.OldBlob})
		}
	}
	if len(j.results) > 0 {
		n := 0
		for files := range slices.Chunk(reused, filesPerEvent) {
			n++
			j.add(ledger.Event{Payload: ledger.Payload{Reviewed: &ledger.Reviewed{
				Commit: j.in.Head, Base: j.mergeBase, Batch: fmt.Sprintf("reused-%d", n), Gate: "reused", Files: files, Prompts: j.prompts}}})
		}
	}
	for _, r := range j.results {
		e := &ledger.Reviewed{
			Commit: j.in.Head, Base: j.mergeBase, Batch: r.batch.ID, Gate: string(r.state.Gate), Reason: r.reason(),
			Prompts: j.prompts, Model: j.cfg.Model.Name, Lines: changedLines(r.batch), Findings: len(r.claims),
			PromptTokens: r.usage.Prompt, CompletionTokens: r.usage.Completion,
			Seconds: r.state.Elapsed.Round(time.Second).Seconds(), Tries: r.state.Tries,
			Reviewers: len(r.asks), ReviewTokens: r.effort,
		}
		for _, p := range r.batch.Paths() {
			// A file that was cut over several batches is covered by none
			// of them until all of them were read.
			if !r.unreviewed() && j.coverage[p].State == projection.Unreviewed {
				continue
			}
			f := j.file(p)
			e.Files = append(e.Files, ledger.CoveredFile{Path: p, Blob: f.NewBlob, Base: f.OldBlob})
		}
		j.add(ledger.Event{Payload: ledger.Payload{Reviewed: e}})
	}
}
