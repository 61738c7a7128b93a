//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the command into a process group of its own and kills the whole
// group when the command's context ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
