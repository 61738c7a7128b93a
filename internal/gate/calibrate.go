package gate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"
)

// Sample is one batch that was reviewed before.
type Sample struct {
	At time.Time
	Work
	// Found is how many findings came back; Work.Findings is not used.
	Found int
	// Gate is the gate's word for it and Tries how often it was asked.
	Gate  string
	Tries int
}

// The limits of Calibrate.
const (
	// MinSamples is how many normal reviews a proposal rests on at least: a
	// tenth of fewer is no more than the luck of one or two.
	MinSamples = 20
	// minDays is how long the recordings have to span before file types and
	// directories get values of their own.
	minDays = 30
	// low is the percentile of normal reviews that a limit is derived from,
	// and margin what is left of it: where the lowest normal review shows
	// 40 % of the expected effort, .35 is asked.
	low, margin = 10, .875
)

// Proposal is what Calibrate makes of recordings.
type Proposal struct {
	// Samples are the normal reviews it rests on, of Recorded ones.
	Samples  int       `json:"samples"`
	Recorded int       `json:"recorded"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	// The values for the configuration.
	EffortUnit      Unit    `json:"effort_unit"`
	MinEffort       float64 `json:"min_effort_coefficient"`
	LinesPerFinding int     `json:"lines_per_expected_finding"`
	MinDensity      float64 `json:"min_density_coefficient"`
	// Groups are densities by file type and directory, where there is enough;
	// for reading, since the gate has one value.
	Groups []Group `json:"groups,omitempty"`
}

// Group is a file type or a top directory.
type Group struct {
	// Name is "*.go" or "internal/".
	Name            string  `json:"name"`
	Samples         int     `json:"samples"`
	LinesPerFinding int     `json:"lines_per_expected_finding"`
	MinDensity      float64 `json:"min_density_coefficient"`
}

// TooFewError says that there is not enough to calibrate by.
type TooFewError struct{ Samples, Recorded int }

// Error says how much there is and what counts.
func (e *TooFewError) Error() string {
	return fmt.Sprintf("%d of %d recorded batches are normal reviews, and %d are the least to calibrate by; "+
		"let the gate record for longer (batches that passed at the first try count, documents alone do not)", e.Samples, e.Recorded, MinSamples)
}

// Calibrate proposes limits by what normal reviews showed: batches that passed at
// the first try and were expected to take something. It is a *TooFewError below
// MinSamples of them.
func Calibrate(all []Sample, unit Unit) (Proposal, error) {
	normal := slices.DeleteFunc(slices.Clone(all), func(s Sample) bool { return !s.normal() })
	p := Proposal{Samples: len(normal), Recorded: len(all), EffortUnit: Thresholds{EffortUnit: unit}.unit()}
	if len(normal) < MinSamples {
		return p, &TooFewError{Samples: len(normal), Recorded: len(all)}
	}
	slices.SortStableFunc(normal, func(a, b Sample) int { return a.At.Compare(b.At) })
	p.From, p.To = normal[0].At, normal[len(normal)-1].At

	efforts := make([]float64, 0, len(normal))
	for _, s := range normal {
		efforts = append(efforts, Thresholds{EffortUnit: unit}.effort(s.Work).Share())
	}
	p.MinEffort = limit(efforts)
	p.LinesPerFinding, p.MinDensity = density(normal)
	if p.To.Sub(p.From) >= minDays*24*time.Hour {
		p.Groups = groups(normal)
	}
	return p, nil
}

func (s Sample) normal() bool {
	return s.Gate == "passed" && s.Tries <= 1 && s.Lines > 0 && s.Reviewers > 0 && s.Tokens > 0 && !nothingExpected(s.Work)
}

// limit is the low percentile with its margin, cut to two digits.
func limit(values []float64) float64 {
	slices.Sort(values)
	rank := int(math.Ceil(low / 100. * float64(len(values)))) // nearest rank
	const rounding = 1e-9
	return math.Floor(100*margin*values[rank-1]+rounding) / 100
}

// density is how many lines held one finding, rounded up to tens, and the least
// share of that density which is normal. Where nothing was found, or a tenth of
// all good reviews find nothing, the share is 0: density is no sign there.
func density(samples []Sample) (linesPerFinding int, least float64) {
	lines, found := 0, 0
	for _, s := range samples {
		lines, found = lines+s.Lines, found+s.Found
	}
	if found == 0 {
		return 0, 0
	}
	linesPerFinding = (lines/found/10 + 1) * 10
	var shares []float64
	for _, s := range samples {
		if expected := s.Lines / linesPerFinding; expected > 0 {
			shares = append(shares, float64(s.Found)/float64(expected))
		}
	}
	if len(shares) < MinSamples {
		return linesPerFinding, 0
	}
	// A change may be expected to hold a whole finding at most where it holds
	// two; more than the margin of what is expected is not asked.
	return linesPerFinding, min(limit(shares), math.Floor(100*margin)/100)
}

// groups are the densities of batches whose files share a type or a top
// directory.
func groups(samples []Sample) []Group {
	by := map[string][]Sample{}
	for _, s := range samples {
		for _, name := range []string{shared(s.Paths, fileType), shared(s.Paths, topDirectory)} {
			if name != "" {
				by[name] = append(by[name], s)
			}
		}
	}
	var out []Group
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if len(by[name]) < MinSamples {
			continue
		}
		g := Group{Name: name, Samples: len(by[name])}
		g.LinesPerFinding, g.MinDensity = density(by[name])
		out = append(out, g)
	}
	slices.SortStableFunc(out, func(a, b Group) int { return cmp.Compare(b.Samples, a.Samples) })
	return out
}

// shared is what every path comes to, "" where they differ or there are none.
func shared(paths []string, of func(string) string) string {
	name := ""
	for i, p := range paths {
		if n := of(p); i == 0 {
			name = n
		} else if n != name {
			return ""
		}
	}
	return name
}

func fileType(p string) string {
	if ext := path.Ext(p); ext != "" {
		return "*" + strings.ToLower(ext)
	}
	return ""
}

func topDirectory(p string) string {
	if top, _, ok := strings.Cut(p, "/"); ok {
		return top + "/"
	}
	return ""
}
