package bench

// A matcher decides which record each finding of a run belongs to. It is given
// the ledger (every record as the claims in it, oldest first) and the new
// claims, all as indices into the corpus, and must look at nothing else.
type matcher interface {
	// place returns one record number per finding of the run. Numbers from
	// len(ledger) on are new records; equal numbers are one record.
	place(ledger [][]int, run span) []int
	// rank returns, per asked finding of the run, record numbers, likeliest
	// first.
	rank(ledger [][]int, asked []int) [][]int
}

// assignment says in which record each claim ended. Records are numbered over
// the whole corpus, so two groups never share one.
type assignment struct {
	record []int
	// count is the number of records.
	count int
}

// replay lets a matcher see the runs of every group in order.
func replay(c *identityCases, m matcher) assignment {
	a := assignment{record: make([]int, len(c.claims))}
	for _, g := range c.groups {
		var ledger [][]int
		for _, run := range c.runs(g) {
			placed := m.place(ledger, run)
			fresh := map[int]int{}
			for i, r := range placed {
				if r >= len(ledger) {
					n, ok := fresh[r]
					if !ok {
						n = len(ledger) + len(fresh)
						fresh[r] = n
					}
					placed[i] = n
				}
			}
			ledger = append(ledger, make([][]int, len(fresh))...)
			for i, r := range placed {
				ledger[r] = append(ledger[r], run.from+i)
			}
		}
		for r, claims := range ledger {
			for _, i := range claims {
				a.record[i] = a.count + r
			}
		}
		a.count += len(ledger)
	}
	return a
}
