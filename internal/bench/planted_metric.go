package bench

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// PlantedResult is what Planted measured. Shares are between 0 and 1, and 0
// where there was nothing to count; docs/planted.md has the formulas.
type PlantedResult struct {
	Seed   uint64  `json:"seed"`
	Recall float64 `json:"recall"`
	// From and To are the ends of the stretch of history.
	From string `json:"from"`
	To   string `json:"to"`

	Cases  int `json:"cases"`
	Rounds int `json:"rounds"`
	// Discarded counts the cases given up, by reason.
	Discarded map[string]int `json:"discarded"`
	// Mutations counts the planted places of all cases by kind.
	Mutations map[string]int `json:"mutations"`

	// Places has crev first, then the simpler methods.
	Places     []PlantedPlaces    `json:"places"`
	Identity   []PlantedIdentity  `json:"identity"`
	Lifecycle  []PlantedLifecycle `json:"lifecycle"`
	Reopen     PlantedReopen      `json:"reopen"`
	ReopenLine PlantedReopen      `json:"reopen_changed_line"`
	Cost       PlantedCost        `json:"cost"`

	// Endings has crev's counts by what became of the defect.
	Endings map[string]*PlantedEnding `json:"endings"`

	// Failures are the first of crev's misses, at most maxPlantedFailures.
	Failures []PlantedFailure `json:"failures"`
}

