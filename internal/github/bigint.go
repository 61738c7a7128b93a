package github

import (
	"fmt"
	"strconv"
	"strings"
)

// bigInt reads GraphQL's BigInt, which GitHub sends as a string because it may
// not fit a JSON number. A null is 0.
type bigInt int64

// UnmarshalJSON accepts a string, a number or null.
func (b *bigInt) UnmarshalJSON(data []byte) error {
	s := strings.Trim(string(data), `"`)
	if s == "null" {
		*b = 0
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return fmt.Errorf("id %s is not an integer", s)
	}
	*b = bigInt(n)
	return nil
}
