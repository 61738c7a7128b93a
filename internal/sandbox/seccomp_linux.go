//go:build amd64 || arm64

package sandbox

import (
	"runtime"
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

// seccompFilter denies what the other layers leave open. Calls made through
// another architecture's table carry other numbers, so they kill.
func seccompFilter(o seccompOptions) filter {
	f := filter{
		load(offArch),
		jeq(auditArch, 1, 0),
		ret(actionKill),
		load(offNumber),
	}
	if runtime.GOARCH == "amd64" {
		// The x32 table has this bit set under the same architecture.
		f = append(f,
			jump(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0x40000000, 0, 1),
			ret(actionKill))
	}
	for _, nr := range absent {
		f = append(f, jeq(nr, 0, 1), ret(actionENOSYS))
	}
	for _, nr := range denied {
		f = append(f, jeq(nr, 0, 1), ret(actionEPERM))
	}
	if o.sameUser {
		for _, nr := range deniedToOwner {
			f = append(f, jeq(nr, 0, 1), ret(actionEPERM))
		}
		// A nil name means the open file itself, as touch does.
		f = f.call(unix.SYS_UTIMENSAT,
			load(argLow(1)), jeq(0, 0, 2), load(argHigh(1)), jeq(0, 1, 0), ret(actionEPERM))
	}
	// clone: no new namespace.
	f = f.call(unix.SYS_CLONE,
		load(argLow(0)), jset(namespaceFlags, 0, 1), ret(actionEPERM))
	// socketpair: only connected streams, which cannot be sent elsewhere.
	f = f.call(unix.SYS_SOCKETPAIR,
		load(argLow(0)), jeq(unix.AF_UNIX, 0, 3),
		load(argLow(1)), stmt(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf), jeq(unix.SOCK_STREAM, 1, 0),
		ret(actionEPERM))
	// prlimit64: only its own limits.
	f = f.call(unix.SYS_PRLIMIT64, load(argLow(0)), jeq(0, 1, 0), ret(actionEPERM))
	// ioctl: no typing into the terminal.
	f = f.call(unix.SYS_IOCTL,
		load(argLow(1)), jeq(unix.TIOCSTI, 1, 0), jeq(tioclinux, 0, 1), ret(actionEPERM))
	if !o.keepSignals {
		f = f.ownSignals(uint32(o.pid))
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
func (f filter) ownSignals(pid uint32) filter {
	for _, nr := range []uint32{
		unix.SYS_TKILL, unix.SYS_PIDFD_SEND_SIGNAL,
		unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	} {
		f = append(f, jeq(nr, 0, 1), ret(actionEPERM))
	}
	f = f.call(unix.SYS_KILL,
		load(argLow(0)), jeq(0, 2, 0), jeq(pid, 1, 0), ret(actionEPERM))
	f = f.call(unix.SYS_TGKILL,
		load(argLow(0)), jeq(pid, 1, 0), ret(actionEPERM))
	// A file can be told to send signals to anybody.
	return f.call(unix.SYS_FCNTL,
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
var absent = []uint32{
	unix.SYS_CLONE3,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
}

// denied are the calls that fail with EPERM on every architecture.
var denied = append([]uint32{
	// Sockets, and what one could do with half a pair.
	unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN,
	unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	// Other processes.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_KCMP,
	unix.SYS_PIDFD_GETFD, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	unix.SYS_PERF_EVENT_OPEN,
	// Mounts, roots and namespaces.
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN,
	unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS,
	// Files by handle, whole-disk watches, quotas.
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
	unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_MKNODAT,
	// The kernel.
	unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT,
	unix.SYS_SYSLOG, unix.SYS_VHANGUP, unix.SYS_PERSONALITY,
	// Clocks and names.
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX,
	unix.SYS_CLOCK_ADJTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	// Memory and queues shared with others of the same user.
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET,
	unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MSGGET,
	unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN,
	unix.SYS_MQ_UNLINK,
}, deniedHere...)

// deniedToOwner are denied when the script runs as the user who started crev:
// changes by name to files that Landlock does not watch.
var deniedToOwner = append([]uint32{
	unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_REMOVEXATTR,
	unix.SYS_LREMOVEXATTR, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT,
	unix.SYS_SETPRIORITY, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_SETPARAM, unix.SYS_IOPRIO_SET,
}, deniedToOwnerHere...)

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
