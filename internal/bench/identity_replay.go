package bench

import "slices"

// A matcher decides which record each finding of a run belongs to. It is given
// the ledger (every record as the claims in it, oldest first) and the new
// claims, all as indices into the corpus, and must look at nothing else.
type matcher interface {
	// place returns one record number per finding of the run. Numbers from
	// len(ledger) on are new records; equal numbers are one record.
	place(ledger [][]int, run span) []int
	// unite returns pairs of records that are one defect after all, once the
	// findings of a run have been added; a record is in one pair at most.
	unite(ledger [][]int, touched []int) [][2]int
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
			ledger = unite(m, ledger, placed)
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

// uniteRounds bounds how often records are united after one run: two rounds
// join four records into one.
const uniteRounds = 3

// unite joins records until the matcher finds no more pairs. Touched are the
// records that the run changed; the others were compared before.
func unite(m matcher, ledger [][]int, touched []int) [][]int {
	for range uniteRounds {
		pairs := m.unite(ledger, touched)
		if len(pairs) == 0 {
			break
		}
		touched = nil
		gone := map[int]bool{}
		for _, p := range pairs {
			keep, drop := min(p[0], p[1]), max(p[0], p[1])
			ledger[keep] = append(ledger[keep], ledger[drop]...)
			slices.Sort(ledger[keep])
			gone[drop] = true
			touched = append(touched, keep)
		}
		moved := map[int]int{}
		kept := ledger[:0]
		for r, members := range ledger {
			if !gone[r] {
				moved[r] = len(kept)
				kept = append(kept, members)
			}
		}
		ledger = kept
		for i, r := range touched {
			touched[i] = moved[r]
		}
	}
	return ledger
}

// claims are the claims of a span.
func (s span) claims() []int {
	out := make([]int, 0, s.to-s.from)
	for i := s.from; i < s.to; i++ {
		out = append(out, i)
	}
	return out
}
