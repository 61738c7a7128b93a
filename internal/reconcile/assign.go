package reconcile

import "math"

// assign matches rows to columns one to one so that the sum of the gains is as
// large as it can be. A row whose best use is no use stays unmatched: gains
// that are not positive never count. The result holds a column for every row,
// -1 for none. Every row of gain has the same length.
//
// It is the Hungarian method in the form of shortest augmenting paths: one path
// per row, with potentials u and v that keep reduced costs non-negative, in
// O(rows² · columns). One idle column a row stands for "no column at all".
func assign(gain [][]float64) []int {
	rows := len(gain)
	if rows == 0 {
		return nil
	}
	real := len(gain[0])
	columns := real + rows
	cost := func(i, j int) float64 {
		if j < real && gain[i][j] > 0 {
			return -gain[i][j]
		}
		return 0
	}
	u, v := make([]float64, rows+1), make([]float64, columns+1)
	// owner[j] is the row of column j; row and column 0 are a sentinel, so
	// everything else counts from 1.
	owner := make([]int, columns+1)
	came := make([]int, columns+1)
	reach := make([]float64, columns+1)
	done := make([]bool, columns+1)
	for i := 1; i <= rows; i++ {
		for j := range reach {
			reach[j], done[j] = math.Inf(1), false
		}
		owner[0] = i
		at := 0
		for owner[at] != 0 {
			done[at] = true
			row, step, next := owner[at], math.Inf(1), 0
			for j := 1; j <= columns; j++ {
				if done[j] {
					continue
				}
				if c := cost(row-1, j-1) - u[row] - v[j]; c < reach[j] {
					reach[j], came[j] = c, at
				}
				if reach[j] < step {
					step, next = reach[j], j
				}
			}
			for j := 0; j <= columns; j++ {
				if done[j] {
					u[owner[j]] += step
					v[j] -= step
				} else {
					reach[j] -= step
				}
			}
			at = next
		}
		for at != 0 {
			owner[at] = owner[came[at]]
			at = came[at]
		}
	}
	out := make([]int, rows)
	for i := range out {
		out[i] = -1
	}
	for j := 1; j <= real; j++ {
		if i := owner[j]; i > 0 && gain[i-1][j-1] > 0 {
			out[i-1] = j - 1
		}
	}
	return out
}
