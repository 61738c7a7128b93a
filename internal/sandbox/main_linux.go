//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
)

// The hidden first argument and the parts the program can be asked to play.
const (
	hiddenArg     = "__sandbox"
	partSupervise = "supervise"
	partLaunch    = "launch"
	partProbe     = "probe"
)

// Main plays the sandbox's part when the process was started as one, and
// reports that with the status to exit with. Call it first thing in main and in
// TestMain, with os.Args[1:]:
//
//	if status, mine := sandbox.Main(os.Args[1:]); mine {
//		os.Exit(status)
//	}
func Main(args []string) (status int, mine bool) {
	if len(args) < 2 || args[0] != hiddenArg {
		return 0, false
	}
	switch args[1] {
	case partSupervise:
		return supervise(os.Stdin, os.Stdout), true
	case partLaunch:
		return launch(), true
	case partProbe:
		return probeInside(args[2:]), true
	}
	fmt.Fprintf(os.Stderr, "crev: %s: unknown part %q\n", hiddenArg, args[1])
	return 2, true
}
