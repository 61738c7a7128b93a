//go:build !unix

package git

import "os/exec"

// ownGroup does nothing here: only git itself is killed when the command's
// context ends.
func ownGroup(*exec.Cmd) {}
