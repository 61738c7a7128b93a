//go:build amd64 || arm64

package sandbox

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// seccompOptions vary the filter with the other layers.
type seccompOptions struct {
	// sameUser: the script's user owns files outside of the sandbox, so it
	// must not change modes, owners or times by name, which Landlock does
	// not watch.
	sameUser bool
	// keepSignals: another layer stops signals to processes outside. Where
	// none does, a script may signal only its own group and first process.
	keepSignals bool
	// pid is the process that becomes the script.
	pid int
}

// filter is a classic BPF program over struct seccomp_data.
type filter []unix.SockFilter

// Offsets into struct seccomp_data, linux/seccomp.h. Arguments are 64 bits
// wide; the low half comes first on the two little-endian architectures here.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

func argLow(n uint32) uint32  { return offArgs + 8*n }
func argHigh(n uint32) uint32 { return offArgs + 8*n + 4 }

func stmt(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func jump(code uint16, k uint32, jt, jf uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, K: k, Jt: jt, Jf: jf}
}

func load(offset uint32) unix.SockFilter {
	return stmt(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset)
}

func ret(action uint32) unix.SockFilter { return stmt(unix.BPF_RET|unix.BPF_K, action) }

func jeq(k uint32, jt, jf uint8) unix.SockFilter {
	return jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, jt, jf)
}

func jset(k uint32, jt, jf uint8) unix.SockFilter {
	return jump(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, k, jt, jf)
}

var (
	actionAllow = uint32(unix.SECCOMP_RET_ALLOW)
	actionKill  = uint32(unix.SECCOMP_RET_KILL_PROCESS)
	actionEPERM = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)
	// A program that gets ENOSYS falls back to the older call, where EPERM
	// makes it give up: the C library starts threads with clone3.
	actionENOSYS = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.ENOSYS)
)

// machine is an architecture as the filter sees it.
type machine struct {
	// audit is the number by which the kernel names it.
	audit uint32
	// x32 says that there is a second table under the same number.
	x32 bool
	// number is the column of calls.
	number func(i int) uint32
}

var (
	machineAMD64 = machine{unix.AUDIT_ARCH_X86_64, true, func(i int) uint32 { return calls[i].amd64 }}
	machineARM64 = machine{unix.AUDIT_ARCH_AARCH64, false, func(i int) uint32 { return calls[i].arm64 }}
)

// nr is the number of a call, none where the architecture has it not. A name that
// is in no table would be denied to nobody, so it is a bug.
func (m machine) nr(name string) uint32 {
	for i := range calls {
		if calls[i].name == name {
			return m.number(i)
		}
	}
	panic("sandbox: no system call " + name + " in the table")
}

// refuse answers calls with an action.
func (m machine) refuse(f filter, names []string, action uint32) filter {
	for _, name := range names {
		if nr := m.nr(name); nr != none {
			f = append(f, jeq(nr, 0, 1), ret(action))
		}
	}
	return f
}

// filter denies what the other layers leave open. Calls made through another
// architecture's table carry other numbers, so they kill.
func (m machine) filter(o seccompOptions) filter {
	f := filter{
		load(offArch),
		jeq(m.audit, 1, 0),
		ret(actionKill),
		load(offNumber),
	}
	if m.x32 {
		// The x32 table has this bit set under the same architecture.
		f = append(f,
			jump(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0x40000000, 0, 1),
			ret(actionKill))
	}
	f = m.refuse(f, absent, actionENOSYS)
	f = m.refuse(f, denied, actionEPERM)
	if o.sameUser {
		f = m.refuse(f, deniedToOwner, actionEPERM)
		// A nil name means the open file itself, as touch does.
		f = f.call(m.nr("utimensat"),
			load(argLow(1)), jeq(0, 0, 2), load(argHigh(1)), jeq(0, 1, 0), ret(actionEPERM))
	}
	// clone: no new namespace.
	f = f.call(m.nr("clone"),
		load(argLow(0)), jset(namespaceFlags, 0, 1), ret(actionEPERM))
	// socketpair: only connected streams, which cannot be sent elsewhere.
	f = f.call(m.nr("socketpair"),
		load(argLow(0)), jeq(unix.AF_UNIX, 0, 3),
		load(argLow(1)), stmt(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf), jeq(unix.SOCK_STREAM, 1, 0),
		ret(actionEPERM))
	// prlimit64: only its own limits.
	f = f.call(m.nr("prlimit64"), load(argLow(0)), jeq(0, 1, 0), ret(actionEPERM))
	// ioctl: no typing into the terminal.
	f = f.call(m.nr("ioctl"),
		load(argLow(1)), jeq(unix.TIOCSTI, 1, 0), jeq(tioclinux, 0, 1), ret(actionEPERM))
	if !o.keepSignals {
		f = m.ownSignals(f, uint32(o.pid))
	}
	return append(f, ret(actionAllow))
}

