package sandbox

import (
	"encoding/json"
	"fmt"
)

// Level says how well a script is locked in. The zero value is "not probed" and
// runs nothing.
type Level uint8

// The levels, from none to best. They are found by trying to escape, not by
// asking for versions.
const (
	// L1 has no layers: scripts are not run.
	L1 Level = iota + 1
	// L2 locks the script in with Landlock and seccomp, as the same user.
	L2
	// L3 is L2 as another user that owns nothing.
	L3
	// L3Plus is L3 in its own process, network and IPC namespaces.
	L3Plus
)

var levelNames = [...]string{"none", "L1", "L2", "L3", "L3+"}

// String returns "L1", "L2", "L3" or "L3+", and "none" for the zero value.
func (l Level) String() string {
	if int(l) >= len(levelNames) {
		return fmt.Sprintf("Level(%d)", uint8(l))
	}
	return levelNames[l]
}

// MarshalJSON writes the name.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// Report is what the probes found on this machine.
type Report struct {
	Level Level `json:"level"`
	// Reason is one line that says why the level is not higher.
	Reason string `json:"reason"`
	// Probes lists every escape that was tried at that level, in a fixed
	// order. It is empty where no layer could be set up.
	Probes []Probe `json:"probes,omitempty"`
}

// Probe is one attempt to escape.
type Probe struct {
	// Name says what was tried, such as "tcp connect".
	Name string `json:"name"`
	// Blocked is true when the attempt failed, as it should.
	Blocked bool `json:"blocked"`
	// Detail is the error that blocked it, or what got through.
	Detail string `json:"detail,omitempty"`
}

// Open returns the names of the probes that got through.
func (r Report) Open() []string {
	var open []string
	for _, p := range r.Probes {
		if !p.Blocked {
			open = append(open, p.Name)
		}
	}
	return open
}
