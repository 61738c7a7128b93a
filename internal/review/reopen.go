package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// reopen finds closed defects that are back: a commit says that it reverts the
// fix, the change since then adds the defect's code again, line and surroundings,
// or it takes out again what the fix had added. A person's dismissal is reopened by neither.
func (j *job) reopen(ctx context.Context) {
	routes := map[string]route{}
	jumps := map[string]*relocate.Mapper{}
	for _, d := range j.state.All() {
		closed, bad := j.lastBad(d)
		if closed == "" || closed == j.in.Head {
			continue
		}
		r, ok := routes[closed]
		if !ok {
			r = j.route(ctx, closed)
			routes[closed] = r
			jumps[closed] = j.jump(ctx, closed, r)
		}
		reason, evidence, to := j.back(ctx, d, bad, r, jumps[closed])
		if reason == "" {
			continue
		}
		j.bringBack(d, reason, evidence)
		if to.Path != "" && !samePlace(d.Locations[0], to) {
			j.relocated(d, d.Locations[0], relocate.Answer{Location: to, How: relocate.Suspect, Confidence: 1})
		}
	}
	j.refold()
}

// bringBack records that a closed defect is open again, under its old id.
func (j *job) bringBack(d *ledger.Defect, reason string, evidence []string) {
	j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{
		Reopened: &ledger.Reopened{Commit: j.in.Head, Reason: reason, Evidence: evidence}}})
	j.reopened[d.ID] = true
	j.changed(d.ID, "reopened", reason)
}

// lastBad returns the commit that closed a defect and the place that its code had
// before that; "" when it is not closed or was dismissed.
func (j *job) lastBad(d *ledger.Defect) (closed string, bad finding.Location) {
	if d.Status != ledger.Closed && d.Status != ledger.Obsolete {
		return "", bad
	}
	events := j.state.Events(d.ID)
	for _, e := range events {
		switch {
		case e.Verified != nil:
			closed = e.Verified.Commit
		case e.Obsoleted != nil:
			closed = e.Obsoleted.Commit
		}
	}
	for _, e := range events {
		switch {
		case e.Opened != nil && len(e.Opened.Locations) > 0:
			bad = e.Opened.Locations[0]
		case e.Relocated != nil && e.Relocated.To.Commit != closed:
			bad = e.Relocated.To
		}
	}
	return closed, bad
}

// jump is the change from a commit to the head in one step.
func (j *job) jump(ctx context.Context, from string, r route) *relocate.Mapper {
	if r.missing {
		return nil
	}
	files, err := j.d.Repo.Diff(ctx, from, j.in.Head, git.DiffOptions{Context: git.NoContext, IgnoreSpace: true, Histogram: true})
	if err != nil {
		return nil
	}
	return j.mapper(ctx, j.in.Head, files)
}

// back says why a closed defect is open again and where, "" when it is not.
func (j *job) back(ctx context.Context, d *ledger.Defect, bad finding.Location, r route, jump *relocate.Mapper) (reason string, evidence []string, to finding.Location) {
	if jump != nil {
		if a, ok, err := jump.Reopens(bad); err == nil && ok {
			to = a.Location
			reason = "its code is back"
			evidence = []string{"the code it was about was added again at " + where(to)}
		}
	}
	if d.FixedIn != "" && slices.Contains(r.reverts, d.FixedIn) {
		return "its fix was reverted", append(evidence, fmt.Sprintf("a commit says that it reverts %s", short(d.FixedIn))), to
	}
	if reason == "" && jump != nil && d.Status == ledger.Closed {
		if at, ok := j.undone(ctx, d, bad, jump); ok {
			return "its fix is gone", []string{fmt.Sprintf("every line that %s added to fix it was taken out again", short(d.FixedIn))}, at
		}
	}
	return reason, evidence, to
}

// undone reports whether the lines that fixed a defect were taken out again while
// its own code stayed, and where that is now. It is how a defect that consists in
// missing lines comes back.
func (j *job) undone(ctx context.Context, d *ledger.Defect, bad finding.Location, jump *relocate.Mapper) (finding.Location, bool) {
	if ok, err := j.d.Repo.HasCommit(ctx, bad.Commit); bad.Commit == "" || err != nil || !ok {
		return finding.Location{}, false
	}
	files, err := j.d.Repo.Diff(ctx, bad.Commit, d.FixedIn, git.DiffOptions{Context: git.NoContext, IgnoreSpace: true, Histogram: true})
	if err != nil {
		return finding.Location{}, false
	}
	fixing := j.mapper(ctx, d.FixedIn, files)
	var cited []finding.Location
	for _, v := range d.Verifications {
		if v.Commit == d.FixedIn && v.Outcome == "passed" {
			cited = append(cited, v.Locations...)
		}
	}
	fix, found, err := fixing.Fix(bad, cited)
	if err != nil || !found {
		return finding.Location{}, false
	}
	if gone, err := jump.Undoes(fix); err != nil || !gone {
		return finding.Location{}, false
	}
	a, err := relocate.Through(bad, []*relocate.Mapper{fixing, jump})
	return a.Location, err == nil && a.How.Carries()
}
