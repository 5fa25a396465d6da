package kerneltest

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

var pageSize = unix.Getpagesize()

// farBytes is how far into a slice its memory may lie, in one trial of
// farOdds. It is less for other CPUs: an emulator takes time for every page.
var farBytes, farOdds = 1 << 42, 16

func init() {
	if runtime.GOARCH != "amd64" {
		farBytes, farOdds = 1<<33, 1000
	}
}

// pages is whole pages of memory between others that fault when touched.
type pages struct {
	mapping []byte
	before  int    // bytes of mapping
	memory  []byte // after them, the part that may be touched
	sealed  bool
}

// spare holds pages to use again, by their bytes: system calls and the faults
// of fresh pages would take most of a trial's time.
var spare = struct {
	sync.Mutex
	of map[int][]pages
}{of: map[int][]pages{}}

// newPages returns size bytes or more, after at least lead that fault.
func newPages(lead, size int) pages {
	lead, size = roundUp(lead)+pageSize, roundUp(size)
	if lead == pageSize {
		if p, ok := takeSpare(size); ok {
			return p
		}
	}
	mapping, err := unix.Mmap(-1, 0, lead+size+pageSize, unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		panic(err)
	}
	p := pages{mapping: mapping, before: lead, memory: mapping[lead : lead+size]}
	p.protect(unix.PROT_READ | unix.PROT_WRITE)
	return p
}

func takeSpare(size int) (p pages, ok bool) {
	spare.Lock()
	defer spare.Unlock()
	if list := spare.of[size]; len(list) > 0 {
		spare.of[size] = list[:len(list)-1]
		return list[len(list)-1], true
	}
	return pages{}, false
}

func roundUp(size int) int { return (size + pageSize - 1) / pageSize * pageSize }

// seal makes writes fault.
func (p *pages) seal() {
	p.protect(unix.PROT_READ)
	p.sealed = true
}

func (p *pages) protect(how int) {
	if len(p.memory) == 0 {
		return
	}
	if err := unix.Mprotect(p.memory, how); err != nil {
		panic(err)
	}
}

func (p *pages) free() {
	if p.before == pageSize {
		if p.sealed {
			p.protect(unix.PROT_READ | unix.PROT_WRITE)
			p.sealed = false
		}
		spare.Lock()
		defer spare.Unlock()
		spare.of[len(p.memory)] = append(spare.of[len(p.memory)], *p)
		return
	}
	if err := unix.Munmap(p.mapping); err != nil {
		panic(err)
	}
}
