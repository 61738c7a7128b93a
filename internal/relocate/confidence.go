package relocate

// Confidences are measured shares of right answers among all answers of a kind,
// removed code included; docs/relocation.md has the counts. They are rounded
// down, because the cases that are not in the data are harder.
const (
	confidenceCopy    = 0.95 // an original told from its copy by the symbol
	confidenceBlind   = 0.95 // outside git's hunks, old text unknown
	confidenceMoved   = 0.95
	confidenceGuess   = 0.65
	confidenceSuspect = 0.8
	confidenceReopen  = 0.97
)

// confidence is the measured share of right answers found like p.
func (p place) confidence() float64 {
	switch p.how {
	case Shifted:
		if p.ambiguous {
			return confidenceCopy
		}
		return 0.98
	case Rewritten:
		return p.rewriteConfidence()
	case Moved:
		return confidenceMoved
	case Candidate:
		return confidenceGuess
	}
	return 0
}

// rewriteConfidence grows with the likeness of the line and with the neighbours
// that came along.
func (p place) rewriteConfidence() float64 {
	switch {
	case p.beside == 2 && p.sim >= 0.9:
		return 0.98
	case p.beside == 2 && p.sim >= 0.8:
		return 0.96
	case p.beside == 2 && p.sim >= 0.6:
		return 0.92
	case p.sim >= 0.8:
		return 0.88
	case p.sim >= 0.6:
		return 0.78
	}
	return 0.7
}
