package review

import (
	"context"
	"slices"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/reconcile"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// questionsPerRequest bounds what one adjudication sees.
const questionsPerRequest = 8

// adjudicate asks the model about the observations that may be known defects. Its
// answers become part of the events; what is never merged silently stays two.
func (j *job) adjudicate(ctx context.Context, obs []reconcile.Observation, known []reconcile.Known, ds []reconcile.Decision) {
	byID := map[ledger.DefectID]reconcile.Known{}
	for _, k := range known {
		byID[k.ID] = k
	}
	var at []int
	var questions []reconcile.Question
	for i, d := range ds {
		if d.Kind != reconcile.Ask {
			continue
		}
		q := reconcile.Question{Observation: obs[i]}
		for _, c := range d.Candidates {
			q.Known = append(q.Known, byID[c.Defect])
		}
		at, questions = append(at, i), append(questions, q)
	}
	for chunk := range slices.Chunk(indexes(len(questions)), questionsPerRequest) {
		part := questions[chunk[0] : chunk[len(chunk)-1]+1]
		fence := model.Fence(j.d.Rand, reconcile.Texts(part)...)
		reply, err := j.complete(ctx, reconcile.AdjudicationRequest(j.cfg.Model.Name, fence, part), j.whole())
		verdicts := make([][]reconcile.Verdict, len(part))
		if err == nil {
			verdicts, err = reconcile.ReadAdjudication(reply, part)
		}
		if err != nil {
			j.note("the adjudicator could not be asked (%s): possible duplicates stay two", failure(err))
			verdicts = make([][]reconcile.Verdict, len(part))
		}
		for k, n := range chunk {
			ds[at[n]] = reconcile.Settle(ds[at[n]], verdicts[k])
		}
	}
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// recur looks at verified and obsolete defects that a reviewer has found again. A
// sighting alone reopens nothing: an inspection of the code has to show that a
// criterion fails.
func (j *job) recur(ctx context.Context) {
	for _, d := range j.state.All() {
		closed := d.Status == ledger.Closed && d.FixedIn != j.in.Head || d.Status == ledger.Obsolete
		if !closed || !j.standing[d.ID] {
			continue
		}
		seen := d.Wordings[len(d.Wordings)-1].Location
		s := sight{defect: d, step: step{from: d.Locations[0], answer: relocate.Answer{Location: seen}}}
		proofs := j.byInspection(ctx, d, s)
		i := slices.IndexFunc(proofs, func(p proof) bool { return p.Outcome == "failed" })
		if i < 0 {
			delete(j.standing, d.ID)
			continue
		}
		j.recordProofs(d, proofs)
		if !j.withdrawObsoleted(d.ID) {
			j.bringBack(d, "found again, and its criteria fail", proofs[i].Evidence)
		}
		if !samePlace(d.Locations[0], seen) {
			j.relocated(d, d.Locations[0], relocate.Answer{
				Location: j.anchorAt(bare(seen), j.text(seen.Path)), How: relocate.Candidate, Confidence: 1})
		}
	}
	j.refold()
}

// withdrawObsoleted takes back what this very run said of a defect, that its code
// is nowhere, and reports whether it had said so.
func (j *job) withdrawObsoleted(id ledger.DefectID) bool {
	n := len(j.events)
	j.events = slices.DeleteFunc(j.events, func(e ledger.Event) bool { return e.Defect == id && e.Obsoleted != nil })
	return len(j.events) < n
}

// unite merges defects that turn out to be one with every further wording, and
// proposes what is never merged silently.
func (j *job) unite() {
	touched := make([]ledger.DefectID, 0, len(j.standing))
	for id := range j.standing {
		touched = append(touched, id)
	}
	slices.Sort(touched)
	for _, dup := range reconcile.Duplicates(j.known(), touched, reconcile.Options{}) {
		older, newer := j.state.Defect(dup.A), j.state.Defect(dup.B)
		if newer.OpenedAt.Before(older.OpenedAt) {
			older, newer = newer, older
		}
		if slices.Contains(newer.Duplicates, older.ID) || slices.Contains(older.Duplicates, newer.ID) {
			continue
		}
		e := ledger.Event{FP: newer.FP, Defect: newer.ID}
		switch dup.Kind {
		case reconcile.Same:
			if newer.Status.Active() && !older.Status.Active() {
				continue
			}
			e.Merged = &ledger.Merged{Into: older.ID, Evidence: []string{dup.Reason}}
			j.changed(newer.ID, "merged", "into "+string(older.ID))
		case reconcile.MergeProposed:
			e.MergeProposed = &ledger.MergeProposed{Into: older.ID, Evidence: []string{dup.Reason}}
		default:
			e.PossibleDuplicate = &ledger.PossibleDuplicate{Of: older.ID, Score: dup.Score, Reason: dup.Reason}
		}
		j.add(e)
	}
	j.refold()
}
