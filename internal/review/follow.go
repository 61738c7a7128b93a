package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/git"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// readLedger folds what is known: the ledger of the base, and the branch or
// folder where newer run files wait for their merge. What the head says of the
// ledger is content under review and is not read, unless it is the very place
// where run files are committed; then it counts once the ledger check is clean.
func (j *job) readLedger(ctx context.Context) {
	var trees []fs.FS
	if j.d.Ledgers != nil {
		newer, err := j.d.Ledgers(ctx, j.cfg.Ledger.Branch)
		if err != nil {
			j.note("the ledger branch could not be read, so this run knows the base's ledger only: %v", err)
		}
		trees = newer
	}
	base, err := fs.Sub(j.baseTree, ledger.Folder)
	if err != nil {
		panic(err) // Folder is a valid path
	}
	trees = append([]fs.FS{base}, trees...)
	if j.in.LedgerMode == LedgerPRBranch && j.ledgerClean() {
		own, err := fs.Sub(j.headTree, ledger.Folder)
		if err != nil {
			panic(err) // Folder is a valid path
		}
		trees = append(trees, own)
	}
	seen := map[ledger.ID]bool{}
	for _, t := range trees {
		events, problems := ledger.ReadAll(t)
		for _, e := range events {
			if !seen[e.ID] {
				seen[e.ID] = true
				j.past = append(j.past, e)
			}
		}
		for _, p := range problems {
			j.note("ledger %s:%d: %s", p.Path, p.Line, p.Msg)
		}
	}
	j.refold()
}

// sight is what following a defect to the head found: where the code of its
// first location is now, and that of the others.
type sight struct {
	defect *ledger.Defect
	step
	others []step
	// check says why the defect has to be verified, "" when its code did not
	// change.
	check string
}

// step is one location of a defect, before and at the head.
type step struct {
	from   finding.Location
	answer relocate.Answer
}

// steps are those of all locations, the first one first.
func (s *sight) steps() []step { return append([]step{s.step}, s.others...) }

// follow finds where the code of each active defect is at the head, location by
// location, and records what changed. Absence and a touched line close nothing:
// they ask for verification.
func (j *job) follow(ctx context.Context) {
	routes := map[string]route{}
	for _, d := range j.state.Active() {
		if len(d.Locations) == 0 {
			continue
		}
		s := sight{defect: d}
		for i, from := range d.Locations {
			st, check := j.stepTo(ctx, routes, d, from)
			if i == 0 {
				s.step, s.check = st, check
				continue
			}
			s.others = append(s.others, st)
			if s.check == "" && check != "" {
				s.check = "at " + where(from) + ": " + check
			}
		}
		j.sights = append(j.sights, s)
		j.recordSight(s)
	}
	j.refold()
}

// stepTo follows one location to the head and says why that asks for
// verification, "" when it does not.
func (j *job) stepTo(ctx context.Context, routes map[string]route, d *ledger.Defect, from finding.Location) (step, string) {
	if from.Side == finding.Left || from.Commit == "" || from.Commit == j.in.Head {
		return step{from, relocate.Answer{Location: from, How: relocate.Same, Confidence: 1}}, ""
	}
	r, ok := routes[from.Commit]
	if !ok {
		r = j.route(ctx, from.Commit)
		routes[from.Commit] = r
	}
	st := step{from, j.locate(r, from)}
	return st, needsCheck(d, st.answer, r)
}

// route is the way from an older commit to the head.
type route struct {
	steps []*relocate.Mapper
	// touched are the paths that differ, names the declarations in which
	// lines differ.
	touched, names map[string]bool
	// missing is true when the older commit is not there any more.
	missing bool
	// reverts are the commits that messages on the way say they revert.
	reverts []string
}

// route prepares the mappers from a commit to the head: commit by commit while
// it is an ancestor, one jump after a rebase or a squash.
func (j *job) route(ctx context.Context, from string) route {
	r := route{touched: map[string]bool{}, names: map[string]bool{}}
	if ok, err := j.d.Repo.HasCommit(ctx, from); err != nil || !ok {
		r.missing = true
		j.note("commit %s is not in this clone: defects recorded there are looked for by their surroundings", short(from))
		return r
	}
	stops, err := j.d.Repo.FirstParents(ctx, from, j.in.Head, relocate.MaxSteps)
	if err != nil {
		if !errors.Is(err, git.ErrNotOnChain) {
			j.note("the commits since %s could not be listed: %v", short(from), err)
		}
		stops = []string{j.in.Head}
	}
	for _, to := range stops {
		files, err := j.d.Repo.Diff(ctx, from, to, git.DiffOptions{Context: git.NoContext, IgnoreSpace: true, Histogram: true})
		if err != nil {
			j.note("the change from %s to %s could not be read: %v", short(from), short(to), err)
			r.missing = true
			return r
		}
		r.steps = append(r.steps, j.mapper(ctx, to, files))
		for _, f := range files {
			r.touched[f.OldPath], r.touched[f.NewPath] = true, true
			if len(r.touched) <= maxNamedFiles {
				j.addNames(ctx, r.names, f)
			}
		}
		if m, err := j.d.Repo.CommitMessage(ctx, to); err == nil {
			r.reverts = append(r.reverts, reverted(m)...)
		}
		from = to
	}
	return r
}

// reverted lists the commits that a message says it reverts, in git's own words.
func reverted(message string) []string {
	var out []string
	for line := range strings.Lines(message) {
		if _, rest, ok := strings.Cut(line, "This reverts commit "); ok {
			if sha, _, _ := strings.Cut(rest, "."); git.IsFullID(strings.TrimSpace(sha)) {
				out = append(out, strings.TrimSpace(sha))
			}
		}
	}
	return out
}

