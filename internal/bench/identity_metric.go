package bench

// shortlistLength is how many candidates an adjudicator is shown, and
// shortlistFloor how many records the ledger must hold before the question is
// worth asking: with fewer, any list would do.
const (
	shortlistLength = 5
	shortlistFloor  = shortlistLength + 1
)

// tally are the counts of one group from which every metric is a ratio; the
// counts of groups add up, so a bootstrap draws groups.
type tally struct {
	tp, fp, fn         int // labelled pairs
	extra, possible    int // records beyond one a defect; findings beyond one a defect
	mixed, held        int // records with two truths; records with any truth
	polluted           int // records that hold a pair labelled different
	bPrecision         float64
	bRecall            float64
	known              int // findings with a truth
	hits, asked        int // shortlist
	autoRight, autoBad int // pairs merged by the silent band
}

func (t *tally) add(u tally) {
	t.tp += u.tp
	t.fp += u.fp
	t.fn += u.fn
	t.extra += u.extra
	t.possible += u.possible
	t.mixed += u.mixed
	t.held += u.held
	t.polluted += u.polluted
	t.bPrecision += u.bPrecision
	t.bRecall += u.bRecall
	t.known += u.known
	t.hits += u.hits
	t.asked += u.asked
	t.autoRight += u.autoRight
	t.autoBad += u.autoBad
}

// count scores an assignment, one tally a group.
func count(c *identityCases, a assignment) []tally {
	out := make([]tally, len(c.groups))
	polluted := map[int]int{}
	for _, p := range c.pairs {
		t := &out[p.group]
		switch together := a.record[p.a] == a.record[p.b]; {
		case together && p.same:
			t.tp++
		case together:
			t.fp++
			polluted[a.record[p.a]] = p.group
		case p.same:
			t.fn++
		}
	}
	for _, g := range polluted {
		out[g].polluted++
	}
	for g, s := range c.groups {
		c.scoreClusters(a, s, &out[g])
	}
	return out
}

// scoreClusters compares the records of one group with its truths.
func (c *identityCases) scoreClusters(a assignment, s span, t *tally) {
	type cell struct {
		record int
		truth  string
	}
	cells := map[cell]int{}
	records, truths := map[int]int{}, map[string]int{}
	for i := s.from; i < s.to; i++ {
		if c.claims[i].Truth == nil {
			continue
		}
		cells[cell{a.record[i], *c.claims[i].Truth}]++
		records[a.record[i]]++
		truths[*c.claims[i].Truth]++
		t.known++
	}
	spread, kinds := map[string]int{}, map[int]int{}
	for k := range cells {
		spread[k.truth]++
		kinds[k.record]++
	}
	// One finding after the other, so that the sums do not depend on the
	// order of a map.
	for i := s.from; i < s.to; i++ {
		if truth := c.claims[i].Truth; truth != nil {
			n := cells[cell{a.record[i], *truth}]
			t.bPrecision += ratio(float64(n), float64(records[a.record[i]]))
			t.bRecall += ratio(float64(n), float64(truths[*truth]))
		}
	}
	for truth, n := range truths {
		t.extra += spread[truth] - 1
		t.possible += n - 1
	}
	for _, n := range kinds {
		if n > 1 {
			t.mixed++
		}
	}
	t.held = len(kinds)
}

// shortlist asks a matcher, against a ledger that an oracle keeps, for the
// records a finding might belong to, and counts how often the right one is
// among the first five.
func shortlist(c *identityCases, m matcher, out []tally) {
	for g, s := range c.groups {
		var ledger [][]int
		home := map[string]int{}
		for _, run := range c.runs(s) {
			var asked []int
			for i := run.from; i < run.to; i++ {
				if t := c.claims[i].Truth; t != nil && len(ledger) >= shortlistFloor {
					if _, seen := home[*t]; seen {
						asked = append(asked, i)
					}
				}
			}
			for k, ranked := range m.rank(ledger, asked) {
				out[g].asked++
				want := home[*c.claims[asked[k]].Truth]
				for _, r := range ranked[:min(len(ranked), shortlistLength)] {
					if r == want {
						out[g].hits++
						break
					}
				}
			}
			for i := run.from; i < run.to; i++ {
				t := c.claims[i].Truth
				if t == nil {
					ledger = append(ledger, []int{i})
					continue
				}
				r, seen := home[*t]
				if !seen {
					r = len(ledger)
					home[*t] = r
					ledger = append(ledger, nil)
				}
				ledger[r] = append(ledger[r], i)
			}
		}
	}
}

func ratio[N int | float64](a, b N) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func harmonic(a, b float64) float64 { return ratio(2*a*b, a+b) }
