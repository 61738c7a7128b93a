package reconcile

// field is how much a field of the data at hand can tell: the probability that
// two values drawn at random differ. It is 0 for a field that is always the same.
type field float64

// trustCategory measures the field of categories.
func trustCategory(sides ...[]profile) field {
	counts := map[string]int{}
	for _, side := range sides {
		for i := range side {
			if c := side[i].category; c != "" {
				counts[c]++
			}
		}
	}
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
