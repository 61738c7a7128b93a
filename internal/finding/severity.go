package finding

import "fmt"

// Severity says how bad a true claim would be. The zero value is "unrated" and
// ranks below Low.
type Severity string

// The severities, from mild to worst.
const (
	Low      Severity = "low"
	Medium   Severity = "medium"
	High     Severity = "high"
	Critical Severity = "critical"
)

// ParseSeverity accepts the four names in lower case and "" for unrated.
func ParseSeverity(s string) (Severity, error) {
	switch v := Severity(s); v {
	case "", Low, Medium, High, Critical:
		return v, nil
	}
	return "", fmt.Errorf("severity %q: want low, medium, high or critical", s)
}

// Rank orders severities: 0 for unrated, 4 for critical.
func (s Severity) Rank() int {
	switch s {
	case Low:
		return 1
	case Medium:
		return 2
	case High:
		return 3
	case Critical:
		return 4
	}
	return 0
}

// Max returns the worse of two severities.
func Max(a, b Severity) Severity {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}
