package mem

import "golang.org/x/sys/unix"

const hugePage = 2 << 20

// mapMemory maps zeroed memory and asks for huge pages. The kernel may ignore
// that request.
func mapMemory(n int) (data []byte, unmap func()) {
	if n >= hugePage {
		n = (n + hugePage - 1) &^ (hugePage - 1)
	}
	data, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	if n >= hugePage {
		_ = unix.Madvise(data, unix.MADV_HUGEPAGE)
	}
	return data, func() { _ = unix.Munmap(data) }
}
