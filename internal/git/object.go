package git

import (
	"fmt"
	"strings"
)

// IsFullID reports whether s is a full object id: 40 or 64 lower-case hex
// digits. Nothing else is ever passed to git as the name of a commit, so no
// branch name can be read as an option or a range.
func IsFullID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// checkIDs refuses what is no full object id.
func checkIDs(ids ...string) error {
	for _, id := range ids {
		if !IsFullID(id) {
			return fmt.Errorf("%.100q is not a full object id; resolve it first", id)
		}
	}
	return nil
}

// short returns an id fit for a message.
func short(id string) string { return id[:min(len(id), 12)] }
