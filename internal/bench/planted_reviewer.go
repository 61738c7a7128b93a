package bench

import (
	"math/rand/v2"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/relocate"
)

// plantedSighting is one finding of the scripted reviewer.
type plantedSighting struct {
	finding.Finding
	defect   int
	location finding.Location
}

// review lets a scripted reviewer look at the head of every round. In the first
// one it mentions every defect; later each that is still in the code with the
// given probability, every time in words drawn anew, and in a third of the cases
// at a line nearby. It reports nothing but what was planted.
func review(c *plantedCase, rng *rand.Rand, recall float64) ([][]plantedSighting, error) {
	out := make([][]plantedSighting, len(c.rounds))
	for n, r := range c.rounds {
		for d := range c.defects {
			site := aliveSite(c, d, r)
			mentioned := rng.Float64() < recall || n == 0
			claim := c.defects[d].mutation.claims[rng.IntN(len(c.defects[d].mutation.claims))]
			shift := aside[rng.IntN(len(aside))]
			if site < 0 || !mentioned {
				continue
			}
			if n == 0 {
				shift = 0
			}
			s, err := sight(c, d, r, r.truth[site], shift, claim)
			if err != nil {
				return nil, err
			}
			out[n] = append(out[n], s)
		}
	}
	return out, nil
}

// aside is how many lines beside the place a finding points.
var aside = []int{0, 0, 0, 0, 0, 0, -1, 1, -3}

// aliveSite is the first place of a defect that is in the code, -1 for none.
func aliveSite(c *plantedCase, defect int, r plantedRound) int {
	for _, site := range c.defects[defect].sites {
		if r.truth[site-1].alive {
			return site - 1
		}
	}
	return -1
}

func sight(c *plantedCase, defect int, r plantedRound, at siteTruth, shift int, claim string) (plantedSighting, error) {
	d := c.defects[defect]
	text, err := r.head.read(at.path)
	if err != nil {
		return plantedSighting{}, err
	}
	lines, err := linesAt(r.head, at.path)
	if err != nil {
		return plantedSighting{}, err
	}
	line := min(max(at.line+shift, 1), len(lines))
	symbol, _ := relocate.Enclosing(relocate.Symbols(at.path, text), line)
	s := plantedSighting{defect: defect}
	s.Source, s.Path, s.StartLine, s.EndLine = "code", at.path, line, line
	s.Quote, s.Symbol = strings.TrimSpace(lines[line-1]), symbol.Name
	s.Category, s.Severity = d.mutation.category, d.severity
	s.Claim = strings.NewReplacer("{func}", d.function, "{code}", d.code).Replace(claim)
	s.location = placeOf(r.head, at.path, text, line)
	return s, nil
}

// placeOf is a location as crev stores it.
func placeOf(v *plantedTree, path string, text []byte, line int) finding.Location {
	symbol, _ := relocate.Enclosing(relocate.Symbols(path, text), line)
	return finding.Location{
		Path: path, Start: line, End: line, Symbol: symbol.Name, Commit: v.id,
		Anchor: finding.NewAnchor(text, line, nil),
	}
}
