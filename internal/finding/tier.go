package finding

import (
	"encoding/json"
	"fmt"
)

// Tier orders claims by how reproducible they are. The zero value is unset, so
// that a forgotten field can never block. On the wire a tier is the number 0, 1
// or 2.
type Tier uint8

// The tiers. Only a Validator failure can block.
const (
	TierUnset Tier = iota
	// Validator is tier 0: a committed deterministic check failed.
	Validator
	// Reproduced is tier 1: the finding brought an artifact and crev
	// reproduced it.
	Reproduced
	// Advisory is tier 2: everything else.
	Advisory
)

// String returns "tier 0", "tier 1", "tier 2" or "no tier".
func (t Tier) String() string {
	if t == TierUnset || t > Advisory {
		return "no tier"
	}
	return fmt.Sprintf("tier %d", t-1)
}

// IsZero reports whether the tier is unset, for the omitzero tag.
func (t Tier) IsZero() bool { return t == TierUnset }

// MarshalJSON writes the number 0, 1 or 2.
func (t Tier) MarshalJSON() ([]byte, error) {
	if t == TierUnset || t > Advisory {
		return nil, fmt.Errorf("tier is not set")
	}
	return json.Marshal(int(t) - 1)
}

// UnmarshalJSON accepts the numbers 0, 1 and 2.
func (t *Tier) UnmarshalJSON(b []byte) error {
	var n int
	if err := json.Unmarshal(b, &n); err != nil || n < 0 || n > 2 {
		return fmt.Errorf("tier %s: want 0, 1 or 2", b)
	}
	*t = Tier(n + 1)
	return nil
}
