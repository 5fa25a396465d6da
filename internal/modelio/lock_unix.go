//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package modelio

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed or the process ends. It returns errLocked if another process has locked the file, and another error
// if the file system has no locks.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == unix.EWOULDBLOCK {
			return errLocked
		}
		if err != unix.EINTR {
			return err
		}
	}
}
