//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probe is one thing to try. It returns nil when it got through.
type probe struct {
	name string
	// apart runs it in a process of its own, because a layer may kill it or
	// because it would change the process.
	apart bool
	try   func(decoys) error
}

// needs are what must work inside; the others are what must not. A need returns
// nil when it works.
var needs = []probe{
	{"write own tmp", false, func(d decoys) error {
		return os.WriteFile(filepath.Join(d.Tmp, "own"), []byte("x"), 0o600)
	}},
	{"read the tree", false, func(d decoys) error {
		_, err := os.ReadFile(filepath.Join(d.Tree, "file"))
		return err
	}},
	{"start a program", false, func(decoys) error {
		return exec.Command("/bin/sh", "-c", ":").Run()
	}},
	{"socketpair", false, func(decoys) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	}},
}

func escapes() []probe {
	return append([]probe{
		{"own environment", false, func(d decoys) error {
			return findToken([]byte(strings.Join(os.Environ(), "\x00")), d)
		}},
		{"parent's environment", false, func(d decoys) error {
			return readable(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
		}},
		{"any environment", false, anyEnvironment},
		{"read outside", false, func(d decoys) error { return readable(d.Secret) }},
		{"list outside", false, func(d decoys) error {
			_, err := os.ReadDir(filepath.Dir(d.Secret))
			return err
		}},
		{"read through a link", false, func(d decoys) error {
			link := filepath.Join(d.Tmp, "link")
			if err := os.Symlink(d.Secret, link); err != nil {
				return err
			}
			return readable(link)
		}},
		{"write outside", false, func(d decoys) error {
			return os.WriteFile(filepath.Join(d.Open, "planted"), []byte("x"), 0o666)
		}},
		{"append outside", false, func(d decoys) error {
			f, err := os.OpenFile(filepath.Join(d.Open, "commands"), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("x")
			return err
		}},
		{"truncate outside", false, func(d decoys) error {
			return os.Truncate(filepath.Join(d.Open, "commands"), 0)
		}},
		{"rename to outside", false, func(d decoys) error {
			from := filepath.Join(d.Tmp, "moved")
			if err := os.WriteFile(from, nil, 0o600); err != nil {
				return err
			}
			return os.Rename(from, filepath.Join(d.Open, "moved"))
		}},
		{"write the tree", false, func(d decoys) error {
			return os.WriteFile(filepath.Join(d.Tree, "file"), []byte("x"), 0o666)
		}},
		{"chmod outside", false, func(d decoys) error { return os.Chmod(d.Secret, 0o600) }},
		{"tcp connect", false, func(d decoys) error { return dial("tcp", d.TCP) }},
		{"udp send", false, func(d decoys) error { return dial("udp", d.UDP) }},
		{"unix connect", false, func(d decoys) error { return dial("unix", d.Unix) }},
		{"abstract unix connect", false, func(d decoys) error { return dial("unix", d.Abstract) }},
		{"unix datagram pair", false, func(decoys) error {
			_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
			return err
		}},
		{"netlink socket", false, trySocket(unix.AF_NETLINK, unix.SOCK_RAW, 0)},
		{"mptcp socket", false, trySocket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)},
		{"packet socket", false, trySocket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
		{"vsock socket", false, trySocket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
		{"io_uring", false, func(decoys) error {
			var params [120]byte // struct io_uring_params
			_, _, errno := unix.RawSyscall(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params[0])), 0)
			return errnoOr(errno)
		}},
		{"signal the parent", false, func(decoys) error { return unix.Kill(os.Getppid(), 0) }},
		{"signal crev", false, func(d decoys) error { return unix.Kill(d.Pid, 0) }},
		{"trace the parent", true, func(d decoys) error {
			_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(d.Pid), 0, 0, 0, 0)
			return errnoOr(errno)
		}},
		{"read crev's memory", false, readMemory},
		{"new network namespace", true, func(decoys) error { return unix.Unshare(unix.CLONE_NEWNET) }},
		{"clone into a namespace", false, func(decoys) error {
			cmd := exec.Command("/bin/sh", "-c", ":")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
			return cmd.Run()
		}},
		{"mount", false, func(d decoys) error {
			if err := unix.Mount("tmpfs", d.Tmp, "tmpfs", 0, ""); err != nil {
				return err
			}
			unix.Unmount(d.Tmp, unix.MNT_DETACH)
			return nil
		}},
		{"chroot", true, func(d decoys) error { return unix.Chroot(d.Tmp) }},
		{"file handle", false, func(decoys) error {
			_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, "/", 0)
			return err
		}},
		{"bpf", false, func(decoys) error {
			_, _, errno := unix.RawSyscall(unix.SYS_BPF, 0, 0, 0)
			if errno == unix.EPERM || errno == unix.ENOSYS {
				return errno
			}
			return nil
		}},
		{"kernel keys", false, func(decoys) error {
			_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
			return err
		}},
		{"shared memory", false, func(decoys) error {
			id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
			if err == nil {
				unix.SysvShmCtl(id, unix.IPC_RMID, nil)
			}
			return err
		}},
		{"capabilities", false, capabilities},
		{"gain privileges", false, func(decoys) error {
			set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			if err != nil || set != 1 {
				return nil
			}
			return errors.New("no_new_privs is set")
		}},
		{"processes without end", false, func(decoys) error {
			var l unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_NPROC, &l); err != nil {
				return err
			}
			if os.Getuid() == 0 || l.Cur == unix.RLIM_INFINITY {
				return nil // the kernel does not limit root
			}
			return fmt.Errorf("limited to %d", l.Cur)
		}},
		{"raise a limit", false, func(decoys) error {
			var l unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &l); err != nil {
				return err
			}
			if l.Max == unix.RLIM_INFINITY {
				return nil // there is no limit to raise
			}
			l.Max++
			return unix.Setrlimit(unix.RLIMIT_FSIZE, &l)
		}},
	}, abiProbes...)
}

