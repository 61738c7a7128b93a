package reconcile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crev-ratchet/crev/internal/finding"
	"github.com/crev-ratchet/crev/internal/ledger"
)

// observed is an observation at a place.
func observed(claim, path string, line int) Observation {
	return Observation{
		Finding:  finding.Finding{Claim: claim, Path: path, StartLine: line, EndLine: line},
		Location: finding.Location{Path: path, Start: line, End: line},
	}
}

// recorded is a known defect at a place.
func recorded(id ledger.DefectID, path string, line int, wordings ...string) Known {
	return Known{
		ID: id, Status: ledger.Open, Wordings: wordings,
		Places: []Place{{Location: finding.Location{Path: path, Start: line, End: line}, How: "same"}},
	}
}

const (
	fan  = "The fan curve is read before the sensor has warmed up, so the first reading is always zero."
	fan2 = "Reading the fan curve before the sensor has warmed up always gives zero at first."
)

// noise are defects that have nothing to do with fans, so that words have a
// chance to be rare.
func noise() []Known {
	return []Known{
		recorded("D-00000001", "a/queue.go", 12, "The queue drops the oldest message when it is full and tells nobody."),
		recorded("D-00000002", "a/queue.go", 40, "Close is called twice on the channel when two producers stop together."),
		recorded("D-00000003", "b/render.go", 7, "Rows are sorted by name although the header says date."),
		recorded("D-00000004", "b/render.go", 80, "The template prints the user name without escaping it for HTML."),
		recorded("D-00000005", "c/disk.go", 5, "Free space is computed with 32 bits and wraps around on large disks."),
		recorded("D-00000006", "c/disk.go", 66, "A missing directory is created with mode 0777."),
	}
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	with := func(o Observation, change func(*Observation)) Observation { change(&o); return o }
	known := func(k Known, change func(*Known)) Known { change(&k); return k }
	artifact := &finding.Artifact{Kind: "pattern", Pattern: "curve\\(\\)"}
	other := &finding.Artifact{Kind: "pattern", Pattern: "warm\\(\\)"}
	anchored := func(line string) finding.Location {
		return finding.Location{Path: "d/fan.go", Start: 30, End: 30, Symbol: "Start", Anchor: &finding.Anchor{Line: line, LineV1: line}}
	}

	for name, tc := range map[string]struct {
		o    Observation
		k    Known
		opts Options
		kind Kind
		how  How
	}{
		"nothing is like it": {
			o:    observed("The licence header names last year.", "e/new.go", 1),
			k:    recorded("D-0000000a", "d/fan.go", 30, fan),
			kind: New,
		},
		"the run is replayed": {
			o:    with(observed("x", "e/new.go", 1), func(o *Observation) { o.Key = "1f" }),
			k:    known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) { k.Keys = []string{"1f"} }),
			kind: Same, how: ByKey,
		},
		"a marker names the defect": {
			o:    with(observed("x", "e/new.go", 1), func(o *Observation) { o.Marker = "D-0000000a" }),
			k:    recorded("D-0000000a", "d/fan.go", 30, fan),
			kind: Same, how: ByMarker,
		},
		"the same artifact": {
			o:    with(observed("Warm the sensor.", "d/fan.go", 300), func(o *Observation) { o.Artifact = artifact }),
			k:    known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) { k.Artifact = artifact }),
			kind: Same, how: ByArtifact,
		},
		"the same validator at the same line": {
			o: with(observed("curve() before warm()", "d/fan.go", 30), func(o *Observation) {
				o.Source, o.Tier = "warm-first", finding.Validator
			}),
			k: known(recorded("D-0000000a", "d/fan.go", 30, "something else"), func(k *Known) {
				k.Source, k.Tier = "warm-first", finding.Validator
			}),
			kind: Same, how: ByValidator,
		},
		"an earlier wording, nine lines further down": {
			o:    observed(fan, "d/fan.go", 39),
			k:    recorded("D-0000000a", "d/fan.go", 30, fan2, fan),
			kind: Same, how: ByWording,
		},
		"same symbol, line and category": {
			o: with(observed(fan2, "d/fan.go", 30), func(o *Observation) {
				o.Location.Symbol, o.Category = "Start", "bug"
			}),
			k: known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) {
				k.Places[0].Symbol, k.Category = "Start", "bug"
			}),
			kind: Same, how: ByPlace,
		},
		"reworded, and nothing to prove it but likeness": {
			o:    observed(fan2, "d/fan.go", 30),
			k:    recorded("D-0000000a", "d/fan.go", 30, fan),
			kind: Same, how: ByScore,
		},
		"reworded, and half of it new: no model, so both stay": {
			o:    observed("Wait until the sensor is warm; a cold one reads nothing of use.", "d/fan.go", 200),
			k:    recorded("D-0000000a", "d/fan.go", 30, fan),
			kind: PossibleDuplicate,
		},
		"reworded, and half of it new: a model is asked": {
			o:    observed("Wait until the sensor is warm; a cold one reads nothing of use.", "d/fan.go", 200),
			k:    recorded("D-0000000a", "d/fan.go", 30, fan),
			opts: Options{Adjudicator: true},
			kind: Ask,
		},
		"two of high severity by likeness alone": {
			o:    with(observed(fan2, "d/fan.go", 30), func(o *Observation) { o.Severity = finding.High }),
			k:    known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) { k.Severity = finding.Critical }),
			kind: MergeProposed,
		},
		"two of high severity, word for word": {
			o:    with(observed(fan, "d/fan.go", 30), func(o *Observation) { o.Severity = finding.High }),
			k:    known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) { k.Severity = finding.High }),
			kind: Same, how: ByWording,
		},
		"security by likeness alone": {
			o:    with(observed(fan2, "d/fan.go", 30), func(o *Observation) { o.Category = "security" }),
			k:    recorded("D-0000000a", "d/fan.go", 30, fan),
			kind: MergeProposed,
		},
		"different artifacts": {
			o:    with(observed(fan, "d/fan.go", 30), func(o *Observation) { o.Artifact = other }),
			k:    known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) { k.Artifact = artifact }),
			kind: MergeProposed,
		},
		"a dismissal is not inherited": {
			o:    observed(fan, "d/fan.go", 30),
			k:    known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) { k.Status = ledger.Waived }),
			kind: MergeProposed,
		},
		"a dismissal reaches the unchanged line": {
			o: with(observed(fan, "d/fan.go", 30), func(o *Observation) { o.Location = anchored("curve()") }),
			k: known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) {
				k.Status, k.Places[0].Location = ledger.Waived, anchored("curve()")
			}),
			kind: Same, how: ByWording,
		},
		"a dismissal of security reaches nothing": {
			o: with(observed(fan, "d/fan.go", 30), func(o *Observation) {
				o.Location, o.Category = anchored("curve()"), "security"
			}),
			k: known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) {
				k.Status, k.Places[0].Location, k.Category = ledger.Waived, anchored("curve()"), "security"
			}),
			kind: MergeProposed,
		},
		"the code stands at two places": {
			o:    observed(fan2, "d/fan.go", 30),
			k:    known(recorded("D-0000000a", "d/fan.go", 30, fan), func(k *Known) { k.Places[0].Ambiguous = true }),
			kind: PossibleDuplicate,
		},
		"a guess of a place is no evidence": {
			o: with(observed("curve() before warm()", "d/fan.go", 30), func(o *Observation) {
				o.Source, o.Tier = "warm-first", finding.Validator
			}),
			k: known(recorded("D-0000000a", "d/fan.go", 30, "something else"), func(k *Known) {
				k.Source, k.Tier, k.Places[0].How = "warm-first", finding.Validator, "suspect"
			}),
			kind: PossibleDuplicate,
		},
	} {
		got := Reconcile([]Observation{tc.o}, append(noise(), tc.k), tc.opts).Decisions[0]
		if got.Kind != tc.kind || got.How != tc.how {
			t.Errorf("%s: got %s by %q (%.2f, %s), want %s by %q", name, got.Kind, got.How, got.Score, got.Reason, tc.kind, tc.how)
		}
		if got.Kind != New && got.Defect != tc.k.ID {
			t.Errorf("%s: got defect %s, want %s", name, got.Defect, tc.k.ID)
		}
	}
}

