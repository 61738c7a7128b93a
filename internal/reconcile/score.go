package reconcile

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/finding"
)

// closeLook is how many known defects are looked at closely for one
// observation; the inverted index and the places choose them.
const closeLook = 16

// scorer compares the observations of a run with the known defects. It holds
// every text of both, so that a word which everybody uses weighs nothing.
type scorer struct {
	words, grams, concepts *space
	obs                    []profile
	known                  []profile
	// postings list, per term of words, the wordings of known defects.
	postings [][]posting
	// byPath lists the known defects with a place in a file.
	byPath map[string][]int
	// category says how much it tells that two categories differ.
	category field
}

// profile is one side of a comparison: an observation or a known defect.
type profile struct {
	docs         []int
	words, grams vector // centroids
	places       []Place
	category     string
	symbol       string
	quote        string
}

type posting struct {
	known int32
	w     float64
}

func newScorer(obs []Observation, known []Known) *scorer {
	s := &scorer{words: newSpace(), grams: newSpace(), concepts: newSpace(), byPath: map[string][]int{}}
	for i := range known {
		k := &known[i]
		p := profile{places: k.Places, category: label(k.Category), quote: squeeze(k.Quote)}
		for _, w := range k.Wordings {
			p.docs = append(p.docs, s.read(text(w, k.Subject, k.Predicate)))
		}
		if len(k.Places) > 0 {
			p.symbol = k.Places[0].Symbol
		}
		for n, place := range k.Places {
			if !slices.ContainsFunc(k.Places[:n], func(q Place) bool { return q.Path == place.Path }) {
				s.byPath[place.Path] = append(s.byPath[place.Path], i)
			}
		}
		s.known = append(s.known, p)
	}
	for i := range obs {
		o := &obs[i]
		p := profile{category: label(o.Category), quote: squeeze(o.Quote)}
		if l := o.place(); l.Path != "" {
			p.places, p.symbol = []Place{{Location: l}}, l.Symbol
		}
		p.docs = []int{s.read(text(o.Claim, o.Subject, o.Predicate))}
		s.obs = append(s.obs, p)
	}
	s.words.weigh()
	s.grams.weigh()
	s.concepts.weigh()
	s.category = trustCategory(s.obs, s.known)
	s.postings = make([][]posting, len(s.words.df))
	for k := range s.known {
		p := &s.known[k]
		p.words, p.grams = s.center(p.docs)
		for _, d := range p.docs {
			for _, e := range s.words.docs[d] {
				s.postings[e.term] = append(s.postings[e.term], posting{int32(k), e.w})
			}
		}
	}
	for i := range s.obs {
		s.obs[i].words, s.obs[i].grams = s.center(s.obs[i].docs)
	}
	return s
}

func (s *scorer) read(text string) int {
	ts := terms(text)
	s.grams.add(gramsOf(text))
	s.concepts.add(concepts(ts))
	return s.words.add(ts)
}

func (s *scorer) center(docs []int) (words, grams vector) {
	ws, gs := make([]vector, len(docs)), make([]vector, len(docs))
	for i, d := range docs {
		ws[i], gs[i] = s.words.docs[d], s.grams.docs[d]
	}
	return centroid(ws), centroid(gs)
}

// match is a scored candidate: an index into the known defects.
type match struct {
	known int
	// score is the estimated probability that the two are one; said is the
	// same without what their places add to it.
	score, said float64
	features
}

// features are what the score is made of; each is between 0 and 1 unless its
// comment says otherwise.
type features struct {
	// words compares with the centre of all wordings, alias with the best
	// single one.
	words, alias float64
	// grams compares runs of four characters.
	grams float64
	// concept compares what the words speak of, with the best single wording.
	concept float64
	// overlap is the shared weight as a part of the lighter text.
	overlap float64
	// rival is what words is for the best other defect.
	rival float64
	// file is 1 when both have a place in one file, elsewhere 1 when they
	// have places in none.
	file, elsewhere float64
	// near is the nearness of their lines. It has no weight of its own: most
	// neighbours are two defects.
	near float64
	// lead is how far near is above the nearness of either to anybody else.
	lead float64
	// terse is near where one of the two says little, so that few common
	// words are to be expected: half of near for a text of eight terms.
	terse float64
	// topic is near where both speak of one thing: near times concept.
	topic float64
	// symbol is 1 for the same enclosing declaration of one file, -1 for
	// different ones.
	symbol float64
	// category is negative for a difference; its size is what the field can
	// tell.
	category float64
	// quote is 1 when both quote the same code.
	quote float64
}

