package reconcile

import "math"

// DefaultBands are the bands in use. They were chosen on public findings of
// review tools; docs/identity.md has the measurements.
func DefaultBands() Bands {
	return Bands{Silent: 0.9, Likely: 0.55, Shared: 0.6, Ask: 0.05, Unite: 0.55, Margin: 0.1}
}

// The weights of a logistic model. Those of the words were fitted on public
// findings of review tools and rounded. Those of the place are the fit's as far as
// it goes (13 pairs with places are the same defect), moved until a set of our own
// with hardly a word in common fared no worse. The last three are set by
// judgement, because the public findings lack the fields: each is worth less than
// a few common words. docs/identity.md says how they were found and what they
// come to on projects that had no part in it.
const (
	weightBias     = -4.2
	weightWords    = 4.0
	weightAlias    = 1.3
	weightGrams    = 2.7
	weightConcept  = 1.5
	weightOverlap  = 4.7
	weightRival    = -2.3
	weightPlaced   = -2.5
	weightLine     = 1.2
	weightFit      = 1.0
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
		weightConcept*f.concept +
		weightOverlap*f.overlap +
		weightRival*f.rival +
		weightPlaced*math.Abs(f.path) +
		weightLine*f.line +
		weightFit*f.fit +
		weightSymbol*f.symbol +
		weightCategory*f.category +
		weightQuote*f.quote
	return 1 / (1 + math.Exp(-z))
}