// Two batches report one defect with different severities, a line apart.
func TestTwinsAreOneAndTheWorseSeverityWins(t *testing.T) {
	t.Parallel()
	a, b := observed(fan, "d/fan.go", 134), observed(fan, "d/fan.go", 133)
	a.Severity, b.Severity, b.Location.End = finding.Low, finding.Medium, 135
	far := observed(fan, "d/other.go", 134)
	got := Reconcile([]Observation{a, b, far}, noise(), Options{}).Decisions
	if got[1].Kind != New || got[1].Severity != finding.Medium {
		t.Errorf("leader is %s with severity %q, want new with medium", got[1].Kind, got[1].Severity)
	}
	if got[0].Kind != Twin || got[0].Twin != 1 {
		t.Errorf("repeat is %s of %d, want twin of 1", got[0].Kind, got[0].Twin)
	}
	if got[2].Kind == Twin {
		t.Error("a finding in another file is taken for a twin")
	}
}

func TestTheSeverestTwinLeads(t *testing.T) {
	t.Parallel()
	low, high := observed(fan, "d/fan.go", 133), observed(fan, "d/fan.go", 135)
	low.Severity, high.Severity = finding.Low, finding.High
	got := Reconcile([]Observation{low, high}, noise(), Options{}).Decisions
	if got[0].Kind != Twin || got[0].Twin != 1 {
		t.Errorf("the lesser finding is %s of %d, want twin of 1 although it stands first", got[0].Kind, got[0].Twin)
	}
}

