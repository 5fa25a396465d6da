//go:build unix

package mem

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, n int) (data []byte, unmap func()) {
	data, err := unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil
	}
	return data, func() { _ = unix.Munmap(data) }
}
