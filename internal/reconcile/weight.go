package reconcile

import "math"

// DefaultBands are the bands in use. They were chosen on public findings of
// review tools; docs/identity.md has the measurements.
func DefaultBands() Bands {
	return Bands{Silent: 0.9, Likely: 0.45, Ask: 0.1, Unite: 0.6, Margin: 0.1}
}

// The weights of a logistic model. Those of the words and of the place were
// fitted on public findings of review tools and rounded, the last three are set
// by judgement, because those findings lack the fields: each is worth less than
// a few common words.
const (
	weightBias     = -4.2
	weightWords    = 5.0
	weightAlias    = 3.5
	weightGrams    = 4.8
	weightOverlap  = 5.1
	weightRival    = -6.2
	weightPlaced   = -1.9
	weightLine     = 1.1
	weightSymbol   = 0.5
	weightCategory = 0.5
	weightQuote    = 0.8
)

// probability turns features into an estimate that the two are one defect.
//
// A known place speaks against: most pairs with places are different defects,
// in other files or at other lines of the same one; equal lines make up for it.
func (f *features) probability() float64 {
	z := weightBias +
		weightWords*f.words +
		weightAlias*f.alias +
		weightGrams*f.grams +
		weightOverlap*f.overlap +
		weightRival*f.rival +
		weightPlaced*math.Abs(f.path) +
		weightLine*f.line +
		weightSymbol*f.symbol +
		weightCategory*f.category +
		weightQuote*f.quote
	return 1 / (1 + math.Exp(-z))
}
