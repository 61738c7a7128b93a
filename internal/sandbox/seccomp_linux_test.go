//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// syscallData is struct seccomp_data of the kernel.
func syscallData(audit, nr uint32, args ...uint64) []byte {
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data[offNumber:], nr)
	binary.LittleEndian.PutUint32(data[offArch:], audit)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[offArgs+8*i:], a)
	}
	return data
}

// answer runs a filter as the kernel would.
func (f filter) answer(t *testing.T, data []byte) uint32 {
	t.Helper()
	var acc uint32
	for pc := 0; pc < len(f); pc++ {
		in := f[pc]
		taken := false
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.LittleEndian.Uint32(data[in.K:])
			continue
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= in.K
			continue
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			taken = acc == in.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			taken = acc >= in.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			taken = acc&in.K != 0
		default:
			t.Fatalf("instruction %d: code %#x is not in the kernel's list for filters", pc, in.Code)
		}
		if taken {
			pc += int(in.Jt)
		} else {
			pc += int(in.Jf)
		}
	}
	t.Fatal("the filter ends without an answer")
	return 0
}

// Both filters are assembled and tried on whatever machine runs the tests.
func TestFiltersOfBothArchitectures(t *testing.T) {
	t.Parallel()
	const pid = 4711
	for name, m := range map[string]machine{"amd64": machineAMD64, "arm64": machineARM64} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := machineARM64.audit
			if m.audit == other {
				other = machineAMD64.audit
			}
			strict := m.filter(seccompOptions{sameUser: true, pid: pid})
			switched := m.filter(seccompOptions{keepSignals: true, pid: pid})
			if len(strict) > unix.BPF_MAXINSNS {
				t.Fatalf("%d instructions, more than the %d of the kernel", len(strict), unix.BPF_MAXINSNS)
			}
			check := func(f filter, want uint32, call string, args ...uint64) {
				t.Helper()
				if got := f.answer(t, syscallData(m.audit, m.nr(call), args...)); got != want {
					t.Errorf("%s%v: %#x, want %#x", call, args, got, want)
				}
			}
			for _, call := range denied {
				if m.nr(call) != none {
					check(switched, actionEPERM, call)
				}
			}
			for _, call := range absent {
				check(switched, actionENOSYS, call)
			}
			for _, call := range deniedToOwner {
				if m.nr(call) != none {
					check(strict, actionEPERM, call)
					check(switched, actionAllow, call)
				}
			}
			for _, call := range []string{"read", "write", "openat", "execve", "exit_group", "futex", "mmap"} {
				check(strict, actionAllow, call)
			}
			check(strict, actionEPERM, "clone", unix.CLONE_NEWUSER|uint64(unix.SIGCHLD))
			check(strict, actionAllow, "clone", uint64(unix.SIGCHLD))
			check(strict, actionAllow, "socketpair", unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC)
			check(strict, actionEPERM, "socketpair", unix.AF_UNIX, unix.SOCK_DGRAM)
			check(strict, actionEPERM, "socketpair", unix.AF_INET, unix.SOCK_STREAM)
			check(strict, actionAllow, "prlimit64", 0)
			check(strict, actionEPERM, "prlimit64", 1)
			check(strict, actionEPERM, "ioctl", 1, unix.TIOCSTI)
			check(strict, actionAllow, "ioctl", 1, unix.TCGETS)
			check(strict, actionAllow, "utimensat", 3, 0)
			check(strict, actionEPERM, "utimensat", 3, 0x7fff_0000_0000)
			check(strict, actionAllow, "kill", pid)
			check(strict, actionAllow, "kill", 0)
			check(strict, actionEPERM, "kill", 1)
			check(switched, actionAllow, "kill", 1)
			check(strict, actionEPERM, "tgkill", 1)
			check(strict, actionEPERM, "tkill", pid)
			check(strict, actionEPERM, "fcntl", 3, unix.F_SETOWN)
			check(strict, actionAllow, "fcntl", 3, unix.F_GETFL)

			// Another architecture's table has other numbers.
			if got := strict.answer(t, syscallData(other, m.nr("read"))); got != actionKill {
				t.Errorf("a call of the other architecture: %#x, want it killed", got)
			}
			want := actionAllow
			if m.x32 {
				want = actionKill
			}
			if got := strict.answer(t, syscallData(m.audit, 0x40000000|m.nr("read"))); got != want {
				t.Errorf("a call with the x32 bit: %#x, want %#x", got, want)
			}
		})
	}
}

// The table is in order, names each call once, and is that of the kernel where it
// can be compared.
func TestCallNumbers(t *testing.T) {
	t.Parallel()
	for i := 1; i < len(calls); i++ {
		if calls[i-1].name >= calls[i].name {
			t.Errorf("%s stands after %s", calls[i].name, calls[i-1].name)
		}
	}
	onlyAMD64 := []string{"chmod", "chown", "futimesat", "ioperm", "iopl", "lchown", "mknod", "modify_ldt", "utime", "utimes"}
	for _, c := range calls {
		if c.amd64 == none || (c.arm64 == none) != slices.Contains(onlyAMD64, c.name) {
			t.Errorf("%s: amd64 %d, arm64 %d", c.name, c.amd64, c.arm64)
		}
	}
	for name, want := range map[string]uint32{
		"socket": unix.SYS_SOCKET, "connect": unix.SYS_CONNECT, "ptrace": unix.SYS_PTRACE, "process_vm_readv": unix.SYS_PROCESS_VM_READV,
		"mount": unix.SYS_MOUNT, "unshare": unix.SYS_UNSHARE, "setns": unix.SYS_SETNS, "bpf": unix.SYS_BPF, "clone": unix.SYS_CLONE,
		"clone3": unix.SYS_CLONE3, "io_uring_setup": unix.SYS_IO_URING_SETUP, "keyctl": unix.SYS_KEYCTL, "shmget": unix.SYS_SHMGET,
		"kill": unix.SYS_KILL, "tgkill": unix.SYS_TGKILL, "prlimit64": unix.SYS_PRLIMIT64, "ioctl": unix.SYS_IOCTL,
		"fchmodat2": unix.SYS_FCHMODAT2, "mq_open": unix.SYS_MQ_OPEN, "userfaultfd": unix.SYS_USERFAULTFD,
	} {
		if got := thisMachine.nr(name); got != want {
			t.Errorf("%s is call %d here, the table says %d", name, want, got)
		}
	}
}

// The set of escapes is what the level rests on: it must not shrink unseen.
func TestEscapesAreMany(t *testing.T) {
	t.Parallel()
	const least = 16
	names := map[string]bool{}
	for _, p := range escapes() {
		names[p.name] = true
	}
	if len(names) < least || len(names) != len(escapes()) {
		t.Errorf("%d escapes with %d names, want at least %d, each with its own", len(escapes()), len(names), least)
	}
	for _, name := range []string{
		"own environment", "parent's environment", "any environment", "read outside", "write outside", "write the tree",
		"read through a link", "tcp connect", "udp send", "unix connect", "netlink socket", "mptcp socket",
		"signal the parent", "new network namespace", "mount",
	} {
		if !names[name] {
			t.Errorf("nothing tries %q", name)
		}
	}
}
