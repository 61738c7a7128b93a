package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// int80 makes a system call through the 32-bit table, whose numbers a filter
// for the 64-bit one takes for other calls.
func int80(nr, a, b, c uint32) int32

// abiProbes try the tables beside the native one. Each is run in its own
// process, because the filter kills it.
var abiProbes = []probe{
	{"i386 socket", true, func(decoys) error {
		const i386Socket = 359
		if r := int80(i386Socket, unix.AF_INET, unix.SOCK_STREAM, 0); r < 0 {
			return fmt.Errorf("errno %d", -r)
		}
		return nil
	}},
	{"x32 socket", true, func(decoys) error {
		const x32 = 0x40000000
		_, _, errno := unix.RawSyscall(x32|unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)
		return errnoOr(errno)
	}},
	{"x32 getpid", true, func(decoys) error {
		// Nothing to gain by itself; it shows whether the table is open.
		const x32 = 0x40000000
		if _, _, errno := unix.RawSyscall(x32|unix.SYS_GETPID, 0, 0, 0); errno != 0 {
			return errors.New(errno.Error())
		}
		return nil
	}},
}
