package review

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/projection"
)

// publish brings GitHub into step with the ledger: one review for what is new,
// edits for what changed, threads resolved and opened again, one summary, one
// check. What fails is named and nothing else is lost by it.
func (j *job) publish(ctx context.Context) {
	if j.d.Forge == nil || j.in.PR == 0 {
		return
	}
	if err := j.d.Forge.Writable(ctx); err != nil {
		j.unposted("nothing is posted: %v", err)
		return
	}
	if head, err := j.d.Forge.Head(ctx, j.in.PR); err != nil {
		j.note("the head could not be read again: %v", err)
	} else {
		j.report.HeadNow = head
	}
	threads, err := j.d.Forge.Threads(ctx, j.in.PR)
	if err != nil {
		j.unposted("existing comments could not be listed, so none is posted now: %v", err)
		return
	}
	own, merged := j.sortThreads(threads)
	j.shown = projection.Decide(projection.Input{
		Report: &j.report, Files: j.files, Threads: own,
		Shown: j.wanted(), Reopened: j.reopened, Text: j.text,
		Limits: projection.Limits{
			MaxComments: j.cfg.Comments.MaxPerReview,
			Threads:     j.cfg.Comments.Threads,
			Suggestions: j.enabled("fix"),
		},
	})
	j.shown.Resolve = append(j.shown.Resolve, merged...)
	j.post(ctx)
	j.touch(ctx)
	j.keepCapped()
}

// sortThreads tells the threads of defects that stand for themselves from open
// ones of defects that were merged into another: those are resolved.
func (j *job) sortThreads(threads []projection.Thread) (own, merged []projection.Thread) {
	for _, t := range threads {
		switch d := j.state.Defects[t.Defect]; {
		case d == nil || d.MergedInto == "":
			own = append(own, t)
		case !t.Resolved:
			merged = append(merged, t)
		}
	}
	return own, merged
}

// keepCapped records which defects the limit kept from a comment of their own:
// they stay in the summary, and no later run posts them bit by bit.
func (j *job) keepCapped() {
	for _, id := range j.shown.Capped {
		if d := j.state.Defect(id); d != nil {
			j.add(ledger.Event{FP: d.FP, Defect: id, Payload: ledger.Payload{Suppressed: &ledger.Suppressed{
				Reason: projection.HiddenByCap, Commit: j.in.Head}}})
		}
	}
}

// capped reports whether the limit kept a defect from a comment of its own.
func capped(d *ledger.Defect) bool {
	return d.Hidden != nil && d.Hidden.Reason == projection.HiddenByCap
}

// unposted notes that the pull request does not show everything: such a run is
// no complete review, whatever was read.
func (j *job) unposted(format string, args ...any) {
	j.note(format, args...)
	if j.report.Conclusion == projection.Passed {
		j.report.Conclusion, j.report.Reason = projection.Partial, "not everything was posted"
	}
}

// wanted are the defects that deserve a comment: active ones that nothing hides.
func (j *job) wanted() map[ledger.DefectID]bool {
	out := map[ledger.DefectID]bool{}
	for _, d := range j.report.Defects {
		out[d.ID] = d.Status.Active() && d.Hidden == nil
	}
	return out
}

// post makes the new comments and records those that were read back.
func (j *job) post(ctx context.Context) {
	posted := map[ledger.DefectID]ledger.Posted{}
	if len(j.shown.Comments) > 0 {
		got, err := j.d.Forge.Review(ctx, j.in.PR, j.in.Head, j.shown.Comments)
		if err != nil {
			j.unposted("the review was not posted completely: %v", err)
		}
		posted = got
		// What GitHub would not take at its line stands at its file.
		for _, c := range j.shown.Comments {
			if _, ok := got[c.Defect]; !ok && err == nil {
				c.Line, c.StartLine = 0, 0
				j.shown.Files = append(j.shown.Files, c)
			}
		}
	}
	for _, c := range j.shown.Files {
		p, err := j.d.Forge.FileComment(ctx, j.in.PR, j.in.Head, c)
		if err != nil {
			j.note("%s stands in the summary only: %v", c.Defect, err)
			j.shown.InSummary = append(j.shown.InSummary, c.Defect)
			continue
		}
		if posted == nil {
			posted = map[ledger.DefectID]ledger.Posted{}
		}
		posted[c.Defect] = p
	}
	for _, d := range j.report.Defects {
		if p, ok := posted[d.ID]; ok {
			j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{Posted: &p}})
		}
	}
}