// PlantedFailure is one miss: what was true and what crev said.
type PlantedFailure struct {
	// Case is the number of the try, which with the seed makes the case again.
	Case     int    `json:"case"`
	Ending   string `json:"ending"`
	Mutation string `json:"mutation"`
	Round    int    `json:"round"`
	Metric   string `json:"metric"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// maxPlantedFailures bounds the list, because one wrong step is wrong in every
// round that follows.
const maxPlantedFailures = 500

func (r *PlantedResult) fail(c *plantedCase, defect, round int, metric, expected, got string) {
	if len(r.Failures) < maxPlantedFailures {
		r.Failures = append(r.Failures, PlantedFailure{c.number, c.ending, c.defects[defect].mutation.name, round, metric, expected, got})
	}
}

// PlantedPlaces says how well a method follows places: one count for every
// place of a defect that is in the code, in every round after the first.
type PlantedPlaces struct {
	Method string `json:"method"`
	Alive  int    `json:"alive"`
	Stated int    `json:"stated"`
	Wrong  int    `json:"wrong"`
	// ErrorRate is wrong / stated, Coverage is stated / alive.
	ErrorRate float64 `json:"error_rate"`
	Coverage  float64 `json:"coverage"`
}

// PlantedIdentity says how well a method recognises what is reported again.
type PlantedIdentity struct {
	Method    string `json:"method"`
	Sightings int    `json:"sightings"`
	Records   int    `json:"records"`
	// Extra are records beyond one a defect; ExtraHigh those of
	// defects of high severity; Repeats are sightings beyond one a defect.
	// DuplicateRate is extra / repeats.
	Extra         int     `json:"extra"`
	ExtraHigh     int     `json:"extra_high"`
	Repeats       int     `json:"repeats"`
	DuplicateRate float64 `json:"duplicate_rate"`
	// Pointed are extra records that were opened with a question naming a
	// record of the same defect; AskedShare is pointed / extra.
	Pointed    int     `json:"pointed"`
	AskedShare float64 `json:"asked_share"`
	// Mixed are records that hold two defects, SilentHigh those that hold two
	// of high severity. MixedRate is mixed / records.
	Mixed      int     `json:"mixed"`
	MixedRate  float64 `json:"mixed_rate"`
	SilentHigh int     `json:"silent_high"`
}

// PlantedLifecycle says what a rule for closing does to places: one count for
// every place and round after the first.
type PlantedLifecycle struct {
	Rule string `json:"rule"`
	// Closed are alive places that the rule has closed, NeverFixed those of
	// them that were in the code all along: the others were fixed, and their
	// return was not seen. TooEarly is closed / alive.
	Alive      int     `json:"alive"`
	Closed     int     `json:"closed"`
	NeverFixed int     `json:"closed_never_fixed"`
	TooEarly   float64 `json:"too_early"`
	// Recognised are fixed places that the rule has closed at the end.
	// Recognition is recognised / fixed.
	Fixed       int     `json:"fixed"`
	Recognised  int     `json:"recognised"`
	Recognition float64 `json:"recognition"`
	// Partly are rounds in which some places of a defect are fixed and others
	// are not; PartlyRight those in which the rule counts the same.
	Partly          int     `json:"partly"`
	PartlyRight     int     `json:"partly_right"`
	PartialAccuracy float64 `json:"partial_accuracy"`
}

// PlantedReopen says how well closed code that comes back is recognised.
type PlantedReopen struct {
	// Back are fixed and closed places that came back, Found those that were
	// reopened in that round under their record.
	Back  int `json:"back"`
	Found int `json:"found"`
	// Reopened are all reopened places, Right those that are in the code.
	Reopened  int     `json:"reopened"`
	Right     int     `json:"right"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// PlantedCost is what following costs crev.
type PlantedCost struct {
	// Diffs are changes computed, Blobs files read.
	Diffs int `json:"diffs"`
	Blobs int `json:"blobs"`
	// Followed are open places in rounds; Unlooked those that needed nobody
	// to look, Inspections the others. CarriedShare is unlooked / followed.
	Followed     int     `json:"followed"`
	Unlooked     int     `json:"unlooked"`
	Inspections  int     `json:"inspections"`
	CarriedShare float64 `json:"carried_share"`
	// The same in rounds of nothing but true commits.
	FollowedTrue     int     `json:"followed_true"`
	UnlookedTrue     int     `json:"unlooked_true"`
	CarriedTrueShare float64 `json:"carried_true_share"`
}

// PlantedEnding has crev's counts for the cases with one ending, as the fields
// of the same names above define them.
type PlantedEnding struct {
	Cases     int `json:"cases"`
	Discarded int `json:"discarded"`
	Alive     int `json:"alive"`
	Stated    int `json:"stated"`
	Wrong     int `json:"wrong"`
	Closed    int `json:"closed"`
}

func (r *PlantedResult) discarded(ending string, why discard) {
	r.Discarded[string(why)]++
	r.Endings[ending].Discarded++
}

// counts of one method, found by name and made on first use.
func (r *PlantedResult) places(method string) *PlantedPlaces {
	i := slices.IndexFunc(r.Places, func(p PlantedPlaces) bool { return p.Method == method })
	if i < 0 {
		i = len(r.Places)
		r.Places = append(r.Places, PlantedPlaces{Method: method})
	}
	return &r.Places[i]
}

func (r *PlantedResult) identity(method string) *PlantedIdentity {
	i := slices.IndexFunc(r.Identity, func(p PlantedIdentity) bool { return p.Method == method })
	if i < 0 {
		i = len(r.Identity)
		r.Identity = append(r.Identity, PlantedIdentity{Method: method})
	}
	return &r.Identity[i]
}

func (r *PlantedResult) rule(name string) *PlantedLifecycle {
	i := slices.IndexFunc(r.Lifecycle, func(p PlantedLifecycle) bool { return p.Rule == name })
	if i < 0 {
		i = len(r.Lifecycle)
		r.Lifecycle = append(r.Lifecycle, PlantedLifecycle{Rule: name})
	}
	return &r.Lifecycle[i]
}

// count counts one place that is in the code.
func (p *PlantedPlaces) count(t siteTruth, stated bool, path string, line int) {
	p.Alive++
	if stated {
		p.Stated++
		if path != t.path || line != t.line {
			p.Wrong++
		}
	}
}

// count counts the records of one case; truths has the defects of each.
func (p *PlantedIdentity) count(c *plantedCase, rounds [][]plantedSighting, truths [][]int) {
	seen, spread := make([]int, len(c.defects)), make([]int, len(c.defects))
	for _, sightings := range rounds {
		for _, s := range sightings {
			seen[s.defect]++
			p.Sightings++
		}
	}
	p.Records += len(truths)
	for _, held := range truths {
		grave := 0
		for _, d := range held {
			spread[d]++
			if c.defects[d].severity.Rank() >= finding.High.Rank() {
				grave++
			}
		}
		if len(held) > 1 {
			p.Mixed++
		}
		if grave > 1 {
			p.SilentHigh++
		}
	}
	for d := range seen {
		p.Extra += max(spread[d]-1, 0)
		if c.defects[d].severity.Rank() >= finding.High.Rank() {
			p.ExtraHigh += max(spread[d]-1, 0)
		}
		p.Repeats += max(seen[d]-1, 0)
	}
}

// count scores the closed places after one round.
func (l *PlantedLifecycle) count(c *plantedCase, n int, closed func(site int) bool) {
	truth := c.rounds[n].truth
	for i, t := range truth {
		switch {
		case t.alive:
			l.Alive++
			if closed(i + 1) {
				l.Closed++
				if !c.everFixed(i, n) {
					l.NeverFixed++
				}
			}
		case n == len(c.rounds)-1:
			l.Fixed++
			if closed(i + 1) {
				l.Recognised++
			}
		}
	}
	for _, d := range c.defects {
		fixed, shut := 0, 0
		for _, site := range d.sites {
			if !truth[site-1].alive {
				fixed++
			}
			if closed(site) {
				shut++
			}
		}
		if 0 < fixed && fixed < len(d.sites) {
			l.Partly++
			if fixed == shut {
				l.PartlyRight++
			}
		}
	}
}

// everFixed reports whether a place was out of the code in a round up to n.
func (c *plantedCase) everFixed(site, n int) bool {
	return slices.ContainsFunc(c.rounds[:n+1], func(r plantedRound) bool { return !r.truth[site].alive })
}

// follow counts one open place of a round.
func (c *PlantedCost) follow(unlooked, trueCommits bool) {
	c.Followed++
	if trueCommits {
		c.FollowedTrue++
	}
	switch {
	case !unlooked:
		c.Inspections++
	case trueCommits:
		c.Unlooked++
		c.UnlookedTrue++
	default:
		c.Unlooked++
	}
}

func (c *PlantedCost) add(d PlantedCost) {
	c.Diffs += d.Diffs
	c.Blobs += d.Blobs
	c.Followed += d.Followed
	c.Unlooked += d.Unlooked
	c.Inspections += d.Inspections
	c.FollowedTrue += d.FollowedTrue
	c.UnlookedTrue += d.UnlookedTrue
}

// shut reports whether a place is closed.
func (h *heldPlace) shut() bool { return h.status == ledger.Closed || h.status == ledger.Obsolete }

// share computes every share from its counts.
func (r *PlantedResult) share() {
	for i := range r.Places {
		p := &r.Places[i]
		p.ErrorRate, p.Coverage = ratio(p.Wrong, p.Stated), ratio(p.Stated, p.Alive)
	}
	for i := range r.Identity {
		p := &r.Identity[i]
		p.AskedShare = ratio(p.Pointed, p.Extra)
		p.DuplicateRate, p.MixedRate = ratio(p.Extra, p.Repeats), ratio(p.Mixed, p.Records)
	}
	for i := range r.Lifecycle {
		l := &r.Lifecycle[i]
		l.TooEarly, l.Recognition = ratio(l.Closed, l.Alive), ratio(l.Recognised, l.Fixed)
		l.PartialAccuracy = ratio(l.PartlyRight, l.Partly)
	}
	for _, o := range []*PlantedReopen{&r.Reopen, &r.ReopenLine} {
		o.Precision, o.Recall = ratio(o.Right, o.Reopened), ratio(o.Found, o.Back)
	}
	c := &r.Cost
	c.CarriedShare, c.CarriedTrueShare = ratio(c.Unlooked, c.Followed), ratio(c.UnlookedTrue, c.FollowedTrue)
}
