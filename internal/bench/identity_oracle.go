package bench

import "github.com/crev-ratchet/crev/internal/reconcile"

// oracle replays with an adjudicator that knows the labels. It answers what a
// model would be asked and nothing else, so the difference to the plain replay
// is the most that asking can bring.
func oracle(c *identityCases, opts reconcile.Options) OracleScore {
	opts.Adjudicator = true
	m := &adjudicated{
		engine: engine{cases: c, opts: opts, belongs: likely, unites: true},
		labels: make(map[[2]int]bool, len(c.pairs)),
	}
	for _, p := range c.pairs {
		m.labels[[2]int{min(p.a, p.b), max(p.a, p.b)}] = p.same
	}
	counts := count(c, replay(c, m))
	return OracleScore{IdentityScore: scoreOf(sum(counts)), Questions: m.questions, Candidates: m.candidates}
}

// adjudicated is the engine with somebody who answers.
type adjudicated struct {
	engine
	labels                map[[2]int]bool
	questions, candidates int
}

func (m *adjudicated) place(records [][]int, run span) []int {
	obs, known := m.input(records, run.claims())
	decisions := reconcile.Reconcile(obs, known, m.opts).Decisions
	for i, d := range decisions {
		if d.Kind != reconcile.Ask {
			continue
		}
		m.questions++
		m.candidates += len(d.Candidates)
		verdicts := make([]reconcile.Verdict, len(d.Candidates))
		for n, candidate := range d.Candidates {
			verdicts[n].Answer = m.answer(run.from+i, records[number(candidate.Defect)])
		}
		decisions[i] = reconcile.Settle(d, verdicts)
	}
	return m.records(decisions, len(records))
}

// answer is what the labels say of a claim and a record; a record with mixed
// labels counts as the same, because one of its findings is.
func (m *adjudicated) answer(claim int, record []int) reconcile.Answer {
	answer := reconcile.Unsure
	for _, other := range record {
		same, known := m.labels[[2]int{min(claim, other), max(claim, other)}]
		switch {
		case same:
			return reconcile.AnswerSame
		case known:
			answer = reconcile.AnswerDiffers
		}
	}
	return answer
}