// probeInside runs every probe in this process, which is locked in, and prints
// the results as JSON. With a name it tries that one and exits with 0 when it
// got through.
func probeInside(args []string) int {
	if len(args) == 0 {
		return 2
	}
	var d decoys
	if err := json.Unmarshal([]byte(args[0]), &d); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if len(args) > 1 {
		return probeApart(args[1], d)
	}
	var results []Probe
	for _, p := range needs {
		r := Probe{Name: p.name, Blocked: true, Detail: "works, as it must"}
		if err := p.try(d); err != nil {
			r.Blocked, r.Detail = false, "does not work: "+err.Error()
		}
		results = append(results, r)
	}
	for _, p := range escapes() {
		var err error
		if p.apart {
			err = exec.Command(self, hiddenArg, partProbe, args[0], p.name).Run()
		} else {
			err = p.try(d)
		}
		r := Probe{Name: p.name, Blocked: err != nil, Detail: "got through"}
		if err != nil {
			r.Detail = err.Error()
		}
		results = append(results, r)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		return 2
	}
	return 0
}

func probeApart(name string, d decoys) int {
	for _, p := range escapes() {
		if p.name != name {
			continue
		}
		if err := p.try(d); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	return 2
}

func errnoOr(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func findToken(text []byte, d decoys) error {
	if bytes.Contains(text, []byte(d.Token)) {
		return nil
	}
	return errors.New("the decoy is not there")
}

func anyEnvironment(d decoys) error {
	pids, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	last := errors.New("no process to read")
	for _, e := range pids {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		text, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(text, []byte(d.Token)) {
			return nil
		}
		if err != nil {
			last = err
		}
	}
	return last
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte("x"))
	return err
}

func trySocket(domain, kind, proto int) func(decoys) error {
	return func(decoys) error {
		fd, err := unix.Socket(domain, kind, proto)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}
}

func readMemory(d decoys) error {
	var buf [1]byte
	local := []unix.Iovec{{Base: &buf[0], Len: 1}}
	_, err := unix.ProcessVMReadv(d.Pid, local, []unix.RemoteIovec{{Base: d.Address, Len: 1}}, 0)
	return err
}

func capabilities(decoys) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	for _, c := range data {
		if c.Effective|c.Permitted != 0 {
			return nil
		}
	}
	return errors.New("there are none")
}