// call appends body, run when the call is nr. A body that falls out of its end
// allows the call. The accumulator is the call's number on entry.
func (f filter) call(nr uint32, body ...unix.SockFilter) filter {
	body = append(body, ret(actionAllow))
	f = append(f, jeq(nr, 0, uint8(len(body))))
	return append(f, body...)
}

// ownSignals lets kill reach the script's own group and first process, threads
// of that process, and nothing else.
func (m machine) ownSignals(f filter, pid uint32) filter {
	f = m.refuse(f, []string{"tkill", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo"}, actionEPERM)
	f = f.call(m.nr("kill"),
		load(argLow(0)), jeq(0, 2, 0), jeq(pid, 1, 0), ret(actionEPERM))
	f = f.call(m.nr("tgkill"),
		load(argLow(0)), jeq(pid, 1, 0), ret(actionEPERM))
	// A file can be told to send signals to anybody.
	return f.call(m.nr("fcntl"),
		load(argLow(1)), jeq(unix.F_SETOWN, 1, 0), jeq(unix.F_SETOWN_EX, 0, 1), ret(actionEPERM))
}

const (
	namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID |
		unix.CLONE_NEWNET | unix.CLONE_NEWTIME
	tioclinux = 0x541C // asm-generic/ioctls.h
)

// absent are the calls that seem not to exist. io_uring makes other calls on
// the side that a filter does not see; clone3 hides its flags in memory.
var absent = []string{
	"clone3",
	"io_uring_setup", "io_uring_enter", "io_uring_register",
}

// denied are the calls that fail with EPERM, where the architecture has them.
var denied = []string{
	// Sockets, and what one could do with half a pair.
	"socket", "connect", "bind", "listen",
	"accept", "accept4",
	// Other processes.
	"ptrace", "process_vm_readv", "process_vm_writev",
	"process_madvise", "process_mrelease", "kcmp",
	"pidfd_getfd", "migrate_pages", "move_pages",
	"perf_event_open",
	// Mounts, roots and namespaces.
	"mount", "umount2", "pivot_root", "chroot",
	"open_tree", "move_mount", "fsopen",
	"fsconfig", "fsmount", "fspick",
	"mount_setattr", "unshare", "setns",
	// Files by handle, whole-disk watches, quotas.
	"open_by_handle_at", "name_to_handle_at",
	"fanotify_init", "fanotify_mark",
	"quotactl", "quotactl_fd", "mknodat",
	// The kernel.
	"bpf", "userfaultfd", "keyctl", "add_key",
	"request_key", "init_module", "finit_module",
	"delete_module", "kexec_load", "kexec_file_load",
	"reboot", "swapon", "swapoff", "acct",
	"syslog", "vhangup", "personality",
	// Clocks and names.
	"settimeofday", "clock_settime", "adjtimex",
	"clock_adjtime", "sethostname", "setdomainname",
	// Memory and queues shared with others of the same user.
	"shmget", "shmat", "shmctl", "semget",
	"semop", "semtimedop", "semctl", "msgget",
	"msgsnd", "msgrcv", "msgctl", "mq_open",
	"mq_unlink",
	// Ports, segments, devices by the old call, and calls long out of use.
	"iopl", "ioperm", "modify_ldt", "mknod", "lookup_dcookie", "nfsservctl",
}

// deniedToOwner are denied when the script runs as the user who started crev:
// changes by name to files that Landlock does not watch.
var deniedToOwner = []string{
	"fchmodat", "fchmodat2", "fchownat",
	"setxattr", "lsetxattr", "removexattr",
	"lremovexattr", "setxattrat", "removexattrat",
	"setpriority", "sched_setattr", "sched_setscheduler",
	"sched_setparam", "ioprio_set",
	"chmod", "chown", "lchown", "utime", "utimes", "futimesat",
}

// install puts the filter in force for this thread, for good. no_new_privs must
// be set.
func (f filter) install() error {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

// execFD becomes the program that is open as fd. The file needs no path that
// this user could walk.
func execFD(fd int, argv, env []string) error {
	argvp, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return err
	}
	envp, err := syscall.SlicePtrFromStrings(env)
	if err != nil {
		return err
	}
	empty := [1]byte{}
	_, _, errno := unix.RawSyscall6(unix.SYS_EXECVEAT, uintptr(fd),
		uintptr(unsafe.Pointer(&empty[0])), uintptr(unsafe.Pointer(&argvp[0])),
		uintptr(unsafe.Pointer(&envp[0])), unix.AT_EMPTY_PATH, 0)
	return errno
}