// Two observations are never merged into one defect by likeness: the one that fits
// better gets it.
func TestAssignmentIsOneToOne(t *testing.T) {
	t.Parallel()
	known := append(noise(), recorded("D-0000000a", "d/fan.go", 30, fan))
	got := Reconcile([]Observation{observed(fan2, "d/fan.go", 30), observed(fan2+" Warm it first.", "d/fan.go", 90)}, known, Options{}).Decisions
	if got[0].Kind != Same || got[0].Defect != "D-0000000a" {
		t.Errorf("the better fit is %s of %s, want same of D-0000000a", got[0].Kind, got[0].Defect)
	}
	if got[1].Kind != PossibleDuplicate || !got[1].Likely {
		t.Errorf("the worse fit is %s, likely %v; want a likely possible_duplicate, for one reviewer may report one defect twice", got[1].Kind, got[1].Likely)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	claims := []string{fan, fan2, "The queue drops messages when full.", "Rows are sorted by name, not by date.", "Free space wraps around on disks that are large."}
	rapid.Check(t, func(t *rapid.T) {
		var obs []Observation
		for range rapid.IntRange(1, 8).Draw(t, "observations") {
			obs = append(obs, observed(rapid.SampledFrom(claims).Draw(t, "claim"),
				rapid.SampledFrom([]string{"a/queue.go", "d/fan.go", ""}).Draw(t, "path"), rapid.IntRange(0, 60).Draw(t, "line")))
		}
		known := append(noise(), recorded("D-0000000a", "d/fan.go", 30, fan), recorded("D-0000000b", "d/fan.go", 31, fan2))
		want := Reconcile(obs, known, Options{})

		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 0))
		to := rng.Perm(len(obs))
		shuffled := make([]Observation, len(obs))
		for i, j := range to {
			shuffled[j] = obs[i]
		}
		rng.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
		got := Reconcile(shuffled, known, Options{})
		// Identical observations may change places, so decisions are
		// compared as a multiset per content.
		if diff := cmp.Diff(multiset(obs, want), multiset(shuffled, got)); diff != "" {
			t.Errorf("another order gave another result (-want +got):\n%s", diff)
		}
	})
}

