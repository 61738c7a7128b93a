package session

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/crev-ratchet/crev/internal/batch"
)

// When says for what a checker runs.
type When string

// The occasions of checkers.
const (
	// EachBatch runs once a batch, when its result is taken.
	EachBatch When = "each"
	// LastBatch runs once, when every batch is done.
	LastBatch When = "last"
)

// LastID stands for the whole review where the last checkers are meant.
const LastID = "last"

// Checker is a step that reviews the review.
type Checker struct {
	Name string `json:"name"`
	// Priority orders checkers, the lowest first.
	Priority float64 `json:"priority"`
	When     When    `json:"when"`
}

// Planned is a batch of the plan.
type Planned struct {
	ID    string   `json:"id"`
	Paths []string `json:"paths"`
	// Lines is the number of diff lines.
	Lines int `json:"lines"`
}

// Plan is what a session walks through. It does not change.
type Plan struct {
	Batches []Planned `json:"batches"`
	// Reused are files that count as reviewed from the start, with the number
	// of findings that the last review had.
	Reused   *Reused   `json:"reused,omitempty"`
	Checkers []Checker `json:"checkers"`
	// Trail says of every file where it is and why, for people.
	Trail []batch.Placement `json:"trail,omitempty"`
}

// Reused is the batch of unchanged files.
type Reused struct {
	Paths   []string `json:"paths"`
	Reviews int      `json:"actual_reviews"`
}

// PlanOf turns a cut into a plan.
func PlanOf(cut batch.Plan, checkers []Checker) Plan {
	p := Plan{Checkers: slices.Clone(checkers), Trail: slices.Clone(cut.Trail)}
	slices.SortStableFunc(p.Checkers, func(a, b Checker) int { return cmp.Compare(a.Priority, b.Priority) })
	for _, b := range cut.Batches {
		p.Batches = append(p.Batches, Planned{ID: b.ID, Paths: b.Paths(), Lines: b.Lines()})
	}
	if len(cut.Reused.Paths) > 0 {
		p.Reused = &Reused{Paths: cut.Reused.Paths, Reviews: cut.Reused.Reviews}
	}
	return p
}

// Only returns the part of the plan that a machine does which reviews one batch:
// that batch, and the checkers of each batch.
func (p Plan) Only(id string) (Plan, error) {
	for _, b := range p.Batches {
		if b.ID == id {
			return Plan{Batches: []Planned{b}, Checkers: slices.DeleteFunc(slices.Clone(p.Checkers),
				func(c Checker) bool { return c.When != EachBatch })}, nil
		}
	}
	return Plan{}, fmt.Errorf("the plan has no batch %q; it has 1 to %d", id, len(p.Batches))
}

func (p Plan) checkers(w When) []string {
	var out []string
	for _, c := range p.Checkers {
		if c.When == w {
			out = append(out, c.Name)
		}
	}
	return out
}

// plainName is what a batch or a checker may be called: it is part of a file's
// name.
var plainName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

func (p Plan) check() error {
	seen := map[string]bool{LastID: true, batch.ReusedID: true}
	for _, b := range p.Batches {
		if !plainName.MatchString(b.ID) || seen[b.ID] {
			return fmt.Errorf("plan of the session: %q cannot name a batch, or does twice", b.ID)
		}
		seen[b.ID] = true
	}
	clear(seen)
	for _, c := range p.Checkers {
		switch {
		case !plainName.MatchString(c.Name) || seen[c.Name]:
			return fmt.Errorf("plan of the session: %q cannot name a checker, or does twice", c.Name)
		case c.When != EachBatch && c.When != LastBatch:
			return fmt.Errorf("plan of the session: checker %s runs at %q; want %s or %s", c.Name, c.When, EachBatch, LastBatch)
		}
		seen[c.Name] = true
	}
	if !slices.IsSortedFunc(p.Checkers, func(a, b Checker) int { return cmp.Compare(a.Priority, b.Priority) }) {
		return errors.New("plan of the session: the checkers are not in order of priority")
	}
	return nil
}
