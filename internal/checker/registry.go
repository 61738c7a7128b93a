package checker

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The names of the checkers, as the configuration and the ledger write them.
const (
	RecheckName      = "recheck"
	MemoryNegName    = "memory_neg"
	ContractName     = "contract"
	RequirementsName = "requirements"
	MemoryPosName    = "memory_pos"
	FilterName       = "filter"
	FixName          = "fix"
)

// When says how often a checker runs. The zero value is never.
type When string

const (
	// EachBatch runs a checker on the findings of every batch.
	EachBatch When = "each_batch"
	// LastBatch runs it once, on everything, after the last batch.
	LastBatch When = "last_batch"
)

// Checker is one step of the review of the review: when it runs, how long it may
// take and how often it is tried. What it does are functions of this package
// that build its request and read its reply.
type Checker struct {
	Name string
	// Order is its place among the others, lowest first.
	Order float64
	When  When
	// Default says that it runs when the configuration names no checkers. A
	// checker without an input to work on (no rules, no contract, no
	// requirement) sends no request, whether it is on or not.
	Default bool
	// Retries is how often a request that failed is sent again.
	Retries int
	// Timeout bounds one request of it, all tries together.
	Timeout time.Duration
}

// checkers are all there are. Order 1, 1.5, 2, … leaves room between them: a team
// moves one by giving it another number.
var checkers = []Checker{
	{Name: RecheckName, Order: 1, When: EachBatch, Default: true, Retries: 1, Timeout: 3 * time.Minute},
	{Name: MemoryNegName, Order: 1.5, When: EachBatch, Default: true, Retries: 1, Timeout: 3 * time.Minute},
	{Name: ContractName, Order: 2, When: LastBatch, Default: true, Retries: 1, Timeout: 5 * time.Minute},
	{Name: RequirementsName, Order: 3, When: LastBatch, Default: true, Retries: 1, Timeout: 5 * time.Minute},
	{Name: MemoryPosName, Order: 4, When: EachBatch, Default: true, Retries: 1, Timeout: 5 * time.Minute},
	{Name: FilterName, Order: 98, When: LastBatch, Default: true, Timeout: time.Minute},
	{Name: FixName, Order: 99, When: LastBatch, Retries: 1, Timeout: 3 * time.Minute},
}

// All returns every checker in its order. The slice is the caller's.
func All() []Checker { return slices.Clone(checkers) }

// Defaults returns the names of the checkers that run when the configuration
// names none, in their order.
func Defaults() []string {
	var names []string
	for _, c := range checkers {
		if c.Default {
			names = append(names, c.Name)
		}
	}
	return names
}

// Names returns the names of all checkers, in their order.
func Names() []string {
	var names []string
	for _, c := range checkers {
		names = append(names, c.Name)
	}
	return names
}

// Select returns the enabled checkers in the order in which they run, whatever
// the order of the names. A name that is no checker's, or stands there twice, is
// refused with the names there are.
func Select(enabled []string) ([]Checker, error) {
	for i, n := range enabled {
		switch {
		case !slices.Contains(Names(), n):
			return nil, fmt.Errorf("there is no checker %q; there are %s", n, strings.Join(Names(), ", "))
		case slices.Contains(enabled[:i], n):
			return nil, fmt.Errorf("checker %q is named twice", n)
		}
	}
	return slices.DeleteFunc(All(), func(c Checker) bool { return !slices.Contains(enabled, c.Name) }), nil
}

// Options is what a configuration may change about one checker; a nil field
// leaves it as it is.
type Options struct {
	Order   *float64       `yaml:"order"`
	When    *When          `yaml:"when"`
	Retries *int           `yaml:"retries"`
	Timeout *time.Duration `yaml:"timeout"`
}

// Limits of what a configuration may set.
const (
	maxRetries = 5
	maxTimeout = time.Hour
)

// movable are the checkers that work on a batch as well as on everything. The
// others need everything, or the findings of one batch.
var movable = []string{RecheckName, MemoryNegName, FixName}

// Configure applies the options by name to the selected checkers and returns
// them in their new order; two of the same order stay as they are listed here.
// Options of a checker that was not selected are checked and have no effect.
func Configure(selected []Checker, options map[string]Options) ([]Checker, error) {
	names := make([]string, 0, len(options))
	for n := range options {
		names = append(names, n)
	}
	slices.Sort(names) // the first fault to report is always the same one
	out := slices.Clone(selected)
	for _, n := range names {
		i := slices.IndexFunc(checkers, func(c Checker) bool { return c.Name == n })
		if i < 0 {
			return nil, fmt.Errorf("there is no checker %q; there are %s", n, strings.Join(Names(), ", "))
		}
		changed, err := options[n].apply(checkers[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		if k := slices.IndexFunc(out, func(c Checker) bool { return c.Name == n }); k >= 0 {
			out[k] = changed
		}
	}
	slices.SortStableFunc(out, func(a, b Checker) int { return cmp.Compare(a.Order, b.Order) })
	return out, nil
}

func (o Options) apply(c Checker) (Checker, error) {
	if o.Order != nil {
		if !(*o.Order >= 0 && *o.Order <= 100) {
			return c, fmt.Errorf("order: %v; want a number from 0 to 100", *o.Order)
		}
		c.Order = *o.Order
	}
	if o.When != nil {
		switch {
		case *o.When != EachBatch && *o.When != LastBatch:
			return c, fmt.Errorf("when: %q; want %s or %s", *o.When, EachBatch, LastBatch)
		case *o.When != c.When && !slices.Contains(movable, c.Name):
			return c, fmt.Errorf("when: it runs at %s and no other time", c.When)
		}
		c.When = *o.When
	}
	if o.Retries != nil {
		if *o.Retries < 0 || *o.Retries > maxRetries {
			return c, fmt.Errorf("retries: %d; want 0 to %d", *o.Retries, maxRetries)
		}
		c.Retries = *o.Retries
	}
	if o.Timeout != nil {
		if *o.Timeout <= 0 || *o.Timeout > maxTimeout {
			return c, fmt.Errorf("timeout: %s; want a duration such as 60s, at most %s", *o.Timeout, maxTimeout)
		}
		c.Timeout = *o.Timeout
	}
	return c, nil
}

// prompt is what identifies how one request is put: its system text and the
// schema of its reply.
type prompt struct{ name, system, schema string }

// prompts are those of the requests that this package builds, in the order of
// their checkers; "verify" is the inspection of a known defect, which is no
// checker.
func prompts() []prompt {
	return []prompt{
		{RecheckName, recheckSystem, recheckSchema},
		{MemoryNegName, memoryNegSystem, memoryNegSchema},
		{ContractName, contractSystem, contractSchema},
		{RequirementsName, requirementsSystem, requirementsSchema},
		{MemoryPosName, memoryPosSystem, memoryPosSchema},
		{FixName, fixSystem, fixSchema},
		{"verify", inspectSystem, inspectSchema},
	}
}

// PromptHash identifies the prompt of a checker, or of "verify": 16 hex digits
// of the SHA-256 of its system text and schema, "" for one that asks no model.
// It changes when the prompt does, so what was judged before can be told from
// what was judged after.
func PromptHash(name string) string {
	for _, p := range prompts() {
		if p.name == name {
			sum := sha256.Sum256([]byte(p.system + "\x00" + p.schema))
			return hex.EncodeToString(sum[:8])
		}
	}
	return ""
}