// matches returns, for every asker, the known defects that it may be, best first.
// Askers are the observations of one run, or known defects themselves, which are
// then left out of their own matches: self holds their indices, or is nil.
func (s *scorer) matches(askers []*profile, self []int) [][]match {
	all := make([][]match, len(askers))
	for i, a := range askers {
		own := -1
		if self != nil {
			own = self[i]
		}
		all[i] = s.candidates(a, own)
	}
	s.standOut(askers, all)
	for _, list := range all {
		for n := range list {
			list[n].score, list[n].said = list[n].probability()
		}
		slices.SortFunc(list, func(a, b match) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.known, b.known))
		})
	}
	return all
}

// candidates returns the known defects that o is looked at closely with, not yet
// scored. The defect with index self is left out; -1 for none.
func (s *scorer) candidates(o *profile, self int) []match {
	cheap := make([]float64, len(s.known))
	for _, d := range o.docs {
		for _, e := range s.words.docs[d] {
			if e.w == 0 {
				continue
			}
			for _, p := range s.postings[e.term] {
				cheap[p.known] += e.w * p.w
			}
		}
	}
	for k := range s.known {
		if n := len(s.known[k].docs); n > 1 {
			cheap[k] /= math.Sqrt(float64(n))
		}
	}
	for _, place := range o.places {
		for _, k := range s.byPath[place.Path] {
			cheap[k] += 0.1 + 0.3*o.nearest(&s.known[k])
		}
	}
	out := make([]match, 0, closeLook)
	for _, k := range highest(cheap, self) {
		out = append(out, match{known: k, features: s.compare(o, &s.known[k])})
	}
	for a := range out {
		for b := range out {
			if a != b {
				out[a].rival = max(out[a].rival, out[b].words)
			}
		}
	}
	return out
}

// highest returns the indices of the closeLook highest positive values, highest
// first, equal ones by index. Index self is left out.
func highest(values []float64, self int) []int {
	var top []int
	for k, v := range values {
		if v <= 0 || k == self || len(top) == closeLook && v <= values[top[closeLook-1]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, v, func(i int, v float64) int {
			if values[i] >= v {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, at, k)
		top = top[:min(len(top), closeLook)]
	}
	return top
}

func (s *scorer) compare(o, k *profile) features {
	f := features{words: dot(o.words, k.words), grams: dot(o.grams, k.grams)}
	for _, a := range o.docs {
		for _, b := range k.docs {
			f.alias = max(f.alias, dot(s.words.docs[a], s.words.docs[b]))
			f.overlap = max(f.overlap, s.words.overlap(a, b))
			f.concept = max(f.concept, dot(s.concepts.docs[a], s.concepts.docs[b]))
		}
	}
	s.comparePlaces(&f, o, k)
	f.category = s.category.compare(o.category, k.category)
	if o.quote != "" && o.quote == k.quote {
		f.quote = 1
	}
	return f
}

// brief is the number of terms at which a text counts as half terse.
const brief = 8

func (s *scorer) comparePlaces(f *features, o, k *profile) {
	if len(o.places) == 0 || len(k.places) == 0 {
		return
	}
	if !slices.ContainsFunc(k.places, func(p Place) bool { return p.Path == o.places[0].Path }) {
		f.elsewhere = 1
		return
	}
	f.file = 1
	f.near = o.nearest(k)
	f.terse = f.near * brief / (brief + float64(min(s.terms(o), s.terms(k))))
	f.topic = f.near * f.concept
	switch {
	case o.symbol == "" || k.symbol == "":
	case o.symbol == k.symbol:
		f.symbol = 1
	default:
		f.symbol = -1
	}
}

// terms is how many different terms the shortest text of p has.
func (s *scorer) terms(p *profile) int {
	n := math.MaxInt
	for _, d := range p.docs {
		n = min(n, len(s.words.docs[d]))
	}
	return n
}

// gramsOf cuts a text into runs of four characters; everything that is no
// letter or digit counts as one blank.
func gramsOf(text string) []string {
	var b strings.Builder
	b.WriteByte(' ')
	blank := true
	for _, r := range strings.ToLower(text) {
		word := r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127
		if !word && blank {
			continue
		}
		if !word {
			r = ' '
		}
		blank = !word
		b.WriteRune(r)
	}
	s := b.String()
	var out []string
	for i := 0; i+4 <= len(s); i++ {
		out = append(out, s[i:i+4])
	}
	return out
}

func label(category string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(category), func(r rune) bool {
		return r == '-' || r == '_' || r == ' ' || r == '/'
	}), "-")
}

// squeeze drops blanks, so that indentation does not make code different.
func squeeze(code string) string { return strings.Join(strings.Fields(code), "") }

// gap is the number of lines between two ranges of one file, 0 when they touch
// or overlap, -1 when either is unknown.
func gap(a, b *finding.Location) int {
	if a.Start <= 0 || b.Start <= 0 {
		return -1
	}
	ae, be := max(a.Start, a.End), max(b.Start, b.End)
	return max(a.Start-be, b.Start-ae, 0)
}
