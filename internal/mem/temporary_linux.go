package mem

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Reserve claims room for a file on the disk. It returns an error if there is none,
// and does nothing where the file system cannot tell.
func Reserve(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return err
	}
	return nil
}

// mapTemporary maps a new file in a folder, which loses its name at once. It is nil
// if there is no room on the disk: a process that writes to a mapped file where
// there is none would be killed.
func mapTemporary(dir string, n int) (data []byte, unmap func()) {
	f, err := os.CreateTemp(dir, ".aoso-*.tmp")
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	if os.Remove(f.Name()) != nil || unix.Fallocate(int(f.Fd()), 0, 0, int64(n)) != nil {
		return nil, nil
	}
	data, err = unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil
	}
	return data, func() { _ = unix.Munmap(data) }
}
