package gate

import (
	"fmt"
	"slices"

	"github.com/crev-ratchet/crev/internal/finding"
)

// Mode says what a failed check does. The zero value only records.
type Mode string

// The modes.
const (
	// Record notes what would have failed and lets everything pass.
	Record Mode = "record"
	// Enforce asks again.
	Enforce Mode = "enforce"
	// Off measures, and judges nothing.
	Off Mode = "off"
)

// Unit is what effort is counted in. The zero value is tokens: the wall clock of
// an endpoint says more about its load than about the care of a review.
type Unit string

// The units of effort.
const (
	Tokens  Unit = "tokens"
	Seconds Unit = "seconds"
)

// Thresholds are the gate's limits. The zero value asks for nothing.
type Thresholds struct {
	Mode Mode
	// EffortUnit is what MinEffort is about.
	EffortUnit Unit
	// MinEffort is the least share of the expected effort; 0 is off.
	MinEffort float64
	// MinDensity is the least share of the expected findings; 0 is off.
	MinDensity float64
	// LinesPerFinding is how many changed lines usually hold one finding; 0
	// expects none.
	LinesPerFinding int
	// MinContent is the least length of a claim with its detail, in bytes.
	MinContent int
	// HighRisk is the severity from which on a finding has to suggest
	// something; "" asks it of none. The score of the article that the gate
	// comes from has 999 there, which no finding reaches.
	HighRisk finding.Severity
	// MaxRetries is how often a batch is asked again; then its result is
	// taken as forced.
	MaxRetries int
}

// Default is what counts where nobody says otherwise: every soft limit is off
// (R-129 of the article), and values are recorded so that limits can be chosen.
var Default = Thresholds{Mode: Record, EffortUnit: Tokens, LinesPerFinding: 100, MaxRetries: 3}

func (t Thresholds) unit() Unit {
	if t.EffortUnit == Seconds {
		return Seconds
	}
	return Tokens
}

// Source is one place that limits come from. A nil field says nothing.
type Source struct {
	Mode            *Mode
	EffortUnit      *Unit
	MinEffort       *float64
	MinDensity      *float64
	LinesPerFinding *int
	MinContent      *int
	HighRisk        *finding.Severity
	MaxRetries      *int
}

// Differing is the source of limits that were read over the defaults: it says
// what differs from them.
func Differing(t Thresholds) Source {
	return Source{
		Mode:            differs(t.Mode, Default.Mode),
		EffortUnit:      differs(t.EffortUnit, Default.EffortUnit),
		MinEffort:       differs(t.MinEffort, Default.MinEffort),
		MinDensity:      differs(t.MinDensity, Default.MinDensity),
		LinesPerFinding: differs(t.LinesPerFinding, Default.LinesPerFinding),
		MinContent:      differs(t.MinContent, Default.MinContent),
		HighRisk:        differs(t.HighRisk, Default.HighRisk),
		MaxRetries:      differs(t.MaxRetries, Default.MaxRetries),
	}
}

// Chosen is the source of the limits with these keys of the configuration: what
// a run was told. Other keys say nothing.
func Chosen(t Thresholds, keys []string) Source {
	return Source{
		Mode:            chosen(keys, "mode", t.Mode),
		EffortUnit:      chosen(keys, "effort_unit", t.EffortUnit),
		MinEffort:       chosen(keys, "min_effort_coefficient", t.MinEffort),
		MinDensity:      chosen(keys, "min_density_coefficient", t.MinDensity),
		LinesPerFinding: chosen(keys, "lines_per_expected_finding", t.LinesPerFinding),
		MinContent:      chosen(keys, "min_content_length", t.MinContent),
		HighRisk:        chosen(keys, "high_risk_needs_suggestion", t.HighRisk),
		MaxRetries:      chosen(keys, "max_retries", t.MaxRetries),
	}
}

func chosen[T any](keys []string, key string, v T) *T {
	if !slices.Contains(keys, key) {
		return nil
	}
	return &v
}

func differs[T comparable](v, from T) *T {
	if v == from {
		return nil
	}
	return &v
}

// The places that limits come from, the strongest first.
const (
	FromRun     = "run"
	FromConfig  = "config"
	FromDefault = "default"
)

// Origin says where one limit comes from.
type Origin struct {
	// Key is the key of the configuration below gate.
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Resolve chooses every limit: what the run was told wins over the base's
// configuration, and that over Default. The origins are in the order of the keys
// in docs/configuration.md.
func Resolve(run, config Source) (Thresholds, []Origin) {
	var o []Origin
	return Thresholds{
		Mode:            pick(&o, "mode", run.Mode, config.Mode, Default.Mode),
		EffortUnit:      pick(&o, "effort_unit", run.EffortUnit, config.EffortUnit, Default.EffortUnit),
		MinEffort:       pick(&o, "min_effort_coefficient", run.MinEffort, config.MinEffort, Default.MinEffort),
		MinDensity:      pick(&o, "min_density_coefficient", run.MinDensity, config.MinDensity, Default.MinDensity),
		LinesPerFinding: pick(&o, "lines_per_expected_finding", run.LinesPerFinding, config.LinesPerFinding, Default.LinesPerFinding),
		MinContent:      pick(&o, "min_content_length", run.MinContent, config.MinContent, Default.MinContent),
		HighRisk:        pick(&o, "high_risk_needs_suggestion", run.HighRisk, config.HighRisk, Default.HighRisk),
		MaxRetries:      pick(&o, "max_retries", run.MaxRetries, config.MaxRetries, Default.MaxRetries),
	}, o
}

// pick returns the first value that is said and notes whose it is.
func pick[T any](o *[]Origin, key string, run, config *T, def T) T {
	v, from := def, FromDefault
	switch {
	case run != nil:
		v, from = *run, FromRun
	case config != nil:
		v, from = *config, FromConfig
	}
	*o = append(*o, Origin{Key: key, Value: fmt.Sprint(v), From: from})
	return v
}
