package relocate

import (
	"math"
	"slices"
)

// contextLines is how many significant lines on each side of a place make up
// its context, in an anchor as in a comparison of two files.
const contextLines = 4

// wordCount is a hashed identifier or number and how often it occurs.
type wordCount struct {
	hash  uint32
	count uint32
}

// wordsOf returns the words of the given lines, sorted by hash.
func wordsOf(lines []string) []wordCount {
	var hashes []uint32
	for _, l := range lines {
		for i := 0; i < len(l); {
			if !wordByte(l[i]) {
				i++
				continue
			}
			h := uint32(2166136261) // FNV-1a
			for ; i < len(l) && wordByte(l[i]); i++ {
				h = (h ^ uint32(l[i])) * 16777619
			}
			hashes = append(hashes, h)
		}
	}
	slices.Sort(hashes)
	words := make([]wordCount, 0, len(hashes))
	for _, h := range hashes {
		if n := len(words); n > 0 && words[n-1].hash == h {
			words[n-1].count++
		} else {
			words = append(words, wordCount{h, 1})
		}
	}
	return words
}

func wordByte(c byte) bool { return alphanumeric(c) || c == '_' || c == '$' }

// cosine compares two word counts, 0 to 1. Two empty contexts are equal.
func cosine(a, b []wordCount) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	var dot, na, nb float64
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i].hash < b[j].hash:
			na += float64(a[i].count) * float64(a[i].count)
			i++
		case i == len(a) || b[j].hash < a[i].hash:
			nb += float64(b[j].count) * float64(b[j].count)
			j++
		default:
			x, y := float64(a[i].count), float64(b[j].count)
			dot += x * y
			na += x * x
			nb += y * y
			i++
			j++
		}
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return dot / math.Sqrt(na*nb)
}

// around returns the significant lines next to line i: up to contextLines
// before it, nearest last, and after it, nearest first.
func (t *text) around(i int) (before, after []string) {
	for k := i - 1; k >= 0 && len(before) < contextLines; k-- {
		if t.alnum[k] > 0 {
			before = append(before, t.raw[k])
		}
	}
	slices.Reverse(before)
	for k := i + 1; k < t.len() && len(after) < contextLines; k++ {
		if t.alnum[k] > 0 {
			after = append(after, t.raw[k])
		}
	}
	return before, after
}

func (t *text) contextAt(i int) []wordCount {
	if t.words[i] == nil {
		before, after := t.around(i)
		t.words[i] = wordsOf(append(before, after...))
	}
	return t.words[i]
}

// contextSimilarity compares what stands around two lines, 0 to 1.
func contextSimilarity(a *text, i int, b *text, j int) float64 {
	return cosine(a.contextAt(i), b.contextAt(j))
}
