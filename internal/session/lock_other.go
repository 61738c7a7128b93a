//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// lockFolder makes this process the only writer by a file that is there as long
// as it writes. A process that was killed leaves it behind.
func lockFolder(root *os.Root) (*os.File, error) {
	f, err := root.OpenFile(lockName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; if none runs, delete the file %s", ErrLocked, lockName)
	}
	return f, err
}

func unlockFolder(root *os.Root, f *os.File) error {
	return errors.Join(f.Close(), root.Remove(lockName))
}
