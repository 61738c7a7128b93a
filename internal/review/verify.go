package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/checker"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/model"
	"github.com/crev-ratchet/crev/internal/projection"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// verify checks every active defect whose code changed: first with what runs by
// itself, then with an inspection that has to cite the code. What each criterion
// came to is recorded; the fold decides whether that closes anything.
func (j *job) verify(ctx context.Context) {
	for _, s := range j.sights {
		d := j.state.Defect(s.defect.ID)
		if d == nil || !d.Status.Active() || s.check == "" && d.Status != ledger.Fixing {
			continue
		}
		proofs := j.byValidator(d)
		passes := false
		if proofs == nil {
			proofs, passes = j.byArtifact(ctx, d, s)
		}
		if proofs == nil {
			proofs = j.byInspection(ctx, d, s)
		}
		if passes {
			proofs = backed(proofs)
		}
		j.recordProofs(d, proofs)
		j.standAtUnmet(d, s, proofs)
	}
	j.refold()
	j.closeProven()
}

// proof is what one check says of one criterion.
type proof struct {
	criterion int
	ledger.Verification
}

// byValidator asks the validator that decides the defect's class, where there
// is one: its answer at the head settles every criterion.
func (j *job) byValidator(d *ledger.Defect) []proof {
	p, ok := j.state.PromotedBy(d.FP)
	if !ok {
		return nil
	}
	name := p.Validator
	for _, c := range j.report.Checks {
		if c.Name != name {
			continue
		}
		v := ledger.Verification{Commit: j.in.Head, Method: "static_analysis", Criterion: -1, Check: name}
		switch c.Status {
		case "clean":
			v.Outcome, v.Evidence = "passed", []string{"validator " + name + " is clean at this commit"}
		case "found":
			v.Outcome, v.Evidence = "failed", []string{"validator " + name + " still finds it"}
		default:
			v.Outcome, v.Evidence = "inconclusive", []string{"validator " + name + " could not be run: " + c.Reason}
		}
		return []proof{{criterion: -1, Verification: v}}
	}
	return nil
}

// byInspection asks the model about every criterion, checks that what it cites
// stands in the code, and runs the tests it names.
func (j *job) byInspection(ctx context.Context, d *ledger.Defect, s sight) []proof {
	if reason := j.noModel(); reason != "" {
		return []proof{{criterion: -1, Verification: ledger.Verification{Commit: j.in.Head, Method: "inspection",
			Outcome: "inconclusive", Criterion: -1, Evidence: []string{"not inspected: " + reason}}}}
	}
	c := j.caseOf(ctx, d, s)
	req := checker.Inspect(j.cfg.Model.Name, model.Fence(j.d.Rand, c.Claim, c.Detail, c.Before, c.Now, c.Change, strings.Join(c.Criteria, "\n")), c)
	reply, err := j.complete(ctx, req, j.whole())
	var found []checker.Inspection
	if err == nil {
		found, err = checker.ReadInspection(reply, c, func(cite checker.Cite) bool {
			_, ok := j.cited(cite, s.answer.Location)
			return ok
		})
	}
	if err != nil {
		j.note("%s was not verified (%s): it stays as it is", d.ID, failure(err))
		return nil
	}
	var out []proof
	for i, in := range found {
		v := ledger.Verification{Commit: j.in.Head, Method: "inspection", Outcome: in.Outcome, Criterion: i,
			Evidence: []string{cut(j.redact(in.Reason), maxItem)}}
		for _, cite := range in.Cites {
			if l, ok := j.cited(cite, s.answer.Location); ok {
				v.Locations = append(v.Locations, l)
			}
		}
		if in.Test != "" && in.Outcome == "passed" {
			if check, evidence, ok := j.witness(ctx, s.from.Commit, in.Test); ok {
				v.Method, v.Check = "test", check
				v.Evidence = append(v.Evidence, evidence...)
			} else {
				v.Evidence = append(v.Evidence, evidence...)
			}
		}
		out = append(out, proof{criterion: i, Verification: v})
	}
	return out
}

// caseOf collects what an inspection sees of a defect.
func (j *job) caseOf(ctx context.Context, d *ledger.Defect, s sight) checker.Case {
	c := checker.Case{Claim: d.Claim, Detail: d.Detail, Path: s.from.Path}
	for _, cr := range d.Criteria {
		c.Criteria = append(c.Criteria, cr.Text)
	}
	if old, err := j.d.Repo.ReadFile(ctx, s.from.Commit, s.from.Path); err == nil {
		c.Before = j.redact(excerpt(withoutKeys(old, j.redact), s.from.Start, s.from.End))
	}
	if to := s.answer.Location; to.Path != "" {
		c.Path = to.Path
		c.Now = j.redact(excerpt(withoutKeys(j.text(to.Path), j.redact), to.Start, to.End))
	}
	c.Change = j.redact(j.since(ctx, s.from.Commit))
	return c
}

