//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const (
	// landlockMinABI is the first that also keeps TCP closed: Linux 6.7.
	landlockMinABI = 4
	// landlockSignalABI is the first that stops signals to processes outside
	// of the sandbox: Linux 6.12.
	landlockSignalABI = 6
)

// landlockConfigs are the presets by ABI, from landlockMinABI on. The newest
// that the kernel knows is used as it stands: the library's best-effort mode
// would drop rights without saying so.
var landlockConfigs = []landlock.Config{
	landlock.V4, landlock.V5, landlock.V6, landlock.V7,
	landlock.V8, landlock.V9, landlock.V10, landlock.V11,
}

// ruleset is a Landlock ruleset that is not yet in force.
type ruleset struct {
	fd    int
	flags uint32
}

// restrict puts the ruleset in force for this thread.
func (r ruleset) restrict() error {
	defer unix.Close(r.fd)
	return llsys.LandlockRestrictSelf(r.fd, r.flags)
}

// landlockRuleset allows reading the plan's paths, writing below its temporary
// directory and to the null device, and nothing else in the file system. The
// paths are opened here, with the rights this process still has.
func landlockRuleset(p plan) (ruleset, int, error) {
	abi, err := llsys.LandlockGetABIVersion()
	if err != nil {
		return ruleset{}, 0, fmt.Errorf("ask for Landlock: %w", err)
	}
	if abi < landlockMinABI {
		return ruleset{}, abi, fmt.Errorf("the kernel's Landlock: ABI %d, and %d (Linux 6.7) is needed", abi, landlockMinABI)
	}
	config := landlockConfigs[min(abi-landlockMinABI, len(landlockConfigs)-1)]
	rules := []landlock.Rule{
		// With the right to move files from one directory to another, which
		// both must have.
		landlock.RWDirs(p.Tmp).WithRefer(),
		landlock.RWFiles("/dev/null", "/dev/zero", "/dev/full").IgnoreIfMissing(),
	}
	for _, path := range p.Read {
		st, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			// What this process cannot see it need not allow.
		case err != nil:
			return ruleset{}, abi, fmt.Errorf("allow reading %s: %w", path, err)
		case st.IsDir():
			rules = append(rules, landlock.RODirs(path))
		default:
			rules = append(rules, landlock.ROFiles(path))
		}
	}
	fd, flags, err := config.NewRulesetFD(rules...)
	if err != nil {
		return ruleset{}, abi, fmt.Errorf("make a Landlock ruleset: %w", err)
	}
	if fd < 0 {
		return ruleset{}, abi, errors.New("make a Landlock ruleset: it would restrict nothing")
	}
	return ruleset{fd, flags}, abi, nil
}
