package bench

import (
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
	"github.com/crev-ratchet/crev/internal/reconcile"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// plantedRecord is a defect as crev's ledger would hold it.
type plantedRecord struct {
	reconcile.Known
	places []*heldPlace
	// truths are the planted defects whose sightings it holds.
	truths []int
	// pointed is true when it was opened with a question that names a record
	// of its own defect.
	pointed bool
	// joined says why a sighting of a second defect was taken in.
	joined string
}

// heldPlace is one place of a record and what became of it.
type heldPlace struct {
	site int // 0 for a record that was opened by a later sighting
	// at is the last place that could be stored, valid at round since.
	at    finding.Location
	since int
	// answer is what following it in this round said.
	answer relocate.Answer
	status ledger.Status
	// closedIn is the round that closed it, bad the place it had before that.
	closedIn int
	bad      finding.Location
}

// plantedCrev plays crev over one case: it follows every place, has an
// inspector look where the code changed, looks for closed code that is back, and
// reconciles what the reviewer says. It decides as package review does and asks
// no model.
type plantedCrev struct {
	c       *plantedCase
	records []*plantedRecord
	mappers map[[2]string]*relocate.Mapper
	read    map[string]bool
	cost    PlantedCost
}

// open makes the records of the first round: one a defect, at the known places.
func (p *plantedCrev) open(sightings []plantedSighting) error {
	r := p.c.rounds[0]
	for _, s := range sightings {
		rec := p.record(s, 0)
		rec.places = nil
		for _, site := range p.c.defects[s.defect].sites {
			t := r.truth[site-1]
			text, err := r.head.read(t.path)
			if err != nil {
				return err
			}
			rec.places = append(rec.places, &heldPlace{site: site, at: placeOf(r.head, t.path, text, t.line), status: ledger.Open})
		}
		p.records = append(p.records, rec)
	}
	return nil
}

func (p *plantedCrev) record(s plantedSighting, round int) *plantedRecord {
	rec := &plantedRecord{Known: reconcile.Known{
		ID: id(len(p.records)), Status: ledger.Open, Category: s.Category, Severity: s.Severity,
		Source: s.Source, Quote: s.Quote,
	}}
	rec.places = []*heldPlace{{at: s.location, since: round, status: ledger.Open}}
	rec.add(s, round)
	return rec
}

func (r *plantedRecord) add(s plantedSighting, round int) {
	r.Wordings = append(r.Wordings, s.Claim)
	r.Runs = append(r.Runs, fmt.Sprint(round))
	if !slices.Contains(r.truths, s.defect) {
		r.truths = append(r.truths, s.defect)
	}
}

// round follows, inspects and reopens. It returns the places it reopened.
func (p *plantedCrev) round(n int) ([]*heldPlace, error) {
	var back []*heldPlace
	for _, rec := range p.records {
		for _, h := range rec.places {
			if h.status == ledger.Closed || h.status == ledger.Obsolete {
				ok, err := p.reopens(h, n)
				if err != nil {
					return nil, err
				}
				if ok {
					back = append(back, h)
				}
				continue
			}
			if err := p.follow(h, n); err != nil {
				return nil, err
			}
		}
		rec.Status = rec.state()
	}
	return back, nil
}

// follow finds a place in the head of a round and settles what that means.
func (p *plantedCrev) follow(h *heldPlace, n int) error {
	a, err := relocate.Through(h.at, p.route(h.since, n))
	if err != nil {
		return err
	}
	was := h.at
	h.answer = a
	gone := a.Loss == relocate.DeletedFile || a.Loss == relocate.DeletedSymbol
	look := !gone && (asksForLook(a) || h.status == ledger.Fixing)
	p.cost.follow(!look, !p.c.rounds[n].scripted)
	switch {
	case a.How.Carries():
		h.at, h.since = a.Location, n
	case gone:
		h.status, h.closedIn, h.bad = ledger.Obsolete, n, was
	}
	if !look {
		return nil
	}
	switch p.inspect(h, was, n) {
	case "passed":
		h.status, h.closedIn, h.bad = ledger.Closed, n, was
	case "failed":
		h.status = ledger.Open
	default:
		h.status = ledger.Fixing
	}
	return nil
}

// asksForLook is when the code of a defect has to be looked at again.
func asksForLook(a relocate.Answer) bool {
	return a.How == relocate.Gone || a.How == relocate.Candidate || a.How == relocate.Suspect ||
		a.How == relocate.Rewritten || a.Changed
}

// sightOfInspector is how many lines around a place an inspector is shown.
const sightOfInspector = 40

// inspect stands in for an honest inspector who sees only what crev shows: the
// code around the stated place, or, when there is none, around the old one and
// every candidate. Who is sent to the wrong place finds nothing and says so.
func (p *plantedCrev) inspect(h *heldPlace, was finding.Location, n int) string {
	shown := h.answer.Candidates
	if h.answer.How == relocate.Gone {
		shown = append(slices.Clone(shown), was)
	} else {
		shown = append(slices.Clone(shown), h.answer.Location)
	}
	r := p.c.rounds[n]
	saw := false
	for _, at := range shown {
		text, err := r.head.read(at.Path)
		if err != nil || text == nil {
			continue
		}
		saw = true
		for site, t := range r.truth {
			if t.alive && t.path == at.Path && site+1 == h.site && abs(t.line-at.Start) <= sightOfInspector {
				return "failed"
			}
		}
	}
	switch {
	case !saw:
		return "inconclusive"
	case h.site == 0:
		return "failed" // a record of a later sighting is not measured
	}
	return "passed"
}

// reopens asks whether the code of a closed place is back.
func (p *plantedCrev) reopens(h *heldPlace, n int) (bool, error) {
	a, ok, err := p.jump(h.closedIn, n).Reopens(h.bad)
	if err != nil || !ok {
		return false, err
	}
	h.status, h.at, h.since, h.answer = ledger.Back, a.Location, n, a
	return true, nil
}

// state is the status of a record from those of its places.
func (r *plantedRecord) state() ledger.Status {
	for _, h := range r.places {
		if h.status != ledger.Closed && h.status != ledger.Obsolete {
			return h.status
		}
	}
	return r.places[0].status
}

// identify decides which record each sighting of a round belongs to.
func (p *plantedCrev) identify(sightings []plantedSighting, n int) {
	obs := make([]reconcile.Observation, len(sightings))
	for i, s := range sightings {
		obs[i] = reconcile.Observation{Finding: s.Finding, Location: s.location}
	}
	known := make([]reconcile.Known, len(p.records))
	for i, rec := range p.records {
		known[i] = rec.Known
		known[i].Places = nil
		for _, h := range rec.places {
			if h.since == n {
				known[i].Places = append(known[i].Places, reconcile.Place{
					Location: h.at, How: string(h.answer.How), Ambiguous: h.answer.Ambiguous})
			}
		}
	}
	decisions := reconcile.Reconcile(obs, known, reconcile.Options{}).Decisions
	home := make([]*plantedRecord, len(decisions))
	for i, d := range decisions {
		switch d.Kind {
		case reconcile.Twin:
		case reconcile.Same:
			home[i] = p.records[number(d.Defect)]
			if !slices.Contains(home[i].truths, sightings[i].defect) {
				home[i].joined = fmt.Sprintf("%s: %s: %q", d.How, d.Reason, sightings[i].Claim)
			}
			home[i].add(sightings[i], n)
		default:
			home[i] = p.record(sightings[i], n)
			if d.Defect != "" {
				home[i].pointed = slices.Contains(p.records[number(d.Defect)].truths, sightings[i].defect)
			}
			p.records = append(p.records, home[i])
		}
	}
	for i, d := range decisions {
		if d.Kind == reconcile.Twin {
			home[d.Twin].joined = d.Reason
			home[d.Twin].add(sightings[i], n)
		}
	}
}

// route is the way from the head of one round to that of another: commit by
// commit, one jump after a rewritten history or over too many commits.
func (p *plantedCrev) route(from, to int) []*relocate.Mapper {
	var steps []*relocate.Mapper
	for n := from + 1; n <= to; n++ {
		if p.c.rounds[n].jump {
			return []*relocate.Mapper{p.jump(from, to)}
		}
		for _, s := range p.c.rounds[n].steps {
			steps = append(steps, p.mapper(s))
		}
	}
	if len(steps) > relocate.MaxSteps {
		return []*relocate.Mapper{p.jump(from, to)}
	}
	return steps
}

func abs(n int) int { return max(n, -n) }
