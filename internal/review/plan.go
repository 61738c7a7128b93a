package review

import (
	"context"

	"github.com/crev-ratchet/crev/internal/batch"
	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
)

// plan selects the files, takes out those that an earlier run covered with the
// same content and prompts, and cuts the rest into batches.
func (j *job) plan(ctx context.Context) error {
	j.readFiles = j.selectFiles(ctx)
	var err error
	if j.reviewers, err = reviewersOf(j.cfg.Reviewers, j.baseTree); err != nil {
		return err
	}
	b := j.cfg.Batch
	limits := batch.Limits{MinLines: b.MinLines, MaxLines: b.MaxLines, SameDir: b.SameDirSimilarity, CrossDir: b.CrossDirSimilarity}
	j.prompts = promptHash(j.reviewers, j.checkers, j.cfg.Model.Name, limits)
	j.surface(ctx)
	known, err := j.knownAtStart()
	if err != nil {
		return err
	}
	fresh := j.reuse(j.readFiles, known)
	if j.noModel() == "" {
		j.uses = findUses(fresh, j.tracked, func(p string) []byte { return withoutKeys(j.text(p), j.redact) })
	}
	if j.cut, err = batch.Cut(fresh, limits); err != nil {
		return err
	}
	if j.cut.Counts.Files > 0 && j.in.Part != PartPlan {
		j.d.Log.Info("cut " + j.cut.Counts.String())
	}
	if err := j.cut.Reuse(j.reused); err != nil {
		return err
	}
	return j.begin()
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
func (j *job) reuse(files []*diff.File, known *ledger.State) []*diff.File {
	var fresh []*diff.File
	for _, f := range files {
		want := ledger.CoveredFile{Path: f.Path(), Blob: f.NewBlob, Base: f.OldBlob}
		if _, ok := known.Covered(j.in.PR, want, j.prompts); ok {
			j.cover(f.Path(), projection.Reused, "same content as in an earlier review")
			j.reused = append(j.reused, batch.ReusedFile{Path: f.Path(), Findings: findingsAt(known, f.Path())})
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh
}

func (j *job) cover(path string, s projection.State, reason string) {
	j.coverage[path] = projection.Coverage{Path: path, State: s, Reason: reason}
}

// findingsAt counts the active defects of a file.
func findingsAt(known *ledger.State, path string) int {
	n := 0
	for _, d := range known.All() {
		if d.Status.Active() && len(d.Locations) > 0 && d.Locations[0].Path == path {
			n++
		}
	}
	return n
}