// touch edits, resolves and opens existing threads. A token that may not
// resolve is told once; the comment's text says the state in any case.
func (j *job) touch(ctx context.Context) {
	for _, e := range j.shown.Edits {
		if err := j.d.Forge.Edit(ctx, e.CommentID, e.Body); err != nil {
			j.note("the comment of %s could not be updated: %v", e.Defect, err)
		}
	}
	done := 0
	for _, set := range []struct {
		threads  []projection.Thread
		resolved bool
	}{{j.shown.Resolve, true}, {j.shown.Unresolve, false}} {
		for _, t := range set.threads {
			err := j.d.Forge.SetResolved(ctx, t.ID, set.resolved)
			switch {
			case err == nil:
				done++
				j.add(j.threadEvent(t, set.resolved))
			case errors.Is(err, ErrForbidden):
				j.note("threads stay as they are: %v", err)
			default:
				j.note("the thread of %s stays as it is: %v", t.Defect, err)
			}
		}
	}
	j.d.Log.Info("published", "comments", len(j.shown.Comments)+len(j.shown.Files), "edits", len(j.shown.Edits), "threads", done)
}

func (j *job) threadEvent(t projection.Thread, resolved bool) ledger.Event {
	state := "open"
	if resolved {
		state = "resolved"
	}
	e := ledger.Event{Defect: t.Defect, Payload: ledger.Payload{
		Posted: &ledger.Posted{Kind: "thread", Comment: t.CommentID, Thread: t.ID, Commit: j.in.Head, State: state}}}
	if d := j.state.Defect(t.Defect); d != nil {
		e.FP = d.FP
	}
	return e
}

// commit stores the run file where the mode says, and then shows the summary,
// which names the place. A lost ledger branch falls back to the report folder.
func (j *job) commit(ctx context.Context) {
	j.lines()
	if len(j.events) > 0 {
		if err := j.store(ctx); err != nil {
			j.note("the ledger was not committed: %v", err)
			if err := j.keep(); err != nil {
				j.note("the run file was not kept either: %v", err)
			}
		}
	}
	if j.d.Forge == nil || j.in.PR == 0 {
		return
	}
	summary := j.redact(projection.Summary(&j.report, j.shown))
	if err := j.d.Forge.Check(ctx, &j.report, summary); err != nil {
		j.note("no check run: %v", err)
	}
	if err := j.d.Forge.Writable(ctx); err != nil {
		return // publish has said so
	}
	if err := j.d.Forge.Summary(ctx, j.in.PR, summary); err != nil {
		j.note("no summary comment: %v", err)
	}
}

func (j *job) lines() {
	for _, e := range j.events {
		j.report.LedgerLines = append(j.report.LedgerLines, strings.TrimSuffix(string(e.Line()), "\n"))
	}
}

// store writes the run file in the configured mode.
func (j *job) store(ctx context.Context) error {
	switch {
	case j.in.LedgerMode == LedgerLocal:
		store, err := ledger.OpenStore(j.d.Repo.Dir())
		if err != nil {
			return err
		}
		defer store.Close()
		j.report.LedgerWhere, err = store.WriteRun(j.in.PR, j.in.Run, j.now(), j.events)
		return err
	case j.d.Forge == nil || j.in.LedgerMode == LedgerReport:
		return j.keep()
	}
	files := j.commitFiles()
	if readme := ledger.Folder + "/README.md"; readText(j.baseTree, readme) == nil {
		files[readme] = []byte(ledger.README)
	}
	message := "crev: ledger of run " + j.in.Run
	var where string
	var err error
	if j.in.LedgerMode == LedgerPRBranch && j.in.PR != 0 {
		where, err = j.d.Forge.CommitHead(ctx, j.in.Head, files, message)
	} else {
		where, err = j.d.Forge.CommitLedger(ctx, j.cfg.Ledger.Branch, j.in.BaseRef, files, message)
	}
	if err == nil {
		j.report.LedgerWhere = where
	}
	return err
}

// commitFiles are the run file, when there is something to say, and the rules
// that changed.
func (j *job) commitFiles() map[string][]byte {
	files := maps.Clone(j.ruleFiles)
	if files == nil {
		files = map[string][]byte{}
	}
	if len(j.events) > 0 {
		path, content := j.runFile()
		files[path] = content
	}
	return files
}

// runFile is the run file and its path in the repository.
func (j *job) runFile() (path string, content []byte) {
	return ledger.RunPath(j.in.PR, j.in.Run, j.now()), ledger.RunFile(j.events)
}

// keep writes the run file into the report folder, where a workflow can take it
// as an artifact. Copied into a checkout, it is what a commit would have been.
func (j *job) keep() error {
	if j.in.ReportDir == "" {
		return nil
	}
	path, _ := j.runFile()
	j.report.LedgerWhere = filepath.Join(j.in.ReportDir, filepath.FromSlash(path))
	return j.keepFiles(j.commitFiles())
}

// keepFiles writes files below the report folder.
func (j *job) keepFiles(files map[string][]byte) error {
	if j.in.ReportDir == "" {
		return nil
	}
	for path, content := range files {
		full := filepath.Join(j.in.ReportDir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
