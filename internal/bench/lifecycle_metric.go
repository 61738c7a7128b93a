package bench

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// storyScore reads one play against the truth.
type storyScore struct {
	story *Story
	LifecycleResult
	// seen are the defects that a reviewer has reported so far.
	seen map[string]bool
	// severity is what each record had after the round before.
	severity map[ledger.DefectID]finding.Severity
}

// view is the ledger after one round, sorted by true defect.
type view struct {
	round   *Round
	seen    Seen
	state   *ledger.State
	records map[string][]*ledger.Defect
	// fresh are the events of this round.
	fresh []ledger.Event
}

func scoreStory(s *Story, plays, again []Seen) (LifecycleResult, error) {
	sc := &storyScore{story: s, seen: map[string]bool{}, severity: map[ledger.DefectID]finding.Severity{}}
	sc.Stories = 1
	sc.Counts.Defects = len(s.Defects)
	known := 0
	var views []view
	for i, seen := range plays {
		v := sc.view(s.Rounds[i], seen, seen.Events[known:])
		known = len(seen.Events)
		views = append(views, v)
		sc.round(v)
	}
	for i := range s.Rounds {
		sc.fixes(views, i)
	}
	sc.ending(views[len(views)-1])
	same, err := sameStates(plays, again)
	if err != nil {
		return sc.LifecycleResult, err
	}
	if same {
		sc.Counts.Deterministic = 1
	} else {
		sc.fail(0, "", "replay_determinism", "the same state with the findings in another order", "another state")
	}
	slices.SortStableFunc(sc.Failures, func(a, b LifecycleFailure) int { return cmp.Compare(a.Commit, b.Commit) })
	sc.share()
	return sc.LifecycleResult, nil
}

func (sc *storyScore) fail(round int, defect, metric, expected, got string) {
	sc.Failures = append(sc.Failures, LifecycleFailure{
		Story: sc.story.Name, Commit: round, Defect: defect, Metric: metric, Expected: expected, Got: got})
}

// view folds the ledger and finds which true defect each record is about: the
// one that most of its wordings are of.
func (sc *storyScore) view(r *Round, seen Seen, fresh []ledger.Event) view {
	v := view{round: r, seen: seen, state: ledger.Fold(seen.Events, ledger.View{PR: seen.PR}),
		records: map[string][]*ledger.Defect{}, fresh: fresh}
	for _, d := range v.state.All() {
		if names := sc.story.namesOf(d, seen.Rounds); len(names) > 0 {
			v.records[names[0]] = append(v.records[names[0]], d)
		}
	}
	return v
}

// namesOf lists the true defects that a record's wordings are about, the most
// frequent first.
func (s *Story) namesOf(d *ledger.Defect, rounds map[string]int) []string {
	counts := map[string]int{}
	for _, w := range d.Wordings {
		if name := s.DefectAt(rounds[w.Run], w.Claim, w.Location.Path, w.Location.Start); name != "" {
			counts[name]++
		}
	}
	names := sortedNames(counts)
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	return names
}

// round scores what holds after one round.
func (sc *storyScore) round(v view) {
	c := &sc.Counts
	c.Rounds++
	c.Inspections += v.seen.Inspections
	c.Adjudications += v.seen.Adjudications
	for _, f := range v.round.Findings {
		if !slices.Contains(v.round.Fails, f.Path) {
			sc.seen[f.Defect] = true
		}
	}
	for _, name := range sortedNames(v.round.Truth) {
		t := v.round.Truth[name]
		if !sc.seen[name] {
			continue
		}
		if t.Is.inCode() {
			sc.alive(v, name, t)
		}
		switch t.Is {
		case Partly:
			sc.partly(v, name, t)
		case Returned:
			sc.back(v, name)
		case Vanished:
			sc.gone(v, name)
		}
	}
	sc.reopenings(v)
	sc.threads(v)
	sc.severities(v)
}

// alive scores a defect that is in the code: it has to be held, and where.
func (sc *storyScore) alive(v view, name string, t *Condition) {
	c, n := &sc.Counts, v.round.Number
	c.Alive++
	d := held(v.records[name])
	if d == nil {
		got := statuses(v.records[name])
		for _, r := range v.records[name] {
			if !r.Status.Active() {
				c.Closed++
				if provenBy(r) != "" {
					c.ClosedProven++
					got += " by " + provenBy(r)
				}
				break
			}
		}
		sc.fail(n, name, "unresolved_recall", "active", got)
		return
	}
	c.Held++
	if d.Unlocated != nil || len(d.Locations) == 0 || d.Locations[0].Start == 0 {
		return
	}
	c.Located++
	if at := d.Locations[0]; at.Path == t.Path && at.Start == t.Line {
		c.LocatedRight++
	} else {
		sc.fail(n, name, "location_accuracy", fmt.Sprintf("%s:%d", t.Path, t.Line), fmt.Sprintf("%s:%d", at.Path, at.Start))
	}
}

