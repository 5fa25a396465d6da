//go:build !linux

package kerneltest

// farBytes is how far into a slice its memory may lie: here, not far.
const farBytes, farOdds = 0, 1

// pages is memory without the protection that it has on Linux.
type pages struct {
	mapping []byte
	before  int
	memory  []byte
}

func newPages(_, size int) pages {
	mapping := make([]byte, size)
	return pages{mapping, 0, mapping}
}

func (p *pages) seal() {}
func (p *pages) free() {}