// maxChange bounds, in bytes, how much of the change since a defect was last
// placed an inspection sees.
const maxChange = 60_000

// since renders what changed from a commit to the head; a fix is often in
// another place than the defect.
func (j *job) since(ctx context.Context, commit string) string {
	files, err := j.d.Repo.Diff(ctx, commit, j.in.Head, git.DiffOptions{})
	if err != nil {
		return ""
	}
	var b strings.Builder
	for i := range files {
		if strings.HasPrefix(files[i].Path(), ".crev/") || len(files[i].Hunks) == 0 {
			continue
		}
		part := partName(&files[i]) + "\n" + numbered(files[i].Hunks)
		if b.Len()+len(part) > maxChange {
			b.WriteString("(the rest of the change is left out)\n")
			break
		}
		b.WriteString(part)
	}
	return b.String()
}

// cited is where a citation stands in the head's tree, blanks aside, false where
// it does not. Code that stands at several places is cited where it is nearest
// to the defect.
func (j *job) cited(c checker.Cite, near finding.Location) (finding.Location, bool) {
	hint := 1
	if near.Path == c.Path && near.Start > 0 {
		hint = near.Start
	}
	start, end, _, ok := finding.Place(j.text(c.Path), c.Quote, hint, 0)
	return finding.Location{Role: "evidence", Path: c.Path, Start: start, End: end, Commit: j.in.Head}, ok
}

// standAtUnmet moves a defect that is partly fixed to the code that fails the
// first unmet criterion: where it stood is what was changed.
func (j *job) standAtUnmet(d *ledger.Defect, s sight, proofs []proof) {
	met := slices.ContainsFunc(proofs, func(p proof) bool { return p.Outcome == "passed" })
	i := slices.IndexFunc(proofs, func(p proof) bool { return p.Outcome == "failed" && len(p.Locations) > 0 })
	if !met || i < 0 || s.answer.How == relocate.Same || s.answer.How == relocate.Shifted {
		return
	}
	at, to := d.Locations[0], proofs[i].Locations[0]
	if to.Path == at.Path && to.Start <= at.Start && at.Start <= to.End {
		return
	}
	text := j.text(to.Path)
	to.Role, to.Symbol = at.Role, enclosing(to.Path, text, to.Start)
	to = j.anchorAt(to, text)
	j.relocated(d, at, relocate.Answer{Location: to, How: relocate.Candidate, Confidence: 1})
	j.changed(d.ID, "relocated", "what is left of it is at "+where(to))
}

func (j *job) recordProofs(d *ledger.Defect, proofs []proof) {
	for _, p := range proofs {
		v := p.Verification
		v.Criterion = p.criterion
		j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{Verification: &v}})
		if v.Outcome == "failed" {
			j.changed(d.ID, "still there", strings.Join(v.Evidence, "; "))
		}
	}
}

// closeProven records as verified what the fold would accept as such: every
// criterion passed at this commit, and for what is severe or shielded not by
// inspection alone.
func (j *job) closeProven() {
	for _, s := range j.sights {
		d := j.state.Defect(s.defect.ID)
		if d == nil || d.Status != ledger.Fixing {
			continue
		}
		if reason, ok := d.Provable(j.in.Head); ok {
			if strings.TrimSpace(reason) == "" {
				// An inspection need not give a reason beside its citations.
				reason = "every criterion passed at this commit"
			}
			j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{
				Verified: &ledger.Verified{Commit: j.in.Head, Reason: reason}}})
			j.changed(d.ID, "verified", reason)
		} else {
			j.changed(d.ID, "not yet verified", reason)
		}
	}
	j.refold()
}

func change(id ledger.DefectID, what, detail string) projection.Change {
	return projection.Change{Defect: id, What: what, Detail: detail}
}

func excerpt(text []byte, start, end int) string {
	numbered, _ := window(text, start, end)
	return numbered
}

// window renders the lines around a range, numbered and plain; the head of the
// text where there is no range.
func window(text []byte, start, end int) (numbered, plain string) {
	lines := splitLines(text)
	from, to := 1, min(len(lines), 2*excerptLines)
	if start > 0 {
		from, to = max(1, start-excerptLines), min(len(lines), max(start, end)+excerptLines)
	}
	if from > to {
		return "", ""
	}
	var b strings.Builder
	for n := from; n <= to; n++ {
		fmt.Fprintf(&b, "%5d  %s\n", n, clipLine(lines[n-1]))
	}
	return b.String(), strings.Join(lines[from-1:to], "\n")
}