// held is the oldest active record, nil for none.
func held(records []*ledger.Defect) *ledger.Defect {
	var best *ledger.Defect
	for _, d := range records {
		if d.Status.Active() && (best == nil || d.OpenedAt.Before(best.OpenedAt)) {
			best = d
		}
	}
	return best
}

func statuses(records []*ledger.Defect) string {
	if len(records) == 0 {
		return "not in the ledger"
	}
	var out []string
	for _, d := range records {
		out = append(out, string(d.Status))
	}
	return strings.Join(out, ", ")
}

// provenBy names the method beyond inspection that closed a record, "" for
// none.
func provenBy(d *ledger.Defect) string {
	if d.Status != ledger.Closed {
		return ""
	}
	for _, v := range d.Verifications {
		if v.Commit == d.FixedIn && v.Outcome == "passed" && v.Method != "inspection" {
			return v.Method
		}
	}
	return ""
}

func (sc *storyScore) partly(v view, name string, t *Condition) {
	sc.Counts.Partly++
	met, of := 0, 0
	if d := held(v.records[name]); d != nil {
		of = len(d.Criteria)
		for _, cr := range d.Criteria {
			if cr.Outcome == "passed" {
				met++
			}
		}
	}
	if met == t.Met && of == t.Of {
		sc.Counts.PartlyRight++
		return
	}
	sc.fail(v.round.Number, name, "partial_accuracy", fmt.Sprintf("%d of %d met", t.Met, t.Of), fmt.Sprintf("%d of %d met", met, of))
}

func (sc *storyScore) back(v view, name string) {
	sc.Counts.Back++
	for _, d := range v.records[name] {
		if d.Status.Active() && slices.ContainsFunc(v.fresh, func(e ledger.Event) bool { return e.Reopened != nil && e.Defect == d.ID }) {
			sc.Counts.BackReopened++
			return
		}
	}
	sc.fail(v.round.Number, name, "reopen_recall", "reopened under its old id", statuses(v.records[name]))
}

func (sc *storyScore) gone(v view, name string) {
	sc.Counts.Gone++
	if d := held(v.records[name]); d != nil {
		sc.fail(v.round.Number, name, "gone_recognition", "obsolete or verified", string(d.Status))
		return
	}
	sc.Counts.GoneSeen++
}

// reopenings scores every reopened event of the round: it is right where the
// defect is in the code.
func (sc *storyScore) reopenings(v view) {
	for _, e := range v.fresh {
		d := v.state.Defect(e.Defect)
		if e.Reopened == nil || d == nil {
			continue
		}
		sc.Counts.Reopened++
		name := ""
		if names := sc.story.namesOf(d, v.seen.Rounds); len(names) > 0 {
			name = names[0]
		}
		if t := v.round.Truth[name]; t != nil && t.Is.inCode() {
			sc.Counts.ReopenedRightly++
			continue
		}
		sc.fail(v.round.Number, name, "reopen_precision", "not reopened", "reopened: "+e.Reopened.Reason)
	}
}

// threads compares what a reader of the pull request sees with the ledger.
func (sc *storyScore) threads(v view) {
	for _, t := range v.seen.Threads {
		d := v.state.Defects[t.Defect]
		if d == nil {
			continue
		}
		sc.Counts.ShownThreads++
		name := ""
		if names := sc.story.namesOf(d, v.seen.Rounds); len(names) > 0 {
			name = names[0]
		}
		switch {
		case d.MergedInto != "":
			// The thread of an alias has nothing to say any more.
			if !t.Resolved {
				sc.Counts.StaleThreads++
				sc.fail(v.round.Number, name, "stale_rate", "the thread of a merged defect resolved", "open")
			}
		case t.Resolved == d.Status.Active() || t.Says != d.Status:
			sc.Counts.StaleThreads++
			sc.fail(v.round.Number, name, "stale_rate", "a thread that shows "+string(d.Status),
				fmt.Sprintf("it shows %s, resolved %t", t.Says, t.Resolved))
		}
	}
}

