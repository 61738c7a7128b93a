package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crev-ratchet/crev/internal/rule"
)

// check refuses bounds and words that mean nothing.
func (c RulesConfig) check() error {
	for _, n := range []struct {
		key        string
		value, min int
	}{
		{"rules.max_active", c.MaxActive, 0},
		{"rules.max_per_kind", c.MaxPerKind, 0},
		{"rules.min_occurrence", c.MinOccurrence, 1},
		{"rules.expire_days", c.ExpireDays, 1},
	} {
		if n.value < n.min {
			return fmt.Errorf("%s: %d; want at least %d", n.key, n.value, n.min)
		}
	}
	if !(c.MinConfidence >= 0 && c.MinConfidence <= 1) {
		return fmt.Errorf("rules.min_confidence: %v; want a number from 0 to 1", c.MinConfidence)
	}
	if strings.TrimSpace(c.RecallLabel) == "" {
		return fmt.Errorf("rules.recall_label: it is empty; name a label, or leave the key out")
	}
	known := []string{string(rule.UserReject), string(rule.BugMissed), string(rule.Recheck), string(rule.UserAdopt)}
	for _, s := range c.Sources {
		if !slices.Contains(known, s) {
			return fmt.Errorf("rules.sources: %q; want some of %s", s, strings.Join(known, ", "))
		}
	}
	return nil
}

// caps are the bounds of the pool.
func (c RulesConfig) caps() rule.Caps {
	caps := rule.DefaultCaps()
	caps.MaxActive, caps.MaxPerKind = c.MaxActive, c.MaxPerKind
	return caps
}

// Distiller is what the configuration says of rules that nobody stated.
func (c RulesConfig) Distiller() rule.Distiller {
	d := rule.DefaultDistiller()
	d.MinOccurrence, d.MinConfidence, d.MaxPerKind, d.ExpireDays = c.MinOccurrence, c.MinConfidence, c.MaxPerKind, c.ExpireDays
	d.Sources = nil
	for _, s := range c.Sources {
		d.Sources = append(d.Sources, rule.SignalSource(s))
	}
	return d
}