func (j *job) mapper(ctx context.Context, to string, files []diff.File) *relocate.Mapper {
	change := relocate.Change{To: to}
	for _, f := range files {
		change.Files = append(change.Files, relocate.FileOf(f, j.source(ctx, f.OldBlob), j.source(ctx, f.NewBlob)))
	}
	return relocate.New(change, relocate.Options{Redact: j.redact})
}

// source reads a blob when it is asked for; nil where there is none.
func (j *job) source(ctx context.Context, blob string) relocate.Source {
	if blob == "" {
		return nil
	}
	return func() ([]byte, error) { return j.d.Repo.Blob(ctx, blob) }
}

func (j *job) locate(r route, from finding.Location) relocate.Answer {
	if r.missing {
		text := j.text(from.Path)
		if text == nil {
			return relocate.Answer{How: relocate.Gone, Loss: relocate.DeletedFile, Reason: "its file is deleted"}
		}
		a := relocate.FromAnchor(from, text, relocate.Options{Redact: j.redact})
		a.Location.Commit = j.in.Head
		return a
	}
	a, err := relocate.Through(from, r.steps)
	if err != nil {
		j.note("a place could not be followed: %v", err)
		return relocate.Answer{How: relocate.Gone, Loss: relocate.Unknown, Reason: "its file could not be read"}
	}
	return a
}

// needsCheck says why a defect has to be verified at the head, now that one of
// its locations is known there.
func needsCheck(d *ledger.Defect, a relocate.Answer, r route) string {
	switch a.How {
	case relocate.Gone:
		return "its code is gone: " + a.Reason
	case relocate.Candidate, relocate.Suspect:
		return "its place is uncertain: " + a.Reason
	case relocate.Rewritten:
		return "its line was rewritten"
	case relocate.Moved:
		if a.Changed {
			return "its code moved and changed"
		}
	}
	if a.Changed {
		return "the code around it changed"
	}
	for _, p := range d.DependsOn {
		if r.touched[p] {
			return p + ", which it depends on, changed"
		}
	}
	for _, name := range namedCode(d) {
		if r.names[name] {
			return name + ", which it speaks of, changed"
		}
	}
	return ""
}

// recordSight writes down what following a defect found.
func (j *job) recordSight(s sight) {
	d, steps := s.defect, s.steps()
	if a := s.answer; deleted(a) && !slices.ContainsFunc(steps, func(st step) bool { return !deleted(st.answer) }) {
		j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{Obsoleted: &ledger.Obsoleted{
			Commit: j.in.Head, Reason: string(a.Loss),
			Evidence: []string{"the code of " + where(s.from) + " is nowhere in the new tree"}}}})
		j.changed(d.ID, "obsolete", string(a.Loss))
		return
	}
	for _, st := range steps {
		if a := st.answer; a.How.Carries() && (!samePlace(st.from, a.Location) || a.How != relocate.Same) && (s.check != "" || !samePlace(st.from, a.Location)) {
			j.relocated(d, st.from, a)
			j.changed(d.ID, "relocated", fmt.Sprintf("%s, now at %s", a.How, where(a.Location)))
		}
	}
	if i := slices.IndexFunc(steps, func(st step) bool { return !st.answer.How.Carries() }); i >= 0 {
		reason := steps[i].answer.Reason
		if i > 0 {
			reason = where(steps[i].from) + ": " + reason
		}
		j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{LocationUnknown: &ledger.LocationUnknown{
			Commit: j.in.Head, Reason: reason}}})
	}
	if s.check != "" && d.Status != ledger.Fixing {
		j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{
			PossiblyFixed: &ledger.PossiblyFixed{Commit: j.in.Head, Reason: s.check}}})
		j.changed(d.ID, "possibly fixed", s.check)
	}
}

// deleted reports whether the file or the symbol of a place is gone with it.
func deleted(a relocate.Answer) bool {
	return a.Loss == relocate.DeletedFile || a.Loss == relocate.DeletedSymbol
}

// relocated records that the location of a defect that was at from is elsewhere
// now. The events of one run are of one moment and have no order, so that one
// location moves once: a second move goes on where the first one began.
func (j *job) relocated(d *ledger.Defect, from finding.Location, to relocate.Answer) {
	j.events = slices.DeleteFunc(j.events, func(e ledger.Event) bool {
		earlier := e.Defect == d.ID && e.Relocated != nil && samePlace(e.Relocated.To, from) && e.Relocated.To.Commit == from.Commit
		if earlier {
			from = e.Relocated.From
		}
		return earlier
	})
	j.add(ledger.Event{FP: d.FP, Defect: d.ID, Payload: ledger.Payload{Relocated: &ledger.Relocated{
		From: bare(from), To: to.Location, How: string(to.How), Confidence: to.Confidence}}})
}

// bare is a location without its anchor, which the event before it holds.
func bare(l finding.Location) finding.Location {
	l.Anchor = nil
	return l
}

func samePlace(a, b finding.Location) bool {
	return a.Path == b.Path && a.Start == b.Start && a.End == b.End
}

func where(l finding.Location) string {
	if l.Start == 0 {
		return l.Path
	}
	return fmt.Sprintf("%s:%d", l.Path, l.Start)
}

// changed notes for the reader what this run did to a defect.
func (j *job) changed(id ledger.DefectID, what, detail string) {
	j.report.Changes = append(j.report.Changes, change(id, what, j.redact(detail)))
}
