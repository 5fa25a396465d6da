//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package modelio

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed, by its owner or by the end of the
// process: errLocked where another has it, another error where files cannot be
// locked.
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