// severities counts records whose severity changed without a rated event and
// without a sighting that is worse than before.
func (sc *storyScore) severities(v view) {
	for _, d := range v.state.All() {
		before, known := sc.severity[d.ID]
		sc.severity[d.ID] = d.Severity
		if !known {
			continue
		}
		sc.Counts.SeverityPairs++
		explained := before == d.Severity || slices.ContainsFunc(v.fresh, func(e ledger.Event) bool {
			if t := v.state.Defect(e.Defect); t == nil || t.ID != d.ID {
				return false
			}
			return e.Rated != nil || e.Merged != nil || e.Observed != nil && e.Observed.Severity.Rank() > before.Rank()
		})
		if explained {
			sc.Counts.SeverityStable++
			continue
		}
		sc.fail(v.round.Number, string(d.ID), "severity_stability", string(before), string(d.Severity))
	}
}

// fixes scores the fixes of one round: verified by the round the truth states,
// or still active where nothing at hand proves them. A defect stays fixed for
// some rounds; only the first of them is a fix.
func (sc *storyScore) fixes(views []view, i int) {
	r := sc.story.Rounds[i]
	for _, name := range sortedNames(r.Truth) {
		t := r.Truth[name]
		if t.Is != Fixed || !sc.seen[name] {
			continue
		}
		if t.Unproven {
			sc.Counts.Unproven++
			if d := held(views[i].records[name]); d != nil {
				sc.Counts.UnprovenHeld++
			} else {
				sc.fail(r.Number, name, "unproven_held", "active", statuses(views[i].records[name]))
			}
			continue
		}
		if i > 0 {
			if was := sc.story.Rounds[i-1].Truth[name]; was != nil && was.Is == Fixed && !was.Unproven {
				continue
			}
		}
		sc.Counts.Fixed++
		by := max(t.By, r.Number)
		records := views[by-1].records[name]
		if len(records) > 0 && !slices.ContainsFunc(records, func(d *ledger.Defect) bool { return d.Status != ledger.Closed }) {
			sc.Counts.Recognized++
			continue
		}
		sc.fail(by, name, "fix_recognition", "verified", statuses(records))
	}
}

// ending scores what stands at the end of the story.
func (sc *storyScore) ending(v view) {
	c := &sc.Counts
	for _, name := range sortedNames(sc.seen) {
		c.SeenDefects++
		c.Records += len(v.records[name])
		if n := len(v.records[name]); n > 1 {
			sc.fail(v.round.Number, name, "records_per_defect", "1 record", fmt.Sprintf("%d records", n))
		}
		threads := 0
		for _, t := range v.seen.Threads {
			d := v.state.Defect(t.Defect)
			if d != nil && slices.Contains(sc.story.namesOf(d, v.seen.Rounds), name) {
				threads++
			}
		}
		if threads > 0 {
			c.Threads += threads
			c.ThreadDefects++
		}
	}
	for _, d := range v.state.All() {
		if names := sc.story.namesOf(d, v.seen.Rounds); len(names) > 1 {
			c.Mixed++
			sc.fail(v.round.Number, names[0], "mixed_records", "a record of one defect", "one of "+strings.Join(names, " and "))
		}
	}
}

// add sums two counts field by field.
func (c *LifecycleCounts) add(o LifecycleCounts) {
	to, from := reflect.ValueOf(c).Elem(), reflect.ValueOf(o)
	for i := range to.NumField() {
		to.Field(i).SetInt(to.Field(i).Int() + from.Field(i).Int())
	}
}

// share computes the shares from the counts. A share of nothing is perfect.
func (r *LifecycleResult) share() {
	c := r.Counts
	r.UnresolvedRecall = good(c.Held, c.Alive)
	r.FalseClosure = ratio(c.Closed, c.Alive)
	r.FalseClosureProven = ratio(c.ClosedProven, c.Alive)
	r.FixRecognition = good(c.Recognized, c.Fixed)
	r.GoneRecognition = good(c.GoneSeen, c.Gone)
	r.UnprovenHeld = good(c.UnprovenHeld, c.Unproven)
	r.PartialAccuracy = good(c.PartlyRight, c.Partly)
	r.ReopenPrecision = good(c.ReopenedRightly, c.Reopened)
	r.ReopenRecall = good(c.BackReopened, c.Back)
	r.LocationAccuracy = good(c.LocatedRight, c.Located)
	r.LocationCoverage = good(c.Located, c.Held)
	r.StaleRate = ratio(c.StaleThreads, c.ShownThreads)
	r.ThreadsPerDefect = good(c.Threads, c.ThreadDefects)
	r.RecordsPerDefect = good(c.Records, c.SeenDefects)
	r.SeverityStability = good(c.SeverityStable, c.SeverityPairs)
	r.ReplayDeterminism = good(c.Deterministic, r.Stories)
}

// good is a share of which more is better: a share of nothing is perfect.
func good(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return ratio(n, of)
}
