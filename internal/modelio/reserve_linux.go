package modelio

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve claims room for a file on the disk, where the file system can do that.
func reserve(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return err
	}
	return nil
}
