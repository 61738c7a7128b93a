package reconcile

import "math"

// trust says how much a field of the data at hand can tell: nothing when it is
// always the same, nearly everything when it is hardly ever the same.
type trust struct{ path, category, symbol field }

// field is the trust in one field: the probability that two values drawn at
// random differ.
type field float64

func measureTrust(sides ...[]profile) trust {
	paths, categories, symbols := map[string]int{}, map[string]int{}, map[string]int{}
	for _, side := range sides {
		for i := range side {
			p := &side[i]
			if len(p.places) > 0 {
				paths[p.places[0].Path]++
			}
			if p.category != "" {
				categories[p.category]++
			}
			if p.symbol != "" {
				symbols[p.symbol]++
			}
		}
	}
	return trust{path: variety(paths), category: variety(categories), symbol: variety(symbols)}
}

func variety(counts map[string]int) field {
	n, same := 0, 0
	for _, c := range counts {
		n += c
		same += c * c
	}
	if n == 0 {
		return 0
	}
	return field(1 - float64(same)/float64(n*n))
}

// compare is positive for equal values, negative for different ones, 0 where
// one is unknown; its size is the trust.
func (f field) compare(a, b string) float64 {
	switch {
	case a == "" || b == "":
		return 0
	case a == b:
		return float64(f)
	}
	return -float64(f)
}

// place compares paths and lines. The path says how much it is worth that two
// findings are in one file, or -1 when they are in none; the line is 1 for equal
// ranges and falls to 1/e over five lines, the mean of what start and end differ
// by. Two defects often touch; they seldom cover the very same lines.
func (t trust) place(o, k *profile) (path, line float64) {
	if len(o.places) == 0 || len(k.places) == 0 {
		return 0, 0
	}
	path = -1
	for i := range o.places {
		for j := range k.places {
			a, b := &o.places[i].Location, &k.places[j].Location
			if a.Path != b.Path {
				continue
			}
			path = float64(t.path)
			if a.Start > 0 && b.Start > 0 {
				starts := math.Abs(float64(a.Start - b.Start))
				ends := math.Abs(float64(max(a.Start, a.End) - max(b.Start, b.End)))
				line = max(line, math.Exp(-(starts+ends)/2/lineReach))
			}
		}
	}
	return path, line
}

// lineReach is the difference in lines at which nearness has fallen to 1/e.
const lineReach = 5
