package bench

import (
	"math/rand/v2"
	"slices"
)

// draws is how many resamples an interval rests on; the seed is fixed so that
// the same corpus prints the same interval.
const (
	draws         = 1000
	bootstrapSeed = 20
)

// intervals are percentile bootstrap intervals at 95 %, drawn over groups:
// findings of one pull request are not independent, pull requests are.
func intervals(counts []tally) map[string][2]float64 {
	metrics := map[string]func(tally) float64{
		"precision":            func(t tally) float64 { return ratio(t.tp, t.tp+t.fp) },
		"recall":               func(t tally) float64 { return ratio(t.tp, t.tp+t.fn) },
		"f1":                   func(t tally) float64 { return scoreOf(t).F1 },
		"duplicate_rate":       func(t tally) float64 { return ratio(t.extra, t.possible) },
		"false_merge_rate":     func(t tally) float64 { return ratio(t.mixed, t.held) },
		"bcubed_f1":            func(t tally) float64 { return scoreOf(t).BCubedF1 },
		"shortlist_recall5":    func(t tally) float64 { return ratio(t.hits, t.asked) },
		"auto_merge_precision": func(t tally) float64 { return ratio(t.autoRight, t.autoRight+t.autoBad) },
	}
	samples := make(map[string][]float64, len(metrics))
	rng := rand.New(rand.NewPCG(bootstrapSeed, bootstrapSeed))
	for range draws {
		var t tally
		for range counts {
			t.add(counts[rng.IntN(len(counts))])
		}
		for name, metric := range metrics {
			samples[name] = append(samples[name], metric(t))
		}
	}
	out := make(map[string][2]float64, len(metrics))
	for name, s := range samples {
		slices.Sort(s)
		out[name] = [2]float64{s[len(s)*25/1000], s[len(s)*975/1000-1]}
	}
	return out
}
