package reconcile

import "math"

// DefaultBands were chosen on public findings of review tools; docs/identity.md
// has the measurements.
var defaultBands = Bands{Silent: 0.9, Likely: 0.4, Ask: 0.1, Margin: 0.1}

// probability turns features into an estimate that the two are one defect.
func (f *features) probability() float64 {
	z := weights.bias +
		weights.words*f.words +
		weights.alias*f.alias +
		weights.grams*f.grams +
		weights.overlap*f.overlap +
		weights.rival*f.rival +
		weights.path*max(f.path, 0) +
		weights.elsewhere*max(-f.path, 0) +
		weights.line*f.line +
		weights.category*f.category
	return 1 / (1 + math.Exp(-z))
}

var weights = struct {
	bias, words, alias, grams, overlap, rival, path, elsewhere, line, category float64
}{
	bias: -4.2, words: 6, grams: 5.2, overlap: 6, rival: -5.8,
	path: 0, elsewhere: -1.5, line: 0.5, category: 0.5,
}
