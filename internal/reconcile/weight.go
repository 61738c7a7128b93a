package reconcile

import "math"

// DefaultBands are the bands in use. They were chosen on public findings of
// review tools; docs/identity.md has the measurements.
func DefaultBands() Bands {
	return Bands{Silent: 0.9, Likely: 0.55, Shared: 0.6, Ask: 0.05, Unite: 0.55, Margin: 0.1}
}

// The weights of a logistic model. Those of the words were fitted on public
// findings of review tools and rounded. Those of the place, from weightFile to
// weightSymbol, were fitted with the words' fixed on findings with places, public
// ones and our own, and rounded. The last two are set by judgement, because the
// findings lack the fields: each is worth less than a few common words.
// docs/identity.md says how they were found and what they come to on findings
// that had no part in it.
const (
	weightBias      = -4.2
	weightWords     = 4.0
	weightAlias     = 1.3
	weightGrams     = 2.7
	weightConcept   = 1.5
	weightOverlap   = 4.7
	weightRival     = -2.3
	weightFile      = -1.0
	weightElsewhere = -1.35
	weightLead      = 2.0
	weightTerse     = 4.1
	weightTopic     = 1.3
	weightSymbol    = 1.3
	weightCategory  = 0.5
	weightQuote     = 0.8
)

// probability turns features into an estimate that the two are one defect, and
// into the same estimate without what the places add.
//
// A known place speaks against at first: most pairs with places are different
// defects. To be mutually nearest, in one declaration or about one topic makes up
// for it. Two defects can share all of that, so a place makes a pair likely; only
// words and evidence make it sure.
func (f *features) probability() (score, said float64) {
	z := weightBias +
		weightWords*f.words +
		weightAlias*f.alias +
		weightGrams*f.grams +
		weightConcept*f.concept +
		weightOverlap*f.overlap +
		weightRival*f.rival +
		weightCategory*f.category +
		weightQuote*f.quote
	against := weightFile*f.file +
		weightElsewhere*f.elsewhere +
		weightSymbol*min(0, f.symbol)
	in := weightLead*f.lead +
		weightTerse*f.terse +
		weightTopic*f.topic +
		weightSymbol*max(0, f.symbol)
	return logistic(z + against + in), logistic(z + against)
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
