package bench

import "github.com/crev-ratchet/crev/internal/reconcile"

// Adjudicator answers a question as a model would: one verdict a known defect.
type Adjudicator func(reconcile.Question) ([]reconcile.Verdict, error)

// oracle replays with an adjudicator that knows the labels. It answers what a
// model would be asked and nothing else, so the difference to the plain replay
// is the most that asking can bring.
func oracle(c *identityCases, opts reconcile.Options) OracleScore {
	l := labels{}
	for _, p := range c.pairs {
		l[[2]int{min(p.a, p.b), max(p.a, p.b)}] = p.same
	}
	return adjudicate(c, opts, func(claim int, candidates [][]int, _ reconcile.Question) []reconcile.Verdict {
		verdicts := make([]reconcile.Verdict, len(candidates))
		for n, record := range candidates {
			verdicts[n].Answer = l.answer(claim, record)
		}
		return verdicts
	})
}

// asked replays with somebody else's answers. The first error ends it.
func asked(c *identityCases, opts reconcile.Options, ask Adjudicator) (OracleScore, error) {
	var failed error
	score := adjudicate(c, opts, func(_ int, _ [][]int, q reconcile.Question) (verdicts []reconcile.Verdict) {
		if failed == nil {
			verdicts, failed = ask(q)
		}
		return verdicts
	})
	return score, failed
}

// adjudicated is the engine with somebody who answers: answer gets a claim, the
// records that it may belong to, and the same as a model would see it.
type adjudicated struct {
	engine
	answer                func(claim int, candidates [][]int, q reconcile.Question) []reconcile.Verdict
	questions, candidates int
}

// adjudicate replays the cases with an adjudicator.
func adjudicate(c *identityCases, opts reconcile.Options, answer func(int, [][]int, reconcile.Question) []reconcile.Verdict) OracleScore {
	opts.Adjudicator = true
	m := &adjudicated{engine: engine{cases: c, opts: opts, belongs: likely, unites: true}, answer: answer}
	counts := count(c, replay(c, m))
	return OracleScore{IdentityScore: scoreOf(sum(counts)), Questions: m.questions, Candidates: m.candidates}
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
		q := reconcile.Question{Observation: obs[i]}
		var candidates [][]int
		for _, candidate := range d.Candidates {
			n := number(candidate.Defect)
			q.Known, candidates = append(q.Known, known[n]), append(candidates, records[n])
		}
		decisions[i] = reconcile.Settle(d, m.answer(run.from+i, candidates, q))
	}
	return m.records(decisions, len(records))
}

// labels say of a pair of claims, the lower one first, whether they are one.
type labels map[[2]int]bool

// answer is what the labels say of a claim and a record; a record with mixed
// labels counts as the same, because one of its findings is.
func (l labels) answer(claim int, record []int) reconcile.Answer {
	answer := reconcile.Unsure
	for _, other := range record {
		same, known := l[[2]int{min(claim, other), max(claim, other)}]
		switch {
		case same:
			return reconcile.AnswerSame
		case known:
			answer = reconcile.AnswerDiffers
		}
	}
	return answer
}
