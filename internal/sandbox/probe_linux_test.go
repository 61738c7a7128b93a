//go:build amd64 || arm64

package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
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

// A probe that cannot get through anywhere shows nothing: without layers, and
// as root, nearly all of them must.
func TestProbesGetThroughWithoutLayers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("some escapes need root")
	}
	root, err := os.MkdirTemp("", "crev-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	r := &Runner{opts: Options{TempDir: root}, path: searchPath(testPath)}
	probes, err := r.probeMode(t.Context(), mode{})
	if err != nil {
		t.Fatal(err)
	}
	// What got through leaves nothing on this machine.
	if mounts, err := os.ReadFile("/proc/self/mounts"); err != nil || strings.Contains(string(mounts), root+"/") {
		t.Errorf("a mount is left: %v", err)
	}
	var blocked []string
	for _, p := range probes {
		if p.Blocked && !strings.HasPrefix(p.Detail, "works") {
			blocked = append(blocked, p.Name)
		}
	}
	// The launcher starts with an empty environment in any case; the rest
	// depends on what this kernel was built with.
	dependsOnKernel := []string{
		"own environment", "mptcp socket", "vsock socket", "io_uring", "i386 socket",
		"x32 socket", "x32 getpid", "kernel keys", "bpf", "packet socket",
	}
	for _, name := range blocked {
		if !slices.Contains(dependsOnKernel, name) {
			t.Errorf("%q is blocked without any layer, so the probe shows nothing", name)
		}
	}
}
