package reconcile

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestAssignIsOptimal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 5).Draw(t, "rows")
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		gain := make([][]float64, rows)
		for i := range gain {
			gain[i] = rapid.SliceOfN(rapid.Float64Range(-1, 3), columns, columns).Draw(t, "gain")
		}
		got := assign(gain)
		var sum float64
		used := map[int]bool{}
		for i, j := range got {
			if j < 0 {
				continue
			}
			if used[j] || gain[i][j] <= 0 {
				t.Fatalf("assign(%v) = %v uses a column twice or at a loss", gain, got)
			}
			used[j] = true
			sum += gain[i][j]
		}
		if want := bruteForce(gain, 0, map[int]bool{}); math.Abs(sum-want) > 1e-9 {
			t.Errorf("assign(%v) = %v gains %v, want %v", gain, got, sum, want)
		}
	})
}

// bruteForce tries every assignment of the rows from i on.
func bruteForce(gain [][]float64, i int, used map[int]bool) float64 {
	if i == len(gain) {
		return 0
	}
	best := bruteForce(gain, i+1, used)
	for j, g := range gain[i] {
		if !used[j] && g > 0 {
			used[j] = true
			best = max(best, g+bruteForce(gain, i+1, used))
			used[j] = false
		}
	}
	return best
}
