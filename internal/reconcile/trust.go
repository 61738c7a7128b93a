package reconcile

import "math"

// trust says how much a field of the data at hand can tell: nothing when it is
// always the same, nearly everything when it is hardly ever the same.
type trust struct{ path, category field }

// field is the trust in one field: the probability that two values drawn at
// random differ.
type field float64

func measureTrust(sides ...[]profile) trust {
	paths, categories := map[string]int{}, map[string]int{}
	for _, side := range sides {
		for i := range side {
			p := &side[i]
			if len(p.places) > 0 {
				paths[p.places[0].Path]++
			}
			if p.category != "" {
				categories[p.category]++
			}
		}
	}
	return trust{path: variety(paths), category: variety(categories)}
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

// place compares paths and lines. The line is 1 for ranges that touch and falls
// to 1/e over ten lines; it is 0 when the paths differ.
func (t trust) place(o, k *profile) (path, line float64) {
	for i := range o.places {
		for j := range k.places {
			a, b := &o.places[i].Location, &k.places[j].Location
			if a.Path != b.Path {
				if path == 0 {
					path = -1
				}
				continue
			}
			path = float64(t.path)
			if g := gap(a, b); g >= 0 {
				line = max(line, math.Exp(-float64(g)/10))
			}
		}
	}
	return path, line
}
