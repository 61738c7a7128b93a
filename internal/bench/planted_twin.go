package bench

import (
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
)

// rivalRecord is a record of one of the simpler ways to tell findings apart.
type rivalRecord struct {
	key    string
	truths []int
	place  rivalPlace
	claim  string
	label  string
}

// rivalIdentity sorts the sightings of a whole case into records.
type rivalIdentity struct {
	name string
	sort func(c *plantedCase, rounds [][]plantedSighting) ([]*rivalRecord, error)
}

var rivalIdentities = []rivalIdentity{
	{"hash of path and claim", func(c *plantedCase, rounds [][]plantedSighting) ([]*rivalRecord, error) {
		return byKey(c, rounds, func(_ *plantedTree, s plantedSighting) (string, error) {
			return s.Path + "\x00" + finding.Normalize(s.Claim), nil
		})
	}},
	{"line hash with ordinal", func(c *plantedCase, rounds [][]plantedSighting) ([]*rivalRecord, error) {
		return byKey(c, rounds, func(v *plantedTree, s plantedSighting) (string, error) {
			lines, err := linesAt(v, s.Path)
			if err != nil || len(lines) < s.StartLine {
				return "", err
			}
			return s.Path + "\x00" + s.Category + "\x00" + ordinalPrint(lines, s.StartLine-1), nil
		})
	}},
	{"line and block hashes", func(c *plantedCase, rounds [][]plantedSighting) ([]*rivalRecord, error) {
		return byLadder(c, rounds, rivals[3], ladder)
	}},
	{"hunk offset", func(c *plantedCase, rounds [][]plantedSighting) ([]*rivalRecord, error) {
		return byLadder(c, rounds, rivals[1], nearHunk)
	}},
}

// byKey puts sightings with one key into one record.
func byKey(c *plantedCase, rounds [][]plantedSighting, key func(*plantedTree, plantedSighting) (string, error)) ([]*rivalRecord, error) {
	var records []*rivalRecord
	for n, sightings := range rounds {
		for _, s := range sightings {
			k, err := key(c.rounds[n].head, s)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(records, func(r *rivalRecord) bool { return r.key == k })
			if i < 0 {
				i = len(records)
				records = append(records, &rivalRecord{key: k})
			}
			records[i].add(s.defect)
		}
	}
	return records, nil
}

func (r *rivalRecord) add(defect int) {
	if !slices.Contains(r.truths, defect) {
		r.truths = append(r.truths, defect)
	}
}

// rung is one key: whether a sighting on a line of the given text is the record,
// whose place before the round is was and after it is now.
type rung func(r *rivalRecord, was, now rivalPlace, s plantedSighting, text string) bool

// ladder are the keys of a tracker of static analysis, surest first: the label
// of the finding stands for its rule.
var ladder = []rung{
	func(r *rivalRecord, was, _ rivalPlace, s plantedSighting, text string) bool {
		return was.line == s.StartLine && was.print == text && r.claim == s.Claim
	},
	func(_ *rivalRecord, was, _ rivalPlace, s plantedSighting, text string) bool {
		return was.line == s.StartLine && was.print == text
	},
	func(_ *rivalRecord, _, now rivalPlace, s plantedSighting, _ string) bool {
		return !now.lost && now.line == s.StartLine
	},
	func(r *rivalRecord, was, _ rivalPlace, s plantedSighting, text string) bool {
		return r.claim == s.Claim && was.print == text
	},
	func(r *rivalRecord, was, _ rivalPlace, s plantedSighting, _ string) bool {
		return was.line == s.StartLine && r.claim == s.Claim
	},
	func(_ *rivalRecord, was, _ rivalPlace, _ plantedSighting, text string) bool {
		return was.print == text
	},
}

// nearHunk takes a sighting of the same label within three lines.
var nearHunk = []rung{
	func(_ *rivalRecord, _, now rivalPlace, s plantedSighting, _ string) bool {
		return !now.lost && now.line == s.StartLine
	},
	func(_ *rivalRecord, _, now rivalPlace, s plantedSighting, _ string) bool {
		return !now.lost && abs(now.line-s.StartLine) <= 3
	},
}

// byLadder follows the place of every record by one method and gives sightings
// to records rung by rung, each once a round.
func byLadder(c *plantedCase, rounds [][]plantedSighting, m rival, rungs []rung) ([]*rivalRecord, error) {
	var records []*rivalRecord
	for n, sightings := range rounds {
		before := make([]rivalPlace, len(records))
		for i, r := range records {
			before[i] = r.place
			if err := m.follow(&r.place, c, n); err != nil {
				return nil, err
			}
		}
		old := len(records)
		taken := make([]bool, old)
		done := make([]bool, len(sightings))
		for _, fits := range rungs {
			for i, s := range sightings {
				lines, err := linesAt(c.rounds[n].head, s.Path)
				if err != nil {
					return nil, err
				}
				for k, r := range records[:old] {
					if done[i] || taken[k] || r.place.path != s.Path || r.label != s.Category ||
						!fits(r, before[k], r.place, s, bare(lines[s.StartLine-1])) {
						continue
					}
					done[i], taken[k] = true, true
					r.take(s, m, lines)
				}
			}
		}
		for i, s := range sightings {
			if done[i] {
				continue
			}
			lines, err := linesAt(c.rounds[n].head, s.Path)
			if err != nil {
				return nil, err
			}
			r := &rivalRecord{label: s.Category}
			r.take(s, m, lines)
			records = append(records, r)
		}
	}
	return records, nil
}

// take gives a sighting to a record, which then stands where it was seen.
func (r *rivalRecord) take(s plantedSighting, m rival, lines []string) {
	r.add(s.defect)
	r.claim = s.Claim
	r.place = rivalPlace{path: s.Path, line: s.StartLine}
	m.keep(&r.place, lines)
}
