package bench

import (
	"io/fs"

	"github.com/crev-ratchet/crev/internal/reconcile"
)

// IdentityOptions choose what Identity measures beside the figures.
type IdentityOptions struct {
	// Curve asks for the figures at a row of thresholds.
	Curve bool
	// Failures asks for the labelled pairs that were decided wrongly.
	Failures bool
	// Oracle lets a scripted adjudicator that knows the labels answer where
	// crev would ask a model. It shows what a perfect adjudicator is worth.
	Oracle bool
	// Adjudicator, when not nil, answers those questions in one more replay.
	Adjudicator Adjudicator
	// Bands replace the engine's own when not zero.
	Bands reconcile.Bands
}

// IdentityResult is what Identity measured on one corpus.
type IdentityResult struct {
	Groups   int `json:"groups"`
	Runs     int `json:"runs"`
	Findings int `json:"findings"`
	Pairs    int `json:"pairs"`

	// IdentityScore is the engine's best decision without a model: every
	// finding goes where it most probably belongs.
	IdentityScore

	// AutoMergePrecision is the pairwise precision of a replay in which only
	// what crev merges silently is merged; AutoMergeRecall says how many of
	// the same pairs that is.
	AutoMergePrecision float64 `json:"auto_merge_precision"`
	AutoMergeRecall    float64 `json:"auto_merge_recall"`

	// Intervals are 95 % bootstrap intervals over groups, by metric.
	Intervals map[string][2]float64 `json:"intervals"`

	// Baseline is plain TF-IDF with a one-to-one assignment, at the threshold
	// that suits the corpus best.
	Baseline IdentityScore `json:"baseline"`

	// Oracle is the replay with the scripted adjudicator, nil when it was not
	// asked for.
	Oracle *OracleScore `json:"oracle,omitempty"`
	// Adjudicated is the replay with IdentityOptions.Adjudicator.
	Adjudicated *OracleScore `json:"adjudicated,omitempty"`

	ByGroup  []GroupScore  `json:"by_group"`
	Curve    []CurvePoint  `json:"curve,omitempty"`
	Failures []FailingPair `json:"failures,omitempty"`
}

// IdentityScore holds the metrics of one replay; the corpus's README defines
// them.
type IdentityScore struct {
	Precision        float64 `json:"precision"`
	Recall           float64 `json:"recall"`
	F1               float64 `json:"f1"`
	DuplicateRate    float64 `json:"duplicate_rate"`
	FalseMergeRate   float64 `json:"false_merge_rate"`
	PollutedRate     float64 `json:"polluted_rate"`
	BCubedF1         float64 `json:"bcubed_f1"`
	ShortlistRecall5 float64 `json:"shortlist_recall5"`
}

// OracleScore is a replay with an adjudicator.
type OracleScore struct {
	IdentityScore
	// Questions is how many findings it was asked about, Candidates how many
	// known defects it compared them with.
	Questions  int `json:"questions"`
	Candidates int `json:"candidates"`
}

// GroupScore is one group by itself.
type GroupScore struct {
	Group     string  `json:"group"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// CurvePoint is a replay with another threshold for the likely band.
type CurvePoint struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// FailingPair is a labelled pair that the replay decided wrongly.
type FailingPair struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Same bool   `json:"same"`
}

// curve are the thresholds of IdentityResult.Curve.
var curve = []float64{0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9}

// Identity replays the corpus in fsys (findings.jsonl, pairs.jsonl and, where
// there are any, files.jsonl with blobs/) through internal/reconcile and a
// baseline, and scores both. No model is asked. The same corpus gives the same
// result.
func Identity(fsys fs.FS, opts IdentityOptions) (IdentityResult, error) {
	c, err := readIdentity(fsys)
	if err != nil {
		return IdentityResult{}, err
	}
	base := reconcile.Options{Bands: opts.Bands}
	best := &engine{cases: c, opts: base, belongs: likely, unites: true}
	placed := replay(c, best)
	counts := count(c, placed)
	shortlist(c, best, counts)
	auto := count(c, replay(c, &engine{cases: c, opts: base, belongs: silent}))
	for g := range counts {
		counts[g].autoRight, counts[g].autoBad = auto[g].tp, auto[g].fp
	}
	r := IdentityResult{
		Groups: len(c.groups), Findings: len(c.claims), Pairs: len(c.pairs),
		IdentityScore: scoreOf(sum(counts)),
		Intervals:     intervals(counts),
	}
	for _, g := range c.groups {
		r.Runs += len(c.runs(g))
	}
	silently := sum(auto)
	r.AutoMergePrecision = ratio(silently.tp, silently.tp+silently.fp)
	r.AutoMergeRecall = ratio(silently.tp, silently.tp+silently.fn)
	for g, t := range counts {
		s := scoreOf(t)
		r.ByGroup = append(r.ByGroup, GroupScore{c.claims[c.groups[g].from].Group, s.Precision, s.Recall, s.F1})
	}
	r.Baseline = baselineScore(c)
	if opts.Oracle {
		o := oracle(c, base)
		// The shortlist is measured against an oracle's ledger in any case.
		o.ShortlistRecall5 = r.ShortlistRecall5
		r.Oracle = &o
	}
	if opts.Adjudicator != nil {
		a, err := asked(c, base, opts.Adjudicator)
		if err != nil {
			return IdentityResult{}, err
		}
		a.ShortlistRecall5 = r.ShortlistRecall5
		r.Adjudicated = &a
	}
	if opts.Curve {
		r.Curve = curveOf(c, base)
	}
	if opts.Failures {
		r.Failures = failures(c, placed)
	}
	return r, nil
}

func sum(counts []tally) tally {
	var t tally
	for i := range counts {
		t.add(counts[i])
	}
	return t
}

func scoreOf(t tally) IdentityScore {
	s := IdentityScore{
		Precision:        ratio(t.tp, t.tp+t.fp),
		Recall:           ratio(t.tp, t.tp+t.fn),
		DuplicateRate:    ratio(t.extra, t.possible),
		FalseMergeRate:   ratio(t.mixed, t.held),
		PollutedRate:     ratio(t.polluted, t.held),
		ShortlistRecall5: ratio(t.hits, t.asked),
	}
	s.F1 = harmonic(s.Precision, s.Recall)
	s.BCubedF1 = harmonic(ratio(t.bPrecision, float64(t.known)), ratio(t.bRecall, float64(t.known)))
	return s
}

func curveOf(c *identityCases, opts reconcile.Options) []CurvePoint {
	if opts.Bands == (reconcile.Bands{}) {
		opts.Bands = reconcile.DefaultBands()
	}
	opts.Bands.Ask = min(opts.Bands.Ask, curve[0])
	var out []CurvePoint
	for _, threshold := range curve {
		opts.Bands.Likely = threshold
		s := scoreOf(sum(count(c, replay(c, &engine{cases: c, opts: opts, belongs: likely, unites: true}))))
		out = append(out, CurvePoint{threshold, s.Precision, s.Recall, s.F1})
	}
	return out
}

func failures(c *identityCases, a assignment) []FailingPair {
	var out []FailingPair
	for _, p := range c.pairs {
		if together := a.record[p.a] == a.record[p.b]; together != p.same {
			out = append(out, FailingPair{c.claims[p.a].ID, c.claims[p.b].ID, p.same})
		}
	}
	return out
}
