//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// nobody is the user and group that scripts run as: what Linux itself maps
// unknown users to, so that nothing belongs to it.
const nobody = 65534

// launch is the second copy: it locks its own thread into the plan's layers and
// becomes the script. Every failure is written to the status pipe, and then
// nothing is run.
func launch() int {
	// Users, Landlock and seccomp filters belong to a thread, and it is this
	// one that execs.
	runtime.LockOSThread()
	unix.CloseOnExec(statusFD)
	status := os.NewFile(statusFD, "status")
	in := os.NewFile(planFD, "plan")
	if status == nil || in == nil {
		fmt.Fprintln(os.Stderr, "crev: this part is started by the sandbox only")
		return ExitSetup
	}
	line, err := io.ReadAll(in)
	in.Close()
	var p plan
	if err == nil {
		err = json.Unmarshal(line, &p)
	}
	if err != nil {
		fmt.Fprintf(status, "setup read the plan: %v", err)
		return ExitSetup
	}
	exe, err := lockIn(p)
	if err != nil {
		fmt.Fprintf(status, "setup %v", err)
		return ExitSetup
	}
	argv, env := p.Argv, p.Env
	if p.Probe != nil {
		argv = p.Probe.argv()
	}
	err = exe(argv, env)
	fmt.Fprintf(status, "exec %s: %v", argv[0], err)
	return ExitSetup
}

// lockIn puts every layer of the plan in place, in the one order in which each
// can still be set up, and returns what execs the program.
func lockIn(p plan) (exec func(argv, env []string) error, err error) {
	unix.Umask(0o022)
	// Nothing but the standard three may be inherited.
	if err := unix.CloseRange(3, ^uint(0)>>33, unix.CLOSE_RANGE_CLOEXEC); err != nil && p.Layers {
		return nil, fmt.Errorf("close inherited files: %w", err)
	}
	if p.SwitchUser {
		if err := os.Chown(p.Tmp, nobody, nobody); err != nil {
			return nil, fmt.Errorf("give away the temporary directory: %w", err)
		}
		// A shell that writes to /dev/stderr opens the pipe anew.
		for fd := 1; fd <= 2; fd++ {
			if err := unix.Fchown(fd, nobody, nobody); err != nil {
				return nil, fmt.Errorf("give away the output: %w", err)
			}
		}
	}
	if err := unix.Chdir(p.Dir); err != nil {
		return nil, fmt.Errorf("enter %s: %w", p.Dir, err)
	}
	exec = func(argv, env []string) error { return unix.Exec(argv[0], argv, env) }
	if p.Probe != nil {
		// The switched user may have no way to the file, but needs none
		// to an open one.
		fd, err := unix.Open(self, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, fmt.Errorf("open the program: %w", err)
		}
		exec = func(argv, env []string) error { return execFD(fd, argv, env) }
	}
	if !p.Layers {
		return exec, nil
	}

	ruleset, abi, err := landlockRuleset(p)
	if err != nil {
		return nil, err
	}
	if p.SwitchUser {
		p.Limits.Processes += userTasks(nobody)
		err = switchUser()
	} else {
		p.Limits.Processes += userTasks(os.Getuid())
		err = dropCapabilities()
	}
	if err != nil {
		return nil, err
	}
	// Set after the user was switched, which clears it.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return nil, fmt.Errorf("ask to die with the supervisor: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("set no_new_privs: %w", err)
	}
	if err := ruleset.restrict(); err != nil {
		return nil, fmt.Errorf("apply Landlock: %w", err)
	}
	filter := thisMachine.filter(seccompOptions{
		sameUser:    !p.SwitchUser,
		keepSignals: p.SwitchUser || abi >= landlockSignalABI,
		pid:         os.Getpid(),
	})
	if err := setLimits(p.Limits, p.Timeout); err != nil {
		return nil, err
	}
	if err := filter.install(); err != nil {
		return nil, fmt.Errorf("install the seccomp filter: %w", err)
	}
	return exec, nil
}

// switchUser makes this thread nobody for good. The raw calls change one thread
// where the syscall package would change all; this one is about to exec.
func switchUser() error {
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
		return fmt.Errorf("drop the supplementary groups: %w", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, nobody, nobody, nobody); errno != 0 {
		return fmt.Errorf("switch the group: %w", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
		return fmt.Errorf("switch the user: %w", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, 0, 0, 0); errno == 0 {
		return fmt.Errorf("switch the user: the way back is open")
	}
	return nil
}

// dropCapabilities empties the capabilities of a launcher that keeps its user,
// who may be root in a container. no_new_privs keeps an exec from refilling
// them.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData // two words of 32 capabilities
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// setLimits is the last step but one: the memory limit also holds for this
// program until it execs.
func setLimits(l Limits, timeout time.Duration) error {
	cpu := uint64(timeout/time.Second) + 1
	for _, r := range []struct {
		name     string
		resource int
		value    uint64
	}{
		{"core files", unix.RLIMIT_CORE, 0},
		{"processor time", unix.RLIMIT_CPU, cpu},
		{"file size", unix.RLIMIT_FSIZE, l.FileSize},
		{"open files", unix.RLIMIT_NOFILE, l.Files},
		{"processes", unix.RLIMIT_NPROC, l.Processes},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
		{"locked memory", unix.RLIMIT_MEMLOCK, 64 << 10},
		{"memory", unix.RLIMIT_AS, l.Memory},
	} {
		if err := limit(r.resource, r.value); err != nil {
			return fmt.Errorf("limit %s: %w", r.name, err)
		}
	}
	return nil
}

// limit lowers a resource for this process; a lower limit in force stays.
func limit(resource int, value uint64) error {
	var old unix.Rlimit
	if err := unix.Getrlimit(resource, &old); err != nil {
		return err
	}
	value = min(value, old.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}
