package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

// runAs runs this test program again as another user.
func runAs(uid uint32, temp string, args ...string) (string, error) {
	cmd := exec.Command(self, args...)
	cmd.Dir = temp
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temp, "HOME=" + temp, "GORACE=atexit_sleep_ms=0"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
