package mem

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Reserve allocates disk space for a file. It returns an error if there is none, and does
// nothing where the file system cannot tell.
func Reserve(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return err
	}
	return nil
}

// mapTemporary maps a new file without a name in a folder. It is nil if the file
// system has no such files, or no room: a process that writes to a mapped file where
// there is none would be killed.
func mapTemporary(folder string, n int) (data []byte, unmap func()) {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, nil
	}
	defer unix.Close(fd)
	if unix.Fallocate(fd, 0, 0, int64(n)) != nil {
		return nil, nil
	}
	data, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil
	}
	return data, func() { _ = unix.Munmap(data) }
}
