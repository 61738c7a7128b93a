package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// deniedHere are denied calls that only this architecture has.
var deniedHere = []uint32{unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL}

var deniedToOwnerHere []uint32
