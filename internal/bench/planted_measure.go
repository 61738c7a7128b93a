package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/crev-ratchet/crev/internal/relocate"
)

// measure plays one case through crev and every simpler method.
func (r *PlantedResult) measure(c *plantedCase, rng *rand.Rand, recall float64) error {
	rounds, err := review(c, rng, recall)
	if err != nil {
		return err
	}
	if err := r.playCrev(c, rounds); err != nil {
		return err
	}
	for _, m := range rivals {
		if err := r.playRival(c, m); err != nil {
			return err
		}
	}
	for _, m := range rivalIdentities {
		records, err := m.sort(c, rounds)
		if err != nil {
			return err
		}
		var truths [][]int
		for _, rec := range records {
			truths = append(truths, rec.truths)
		}
		r.identity(m.name).count(c, rounds, truths)
	}
	if err := r.playRules(c, rounds); err != nil {
		return err
	}
	r.Cases++
	r.Rounds += len(c.rounds)
	r.Endings[c.ending].Cases++
	for _, site := range c.sites {
		r.Mutations[c.defects[site.defect].mutation.name]++
	}
	return nil
}

// crevName names crev among the methods.
const crevName = "crev"

// playCrev scores crev on one case.
func (r *PlantedResult) playCrev(c *plantedCase, rounds [][]plantedSighting) error {
	p := &plantedCrev{c: c, mappers: map[[2]string]*relocate.Mapper{}, read: map[string]bool{}}
	if err := p.open(rounds[0]); err != nil {
		return err
	}
	held := make([]*heldPlace, len(c.sites)) // by site
	for _, rec := range p.records {
		for _, h := range rec.places {
			held[h.site-1] = h
		}
	}
	for n := 1; n < len(c.rounds); n++ {
		wasShut := make([]bool, len(held))
		for i, h := range held {
			wasShut[i] = h.shut()
		}
		back, err := p.round(n)
		if err != nil {
			return err
		}
		r.scorePlaces(c, n, held)
		r.rule(crevName).count(c, n, func(site int) bool { return held[site-1].shut() })
		r.scoreReopen(c, n, held, wasShut, back)
		p.identify(rounds[n], n)
	}
	id := r.identity(crevName)
	var truths [][]int
	for _, rec := range p.records {
		truths = append(truths, rec.truths)
		if rec.pointed {
			id.Pointed++
		}
		if len(rec.truths) > 1 {
			d := c.defects[rec.truths[0]]
			r.fail(c, rec.truths[0], len(c.rounds)-1, "mixed record", "one defect of "+string(d.severity)+" severity", rec.joined)
		}
	}
	id.count(c, rounds, truths)
	r.Cost.add(p.cost)
	return nil
}

func (r *PlantedResult) scorePlaces(c *plantedCase, n int, held []*heldPlace) {
	end := r.Endings[c.ending]
	for i, t := range c.rounds[n].truth {
		if !t.alive {
			continue
		}
		h := held[i]
		var one PlantedPlaces
		one.count(t, !h.shut() && h.since == n, h.at.Path, h.at.Start)
		all := r.places(crevName)
		all.Alive, all.Stated, all.Wrong = all.Alive+one.Alive, all.Stated+one.Stated, all.Wrong+one.Wrong
		end.Alive, end.Stated, end.Wrong = end.Alive+one.Alive, end.Stated+one.Stated, end.Wrong+one.Wrong
		if h.shut() {
			end.Closed++
			r.fail(c, c.sites[i].defect, n, "closed too early", fmt.Sprintf("open at %s:%d", t.path, t.line),
				fmt.Sprintf("%s since round %d: %s", h.status, h.closedIn, h.answer.Reason))
		} else if one.Wrong > 0 {
			r.fail(c, c.sites[i].defect, n, "place", fmt.Sprintf("%s:%d", t.path, t.line),
				fmt.Sprintf("%s:%d, %s: %s", h.at.Path, h.at.Start, h.answer.How, h.answer.Reason))
		}
	}
}

// scoreReopen counts what came back and what was reopened. Places whose defect
// is on a line that the fix changed are counted by themselves too: where lines
// were taken out, the line beside them is no evidence of their return.
func (r *PlantedResult) scoreReopen(c *plantedCase, n int, held []*heldPlace, wasShut []bool, back []*heldPlace) {
	count := func(o *PlantedReopen, changed bool) {
		for _, site := range c.rounds[n].returned {
			if wasShut[site-1] && !(changed && c.sites[site-1].beside) {
				o.Back++
				if slices.Contains(back, held[site-1]) {
					o.Found++
				} else if !changed {
					r.fail(c, c.sites[site-1].defect, n, "reopen recall", "reopened", string(held[site-1].status))
				}
			}
		}
		for _, h := range back {
			if h.site == 0 || changed && c.sites[h.site-1].beside {
				continue
			}
			o.Reopened++
			if c.rounds[n].truth[h.site-1].alive {
				o.Right++
			} else if !changed {
				r.fail(c, c.sites[h.site-1].defect, n, "reopen precision", "not reopened", h.answer.Reason)
			}
		}
	}
	count(&r.Reopen, false)
	count(&r.ReopenLine, true)
}

// playRival scores how one simpler method follows the places of a case.
func (r *PlantedResult) playRival(c *plantedCase, m rival) error {
	for i, t := range c.rounds[0].truth {
		p := rivalPlace{path: t.path, line: t.line}
		lines, err := linesAt(c.rounds[0].head, t.path)
		if err != nil {
			return err
		}
		m.keep(&p, lines)
		for n := 1; n < len(c.rounds); n++ {
			if err := m.follow(&p, c, n); err != nil {
				return err
			}
			if now := c.rounds[n].truth[i]; now.alive {
				r.places(m.name).count(now, !p.lost, p.path, p.line)
			}
		}
	}
	return nil
}

// outdatedLines is how near a change has to come for a comment to count as
// outdated: the lines that a comment's diff shows around its own.
const outdatedLines = 3

// playRules scores rules that close without a look. None of them reopens but
// the last.
func (r *PlantedResult) playRules(c *plantedCase, rounds [][]plantedSighting) error {
	touched, outdated := make([]bool, len(c.sites)), make([]bool, len(c.sites))
	places := make([]rivalPlace, len(c.sites))
	for i, t := range c.rounds[0].truth {
		places[i] = rivalPlace{path: t.path, line: t.line}
	}
	for n := 1; n < len(c.rounds); n++ {
		for i := range places {
			for _, s := range c.stepsTo(n) {
				if touched[i] {
					break
				}
				hunks, to, ok, err := hunksOf(s, places[i].path)
				if err != nil {
					return err
				}
				if !ok {
					continue
				}
				at, inside := shift(hunks, places[i].line-1, 0)
				_, near := shift(hunks, places[i].line-1, outdatedLines)
				touched[i] = inside || to == ""
				outdated[i] = outdated[i] || near || to == ""
				places[i] = rivalPlace{path: to, line: at + 1}
			}
		}
		said := make([]bool, len(c.defects))
		for _, s := range rounds[n] {
			said[s.defect] = true
		}
		r.rule("close on touch").count(c, n, func(site int) bool { return touched[site-1] })
		r.rule("close on outdated").count(c, n, func(site int) bool { return outdated[site-1] })
		r.rule("close on silence").count(c, n, func(site int) bool { return !said[c.sites[site-1].defect] })
	}
	return nil
}