func multiset(obs []Observation, r Result) map[string]int {
	out := map[string]int{}
	for i, d := range r.Decisions {
		out[fmt.Sprintf("%s %s:%d -> %s %s %s %.9f", obs[i].Claim, obs[i].Path, obs[i].StartLine, d.Kind, d.Defect, d.How, d.Score)]++
	}
	return out
}

func TestShortlistHasTheRightOneFirst(t *testing.T) {
	t.Parallel()
	known := append(noise(), recorded("D-0000000a", "d/fan.go", 30, fan))
	got := Shortlist([]Observation{observed("Before the sensor is warm, the fan curve reads zero.", "x/y.go", 3)}, known)[0]
	if len(got) == 0 || got[0].Defect != "D-0000000a" || len(got) > maxCandidates {
		t.Errorf("Shortlist = %v, want D-0000000a first and at most %d", got, maxCandidates)
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	pair := func(change func(a, b *Known)) []Known {
		a := recorded("D-0000000a", "d/fan.go", 30, fan)
		b := recorded("D-0000000b", "d/fan.go", 30, fan2)
		a.Runs, b.Runs = []string{"1"}, []string{"2"}
		change(&a, &b)
		return append(noise(), a, b)
	}
	touched := []ledger.DefectID{"D-0000000b"}
	for name, tc := range map[string]struct {
		known   []Known
		touched []ledger.DefectID
		want    Kind
	}{
		"one defect opened twice":    {pair(func(a, b *Known) {}), touched, Same},
		"one run reported both":      {pair(func(a, b *Known) { b.Runs = append(b.Runs, "1") }), touched, ""},
		"security":                   {pair(func(a, b *Known) { b.Category = "security" }), touched, MergeProposed},
		"one of the two dismissed":   {pair(func(a, b *Known) { a.Status = ledger.Waived }), touched, MergeProposed},
		"neither was touched":        {pair(func(a, b *Known) {}), []ledger.DefectID{"D-00000001"}, ""},
		"nothing was touched at all": {pair(func(a, b *Known) {}), nil, ""},
	} {
		got := Duplicates(tc.known, tc.touched, Options{})
		if tc.want == "" {
			if len(got) != 0 {
				t.Errorf("%s: Duplicates = %v, want none", name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].A != "D-0000000a" || got[0].B != "D-0000000b" || got[0].Kind != tc.want {
			t.Errorf("%s: Duplicates = %v, want one %s", name, got, tc.want)
		}
	}
}

// A large ledger and a large run: 300 findings against 10,000 defects.
func BenchmarkReconcile(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("%c%c%c%dword", 'a'+rng.IntN(26), 'a'+rng.IntN(26), 'a'+rng.IntN(26), i%97)
	}
	claim := func() string {
		s := ""
		for range 20 {
			// Squared, so that some words are common, as in a language.
			f := rng.Float64()
			s += words[int(f*f*float64(len(words)))] + " "
		}
		return s
	}
	known := make([]Known, 10_000)
	for i := range known {
		known[i] = recorded(ledger.DefectID(fmt.Sprintf("D-%08x", i)), fmt.Sprintf("p/f%d.go", i%500), i%900, claim())
	}
	obs := make([]Observation, 300)
	for i := range obs {
		obs[i] = observed(claim(), fmt.Sprintf("p/f%d.go", i%500), i%900)
	}
	for b.Loop() {
		Reconcile(obs, known, Options{})
	}
}

// Words for one thing meet by what they speak of.
func TestConceptsMeetWithoutACommonWord(t *testing.T) {
	t.Parallel()
	a := recorded("D-0000000a", "", 0, "Two goroutines write the totals without a mutex.")
	a.Places = nil
	o := observed("Data race on the sums when requests are handled in parallel.", "", 0)
	r := newRun([]Observation{o}, append(noise(), a), Options{Bands: DefaultBands()})
	r.twin = []int{-1}
	f := r.scorer.compare(&r.scorer.obs[0], &r.scorer.known[len(r.known)-1])
	if f.alias > 0.05 || f.concept < 0.5 {
		t.Errorf("alias %.2f and concept %.2f, want hardly a common word and one concept", f.alias, f.concept)
	}
}
