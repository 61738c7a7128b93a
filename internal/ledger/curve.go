package ledger

import (
	"slices"
	"time"
)

// Curve is what the ratchet did over time, run by run: whether reviews still
// say what they said before. Every number is counted from the events.
type Curve struct {
	// Runs are those that saw or decided anything, oldest first.
	Runs []CurveRun `json:"runs"`
	// Findings and Repeats are the sums over the runs. RepeatShare is
	// Repeats by Findings, 0 without findings.
	Findings    int     `json:"findings"`
	Repeats     int     `json:"repeats"`
	RepeatShare float64 `json:"repeat_share"`
	// Saved is how many findings a validator decided so that nobody had to
	// read them.
	Saved int `json:"saved"`
	// Classes counts the classes by status, Promoted those that a validator
	// decides now.
	Classes  map[ClassStatus]int `json:"classes"`
	Promoted int                 `json:"promoted"`
}

// CurveRun is one run.
type CurveRun struct {
	Run string    `json:"run"`
	PR  int       `json:"pr,omitempty"`
	At  time.Time `json:"at"`
	// Findings is the number of claims of the run.
	Findings int `json:"findings"`
	// Repeats are claims of a class that an earlier run has made.
	Repeats int `json:"repeats"`
	// Saved are claims that were not posted because a validator decides
	// their class.
	Saved int `json:"saved"`
	// Promoted is the number of promoted classes after the run.
	Promoted int `json:"promoted"`
}

// Draw counts the curve of a set of events. The classes are those of the same
// events, as Tally or State.Classes counts them.
func Draw(events []Event, classes []Class) Curve {
	c := Curve{Runs: []CurveRun{}, Classes: map[ClassStatus]int{}}
	at := map[unit]int{}
	firstRun := map[string]string{}
	promoted := map[string]bool{}
	for _, e := range Sort(events) {
		sighting := e.Opened != nil || e.Observed != nil
		saved := e.Suppressed != nil && e.Suppressed.Reason == "validator"
		if !sighting && !saved && e.Promoted == nil && e.Retired == nil {
			continue
		}
		key := unit{e.PR, e.Run}
		i, ok := at[key]
		if !ok {
			i = len(c.Runs)
			at[key] = i
			c.Runs = append(c.Runs, CurveRun{Run: e.Run, PR: e.PR, At: e.At})
		}
		r := &c.Runs[i]
		switch {
		case sighting:
			r.Findings++
			if firstRun[e.FP] == "" {
				firstRun[e.FP] = e.Run
			} else if firstRun[e.FP] != e.Run {
				r.Repeats++
			}
		case saved:
			r.Saved++
		case e.Promoted != nil:
			promoted[e.FP] = true
		default:
			delete(promoted, e.FP)
		}
		r.Promoted = len(promoted)
	}
	for _, r := range c.Runs {
		c.Findings += r.Findings
		c.Repeats += r.Repeats
		c.Saved += r.Saved
	}
	if c.Findings > 0 {
		c.RepeatShare = float64(c.Repeats) / float64(c.Findings)
	}
	for _, class := range classes {
		c.Classes[class.Status]++
	}
	c.Promoted = len(promoted)
	return c
}

// Stale returns the classes that are still counted and were not seen since a
// time: nobody repeats them, so they age out.
func Stale(classes []Class, since time.Time) []Class {
	return slices.DeleteFunc(slices.Clone(classes), func(c Class) bool {
		counted := c.Status == ClassNew || c.Status == ClassRecurring
		return !counted || !c.LastSeen.Before(since)
	})
}
