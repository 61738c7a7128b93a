package bench

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// What an equal path and a near line add to the baseline's score: the best
// round values on public findings of review tools.
const (
	baselinePath = 0.10
	baselineLine = 0.35
)

// baselineThresholds are tried in turn; the one with the best F1 on the corpus
// at hand counts. No matcher could choose it beforehand, so the baseline is
// shown better than it is.
var baselineThresholds = []float64{0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6}

// baselineScore is the baseline at its best threshold.
func baselineScore(c *identityCases) IdentityScore {
	b := newBaseline(c)
	var best []tally
	for _, b.threshold = range baselineThresholds {
		if counts := count(c, replay(c, b)); best == nil || scoreOf(sum(counts)).F1 > scoreOf(sum(best)).F1 {
			best = counts
		}
	}
	shortlist(c, b, best)
	return scoreOf(sum(best))
}

// baseline is the simplest matcher worth beating: the best cosine of TF-IDF
// over every wording of a record, a bonus for path and line, and a greedy
// assignment of one finding a record and run.
type baseline struct {
	cases *identityCases
	// vocabulary numbers the words; words counts them, sorted by number.
	vocabulary map[string]int
	words      [][]wordCount
	threshold  float64
}

type wordCount struct {
	word int
	n    float64
}

func newBaseline(c *identityCases) *baseline {
	b := &baseline{cases: c, vocabulary: map[string]int{}, words: make([][]wordCount, len(c.claims))}
	for i := range c.claims {
		counts := map[int]float64{}
		for _, w := range strings.FieldsFunc(strings.ToLower(c.claims[i].words()), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
		}) {
			n, ok := b.vocabulary[w]
			if !ok {
				n = len(b.vocabulary)
				b.vocabulary[w] = n
			}
			counts[n]++
		}
		for w, n := range counts {
			b.words[i] = append(b.words[i], wordCount{w, n})
		}
		slices.SortFunc(b.words[i], func(x, y wordCount) int { return cmp.Compare(x.word, y.word) })
	}
	return b
}

func (b *baseline) place(ledger [][]int, run span) []int {
	claims := run.claims()
	type edge struct {
		score         float64
		claim, record int
	}
	var edges []edge
	for n, scores := range b.scores(ledger, claims) {
		for r, s := range scores {
			if s >= b.threshold {
				edges = append(edges, edge{s, n, r})
			}
		}
	}
	slices.SortFunc(edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.claim, y.claim), cmp.Compare(x.record, y.record))
	})
	out := make([]int, len(claims))
	for n := range out {
		out[n] = len(ledger) + n
	}
	taken := make([]bool, len(ledger))
	for _, e := range edges {
		if out[e.claim] >= len(ledger) && !taken[e.record] {
			out[e.claim], taken[e.record] = e.record, true
		}
	}
	return out
}

// unite finds nothing: a record of the baseline stays as it was opened.
func (b *baseline) unite([][]int, []int) [][2]int { return nil }

func (b *baseline) rank(ledger [][]int, asked []int) [][]int {
	out := make([][]int, len(asked))
	for n, scores := range b.scores(ledger, asked) {
		out[n] = make([]int, len(ledger))
		for r := range out[n] {
			out[n][r] = r
		}
		slices.SortStableFunc(out[n], func(x, y int) int { return cmp.Compare(scores[y], scores[x]) })
	}
	return out
}

// scores compares every claim with every record.
func (b *baseline) scores(ledger [][]int, claims []int) [][]float64 {
	all := slices.Concat(append(slices.Clone(ledger), claims)...)
	df := make([]float64, len(b.vocabulary))
	for _, i := range all {
		for _, w := range b.words[i] {
			df[w.word]++
		}
	}
	vectors := make(map[int][]wordCount, len(all))
	for _, i := range all {
		vectors[i] = b.vector(i, df, float64(len(all)))
	}
	out := make([][]float64, len(claims))
	for n, i := range claims {
		out[n] = make([]float64, len(ledger))
		for r, members := range ledger {
			for _, j := range members {
				out[n][r] = max(out[n][r], cosine(vectors[i], vectors[j])+b.nearness(i, j))
			}
		}
	}
	return out
}

func (b *baseline) vector(i int, df []float64, texts float64) []wordCount {
	v := slices.Clone(b.words[i])
	var length float64
	for n, w := range v {
		v[n].n = (1 + math.Log(w.n)) * math.Log((texts+1)/(df[w.word]+0.5))
		length += v[n].n * v[n].n
	}
	for n := range v {
		v[n].n /= max(math.Sqrt(length), 1e-9)
	}
	return v
}

func (b *baseline) nearness(i, j int) float64 {
	p, okP := b.cases.claims[i].location()
	q, okQ := b.cases.claims[j].location()
	if !okP || !okQ || p.Path != q.Path {
		return 0
	}
	s := baselinePath
	if p.Start > 0 && q.Start > 0 {
		s += baselineLine * math.Exp(-math.Abs(float64(p.Start-q.Start))/10)
	}
	return s
}

func cosine(a, b []wordCount) float64 {
	var s float64
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].word < b[j].word:
			i++
		case a[i].word > b[j].word:
			j++
		default:
			s += a[i].n * b[j].n
			i++
			j++
		}
	}
	return s
}
