package reconcile

import (
	"cmp"
	"math"
	"slices"
)

// A space holds texts as vectors: one dimension a term, weighted by how often
// the text has the term and how few texts do. Add every text, then call weigh;
// after that the vectors can be compared.
type space struct {
	ids map[string]int32
	// df is the number of texts that have each term.
	df   []int32
	docs []vector
	// norm and mass are the length and the sum of each vector before it was
	// scaled to length 1.
	norm, mass []float64
}

// A vector is sorted by term. After space.weigh its length is 1, or 0 when the
// text says nothing.
type vector []entry

type entry struct {
	term int32
	w    float64
}

func newSpace() *space { return &space{ids: make(map[string]int32)} }

// add counts the terms of a text and returns its number.
func (s *space) add(terms []string) int {
	v := make(vector, 0, len(terms))
	for _, t := range terms {
		id, ok := s.ids[t]
		if !ok {
			id = int32(len(s.df))
			s.ids[t] = id
			s.df = append(s.df, 0)
		}
		v = append(v, entry{id, 1})
	}
	slices.SortFunc(v, byTerm)
	n := 0
	for i := range v {
		if n > 0 && v[n-1].term == v[i].term {
			v[n-1].w++
			continue
		}
		v[n] = v[i]
		n++
	}
	v = v[:n]
	for _, e := range v {
		s.df[e.term]++
	}
	s.docs = append(s.docs, v)
	return len(s.docs) - 1
}

func byTerm(a, b entry) int { return cmp.Compare(a.term, b.term) }

// weigh turns counts into weights.
func (s *space) weigh() {
	s.norm, s.mass = make([]float64, len(s.docs)), make([]float64, len(s.docs))
	for d, v := range s.docs {
		for i := range v {
			v[i].w = (1 + math.Log(v[i].w)) * s.rarity(v[i].term)
			s.mass[d] += v[i].w
		}
		s.norm[d] = v.unit()
	}
}

// rarity is the inverse document frequency of a term, 0 for a term that nearly
// every text has.
func (s *space) rarity(term int32) float64 {
	return max(0, math.Log(float64(len(s.docs)+1)/(float64(s.df[term])+0.5)))
}

// unit scales the vector, in place, to length 1 and returns its old length.
func (v vector) unit() float64 {
	var sum float64
	for _, e := range v {
		sum += e.w * e.w
	}
	if sum > 0 {
		scale := 1 / math.Sqrt(sum)
		for i := range v {
			v[i].w *= scale
		}
	}
	return math.Sqrt(sum)
}

func dot(a, b vector) float64 {
	var sum float64
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].term < b[j].term:
			i++
		case a[i].term > b[j].term:
			j++
		default:
			sum += a[i].w * b[j].w
			i++
			j++
		}
	}
	return sum
}

// overlap is the weight of the terms that two texts share as a part of the
// lighter text, so that a short text which a long one contains is not held
// against it.
func (s *space) overlap(a, b int) float64 {
	va, vb := s.docs[a], s.docs[b]
	var shared float64
	for i, j := 0, 0; i < len(va) && j < len(vb); {
		switch {
		case va[i].term < vb[j].term:
			i++
		case va[i].term > vb[j].term:
			j++
		default:
			shared += min(va[i].w*s.norm[a], vb[j].w*s.norm[b])
			i++
			j++
		}
	}
	return shared / max(min(s.mass[a], s.mass[b]), 1)
}

// centroid is the direction of the sum of vectors.
func centroid(vs []vector) vector {
	if len(vs) == 1 {
		return vs[0]
	}
	var all vector
	for _, v := range vs {
		all = append(all, v...)
	}
	slices.SortStableFunc(all, byTerm)
	n := 0
	for i := range all {
		if n > 0 && all[n-1].term == all[i].term {
			all[n-1].w += all[i].w
			continue
		}
		all[n] = all[i]
		n++
	}
	all = all[:n]
	all.unit()
	return all
}
