package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// deniedHere are denied calls that only this architecture has.
var deniedHere = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_MKNOD,
	unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
}

var deniedToOwnerHere = []uint32{
	unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME,
	unix.SYS_UTIMES, unix.SYS_FUTIMESAT,
}
